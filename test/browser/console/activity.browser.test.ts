import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { call } from '../../support/api.ts';
import { newIdentity, personOf, type SignedIn } from '../../support/people.ts';
import { type Caller, newAcquirer, newBranch, unique } from '../../support/world.ts';
import { expectAccessible, onDesktop, onPhone, useConsole } from './harness.ts';
import { button } from './page.ts';
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

const changeCity = (city: string) =>
  call('updateBranch', { session: admin.session, path: { mid: shop.mid }, body: { city } });
const addressOf = (path: string) => view.addressOf(path, acquirer);
const open = (path = '/activity', options = {}) => view.open(path, { as: admin, acquirer, ...options });
const items = (page: Page) => page.locator('.mantine-Timeline-itemBody');

/** Opens the activity with a clock that tests can put forward. */
async function openWithClock(path = '/activity') {
  const { page } = await open(path, { hasClock: true });
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
    expect.stringContaining('API key “test” created Casa Verde, with a terminal'),
  ]);
  await page.getByText('3 changes.').waitFor();
  await expectAccessible(page);
  expect(view.takeRequests()).toEqual(['GET /console/api/session', 'GET /console/api/activity']);
});

onPhone('filters by kind and by who are in the address, at %s', async (_, viewport) => {
  const { page } = await open('/activity?kind=constructor', { viewport });
  await page.getByText('3 changes.').waitFor();
  expect(await page.getByLabel('Kind').locator('option:checked').textContent()).toBe('All kinds');
  await page.getByLabel('Kind').selectOption('Branch created');
  await page.getByText('2 of all 3 changes.').waitFor();
  await page.getByLabel('Who').selectOption('Ana Almeida');
  await page.getByText('0 of all 3 changes.').waitFor();
  expect(page.url()).toBe(addressOf(`/activity?kind=branch.created&who=${admin.id}`));
  await page.goBack();
  await page.getByText('2 of all 3 changes.').waitFor();
  await page.reload();
  await page.getByText('2 of all 3 changes.').waitFor();
  expect(await page.getByLabel('Kind').inputValue()).toBe('branch.created');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByText('3 changes.').waitFor();
  expect(page.url()).toBe(addressOf('/activity'));
});

onPhone('the changes of one day are read from the service, at %s', async (_, viewport) => {
  const { page } = await open('/activity', { viewport });
  const [today, yesterday] = [0, 86_400_000].map((ago) => new Intl.DateTimeFormat('sv-SE').format(Date.now() - ago));
  await page.getByLabel('Day').fill(yesterday as string);
  await page.getByText('Nothing changed on this day.').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Day').fill(today as string);
  await page.getByText('3 changes.').waitFor();
  expect(page.url()).toBe(addressOf(`/activity?day=${today}`));
  await page.reload();
  await page.getByText('3 changes.').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  expect(page.url()).toBe(addressOf('/activity'));
});

onDesktop('the changes of a branch are found by typing, at %s', async (_, viewport) => {
  const { page } = await open('/activity', { viewport });
  const field = page.getByRole('combobox', { name: 'Branch', exact: true });
  await field.click();
  await page.getByText('Type words of its name, its MID, or the ID of one of its terminals.').waitFor();
  await field.fill('nothing like it');
  await page.getByText('No branch found for “nothing like it”.').waitFor();
  await field.fill(shop.terminals[0]?.terminal_id ?? '');
  await page.getByRole('option', { name: 'Casa Verde' }).waitFor();
  await expectAccessible(page);
  await field.fill('casa ve');
  await page.getByRole('option', { name: `Casa Verde Faro · ${shop.mid}` }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText('2 changes.').waitFor();
  expect(page.url()).toBe(addressOf(`/activity?mid=${shop.mid}`));
  expect(await field.inputValue()).toBe('Casa Verde');
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
  const { page } = await open('/activity?mid=NOSUCHSHOP');
  await page.getByRole('alert').getByText('Not found').waitFor();
  await page.goto(addressOf('/activity?who=0f3c1e52-0000-4000-8000-000000000000'));
  await page.getByText(/^0 of all \d+ changes\.$/).waitFor();
  const chosen = page.getByLabel('Who').locator('option:checked');
  expect(await chosen.textContent()).toBe('Somebody whose changes are not loaded');
});

test('a new change appears by itself, read with one small request unless much happened', async () => {
  const page = await openWithClock();
  const limits: (string | null)[] = [];
  let held = Promise.resolve();
  await page.route('**/console/api/activity?*', async (route) => {
    await held;
    limits.push(new URL(route.request().url()).searchParams.get('limit'));
    await route.continue();
  });
  const before = await items(page).count();
  await changeCity('Guarda');
  await readsNew(page);
  await items(page).first().filter({ hasText: 'Guarda' }).waitFor();
  await page.getByRole('main').getByRole('status').filter({ hasText: 'One new change' }).waitFor();
  expect(new Set(limits)).toEqual(new Set(['10']));
  const { promise, resolve: release } = Promise.withResolvers<void>();
  held = promise;
  for (let count = 1; count <= 25; count += 1) await changeCity(`City ${count}`);
  release();
  await readsNew(page);
  await items(page).first().filter({ hasText: 'City 25' }).waitFor();
  expect(await items(page).count()).toBe(before + 26);
  expect(limits.filter((limit) => limit !== '10')).toEqual(['50']);
  // Also after a view without times.
  await page.getByRole('link', { name: 'Help' }).click();
  await page.getByRole('heading', { name: 'Help', exact: true }).waitFor();
  await page.clock.fastForward('02:00:00');
  await page.getByRole('link', { name: 'Activity' }).first().click();
  await items(page).first().filter({ hasText: '2 hours ago' }).waitFor();
});

test('new changes wait behind a button while a person reads further down', async () => {
  const page = await openWithClock();
  await page.setViewportSize({ width: 1024, height: 300 });
  await page.evaluate('scrollTo(0, 400)');
  const read = items(page).nth(1);
  const [before, top] = [await read.textContent(), (await read.boundingBox())?.y];
  await changeCity('Setubal');
  await changeCity('Evora');
  await readsNew(page);
  const button = page.getByRole('button', { name: '2 new changes' });
  await button.waitFor();
  expect(await read.textContent()).toBe(before);
  expect((await read.boundingBox())?.y).toBe(top);
  await button.click();
  await items(page).first().filter({ hasText: 'Evora' }).waitFor();
  expect(await page.evaluate('scrollY')).toBe(0);
  expect(await button.count()).toBe(0);
});

test('new changes wait while the view is paused', async () => {
  const page = await openWithClock('/activity?live=off');
  await page.getByText('Paused. New changes wait until you want them.').waitFor();
  await changeCity('Aveiro');
  await readsNew(page);
  await page.getByRole('button', { name: 'One new change' }).waitFor();
  await expectAccessible(page);
  expect(await items(page).first().textContent()).not.toContain('Aveiro');
  await page.getByRole('button', { name: 'Continue' }).click();
  await items(page).first().filter({ hasText: 'Aveiro' }).waitFor();
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
    const events = Array.from({ length: start - end }, (_, at) => event(start - at));
    const branches = [{ mid: 'MADEUP', merchant_name: names[0], city: names[0], status: 'active' }];
    await route.fulfill({ json: { data: { events, branches }, meta: { next: end > 0 ? String(end) : null } } });
  });
  await page.goto(addressOf(path));
  await items(page).first().waitFor();
  return { page, made };
}

test('earlier changes are loaded when asked for, and a failure to load them keeps what is shown', async () => {
  const { page } = await openMadeUp(120);
  await page.getByText('The newest 50 changes.').waitFor();
  const failing = problemOf('server_error', 400);
  await page.route('**/console/api/activity?*before=*', failing);
  await button(page, 'Load earlier').click();
  const alert = page.getByRole('alert');
  await alert.getByText('Something went wrong on our side').waitFor();
  expect(await items(page).count()).toBe(50);
  await page.unroute('**/console/api/activity?*before=*', failing);
  await page.getByLabel('Kind').selectOption('Branch changed');
  await page.getByText('25 of the newest 50 changes.').waitFor();
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('50 of the newest 100 changes.').waitFor();
  expect(await alert.count()).toBe(0);
  await button(page, 'Load earlier').click();
  await page.getByText('60 of all 120 changes.').waitFor();
  expect(await button(page, 'Load earlier').count()).toBe(0);
});

test('the view begins anew after more than it reads at once', async () => {
  const { page, made } = await openMadeUp(120, { hasClock: true });
  await button(page, 'Load earlier').click();
  await page.getByText('The newest 100 changes.').waitFor();
  made.newest = 1_120;
  await readsNew(page);
  await page.getByText('The newest 210 changes.').waitFor();
  await button(page, 'Load earlier').click();
  await page.getByText('The newest 260 changes.').waitFor();
});

test('the counts of each day are drawn, and listed for those who do not see it', async () => {
  const { page } = await openMadeUp(40);
  const table = page.getByRole('table', { name: 'Changes per day, of the last 30 days' });
  const counts = (await table.locator('td').allTextContents()).map(Number);
  expect(counts).toHaveLength(30);
  expect(counts.reduce((sum, each) => sum + each, 0)).toBe(40);
  expect(await page.locator('.chart-bar[data-is="some"]').count()).toBe(counts.filter((each) => each > 0).length);
  await expectAccessible(page);
  // What is not loaded is not drawn as if nothing had happened.
  await openMadeUp(90);
  await page.getByText(/^Changes per day, of the last 30 days Loaded since .+ That day may have more\.$/).waitFor();
  expect(await page.locator('.chart-bar[data-is="unknown"]').count()).toBeGreaterThan(10);
});

test('names of any script and length are shown as text, within the screen', async () => {
  const names = ['W'.repeat(255), 'محمد بن سلمان', '👩🏽‍💻 Zoë', '<img src=x onerror=alert(1)>'];
  const { page } = await openMadeUp(4, { names, path: '/activity?mid=MADEUP' });
  for (const [at, name] of names.toReversed().entries()) await items(page).nth(at).filter({ hasText: name }).waitFor();
  await expectAccessible(page);
  await page.getByLabel('Who').selectOption(names[0] as string);
  await page.getByText('1 of all 4 changes.').waitFor();
});
