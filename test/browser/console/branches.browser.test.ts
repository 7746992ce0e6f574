import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { personOf } from '../../support/people.ts';
import { archiveBranch, newBranch } from '../../support/world.ts';
import { expectAccessible, HOSTILE, type Options, onDesktop, onPhone, useConsole } from './harness.ts';
import { button } from './page.ts';
import { hold, warnOfMatches } from './wire.ts';

const view = useConsole();

/** Two full pages of branches, and one more. */
const COUNT = 41;
const LONG = 'x'.repeat(255);

beforeAll(async () => {
  const { provider } = view.world;
  for (let at = 1; at < COUNT; at += 1)
    await newBranch(provider, {
      mid: `LIST${String(at).padStart(3, '0')}`,
      branch_name: `Shop number${at}`,
      area: 'Centre',
      city: at === 7 ? 'Évora' : 'Lisbon',
      master_merchant_id: 'SHOPS',
      ...(at === 1 && { master_merchant_name: 'Shops of Lisbon' }),
    });
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

onDesktop('all branches can be paged in both orders, with the place in the address, at %s', async (_, viewport) => {
  const { page } = await openList('', { viewport });
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
    await rows(page).getByText('Active').click({ force: true });
    await page.getByRole('heading', { name: 'Shop number1' }).waitFor();
    await page.goBack();
    await rows(page).getByRole('link', { name: 'Shop number1' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Shop number1' }).waitFor();
    expect(page.url()).toBe(view.addressOf('/branches/LIST001'));
  },
);

onPhone('a search finds the beginnings of words once they are typed, at %s', async (_, viewport) => {
  const { page } = await view.open('/branches', { viewport, hasClock: true });
  await rows(page).nth(19).waitFor();
  view.takeRequests();
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
  const { page, context } = await openList(`?search=${encodeURIComponent(`nothing ${LONG.slice(0, 200)}`)}`);
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

test('each role is offered what it permits, with one request', async () => {
  const offered = async (as: 'viewer' | 'operator' | 'admin') => {
    const { page } = await openList('', { as });
    await rows(page).nth(19).waitFor();
    expect(view.takeRequests()).toEqual(['GET /console/api/session', 'GET /ext/api/v1/merchants']);
    return page.locator('#content header').locator('a, button').allTextContents();
  };
  expect(await offered('viewer')).toEqual(['Export']);
  expect(await offered('operator')).toEqual(['Export', 'Import', 'New branch']);
  expect(await offered('admin')).toEqual(['Export', 'Import', 'New branch']);
});
