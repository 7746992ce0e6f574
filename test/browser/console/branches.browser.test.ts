import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newIdentity, personOf } from '../../support/people.ts';
import { archiveBranch, newBranch } from '../../support/world.ts';
import { SIZES, useConsole } from './harness.ts';

const view = useConsole();

/** Two full pages of branches, and one more. */
const COUNT = 41;
const LONG = 'x'.repeat(255);
const HOSTILE = `<img src=x onerror=alert(1)> ‮gnirts‬ שלום 🏪 ${'é'.repeat(200)}`;

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

async function openList(query = '', options: Parameters<typeof view.open>[1] = {}) {
  const { page, context } = await view.open(`/branches${query}`, options);
  await page.getByRole('heading', { name: 'Branches', exact: true }).waitFor();
  return { page, context };
}

describe.each(SIZES)('at %s', (_, viewport) => {
  test('pages through all branches in both orders, with names of any kind, and keeps its place in the address', async () => {
    const { page } = await openList('', { viewport });
    await page.getByText(`${COUNT} branches`).waitFor();
    await rows(page).nth(19).waitFor();
    await beginsWith(page, HOSTILE);
    expect(await page.locator('#content img').count()).toBe(0);
    await view.expectAccessible(page);
    await page.getByRole('button', { name: 'Next page' }).click();
    await beginsWith(page, 'Shop number21');
    expect(address(page)).toEqual({ page: '2' });
    await page.getByRole('textbox', { name: 'Page' }).fill('3');
    await page.keyboard.press('Enter');
    await beginsWith(page, 'Shop number1');
    expect(await rows(page).count()).toBe(1);
    await page.goBack();
    await beginsWith(page, 'Shop number21');
    await page.getByRole('combobox', { name: 'Order' }).selectOption('Oldest first');
    await beginsWith(page, 'Shop number1');
    expect(address(page)).toEqual({ sort: 'asc' });
    await page.reload();
    await beginsWith(page, 'Shop number1');
  });

  test('leads from a page past the end to the last one, and from anywhere in a row to its branch', async () => {
    const { page } = await openList('?page=9', { viewport });
    await page.getByRole('heading', { name: 'There is no page 9' }).waitFor();
    await page.goto(page.url().replace('=9', '=1e400'));
    await page.getByRole('heading', { name: 'There is no page 1,000,000,000' }).waitFor();
    await view.expectAccessible(page);
    await page.getByRole('button', { name: 'Go to the last page' }).click();
    await beginsWith(page, 'Shop number1');
    expect(address(page)).toEqual({ page: '3' });
    await rows(page).getByText('Active').click({ force: true });
    await page.getByRole('heading', { name: 'Shop number1' }).waitFor();
    await page.goBack();
    await rows(page).getByRole('link', { name: 'Shop number1' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Shop number1' }).waitFor();
    expect(page.url()).toBe(`${view.base}/console/${view.world.provider.id}/branches/LIST001`);
  });

  test('searches by the beginnings of words while a person types', async () => {
    const { page } = await openList('', { viewport });
    await rows(page).nth(19).waitFor();
    view.takeRequests();
    await search(page).pressSequentially('evora shop', { delay: 20 });
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

  test('says how the search works when nothing matches, and what it cannot search', async () => {
    const { page } = await openList(`?search=${encodeURIComponent(`nothing ${LONG.slice(0, 200)}`)}`, { viewport });
    await page.getByRole('heading', { name: 'No branch matches “nothing' }).waitFor();
    await page.getByText('Each word must begin a word of the branch’s name').waitFor();
    await view.expectAccessible(page);
    view.takeRequests();
    await search(page).fill('s');
    await page.getByText('Type 1 to 5 words, each of at least 2 letters or digits.').waitFor();
    expect(view.takeRequests()).toEqual([]);
    await page.goto(`${page.url().split('?')[0]}?search=a-b`);
    await page.getByText('Type 1 to 5 words, each of at least 2 letters or digits.').waitFor();
  });

  test('says what to do while there is no branch', async () => {
    const { stranger } = view.world;
    const admin = await personOf(stranger.id, 'admin', { identity: newIdentity('Ana Almeida') });
    const { page } = await openList('', { viewport, as: admin, acquirer: stranger });
    await page.getByRole('heading', { name: 'There are no branches yet' }).waitFor();
    await view.expectAccessible(page);
    const viewer = await openList('', { viewport, as: await personOf(stranger.id, 'viewer'), acquirer: stranger });
    await viewer.page.getByText('An operator or admin can create or import them.').waitFor();
    await page.getByRole('link', { name: 'New branch' }).last().click();
    await page.getByRole('heading', { name: 'New branch' }).waitFor();
  });
});

test('says that matches can be missing', async () => {
  const { page, context } = await openList();
  await context.route('**/merchants?*search=*', async (route) => {
    const response = await route.fetch();
    const warnings = [{ parameter: 'search', code: 'too_many_matches', detail: 'Add a rarer word.' }];
    await route.fulfill({ response, json: { ...(await response.json()), warnings } });
  });
  await search(page).fill('shop');
  await page.getByRole('status').getByText('Add a rarer word.').waitFor();
});

test('shows the outline of the list while it is read, and then the list in its place', async () => {
  const { page, context } = await view.open('/help');
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await context.route('**/merchants?*', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('link', { name: 'Branches' }).first().click();
  await rows(page).nth(7).waitFor();
  const before = await rows(page).first().boundingBox();
  await view.expectAccessible(page);
  release();
  await rows(page).nth(19).waitFor();
  expect(await rows(page).nth(1).boundingBox()).toMatchObject({ x: before?.x, width: before?.width });
});

test('offers each role what it permits, and sends one request', async () => {
  const offered = async (as: 'viewer' | 'operator' | 'admin') => {
    view.takeRequests();
    const { page } = await openList('', { as });
    await rows(page).nth(19).waitFor();
    expect(view.takeRequests()).toEqual(['GET /console/api/session', 'GET /ext/api/v1/merchants']);
    return page.locator('#content header').getByRole('link').allTextContents();
  };
  expect(await offered('viewer')).toEqual(['Export']);
  expect(await offered('operator')).toEqual(['Export', 'Import', 'New branch']);
  expect(await offered('admin')).toEqual(['Export', 'Import', 'New branch']);
});
