import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { forgetSessions } from '../../../lib/people/session.ts';
import { call } from '../../support/api.ts';
import { newIdentity, personOf, type SignedIn } from '../../support/people.ts';
import { type Caller, newAcquirer, newBranch, unique } from '../../support/world.ts';
import { SIZES, useConsole } from './harness.ts';

const view = useConsole();
const REFETCH_MS = 10_000;

let acquirer: Caller;
let admin: SignedIn;
let viewer: SignedIn;
let shop: { mid: string; terminals: { tid: string; terminal_id: string }[] };
beforeAll(async () => {
  acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  admin = await personOf(acquirer.id, 'admin', { identity: newIdentity('Ana Almeida') });
  viewer = await personOf(acquirer.id, 'viewer');
  const terminals = [{ terminal_id: unique('ACT') }];
  shop = await newBranch(acquirer, { mid: unique('SHOP'), branch_name: 'Casa Verde', city: 'Lisbon', terminals });
  await newBranch(acquirer, { branch_name: 'Porto Norte', city: 'Porto' });
  await changeCity('Faro');
});
afterEach(forgetSessions);

const changeCity = (city: string) =>
  call('updateBranch', { session: admin.session, path: { mid: shop.mid }, body: { city } });
const addressOf = (path: string) => `${view.base}/console/${acquirer.id}${path}`;
const open = (path = '/activity', options = {}) => view.open(path, { as: admin, acquirer, ...options });
const items = (page: Page) => page.locator('.mantine-Timeline-itemBody');
const status = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('status')
    .filter({ hasText: /change/ });

/** Opens the activity with a clock that tests can put forward. */
async function openWithClock(path = '/activity', shown = items) {
  const { context } = await open('/help');
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(addressOf(path));
  await shown(page).first().waitFor();
  return page;
}

/** Lets the time pass until what is new is read. */
const readsNew = (page: Page) => page.clock.runFor(REFETCH_MS + 500);

describe.each(SIZES)('at %s', (size, viewport) => {
  const as = () => (size === '390 px' ? viewer : admin);

  test('lists changes by day, the newest first, with one request, also to a viewer', async () => {
    const { page } = await open('/activity', { viewport, as: as() });
    await page.getByRole('heading', { name: /^Today, / }).waitFor();
    expect(await items(page).allTextContents()).toMatchObject([
      expect.stringContaining('Ana Almeida changed Casa VerdeCity: Lisbon → Faro'),
      expect.stringContaining('API key “test” created Porto Norte'),
      expect.stringContaining('API key “test” created Casa Verde, with a terminal'),
    ]);
    await page.getByText('All 3 changes that are kept.').waitFor();
    await view.expectAccessible(page);
    expect(view.takeRequests()).toEqual(['GET /console/api/session', 'GET /console/api/activity']);
  });

  test('filters by kind and by who in the address, and says of how many', async () => {
    const { page } = await open('/activity', { viewport });
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
    await page.getByText('All 3 changes that are kept.').waitFor();
    expect(page.url()).toBe(addressOf('/activity'));
  });

  test('shows the changes of a branch, chosen by typing', async () => {
    const { page } = await open('/activity', { viewport });
    const field = page.getByRole('combobox', { name: 'Branch', exact: true });
    await field.click();
    await page.getByText('Type words of its name, its MID, or the ID of one of its terminals.').waitFor();
    await field.fill('nothing like it');
    await page.getByText('No branch found for “nothing like it”.').waitFor();
    await field.fill(shop.terminals[0]?.terminal_id ?? '');
    await page.getByRole('option', { name: 'Casa Verde' }).waitFor();
    await view.expectAccessible(page);
    await field.fill('casa ve');
    await page.getByRole('option', { name: `Casa Verde Faro · ${shop.mid}` }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('All 2 changes that are kept.').waitFor();
    expect(page.url()).toBe(addressOf(`/activity?mid=${shop.mid}`));
    expect(await field.inputValue()).toBe('Casa Verde');
    await page.reload();
    await page.getByText('All 2 changes that are kept.').waitFor();
    expect(await field.inputValue()).toBe('Casa Verde');
  });
});

test.each([
  ['admin', 'Nothing has changed yet. Create a branch, or import a list of them.'],
  ['viewer', 'Nothing has changed yet.'],
] as const)('an acquirer without changes says so: %s', async (role, text) => {
  const fresh = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { page } = await view.open('/activity', { as: await personOf(fresh.id, role), acquirer: fresh });
  await page.getByText(text, { exact: true }).waitFor();
  await view.expectAccessible(page);
});

test('ignores a kind that does not exist', async () => {
  const { page } = await open('/activity?kind=constructor');
  await page.getByText('All 3 changes that are kept.').waitFor();
  expect(await page.getByLabel('Kind').locator('option:checked').textContent()).toBe('All kinds');
});

test('says how long ago a change was, also after a view without times', async () => {
  const page = await openWithClock('/help', (page) => page.getByRole('heading', { name: 'Help', exact: true }));
  await page.clock.fastForward('02:00:00');
  await page.getByRole('link', { name: 'Activity' }).first().click();
  await items(page).first().filter({ hasText: '2 hours ago' }).waitFor();
});

describe('what happens while the view is open', () => {
  test('appears by itself at the top', async () => {
    const page = await openWithClock();
    await changeCity('Braga');
    await readsNew(page);
    await items(page).first().filter({ hasText: 'Braga' }).waitFor();
    await status(page).filter({ hasText: 'One new change' }).waitFor();
  });

  test('waits behind a button while a person reads further down', async () => {
    const page = await openWithClock();
    await page.setViewportSize({ width: 1024, height: 300 });
    await page.mouse.wheel(0, 400);
    await page.waitForTimeout(300);
    const read = items(page).nth(1);
    const before = await read.textContent();
    const top = (await read.boundingBox())?.y;
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

  test('waits while the view is paused', async () => {
    const page = await openWithClock('/activity?live=off');
    await page.getByText('Paused. New changes wait until you want them.').waitFor();
    await changeCity('Aveiro');
    await readsNew(page);
    await page.getByRole('button', { name: 'One new change' }).waitFor();
    await view.expectAccessible(page);
    expect(await items(page).first().textContent()).not.toContain('Aveiro');
    await page.getByRole('button', { name: 'Continue' }).click();
    await items(page).first().filter({ hasText: 'Aveiro' }).waitFor();
  });

  test('is read with one small request, unless much happened', async () => {
    const page = await openWithClock();
    const limits: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/activity') && searchParams.has('limit')) limits.push(searchParams.get('limit'));
    });
    const before = await items(page).count();
    await changeCity('Guarda');
    await readsNew(page);
    await items(page).first().filter({ hasText: 'Guarda' }).waitFor();
    expect(limits).toEqual(['10']);
    for (let count = 1; count <= 25; count += 1) await changeCity(`City ${count}`);
    await readsNew(page);
    await items(page).first().filter({ hasText: 'City 25' }).waitFor();
    expect(await items(page).count()).toBe(before + 26);
    expect(limits).toEqual(['10', '10', '50']);
  });
});

/** Events of many days that the test makes up: the page with the newest has the highest number. */
async function madeUp(
  context: BrowserContext,
  { count, names = ['Ana Almeida'] }: { count: number; names?: string[] },
) {
  const made = { newest: count };
  const nameOf = (number: number) => names[(number - 1) % names.length] as string;
  const event = (number: number) => ({
    id: `${String(number).padStart(8, '0')}-0000-7000-8000-000000000000`,
    type: number % 2 ? 'branch.updated' : 'branch.archived',
    at: new Date(Date.now() - (count - number) * 6 * 3_600_000).toISOString(),
    branch: { mid: 'MADEUP', status: 'active', archived_at: null },
    data: { mid: 'MADEUP', city: nameOf(number) },
    changes: number % 2 ? { city: nameOf(number) } : null,
    by: {
      acquirer: acquirer.id,
      acquirer_name: 'Payfair',
      key_id: null,
      key_label: null,
      person: { id: `person-${(number - 1) % names.length}`, name: nameOf(number) },
    },
    request_id: `${number}`,
  });
  await context.route('**/console/api/activity?*', async (route) => {
    const { searchParams } = new URL(route.request().url());
    const start = Number(searchParams.get('before') ?? made.newest);
    const end = Math.max(0, start - Number(searchParams.get('limit')));
    const events = Array.from({ length: start - end }, (_, at) => event(start - at));
    const branches = [{ mid: 'MADEUP', merchant_name: names[0], city: names[0], status: 'active' }];
    await route.fulfill({ json: { data: { events, branches }, meta: { next: end > 0 ? String(end) : null } } });
  });
  return made;
}

/** Opens the activity with events that the test makes up. */
async function openMadeUp(options: Parameters<typeof madeUp>[1], path = '/activity', opened = {}) {
  const { page, context } = await open('/help', opened);
  const made = await madeUp(context, options);
  await page.goto(addressOf(path));
  await items(page).first().waitFor();
  return { page, context, made };
}

test('loads earlier changes, and says how many are loaded', async () => {
  const { page } = await openMadeUp({ count: 120 });
  await page.getByText('The newest 50 changes.').waitFor();
  await page.getByLabel('Kind').selectOption('Branch changed');
  await page.getByText('25 of the newest 50 changes.').waitFor();
  await page.getByRole('button', { name: 'Load earlier' }).click();
  await page.getByText('50 of the newest 100 changes.').waitFor();
  await page.getByRole('button', { name: 'Load earlier' }).click();
  await page.getByText('60 of all 120 changes.').waitFor();
  expect(await page.getByRole('button', { name: 'Load earlier' }).count()).toBe(0);
  await view.expectAccessible(page);
});

test('begins anew after more changes than it reads at once', async () => {
  const { context } = await open('/help');
  const page = await context.newPage();
  await page.clock.install();
  const made = await madeUp(context, { count: 120 });
  await page.goto(addressOf('/activity'));
  await page.getByRole('button', { name: 'Load earlier' }).click();
  await page.getByText('The newest 100 changes.').waitFor();
  made.newest = 1_120;
  await readsNew(page);
  await page.getByText('The newest 210 changes.').waitFor();
  await page.getByRole('button', { name: 'Load earlier' }).click();
  await page.getByText('The newest 260 changes.').waitFor();
});

test('a failure to read what is new or earlier keeps what is shown', async () => {
  const { page, context } = await openMadeUp({ count: 60 });
  await context.route('**/console/api/activity?*before=*', (route) =>
    route.fulfill({
      status: 400,
      contentType: 'application/problem+json',
      json: {
        type: `${view.base}/docs/errors/server_error`,
        title: 'Server error',
        status: 400,
        detail: 'It failed.',
        code: 'server_error',
        request_id: '0f3c1e52-0000-4000-8000-000000000000',
      },
    }),
  );
  await page.getByRole('button', { name: 'Load earlier' }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('Something went wrong on our side').waitFor();
  expect(await items(page).count()).toBe(50);
  await view.expectAccessible(page);
  await context.unroute('**/console/api/activity?*before=*');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('All 60 changes that are kept.').waitFor();
  expect(await alert.count()).toBe(0);
});

test('draws the changes of each day, and lists them for those who do not see it', async () => {
  const { page } = await openMadeUp({ count: 40 });
  const table = page.getByRole('table', { name: 'Changes per day, of the last 30 days' });
  const counts = (await table.locator('td').allTextContents()).map(Number);
  expect(counts).toHaveLength(30);
  expect(counts.reduce((sum, each) => sum + each, 0)).toBe(40);
  expect(await page.locator('.chart-bar[data-is="some"]').count()).toBe(counts.filter((each) => each > 0).length);
  await view.expectAccessible(page);
  // What is not loaded is not drawn as if nothing had happened.
  const { page: more } = await openMadeUp({ count: 90 });
  await more.getByText(/^Changes per day, of the last 30 days Loaded since .+ That day may have more\.$/).waitFor();
  expect(await more.locator('.chart-bar[data-is="unknown"]').count()).toBeGreaterThan(10);
});

test('shows names of any script and length as text, within the screen', async () => {
  const names = ['W'.repeat(255), 'محمد بن سلمان', '👩🏽‍💻 Zoë', '<img src=x onerror=alert(1)>'];
  for (const [, viewport] of SIZES) {
    const { page } = await openMadeUp({ count: 4, names }, '/activity?mid=MADEUP', { viewport });
    for (const [at, name] of names.entries())
      await items(page)
        .nth(3 - at)
        .filter({ hasText: name })
        .waitFor();
    await view.expectAccessible(page);
    await page.getByLabel('Who').selectOption(names[0] as string);
    await page.getByText('1 of all 4 changes.').waitFor();
  }
});

test('an unknown branch or person in the address says so', async () => {
  const { page } = await open('/activity?mid=NOSUCHSHOP');
  await page.getByRole('alert').getByText('Not found').waitFor();
  await view.expectAccessible(page);
  await page.goto(addressOf('/activity?who=0f3c1e52-0000-4000-8000-000000000000'));
  await page.getByText(/^0 of all \d+ changes\.$/).waitFor();
  const chosen = page.getByLabel('Who').locator('option:checked');
  expect(await chosen.textContent()).toBe('Somebody who is not in what is loaded');
});
