import { describe, expect, test } from '@jest/globals';
import type { BrowserContext, Route } from 'playwright-core';
import { SESSION_COOKIE } from '../../../lib/people/session.ts';
import { signInAgain } from '../../support/people.ts';
import { button, check, expectCreated, newRows, newTenant, reported } from './files.ts';
import { useConsole } from './harness.ts';

const view = useConsole();

const isCreate = (route: Route): boolean =>
  route.request().method() === 'POST' && !route.request().url().includes('validate_only');

/**
 * Holds creates back, from the n-th on.
 *
 * @param executed Whether they are executed, so that only the response is missing.
 * @returns A function that lets them go on.
 */
async function holdCreates(context: BrowserContext, from: number, { executed = false } = {}): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let count = 0;
  await context.route('**/ext/api/v1/**', async (route) => {
    if (isCreate(route)) count += 1;
    if (isCreate(route) && count >= from) {
      if (executed) await route.fetch();
      await released;
    }
    await route.continue();
  });
  return release;
}

describe('an import whose tab is closed', () => {
  test.each([
    ['before a request is executed', false],
    ['before a response arrives', true],
  ])('%s is resumed in a new one, and creates each row once', async (_, executed) => {
    const rows = newRows(60);
    const { page, context } = await view.open('/import', { as: 'operator' });
    await check(page, rows);
    await holdCreates(context, 6, { executed });
    await button(page, 'Import 60 rows').click();
    await page.getByText('25 of 60 rows').waitFor();
    if (executed) await page.waitForTimeout(1_000);
    await page.close();

    await context.unrouteAll({ behavior: 'ignoreErrors' });
    const next = await context.newPage();
    await next.goto(`${view.base}/console/${view.world.provider.id}`);
    await next.getByRole('link', { name: 'Import and export Paused' }).click();
    await next.getByRole('heading', { name: 'An import of estate.csv is not finished' }).waitFor();
    await next.getByText('25 of 60 rows are done.').waitFor();
    await view.expectAccessible(next);
    await button(next, 'Resume').click();
    await next.getByRole('heading', { name: 'estate.csv is imported' }).waitFor();
    expect([...(await reported(next)).values()]).toEqual(rows.map(() => 'created'));
    await expectCreated(view.world.provider, rows);
  });

  test('can be discarded, and what was created stays', async () => {
    const rows = newRows(30);
    const { page, context } = await view.open('/import', { as: 'operator' });
    await check(page, rows);
    await holdCreates(context, 3);
    await button(page, 'Import 30 rows').click();
    await page.getByText('10 of 30 rows').waitFor();
    const asked = page.waitForEvent('dialog');
    const reloaded = page.reload();
    expect((await asked).type()).toBe('beforeunload');
    await (await asked).accept();
    await reloaded;
    await button(page, 'Discard').click();
    const dialog = page.getByRole('dialog', { name: 'Discard this import?' });
    await dialog.getByText('10 rows are done').waitFor();
    await view.expectAccessible(page);
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Drop a CSV file here').waitFor();
    await expectCreated(view.world.provider, rows.slice(0, 10));
  });
});

test('an import goes on while its person looks elsewhere, pauses, and runs in one tab at a time', async () => {
  const rows = newRows(60);
  const { page, context } = await view.open('/import', { as: 'operator' });
  await check(page, rows);
  const release = await holdCreates(context, 4);
  await button(page, 'Import 60 rows').click();
  await page.getByText('15 of 60 rows').waitFor();
  await view.expectAccessible(page);
  await page.getByRole('link', { name: 'Branches', exact: true }).click();
  await page.getByRole('heading', { name: 'Branches' }).waitFor();
  await page.getByRole('link', { name: 'Import and export 25%' }).click();
  await page.getByText('15 of 60 rows').waitFor();

  const other = await context.newPage();
  await other.goto(`${view.base}/console/${view.world.provider.id}/import`);
  await other.getByText('This import runs in another tab of this browser.').waitFor();
  expect(await button(other, 'Resume').count()).toBe(0);

  await button(page, 'Pause').click();
  await page.getByText('Pausing: the last requests are under way.').waitFor();
  release();
  await page.getByRole('heading', { name: 'An import of estate.csv is not finished' }).waitFor();
  await button(other, 'Resume').click();
  await other.getByRole('heading', { name: 'estate.csv is imported' }).waitFor();
  await expectCreated(view.world.provider, rows);
  await button(other, 'Done').click();
});

test('an import goes on after a sign-in, when its session has ended', async () => {
  const rows = newRows(40);
  const { page, context } = await view.open('/import', { as: 'operator' });
  await check(page, rows);
  let creates = 0;
  await context.route('**/ext/api/v1/merchants', async (route) => {
    creates += 1;
    if (creates === 3) await context.clearCookies();
    // Cookies of a request are those of the moment at which it is sent.
    await route.continue();
  });
  await context.route('**/console/sign-in?*', async (route) => {
    const to = new URL(route.request().url()).searchParams.get('return_to');
    const { cookie } = (await signInAgain(view.people.operator)).session;
    await route.fulfill({
      status: 303,
      headers: {
        location: `${view.base}${to}`,
        'set-cookie': `${SESSION_COOKIE}=${cookie}; Path=/; Secure; HttpOnly; SameSite=Strict`,
      },
    });
  });
  await button(page, 'Import 40 rows').click();
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await page.getByRole('link', { name: 'Sign in in a new window' }).click();
  await page.getByRole('heading', { name: 'estate.csv is imported' }).waitFor();
  await expectCreated(view.world.provider, rows);
});

test('signing out asks before it discards an import, and leaves nothing in the browser', async () => {
  const { acquirer, as } = await newTenant();
  const { page, context } = await view.open('/import', { as, acquirer });
  await check(page, newRows(30));
  const release = await holdCreates(context, 3);
  await button(page, 'Import 30 rows').click();
  await page.getByText('10 of 30 rows').waitFor();
  await button(page, /Account of/).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign out and discard the import?' });
  await dialog.getByText('estate.csv of Harbour Pay: 10 of 30 rows are done.').waitFor();
  await view.expectAccessible(page);
  await dialog.getByRole('button', { name: 'Discard and sign out' }).click();
  release();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  const stored = await page.evaluate(`new Promise((done) => {
    indexedDB.open('estate-import-${acquirer.id}').onsuccess = ({ target }) => {
      const all = target.result.transaction('import').objectStore('import').count();
      all.onsuccess = () => done(all.result);
    };
  })`);
  expect(stored).toBe(0);
});
