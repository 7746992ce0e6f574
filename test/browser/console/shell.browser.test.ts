import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { personOf } from '../../support/people.ts';
import { newBranch, unique } from '../../support/world.ts';
import { SIZES, useConsole } from './harness.ts';

const view = useConsole();
const searchBox = (page: Page) => page.getByRole('combobox', { name: 'Find a terminal or a branch' });
const views = (page: Page) => page.getByRole('navigation', { name: 'Menu' }).getByRole('link').allTextContents();

/** Expects that keys go to an element. */
const expectFocus = async (element: Locator) =>
  expect(await element.evaluate((each) => each.matches(':focus'))).toBe(true);

/** A person of two acquirers, of which one is Payfair. */
async function personOfBoth() {
  const { provider, distributor } = view.world;
  const { identity } = await personOf(distributor.id, 'admin');
  return personOf(provider.id, 'viewer', { identity });
}

describe.each(SIZES)('at %s', (_, viewport) => {
  test('opens with the search box ready, in two requests', async () => {
    const { page } = await view.open('/', { viewport });
    await searchBox(page).waitFor();
    await expectFocus(searchBox(page));
    await view.expectAccessible(page);
    expect(view.takeRequests()).toEqual(['GET /console/api/session', 'GET /console/api/activity']);
  });

  test('leads to the views that the role permits', async () => {
    const opened = async (as: 'admin' | 'operator' | 'viewer') => {
      const { page } = await view.open('/', { as, viewport });
      await searchBox(page).waitFor();
      if (viewport.width < 768) await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('navigation', { name: 'Menu' }).getByRole('link').first().waitFor();
      const found = await views(page);
      await view.expectAccessible(page);
      return found;
    };
    const all = ['Home', 'Branches', 'Activity', 'Import and export', 'Help'];
    expect(await opened('viewer')).toEqual(all);
    expect(await opened('operator')).toEqual(all);
    expect(await opened('admin')).toEqual([...all.slice(0, 4), 'API keys', 'People', 'Help']);
  });

  test('says as which acquirer a person acts, and changes it', async () => {
    const { provider, distributor } = view.world;
    const { page } = await view.open('/', { as: await personOfBoth(), viewport });
    const choice = page.getByRole('button', { name: /^You act as Payfair/ });
    await choice.getByText('Payment provider · Viewer').waitFor();
    await choice.click();
    await page.getByRole('menuitem', { name: 'Northgate' }).waitFor();
    await view.expectAccessible(page);
    await page.getByRole('menuitem', { name: 'Northgate' }).click();
    await page.getByRole('button', { name: /^You act as Northgate/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/${distributor.id}`);
    await page.goBack();
    await page.getByRole('button', { name: /^You act as Payfair/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/${provider.id}`);
  });
});

test('opens as the acquirer of the last visit', async () => {
  const { distributor } = view.world;
  const { page } = await view.open('/', { as: await personOfBoth(), acquirer: distributor });
  await page.getByRole('button', { name: /^You act as Northgate/ }).waitFor();
  await page.goto(`${view.base}/console`);
  await page.getByRole('button', { name: /^You act as Northgate/ }).waitFor();
  expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['console-acquirer']);
});

test('keys lead everywhere, but not while something is typed', async () => {
  const { page } = await view.open('/help');
  await page.getByRole('heading', { name: 'Help', exact: true }).waitFor();
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await list.waitFor();
  await view.expectAccessible(page);
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await page.getByRole('heading', { name: 'Branches', exact: true }).waitFor();
  await page.keyboard.press('n');
  await page.getByRole('heading', { name: 'New branch' }).waitFor();
  await page.getByLabel('MID').first().fill('');
  await page.getByLabel('MID').first().pressSequentially('n/g?b');
  expect(await page.getByLabel('MID').first().inputValue()).toBe('n/g?b');
  await page.keyboard.press('Control+k');
  await expectFocus(searchBox(page));
});

test('keys without Ctrl can be turned off', async () => {
  const { page } = await view.open('/help');
  const setting = page.getByRole('menuitemcheckbox', { name: 'Single-key shortcuts' });
  const account = page.getByRole('button', { name: 'Account of Ana Almeida' });
  await account.click();
  await setting.click();
  await view.expectAccessible(page);
  await page.keyboard.press('Escape');
  await setting.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText('All but Esc are off. Turn them on in the menu of your account.').waitFor();
  for (const key of ['n', 'g', 'b', '/', '?']) await page.keyboard.press(key);
  expect(new URL(page.url()).pathname).toMatch(/\/help$/);
  await page.keyboard.press('Control+k');
  await expectFocus(searchBox(page));
  await account.click();
  await setting.click();
  await page.keyboard.press('Escape');
  await setting.waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
});

test('a view that is opened begins at its top, with its heading in focus', async () => {
  const { page } = await view.open('/help', { viewport: { width: 1440, height: 400 } });
  const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true });
  await heading('Help').waitFor();
  await page.evaluate('scrollTo(0, 200)');
  await page.getByRole('link', { name: 'API keys' }).first().click();
  await heading('API keys').waitFor();
  await expectFocus(heading('API keys'));
  expect(await page.evaluate('scrollY')).toBe(0);
  // A field keeps the focus that it has.
  await page.getByRole('link', { name: 'Home' }).click();
  await heading('Find a terminal or a branch').waitFor();
  await expectFocus(searchBox(page));
});

test('keeps the chosen appearance', async () => {
  const { page } = await view.open('/');
  const scheme = () => page.evaluate('document.documentElement.dataset.mantineColorScheme');
  await page.getByRole('button', { name: 'Account of Ana Almeida' }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).waitFor();
  await view.expectAccessible(page);
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  expect(await scheme()).toBe('dark');
  await page.reload();
  await searchBox(page).waitFor();
  expect(await scheme()).toBe('dark');
});

test('signs out', async () => {
  const person = await personOf(view.world.provider.id, 'viewer');
  const { page } = await view.open('/', { as: person });
  await page.getByRole('button', { name: /Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
});

test('searches at most four times a second, and shows nothing outdated', async () => {
  const { provider } = view.world;
  const word = unique('Rush');
  await newBranch(provider, { branch_name: `Only ${word} here` });
  const { page } = await view.open('/');
  view.takeRequests();
  const started = Date.now();
  await searchBox(page).pressSequentially(`only ${word}`, { delay: 30 });
  await page.getByRole('option', { name: `Only ${word} here` }).waitFor();
  const seconds = (Date.now() - started) / 1000;
  const searches = view.takeRequests().filter((request) => request === 'GET /console/api/search');
  expect(searches.length).toBeLessThanOrEqual(Math.ceil(4 * seconds));
  await view.expectAccessible(page);
  await searchBox(page).fill('nothing has these words');
  await page.getByText('Nothing found for “nothing has these words”.').waitFor();
  expect(await page.getByRole('option').count()).toBe(0);
  await view.expectAccessible(page);
});
