import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { hashOf } from '../../../lib/base/apiKeyFormat.ts';
import { newEventId } from '../../../lib/base/eventId.ts';
import { copyKey } from '../../../lib/events/event.ts';
import { getItem } from '../../../lib/table/client.ts';
import { call } from '../../support/api.ts';
import { newIdentity, personOf, type SignedIn } from '../../support/people.ts';
import { storeMany } from '../../support/storeMany.ts';
import { type Caller, newAcquirer, newBranch, numbered, unique } from '../../support/world.ts';
import { expectAccessible, onDesktop, onPhone, useConsole } from './harness.ts';
import { button, dialog } from './page.ts';
import { problemOf } from './wire.ts';

const view = useConsole();
const REFETCH_MS = 10_000;

let acquirer: Caller;
let admin: SignedIn;
let shop: { mid: string; terminals: { tid: string; terminal_id: string }[] };
beforeAll(async () => {
  acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  admin = await personOf(acquirer.id, 'admin', { identity: newIdentity('Ana Almeida') });
  const terminals = [{ terminal_id: unique('ACT') }];
  shop = await newBranch(acquirer, { mid: unique('SHOP'), branch_name: 'Casa Verde', city: 'Lisbon', terminals });
  await newBranch(acquirer, { branch_name: 'Porto Norte', city: 'Porto' });
  await changeCity('Faro');
});

let changes = 0;
/** Changes the city, in turn by the admin and by an API key, so that no two changes are a run. */
const changeCity = (city: string) => {
  const by = changes++ % 2 === 0 ? { session: admin.session } : { key: acquirer.key };
  return call('updateBranch', { ...by, path: { mid: shop.mid }, body: { city } });
};
const addressOf = (path: string) => view.addressOf(path, acquirer);
const open = (path = '/activity', options = {}) => view.open(path, { as: admin, acquirer, ...options });
const items = (page: Page) => page.locator('.mantine-Timeline-itemBody');

/** Opens the activity with a clock that tests can put forward. */
async function openWithClock() {
  const { page } = await open('/activity', { hasClock: true });
  await items(page).first().waitFor();
  return page;
}

/** Lets the time pass until what is new is read. */
const readsNew = (page: Page) => page.clock.runFor(REFETCH_MS + 500);

onPhone('a viewer reads changes by day, the newest first, with one request, at %s', async (_, viewport) => {
  const { page } = await open('/activity', { viewport, as: await personOf(acquirer.id, 'viewer') });
  await page.getByRole('heading', { name: /^Today, / }).waitFor();
  expect(await items(page).allTextContents()).toMatchObject([
    expect.stringContaining('Ana Almeida changed Casa VerdeCity: Lisbon → Faro'),
    expect.stringContaining('API key “test” created Porto Norte'),
    expect.stringContaining(`API key “test” created Casa Verde, with terminal ${shop.terminals[0]?.terminal_id}`),
  ]);
  await page.getByText('3 changes.').waitFor();
  await expectAccessible(page);
  expect(view.takeRequests()).toEqual(['GET /console/api/session', 'GET /console/api/activity']);
});

onPhone('kind, author and day are in the address, and the service filters by them, at %s', async (_, viewport) => {
  const { page } = await open('/activity?type=constructor', { viewport });
  await page.getByText('3 changes.').waitFor();
  expect(await page.getByLabel('Kind').locator('option:checked').textContent()).toBe('All kinds');
  // A move is one kind, wherever from and to.
  const kinds = await page.getByLabel('Kind').locator('option').allTextContents();
  expect(kinds.filter((kind) => /moved/.test(kind))).toEqual(['Terminal moved']);
  await page.getByLabel('Kind').selectOption('Branch created');
  await page.getByText('2 changes.').waitFor();
  await page.getByLabel('Who').selectOption('Ana Almeida');
  await page.getByText('No change that matches is kept.').waitFor();
  expect(page.url()).toBe(addressOf(`/activity?type=branch.created&who=person.${admin.id}`));
  await expectAccessible(page);
  await page.goBack();
  await page.getByText('2 changes.').waitFor();
  await page.reload();
  await page.getByText('2 changes.').waitFor();
  expect(await page.getByLabel('Kind').inputValue()).toBe('branch.created');
  // An admin can choose every key, also one that has changed nothing.
  const key = `API key “test” …${acquirer.key.slice(-4)}`;
  await page.getByLabel('Who').selectOption(key);
  await page.getByText('2 changes.').waitFor();
  await items(page).first().getByText(`${key} created Porto Norte`).waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByText('3 changes.').waitFor();
  expect(page.url()).toBe(addressOf('/activity'));
  const [today, yesterday] = [0, 86_400_000].map((ago) => new Intl.DateTimeFormat('sv-SE').format(Date.now() - ago));
  await page.getByLabel('Day').fill(yesterday as string);
  await page.getByText('No change that matches is kept.').waitFor();
  await page.getByLabel('Day').fill(today as string);
  await page.getByText('3 changes.').waitFor();
  expect(page.url()).toBe(addressOf(`/activity?day=${today}`));
});

onDesktop('the changes of a branch or a terminal are found by typing, at %s', async (_, viewport) => {
  const { page } = await open('/activity', { viewport });
  const field = page.getByRole('combobox', { name: 'Branch or terminal' });
  await field.fill('nothing like it');
  await page.getByText('Nothing found for “nothing like it”.').waitFor();
  const [{ tid, terminal_id }] = shop.terminals as [(typeof shop.terminals)[0]];
  await field.fill(terminal_id);
  const terminal = page.getByRole('option', { name: `Terminal ${terminal_id} Casa Verde` });
  await terminal.waitFor();
  await expectAccessible(page);
  await terminal.click();
  await page.getByText('One change.').waitFor();
  expect(page.url()).toBe(addressOf(`/activity?on=tid.${tid}`));
  await field.fill('casa ve');
  await page.getByRole('option', { name: `Casa Verde Faro · ${shop.mid}` }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText('2 changes.').waitFor();
  expect(page.url()).toBe(addressOf(`/activity?on=mid.${shop.mid}`));
  await page.reload();
  await page.getByText('2 changes.').waitFor();
  expect(await field.inputValue()).toBe('Casa Verde');
});

test.each([
  ['admin', 'Nothing has changed yet. Create a branch, or import a list of them.'],
  ['viewer', 'Nothing has changed yet.'],
] as const)('an acquirer without changes says so: %s', async (role, text) => {
  const fresh = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { page } = await view.open('/activity', { as: await personOf(fresh.id, role), acquirer: fresh });
  await page.getByText(text, { exact: true }).waitFor();
});

test('an unknown branch or person in the address says so', async () => {
  const { page } = await open('/activity?on=mid.NOSUCHSHOP');
  await page.getByRole('alert').getByText('Not found').waitFor();
  await page.goto(addressOf('/activity?who=person.0f3c1e52-0000-4000-8000-000000000000'));
  await page.getByText('No change that matches is kept.').waitFor();
  expect(await page.getByLabel('Who').locator('option:checked').textContent()).toBe('Somebody else');
});

test('changes alike, each within a minute of the next, are one entry that opens', async () => {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const [one, other] = [await newBranch(provider, { branch_name: 'Norte' }), await newBranch(provider)];
  const add = (mid: string, count: number) =>
    call('createTerminals', {
      key: provider.key,
      path: { id: mid },
      body: { terminals: numbered(unique('RUN'), count) },
    });
  const first = (await add(one.mid, 4)).body.data;
  for (const count of [1, 2]) await add(other.mid, count);
  const { page } = await view.open('/activity', { as: await personOf(provider.id, 'viewer'), acquirer: provider });
  const entry = items(page).first();
  await entry.getByText('API key “test” added 7 terminals to 2 branches').waitFor();
  // Two are no run.
  expect(await items(page).count()).toBe(3);
  const opening = entry.getByRole('button', { name: '3 changes' });
  expect(await opening.getAttribute('aria-expanded')).toBe('false');
  await opening.click();
  expect(await opening.getAttribute('aria-expanded')).toBe('true');
  await entry.getByText('API key “test” added 4 terminals to Norte').waitFor();
  await entry.getByRole('button', { name: '4 terminals' }).click();
  await expectAccessible(page);
  await entry.getByRole('link', { name: first[3].terminal_id }).click();
  await page.getByRole('heading', { name: first[3].terminal_id }).waitFor();
});

/** An acquirer with a branch to which an API key has added so many terminals, one by one, and a viewer of it. */
async function newBatch(count: number) {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const viewer = await personOf(provider.id, 'viewer');
  const { mid } = await newBranch(provider, { branch_name: 'Norte' });
  const terminals = numbered(unique('BATCH'), 1);
  const added = await call('createTerminals', { key: provider.key, path: { id: mid }, body: { terminals } });
  const { events } = (await call('listActivity', { session: viewer.session, query: { limit: '1' } })).body.data;
  const item = await getItem(copyKey(provider.id, events[0].id));
  const at = Date.parse(events[0].at);
  await storeMany(1, count - 1, (number) => ({ ...item, sk: newEventId(new Date(at + number).toISOString()) }));
  return { provider, viewer, mid: mid as string, terminal: added.body.data[0] as { tid: string; terminal_id: string } };
}

test.each([
  ['9', '9', '9'],
  ['70', 'at least 50', 'at least 20'],
  ['1,100', 'at least 50', 'at least 20'],
])('a batch of %s is counted whole, or says “at least”, on each view', async (whole, latest, ofBranch) => {
  const { provider, viewer, mid } = await newBatch(Number(whole.replace(',', '')));
  const added = (count: string, to = 'Norte') => `API key “test” added ${count} terminals to ${to}`;
  const { page } = await view.open('/', { as: viewer, acquirer: provider });
  await items(page).first().getByText(added(latest)).waitFor();
  await page.goto(view.addressOf(`/branches/${mid}`, provider));
  await items(page).first().getByText(added(ofBranch, 'it')).waitFor();
  await page.goto(view.addressOf('/activity', provider));
  await items(page).first().getByText(added(latest)).waitFor();
  if (latest === whole) return;
  await button(page, 'At least 50 changes ▾').click();
  await page.getByText('There may be more, which are not loaded.').waitFor();
  await expectAccessible(page);
  await button(page, 'At least 50 changes ▴').click();
  // One click reads the entry to its end.
  await button(page, 'Load earlier').click();
  await items(page).first().getByText(added(whole)).waitFor();
  await button(page, `${whole} changes ▾`).waitFor();
  expect(await items(page).count()).toBe(2);
});

const exporting = async (_: string, viewport: { width: number; height: number }) => {
  const { provider, viewer, mid, terminal } = await newBatch(120);
  const to = await newBranch(provider, { branch_name: 'Sul' });
  const by = { key: provider.key, path: { id: terminal.tid } };
  await call('updateTerminal', { ...by, body: { terminal_model: 'A' } });
  await call('updateTerminal', { ...by, body: { terminal_model: 'B' }, query: { reason: 'Typo' } });
  await call('reassignTerminal', { ...by, body: { mid: to.mid } });
  await call('archiveTerminal', { ...by, body: { reason: 'Lost' } });
  const { page } = await view.open('/', { as: viewer, acquirer: provider, viewport, isFresh: true });
  await page.addInitScript("Object.defineProperty(window, 'showSaveFilePicker', { value: undefined })");
  await page.reload();
  if (viewport.width < 768) await button(page, 'Menu').click();
  await page.getByRole('link', { name: 'Activity', exact: true }).click();
  const [yesterday, today] = [86_400_000, 0].map((ago) => new Intl.DateTimeFormat('sv-SE').format(Date.now() - ago));
  await page.getByLabel('Day').fill(yesterday as string);
  await page.getByText('No change that matches is kept.').waitFor();
  await page.getByLabel('To', { exact: true }).fill(today as string);
  await page.getByLabel('Kind').selectOption('Terminals added');
  await page.getByText(/^50 changes since /).waitFor();
  await expectAccessible(page);
  const name = `activity-payfair-${yesterday}-${today}-${today}.csv`;
  const exported = async (count: number) => {
    await button(page, 'Export').click();
    expect(await dialog(page).getByLabel('From').inputValue()).toBe(yesterday);
    expect(await dialog(page).getByLabel('To').inputValue()).toBe(today);
    await dialog(page).getByRole('radio', { name: 'CSV' }).check();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog(page).getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(name);
    await page.getByText(`${name} is saved. It has ${count} changes.`).waitFor();
    return parse<Record<string, string>>(await readFile(await download.path()), { bom: true, columns: true });
  };
  const rows = await exported(120);
  await expectAccessible(page);
  expect(rows).toHaveLength(120);
  expect(rows[0]).toEqual({
    Time: expect.stringMatching(/^20.+Z$/),
    Change: 'Terminals added',
    Who: 'API key “test”',
    "Who's ID": `key.${hashOf(provider.key).slice(0, 12)}`,
    MID: mid,
    Branch: 'Norte',
    'MID before': '',
    Terminals: terminal.terminal_id,
    TIDs: terminal.tid,
    Changed: '',
    Reason: '',
    'Request ID': expect.any(String),
    ID: expect.any(String),
  });
  expect(new Set(rows.map(({ ID }) => ID)).size).toBe(120);
  await page.getByLabel('Kind').selectOption('All kinds');
  expect((await exported(126)).slice(0, 3)).toMatchObject([
    { Change: 'Terminal archived', MID: to.mid, Reason: 'Lost', Changed: '' },
    { Change: 'Terminal moved', MID: to.mid, Branch: 'Sul', 'MID before': mid, Changed: '' },
    { Change: 'Terminal changed', MID: mid, Changed: 'Model: A → B', Reason: 'Typo' },
  ]);
};
onDesktop('from Home, all changes of some days are handed over as a file, also those not loaded, at %s', exporting);
onPhone('from Home, all changes of some days are handed over as a file, also those not loaded, at %s', exporting);

test('new changes wait behind a button, and move nothing that a person reads', async () => {
  const page = await openWithClock();
  await page.setViewportSize({ width: 1024, height: 300 });
  await page.evaluate('scrollTo(0, 400)');
  const read = items(page).nth(1);
  const [before, top] = [await read.textContent(), (await read.boundingBox())?.y];
  await changeCity('Setubal');
  await readsNew(page);
  await page.getByRole('status').getByRole('button', { name: 'One new change' }).waitFor();
  await changeCity('Evora');
  await readsNew(page);
  await button(page, '2 new changes').waitFor();
  expect([await read.textContent(), (await read.boundingBox())?.y]).toEqual([before, top]);
  await expectAccessible(page);
  await button(page, '2 new changes').click();
  await items(page).first().filter({ hasText: 'Evora' }).waitFor();
  expect(await page.evaluate('scrollY')).toBe(0);
  await button(page, '2 new changes').waitFor({ state: 'detached' });
  // Also after a view without times.
  await page.setViewportSize({ width: 1024, height: 768 });
  await page.getByRole('link', { name: 'Help' }).click();
  await page.getByRole('heading', { name: 'Help', exact: true }).waitFor();
  await page.clock.fastForward('02:00:00');
  await page.getByRole('link', { name: 'Activity' }).first().click();
  await items(page).first().filter({ hasText: '2 hours ago' }).waitFor();
});

/** Opens the activity with so many events of many days: the newest, which can change, has the highest number. */
async function openMadeUp(count: number, { names = ['Ana Almeida'], path = '/activity', hasClock = false } = {}) {
  const made = { newest: count };
  const by = { acquirer: acquirer.id, acquirer_name: 'Payfair', key_id: null, key_label: null };
  const nameOf = (number: number) => names[(number - 1) % names.length] as string;
  const event = (number: number) => ({
    id: `${String(number).padStart(8, '0')}-0000-7000-8000-000000000000`,
    type: number % 2 ? 'branch.updated' : 'branch.archived',
    at: new Date(Date.now() - (count - number) * 6 * 3_600_000).toISOString(),
    branch: { mid: 'MADEUP', status: 'active', archived_at: null },
    data: { mid: 'MADEUP', city: nameOf(number) },
    changes: number % 2 ? { city: nameOf(number) } : null,
    by: { ...by, person: { id: `person-${(number - 1) % names.length}`, name: nameOf(number) } },
    request_id: `${number}`,
  });
  const { page } = await open('/help', { hasClock });
  await page.route('**/console/api/activity?*', async (route) => {
    const { searchParams } = new URL(route.request().url());
    const start = Number(searchParams.get('before') ?? made.newest);
    const end = Math.max(0, start - Number(searchParams.get('limit')));
    const isWanted = ({ by }: ReturnType<typeof event>) =>
      !searchParams.has('person') || by.person.id === searchParams.get('person');
    const events = Array.from({ length: start - end }, (_, at) => event(start - at)).filter(isWanted);
    const next = end > 0 ? String(end) : null;
    const complete_to = new Date().toISOString();
    const branches = [{ mid: 'MADEUP', merchant_name: names[0], city: names[0], status: 'active' }];
    await route.fulfill({
      json: { data: { events, branches }, meta: { next, read_to: next && event(end + 1).at, complete_to } },
    });
  });
  await page.goto(addressOf(path));
  await items(page).first().waitFor();
  return { page, made };
}

test('earlier changes are loaded when asked for, and a failure to load them keeps what is shown', async () => {
  const { page } = await openMadeUp(120);
  await page.getByText(/^50 changes since /).waitFor();
  const failing = problemOf('server_error', 400);
  await page.route('**/console/api/activity?*before=*', failing);
  await button(page, 'Load earlier').click();
  const alert = page.getByRole('alert');
  await alert.getByText('Something went wrong on our side').waitFor();
  expect(await items(page).count()).toBe(50);
  await page.unroute('**/console/api/activity?*before=*', failing);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByText(/^100 changes since /).waitFor();
  expect(await alert.count()).toBe(0);
  await button(page, 'Load earlier').click();
  await page.getByText('120 changes.').waitFor();
  expect(await button(page, 'Load earlier').count()).toBe(0);
});

test('more new changes than a page are shown from the newest one', async () => {
  const { page, made } = await openMadeUp(120, { hasClock: true });
  await button(page, 'Load earlier').click();
  await page.getByText(/^100 changes since /).waitFor();
  made.newest = 1_120;
  await readsNew(page);
  await button(page, '50+ new changes').click();
  await page.getByText(/^50 changes since /).waitFor();
  await button(page, 'Load earlier').click();
  await page.getByText(/^100 changes since /).waitFor();
});

test('a search goes on through pages without a match, says how far back it is, and can be stopped', async () => {
  const { page } = await openMadeUp(200, { names: Array.from({ length: 200 }, (_, at) => `Person ${at}`) });
  const { promise, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/console/api/activity?*before=100*', async (route) => {
    await promise;
    await route.fallback();
  });
  // Who made the oldest change, and no other.
  await page.goto(addressOf('/activity?who=person.person-0'));
  await page.getByText(/^No change since .+\.$/).waitFor();
  await button(page, 'Stop').click();
  release();
  await button(page, 'Search earlier').click();
  await page.getByText('One change.').waitFor();
  await items(page).getByText('Person 0').first().waitFor();
});

test('only admins see who changed API keys, people and webhooks', async () => {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const boss = await personOf(provider.id, 'admin', { identity: newIdentity('Ana Almeida') });
  const vera = await personOf(provider.id, 'viewer', { identity: newIdentity('Vera Vieira') });
  await call('createWebhook', { session: boss.session, body: { url: 'https://hooks.example.com/events' } });
  await call('createKey', { session: boss.session, body: { label: 'till-lisbon', role: 'till' } });
  await call('changePerson', { session: boss.session, path: { id: vera.id }, body: { role: 'operator' } });
  const { page } = await view.open('/activity', { as: boss, acquirer: provider });
  await page.getByText('Keys, people, webhooks').click();
  const address = `(${vera.identity.email})`;
  await items(page)
    .first()
    .getByText(`Ana Almeida changed the role of Vera Vieira ${address} from Viewer to Operator`)
    .waitFor();
  await items(page)
    .nth(1)
    .getByText(/^Ana Almeida created the API key “till-lisbon” ….{4}$/)
    .waitFor();
  await items(page).getByText('Ana Almeida created the webhook https://hooks.example.com').waitFor();
  await items(page).getByText('Vera Vieira joined with the role Viewer').waitFor();
  await expectAccessible(page);
  expect(page.url()).toBe(view.addressOf('/activity?of=access', provider));
  view.takeRequests();
  await view.open('/activity?of=access', { as: vera, acquirer: provider });
  await page.getByText('Nothing has changed yet.').waitFor();
  expect(await page.getByText('Keys, people, webhooks').count()).toBe(0);
  expect(view.takeRequests()).not.toContain('GET /console/api/access-changes');
});

test('the request ID of a change is there to copy for whoever points at it, or comes to it by keys', async () => {
  const { page } = await open();
  const [entry, copy] = [
    items(page).first(),
    items(page)
      .first()
      .getByRole('button', { name: /^Copy request ID: / }),
  ];
  await copy.waitFor({ state: 'attached' });
  const opacity = () => page.evaluate("getComputedStyle(document.querySelector('.entry .copy')).opacity");
  await page.getByRole('heading', { name: 'Activity' }).hover();
  expect(await opacity()).toBe('0');
  await entry.hover();
  expect(await opacity()).toBe('1');
  await page.getByRole('heading', { name: 'Activity' }).hover();
  await copy.focus();
  expect(await opacity()).toBe('1');
});

test('names of any script and length are shown as text, within the screen', async () => {
  const names = ['W'.repeat(255), 'محمد بن سلمان', '👩🏽‍💻 Zoë', '<img src=x onerror=alert(1)>'];
  const { page } = await openMadeUp(4, { names, path: '/activity?on=mid.MADEUP' });
  for (const [at, name] of names.toReversed().entries()) await items(page).nth(at).filter({ hasText: name }).waitFor();
  await expectAccessible(page);
  await page.getByLabel('Who').selectOption(names[0] as string);
  await page.getByText('One change.').waitFor();
});
