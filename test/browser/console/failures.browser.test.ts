import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { forgetSessions } from '../../../lib/people/session.ts';
import { call } from '../../support/api.ts';
import { newBranch, restoreTerminal, unique } from '../../support/world.ts';
import { expectAccessible, useConsole } from './harness.ts';
import { button, dialog } from './page.ts';
import { hold, lose, problemOf } from './wire.ts';

const view = useConsole();
const REASON = 'Broken screen, told by phone';

let tid: string;
beforeAll(async () => {
  const terminals = [{ terminal_id: unique('FAIL') }];
  ({ tid } = (await newBranch(view.world.provider, { branch_name: 'Casa Verde', terminals })).terminals[0]);
});

const stored = async () => (await call('find', { key: view.world.provider.key, query: { tid } })).body.data;

/** Opens the terminal with a reason typed, but not sent. The terminal is active. */
async function withReason({ hasClock = false, isFresh = false } = {}) {
  if ((await stored()).status === 'archived') await restoreTerminal(view.world.provider, tid);
  const { page } = await view.open(`/terminals/${tid}`, { hasClock, isFresh });
  await button(page, 'Archive').click();
  await dialog(page).getByLabel('Why?').fill(REASON);
  return { page, send: () => dialog(page).getByRole('button', { name: 'Archive' }).click() };
}

/** Expects that what was typed is still there, and that nothing was changed. */
async function expectNothingLost(page: Page) {
  expect(await dialog(page).getByLabel('Why?').inputValue()).toBe(REASON);
  expect(await stored()).toMatchObject({ status: 'active', archive_reason: null });
}

async function expectArchived(page: Page) {
  await page.getByRole('dialog', { name: /^Archive/ }).waitFor({ state: 'detached' });
  await page.getByText(`archived it: ${REASON}`).first().waitFor();
  expect(await stored()).toMatchObject({ status: 'archived', archive_reason: REASON });
}

test('a server error while reading says what to do, with the request ID, and can be tried again', async () => {
  const { page, context } = await view.open('/help');
  await context.route('**/ext/api/v1/find*', problemOf('server_error', 400));
  await page.goto(view.addressOf(`/terminals/${tid}`));
  const alert = page.getByRole('alert').first();
  await alert.getByText('Something went wrong on our side').waitFor();
  await alert.getByText('Request ID 0f3c1e52-0000-4000-8000-000000000000').waitFor();
  await expectAccessible(page);
  await context.unroute('**/ext/api/v1/find*');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: /^Terminal FAIL/ }).waitFor();
});

test('a server error while changing loses nothing', async () => {
  const { page, send } = await withReason();
  await page.context().route('**/archive', problemOf('server_error', 400));
  await send();
  await dialog(page).getByText('Something went wrong on our side').waitFor();
  await expectAccessible(page);
  await expectNothingLost(page);
  await page.context().unroute('**/archive');
  await send();
  await expectArchived(page);
});

test('too many requests are retried automatically, unless the person cancels', async () => {
  const { page, send } = await withReason({ hasClock: true });
  let count = 0;
  let isLimited = true;
  await page.context().route('**/archive', (route) => {
    count += 1;
    return isLimited ? problemOf('rate_limited', 429, { headers: { 'retry-after': '600' } })(route) : route.continue();
  });
  const isRetrying = () => dialog(page).getByText('Too many requests at once. Retrying automatically.').waitFor();
  await send();
  await isRetrying();
  await button(page, 'Cancel').click();
  await button(page, 'Discard').click();
  await dialog(page).first().waitFor({ state: 'detached' });
  await page.clock.fastForward('01:00:00');
  expect(count).toBe(1);
  await button(page, 'Archive').click();
  await dialog(page).getByLabel('Why?').fill(REASON);
  await send();
  await isRetrying();
  isLimited = false;
  await page.clock.fastForward('01:00:00');
  await expectArchived(page);
  expect(count).toBe(3);
});

test('a slow response says so, and arrives', async () => {
  const { page } = await view.open('/help', { hasClock: true });
  const release = await hold(page.context(), '**/ext/api/v1/find*');
  await page.goto(view.addressOf(`/terminals/${tid}`));
  await page.locator('[aria-busy]').waitFor();
  await page.clock.runFor(3_000);
  await page.getByText('This takes longer than usual. Still waiting.').waitFor();
  release();
  await page.getByRole('heading', { name: /^Terminal FAIL/ }).waitFor();
});

test('offline says so, loses nothing, and sends the change once online', async () => {
  const { page, send } = await withReason({ isFresh: true });
  await page.context().setOffline(true);
  await page.getByText('You are offline.').first().waitFor();
  await send();
  await dialog(page).getByText('You are offline.').waitFor();
  await expectNothingLost(page);
  await page.context().setOffline(false);
  await expectArchived(page);
});

test('a change that waits for the network can be cancelled, and is not sent later', async () => {
  const { page, send } = await withReason({ isFresh: true });
  let count = 0;
  await page.context().route('**/archive', (route) => {
    count += 1;
    return route.continue();
  });
  await page.context().setOffline(true);
  await send();
  await dialog(page).getByText('You are offline.').waitFor();
  await button(page, 'Cancel').click();
  await button(page, 'Discard').click();
  await dialog(page).first().waitFor({ state: 'detached' });
  await page.context().setOffline(false);
  await page.getByText('You are offline.').waitFor({ state: 'detached' });
  await button(page, 'Archive').click();
  await dialog(page).getByLabel('Why?').fill(REASON);
  expect(count).toBe(0);
  await send();
  await expectArchived(page);
  expect(count).toBe(1);
});

test('a connection that is lost while a change is under way says so, and shows what is there now', async () => {
  const { page, send } = await withReason();
  await page.context().route('**/archive', lose);
  await send();
  await dialog(page).getByText('The connection was lost').waitFor();
  expect(await dialog(page).getByLabel('Why?').inputValue()).toBe(REASON);
  await page.getByText(`archived it: ${REASON}`).first().waitFor();
});

const asked = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' });

/** What can be read on a page, its title included. */
const shownOn = async (page: Page) => `${await page.title()} ${await page.locator('body').innerText()}`;

test(
  'a session that ends while a form is open hides all else until it is renewed: nothing is sent ' + 'before',
  async () => {
    const { page, send } = await withReason();
    const title = await page.title();
    await page.context().clearCookies();
    forgetSessions();
    await send();
    await asked(page).waitFor();
    await expectAccessible(page);
    const hidden = async () => {
      const shown = await shownOn(page);
      for (const text of ['FAIL', 'Casa Verde', 'Payfair', REASON]) expect(shown).not.toContain(text);
      expect(await page.getByRole('dialog').count()).toBe(1);
    };
    await hidden();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await hidden();
    expect(await stored()).toMatchObject({ status: 'active', archive_reason: null });
    await view.signInWhenAsked(page.context(), view.people.admin);
    const release = await hold(page.context(), '**/archive');
    await asked(page).getByRole('link', { name: 'Sign in in a new window' }).click();
    await asked(page).waitFor({ state: 'detached' });
    await expectNothingLost(page);
    expect(await page.title()).toBe(title);
    release();
    await expectArchived(page);
  },
);

test('whoever does not sign in again can only leave, without what they typed', async () => {
  const { page, send } = await withReason();
  await page.context().clearCookies();
  forgetSessions();
  await send();
  await asked(page).getByRole('button', { name: 'Discard and leave' }).click();
  const link = page.getByRole('link', { name: 'Sign in' });
  await link.waitFor();
  expect(await shownOn(page)).toBe('Console Your session has ended\n\nSign in to continue where you were.\n\nSign in');
  await expectAccessible(page);
  await view.signInWhenAsked(page.context(), view.people.admin);
  await link.click();
  await page.getByRole('heading', { name: /^Terminal FAIL/ }).waitFor();
  expect(new URL(page.url()).search).toBe('?do=archive');
  expect(await dialog(page).getByLabel('Why?').inputValue()).toBe('');
});

test('a tab shows nothing of a person after another one has signed in, in this tab or another', async () => {
  const { page, send } = await withReason();
  await page.context().clearCookies();
  await view.signInWhenAsked(page.context(), view.people.viewer);
  await send();
  await page.getByRole('link', { name: 'Sign in in a new window' }).click();
  await page.getByRole('button', { name: /Account of Vera Vieira/ }).waitFor();
  expect(await stored()).toMatchObject({ status: 'active' });
  // Without a moment in which the tab has no session: it would show that the session has ended, and stay there.
  await view.signIn(page.context(), view.people.operator);
  const other = await page.context().newPage();
  await other.goto(view.addressOf('/'));
  await other.getByRole('button', { name: /Account of Oscar Oliveira/ }).waitFor();
  await page.getByRole('button', { name: /Account of Oscar Oliveira/ }).waitFor();
  // The address still asks for the dialog, which Vera may not use.
  expect(await dialog(page).getByLabel('Why?').inputValue()).toBe('');
});

test('a person without a session gets a button that leads back to the view', async () => {
  const { page, context } = await view.open('/help');
  await context.clearCookies();
  await page.goto(view.addressOf('/branches?page=2'));
  const link = page.getByRole('link', { name: 'Sign in' });
  await link.waitFor();
  await expectAccessible(page);
  const returnTo = `/console/${view.world.provider.id}/branches?page=2`;
  expect(await link.getAttribute('href')).toBe(
    `${view.base}/console/sign-in?${new URLSearchParams({ return_to: returnTo })}`,
  );
});

test('a person who opens the console at another address of this machine signs in at its own', async () => {
  const { page, context } = await view.open('/help', { isFresh: true });
  await view.signInWhenAsked(context, view.people.viewer);
  const own = view.addressOf('/branches?page=1');
  await page.goto(own.replace('127.0.0.1', 'localhost'));
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /Account of Vera Vieira/ }).waitFor();
  expect(page.url()).toBe(own);
  const elsewhere = view.takeErrors();
  expect(elsewhere.filter((error) => !error.startsWith('Request to http://localhost:'))).toEqual([]);
});

test('a console that was deployed anew says so where a view cannot be loaded', async () => {
  const { page, context } = await view.open('/', { isFresh: true });
  const later = '**/console/assets/{laterPages,estatePages}-*';
  await context.route(later, (route) => route.fulfill({ status: 404, body: '' }));
  await page.reload();
  await page.getByText('This view could not be loaded').waitFor();
  await page.getByRole('link', { name: 'Help' }).click();
  await page.getByText('This view could not be loaded').waitFor();
  await expectAccessible(page);
  await context.unroute(later);
  // The failed import itself is an error, too.
  view.takeErrors();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Help', exact: true }).waitFor();
});

test('an address of another acquirer offers those of the person', async () => {
  const { page } = await view.open('/', { acquirer: view.world.stranger });
  await page.getByRole('heading', { name: 'You cannot open this page' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Payfair' }).click();
  await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
});
