import { beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { forgetSessions, SESSION_COOKIE } from '../../../lib/people/session.ts';
import { call } from '../../support/api.ts';
import { type SignedIn, signInAgain } from '../../support/people.ts';
import { newBranch, unique } from '../../support/world.ts';
import { useConsole } from './harness.ts';

const view = useConsole();
const REASON = 'Broken screen, told by phone';

let tid: string;
beforeAll(async () => {
  const terminals = [{ terminal_id: unique('FAIL') }];
  ({ tid } = (await newBranch(view.world.provider, { branch_name: 'Casa Verde', terminals })).terminals[0]);
});

const dialog = (page: Page) => page.getByRole('dialog');
const stored = async () => (await call('find', { key: view.world.provider.key, query: { tid } })).body.data;

/** Opens the terminal with a reason typed, but not sent. The terminal is active. */
async function withReason(as: SignedIn | 'admin' = 'admin') {
  if ((await stored()).status === 'archived')
    await call('restoreTerminal', { key: view.world.provider.key, path: { id: tid } });
  const { page, context } = await view.open(`/terminals/${tid}`, { as });
  await page.getByRole('button', { name: 'Archive' }).click();
  await dialog(page).getByLabel('Why?').fill(REASON);
  return { page, context, send: () => dialog(page).getByRole('button', { name: 'Archive' }).click() };
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

/** A problem of the service, in place of its response. */
const problem =
  (code: string, status: number, headers: Record<string, string> = {}) =>
  (route: Route) =>
    route.fulfill({
      status,
      contentType: 'application/problem+json',
      headers,
      body: JSON.stringify({
        type: `${view.base}/docs/errors/${code}`,
        title: code,
        status,
        detail: 'What happened, in words.',
        code,
        request_id: '0f3c1e52-0000-4000-8000-000000000000',
      }),
    });

describe('a server error', () => {
  test('while reading says what to do, with the request ID, and can be tried again', async () => {
    const { page, context } = await view.open('/help');
    await context.route('**/ext/api/v1/find*', problem('server_error', 400));
    await page.goto(`${view.base}/console/${view.world.provider.id}/terminals/${tid}`);
    const alert = page.getByRole('alert').first();
    await alert.getByText('Something went wrong on our side').waitFor();
    await alert.getByText('Request ID 0f3c1e52-0000-4000-8000-000000000000').waitFor();
    await view.expectAccessible(page);
    await context.unroute('**/ext/api/v1/find*');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Archive' }).waitFor();
  });

  test('while changing loses nothing', async () => {
    const { page, context, send } = await withReason();
    await context.route('**/archive', problem('server_error', 400));
    await send();
    await dialog(page).getByText('Something went wrong on our side').waitFor();
    await view.expectAccessible(page);
    await expectNothingLost(page);
    await context.unroute('**/archive');
    await send();
    await expectArchived(page);
  });
});

test('too many requests are retried automatically', async () => {
  const { page, context, send } = await withReason();
  let count = 0;
  await context.route('**/archive', (route) =>
    count++ < 2 ? problem('rate_limited', 429, { 'retry-after': '1' })(route) : route.continue(),
  );
  await send();
  await dialog(page).getByText('Too many requests at once. Retrying automatically.').waitFor();
  await expectArchived(page);
});

test('a slow response says so, and arrives', async () => {
  const { page, context } = await view.open('/help');
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await context.route('**/ext/api/v1/find*', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${view.base}/console/${view.world.provider.id}/terminals/${tid}`);
  await page.getByText('This takes longer than usual. Still waiting.').waitFor();
  await view.expectAccessible(page);
  release();
  await page.getByRole('heading', { name: /^Terminal FAIL/ }).waitFor();
});

test('offline says so, loses nothing, and sends the change once online', async () => {
  const { page, context, send } = await withReason();
  await context.setOffline(true);
  await page.getByText('You are offline.').first().waitFor();
  await send();
  await dialog(page).getByText('You are offline.').waitFor();
  await expectNothingLost(page);
  await context.setOffline(false);
  await expectArchived(page);
});

test('a connection that is lost while a change is under way says so, and shows what is there now', async () => {
  const { page, context, send } = await withReason();
  await context.route('**/archive', async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await send();
  await dialog(page).getByText('The connection was lost').waitFor();
  expect(await dialog(page).getByLabel('Why?').inputValue()).toBe(REASON);
  await page.getByText(`archived it: ${REASON}`).first().waitFor();
});

test('cancelled while it waits to be sent again, a change is not made', async () => {
  const { page, context, send } = await withReason();
  let count = 0;
  await context.route('**/archive', (route) => {
    count += 1;
    return count === 1 ? problem('rate_limited', 429, { 'retry-after': '1' })(route) : route.continue();
  });
  await send();
  await dialog(page).getByText('Too many requests at once.').waitFor();
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  await page.waitForTimeout(2_000);
  expect(count).toBe(1);
  expect(await stored()).toMatchObject({ status: 'active' });
});

describe('a session that ends while a form is open', () => {
  /** Answers the sign-in of the new window with a session. */
  const signsIn = (context: BrowserContext, person: SignedIn) =>
    context.route('**/console/sign-in?*', async (route) => {
      const to = new URL(route.request().url()).searchParams.get('return_to');
      const { cookie } = (await signInAgain(person)).session;
      await route.fulfill({
        status: 303,
        headers: {
          location: `${view.base}${to}`,
          'set-cookie': `${SESSION_COOKIE}=${cookie}; Path=/; Secure; HttpOnly; SameSite=Strict`,
        },
      });
    });

  test('loses nothing, and sends the change after the sign-in', async () => {
    const { page, context, send } = await withReason();
    await signsIn(context, view.people.admin);
    await context.clearCookies();
    forgetSessions();
    await send();
    const asked = page.getByRole('dialog', { name: 'Your session has ended' });
    await asked.waitFor();
    await view.expectAccessible(page);
    await expectNothingLost(page);
    await asked.getByRole('link', { name: 'Sign in in a new window' }).click();
    await expectArchived(page);
  });

  test('shows nothing of a person after another one has signed in, also in another tab', async () => {
    const { page, context } = await withReason();
    await context.clearCookies();
    await view.signIn(context, view.people.viewer);
    const other = await context.newPage();
    await other.goto(`${view.base}/console/${view.world.provider.id}`);
    await other.getByRole('button', { name: /Account of Vera Vieira/ }).waitFor();
    await page.getByRole('button', { name: /Account of Vera Vieira/ }).waitFor();
    expect(await dialog(page).count()).toBe(0);
  });

  test('can be given up: nothing is sent, and it can be tried again', async () => {
    const { page, context, send } = await withReason();
    await context.clearCookies();
    await send();
    const asked = page.getByRole('dialog', { name: 'Your session has ended' });
    await asked.waitFor();
    await page.keyboard.press('Escape');
    await asked.waitFor({ state: 'detached' });
    await dialog(page).getByText('You are not signed in').waitFor();
    await expectNothingLost(page);
  });

  test('loads the page anew if somebody else signs in', async () => {
    const { page, context, send } = await withReason();
    await signsIn(context, view.people.viewer);
    await context.clearCookies();
    await send();
    await page.getByRole('link', { name: 'Sign in in a new window' }).click();
    await page.getByRole('button', { name: /Account of Vera Vieira/ }).waitFor();
    expect(await stored()).toMatchObject({ status: 'active' });
  });
});

test('a person without a session gets a button that leads back to the view', async () => {
  const { page, context } = await view.open('/branches?page=2');
  await page.getByRole('heading', { name: 'Branches', exact: true }).waitFor();
  await context.clearCookies();
  await page.reload();
  const link = page.getByRole('link', { name: 'Sign in' });
  await link.waitFor();
  await view.expectAccessible(page);
  const returnTo = `/console/${view.world.provider.id}/branches?page=2`;
  expect(await link.getAttribute('href')).toBe(`/console/sign-in?${new URLSearchParams({ return_to: returnTo })}`);
});

test('a console that was deployed anew says so where a view cannot be loaded', async () => {
  const { page, context } = await view.open('/');
  await context.route('**/console/assets/pages-*', (route) => route.fulfill({ status: 404, body: '' }));
  await page.reload();
  await page.getByRole('link', { name: 'Branches' }).click();
  await page.getByText('This view could not be loaded').waitFor();
  await view.expectAccessible(page);
  await context.unroute('**/console/assets/pages-*');
  // The failed import itself is an error, too.
  view.takeErrors();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Branches', exact: true }).waitFor();
});

test('an address of another acquirer offers those of the person', async () => {
  const { page } = await view.open('/', { acquirer: view.world.stranger });
  await page.getByRole('heading', { name: 'This page belongs to another acquirer' }).waitFor();
  await view.expectAccessible(page);
  await page.getByRole('link', { name: 'Payfair' }).click();
  await page.getByRole('heading', { name: 'Find a terminal or a branch' }).waitFor();
});
