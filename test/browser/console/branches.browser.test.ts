import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { personOf } from '../../support/people.ts';
import { archiveBranch, newBranch, newTerminal } from '../../support/world.ts';
import { expectAccessible, HOSTILE, type Options, onDesktop, onPhone, useConsole } from './harness.ts';
import { button } from './page.ts';
import { hold, outgrow, warnOfMatches } from './wire.ts';

const view = useConsole();

/** Two full pages of branches, and one more. */
const COUNT = 41;
const LONG = 'x'.repeat(255);
/** The cities of some branches, by their numbers. */
const CITIES: Record<number, string> = { 7: 'Évora', 8: 'Faro', 9: 'Faro' };

beforeAll(async () => {
  const { provider } = view.world;
  for (let at = 1; at < COUNT; at += 1)
    await newBranch(provider, {
      mid: `LIST${String(at).padStart(3, '0')}`,
      branch_name: `Shop number${at}`,
      area: 'Centre',
      city: CITIES[at] ?? 'Lisbon',
      // Another business of the same name.
      master_merchant_id: at === 8 ? 'SHOPS2' : 'SHOPS',
      ...((at === 1 || at === 8) && { master_merchant_name: 'Shops of Lisbon' }),
    });
  for (const mid of ['LIST008', 'LIST009', 'LIST009']) await newTerminal(provider, mid);
  await archiveBranch(provider, 'LIST040');
  await newBranch(provider, { mid: 'x1'.repeat(32), branch_name: HOSTILE, area: LONG, city: LONG });
});

const rows = (page: Page) => page.locator('.rows tbody tr');
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search branches' });
/** The values of the address. */
const address = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
/** Waits until the list begins with a branch. */
const beginsWith = (page: Page, name: string) => rows(page).first().getByText(name, { exact: true }).waitFor();

async function openList(query = '', options: Options = {}) {
  const opened = await view.open(`/branches${query}`, options);
  await opened.page.getByRole('heading', { name: 'Branches', exact: true }).waitFor();
  return opened;
}

/** Opens the list of an acquirer that has more than a browser keeps, in a browser of its own. */
async function openLarge(query = '', options: Options = {}) {
  const { page, context } = await view.open('/help', { ...options, isFresh: true });
  await outgrow(context);
  await page.goto(view.addressOf(`/branches${query}`));
  await rows(page)
    .or(page.getByRole('heading', { level: 2 }))
    .first()
    .waitFor();
  for (const filters of [page.getByRole('group', { name: 'Filters' }), button(page, /^Filters/)])
    await filters.waitFor({ state: 'detached' });
  view.takeRequests();
  return { page, context };
}

/** Both sizes, in browsers of their own: each has read the estate anew. */
const onBoth = test.each<[string, Options]>([
  ['1440 px', { isFresh: true }],
  ['a phone', { isPhone: true }],
]);

/** Chooses a value of a filter, as its label and count say. */
async function filter(page: Page, options: Options, facet: string, value: string): Promise<void> {
  if (options.isPhone) await button(page, /^Filters/).click();
  else await page.getByRole('button', { name: facet }).first().click();
  const values = page.getByRole('group', { name: facet, exact: true });
  await values.getByLabel(value).check();
  if (options.isPhone) await button(page, /^Show /).click();
  else await page.keyboard.press('Escape');
}

onBoth(
  'branches are filtered, counted and sorted at once, with the filters in the address, at %s',
  async (_, options) => {
    const { page } = await openList('', options);
    await page.getByText(`${COUNT} branches`).waitFor();
    await filter(page, options, 'City', 'Faro 2');
    await page.getByText(`2 of ${COUNT} branches`).waitFor();
    expect(address(page)).toEqual({ city: 'Faro' });
    await expectAccessible(page);
    if (options.isPhone) await button(page, /^Filters/).click();
    await page.getByRole('combobox', { name: 'Order' }).last().selectOption('Most active terminals');
    if (options.isPhone) await button(page, /^Show /).click();
    await beginsWith(page, 'Shop number9');
    await page.goBack();
    await beginsWith(page, 'Shop number9');
    // Two businesses have this name, so their IDs are said.
    await filter(page, options, 'Business', 'Shops of Lisbon (SHOPS2) 1');
    await beginsWith(page, 'Shop number8');
    await filter(page, options, 'Terminals', 'Active terminals 1');
    await page.getByText(`1 of ${COUNT} branches`).waitFor();
    await page.goto(view.addressOf('/branches?city=Nowhere'));
    await button(page, 'Clear all filters').click();
    await page.getByText(`${COUNT} branches`).waitFor();
    const exported = page.waitForEvent('download');
    await search(page).fill('number7');
    await page.getByText(`1 of ${COUNT} branches`).waitFor();
    await button(page, 'Export').click();
    await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
    const text = await readFile(await (await exported).path(), 'utf8');
    expect(
      text
        .split('\r\n')
        .filter(Boolean)
        .map((line) => line.split(',').slice(0, 2)),
    ).toEqual([
      ['\uFEFFmid', 'merchant_name'],
      ['LIST007', 'Shop number7'],
    ]);
  },
);

onBoth('Home leads to the active branches without an active terminal, at %s', async (_, options) => {
  const { page } = await view.open('/', options);
  await page.getByRole('link', { name: /active branches have no active terminal/ }).click();
  await page.getByText(`38 of ${COUNT} branches`).waitFor();
  expect(address(page)).toEqual({ status: 'active', terminals: 'none' });
  expect(await rows(page).getByText('Archived').count()).toBe(0);
  await rows(page).nth(19).waitFor();
});

test('more branches than a browser keeps are listed without filters, and counted by the service', async () => {
  const { page } = await openLarge('?city=Lisbon&sort=name');
  await page.getByText('all branches are listed').waitFor();
  expect(await page.getByRole('combobox', { name: 'Order' }).getByRole('option').allTextContents()).toEqual([
    'Newest first',
    'Oldest first',
  ]);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByText(/^41 branches as of .*, with more than 500,000 terminals: too many to count here\.$/).waitFor();
});

onDesktop('all branches can be paged in both orders, with the place in the address, at %s', async (_, viewport) => {
  const { page } = await openLarge('', { viewport });
  await page.getByText(`${COUNT} branches`).waitFor();
  await rows(page).nth(19).waitFor();
  await beginsWith(page, HOSTILE);
  expect(await page.locator('#content img').count()).toBe(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Next page' }).click();
  await beginsWith(page, 'Shop number21');
  expect(address(page)).toEqual({ page: '2' });
  view.takeRequests();
  await page.getByRole('textbox', { name: 'Page' }).fill('3');
  await page.keyboard.press('Enter');
  await beginsWith(page, 'Shop number1');
  expect(await rows(page).count()).toBe(1);
  expect(view.takeRequests()).toEqual(['GET /ext/api/v1/merchants']);
  await page.goBack();
  await beginsWith(page, 'Shop number21');
  await page.getByRole('combobox', { name: 'Order' }).selectOption('Oldest first');
  await beginsWith(page, 'Shop number1');
  expect(address(page)).toEqual({ sort: 'asc' });
  await page.reload();
  await beginsWith(page, 'Shop number1');
});

onPhone(
  'a page past the end leads to the last one, and any place in a row to its branch, at %s',
  async (_, viewport) => {
    const { page } = await openList('?page=1e400', { viewport });
    await page.getByRole('heading', { name: 'There is no page 1,000,000,000' }).waitFor();
    await expectAccessible(page);
    await button(page, 'Go to the last page').click();
    await beginsWith(page, 'Shop number1');
    expect(address(page)).toEqual({ page: '3' });
    await rows(page).getByText('SHOPS').or(rows(page).getByText('Centre')).first().click({ force: true });
    await page.getByRole('heading', { name: 'Shop number1' }).waitFor();
    await page.goBack();
    await rows(page).getByRole('link', { name: 'Shop number1' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Shop number1' }).waitFor();
    expect(page.url()).toBe(view.addressOf('/branches/LIST001'));
  },
);

onPhone('a search finds the beginnings of words once they are typed, at %s', async (_, viewport) => {
  const { page } = await openLarge('', { viewport, hasClock: true });
  await rows(page).nth(19).waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  await search(page).pressSequentially('evora shop');
  expect(view.takeRequests()).toEqual([]);
  await page.clock.resume();
  await page.getByText('1 branch matches').waitFor();
  await beginsWith(page, 'Shop number7');
  expect(view.takeRequests()).toEqual(['GET /ext/api/v1/merchants']);
  expect(address(page)).toEqual({ search: 'evora shop' });
  await page.goBack();
  await page.getByText(`${COUNT} branches`).waitFor();
  expect(await search(page).inputValue()).toBe('');
  await page.goForward();
  await page.getByText('1 branch matches').waitFor();
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await page.getByText(`${COUNT} branches`).waitFor();
});

test('a search says how it works, what it cannot search, and that matches can be missing', async () => {
  const { page, context } = await openLarge(`?search=${encodeURIComponent(`nothing ${LONG.slice(0, 200)}`)}`);
  await page.getByRole('heading', { name: 'No branch matches “nothing' }).waitFor();
  await page.getByText('Each word must begin a word of the branch’s name').waitFor();
  await expectAccessible(page);
  view.takeRequests();
  await search(page).fill('&');
  await page.getByText('Type at least one letter or digit.').waitFor();
  expect(view.takeRequests()).toEqual([]);
  await context.route('**/merchants?*search=shop*', warnOfMatches);
  await search(page).fill('shop');
  await page.getByRole('status').getByText('Add a rarer word.').waitFor();
  await page.goto(view.addressOf('/branches?search=%26'));
  await page.getByText('Type at least one letter or digit.').waitFor();
});

test('an acquirer without branches is told what to do', async () => {
  const { stranger: acquirer } = view.world;
  const { page } = await openList('', { as: await personOf(acquirer.id, 'viewer'), acquirer });
  await page.getByText('An operator or admin can create or import them.').waitFor();
  await openList('', { as: await personOf(acquirer.id, 'admin'), acquirer });
  await page.getByRole('heading', { name: 'There are no branches yet' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'New branch' }).last().click();
  await page.getByRole('heading', { name: 'New branch' }).waitFor();
});

test('the outline of the list is shown while it is read, and then the list in its place', async () => {
  const { page, context } = await view.open('/help');
  const release = await hold(context, '**/merchants?*');
  await page.getByRole('link', { name: 'Branches' }).first().click();
  await rows(page).nth(7).waitFor();
  const before = await rows(page).first().boundingBox();
  await expectAccessible(page);
  release();
  await rows(page).nth(19).waitFor();
  expect(await rows(page).nth(1).boundingBox()).toMatchObject({ x: before?.x, width: before?.width });
});

test('each role is offered what it permits', async () => {
  const offered = async (as: 'viewer' | 'operator' | 'admin') => {
    const { page } = await openList('', { as });
    await rows(page).nth(19).waitFor();
    return page.locator('#content header').locator('a, button').allTextContents();
  };
  expect(await offered('viewer')).toEqual(['Export']);
  expect(await offered('operator')).toEqual(['Export', 'Import', 'New branch']);
  expect(await offered('admin')).toEqual(['Export', 'Import', 'New branch']);
});
