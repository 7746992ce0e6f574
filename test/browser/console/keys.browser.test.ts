import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { hashOf } from '../../../lib/acquirers/apiKey.ts';
import { issueApiKey, MOST_KEYS, revokeApiKey, rotateApiKey } from '../../../lib/acquirers/keyring.ts';
import { forgetSessions, SESSION_COOKIE } from '../../../lib/people/session.ts';
import { apiKeyUseKey } from '../../../lib/table/keys.ts';
import { put, transact } from '../../../lib/table/transaction.ts';
import { call } from '../../support/api.ts';
import { personOf, type SignedIn, signInAgain } from '../../support/people.ts';
import { type Caller, newAcquirer } from '../../support/world.ts';
import { SIZES, useConsole } from './harness.ts';

const view = useConsole();

let acquirer: Caller;
let admin: SignedIn;
beforeAll(async () => {
  acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  admin = await personOf(acquirer.id, 'admin');
});

const open = (path = '/keys', options = {}) => view.open(path, { as: admin, acquirer, ...options });
const dialog = (page: Page) => page.getByRole('dialog');
const listed = async (): Promise<{ key_id: string; label: string; role: string; expires_at: string | null }[]> =>
  (await call('listKeys', { session: admin.session })).body.data;
const rowOf = (page: Page, id: string) => page.getByRole('row').filter({ hasText: id });

/** Chooses an action of a key. */
async function choose(page: Page, id: string, action: string) {
  await rowOf(page, id).getByRole('button', { name: 'Actions for key' }).click();
  await page.getByRole('menuitem', { name: action }).click();
  await dialog(page).waitFor();
  await page.getByRole('menu').waitFor({ state: 'detached' });
}

/** Records that a key was used. */
const use = (id: string, ago_ms: number) =>
  transact([put(apiKeyUseKey(id), { used_at: new Date(Date.now() - ago_ms).toISOString(), ttl: 1 })]);

/** The key and the command that a dialog shows. */
async function shown(page: Page) {
  await dialog(page).getByText('Copy it to your secret store now. It is never shown again.').waitFor();
  const [key = '', command = ''] = await dialog(page).locator('code').allTextContents();
  return { key, command };
}

/** Everything that the page shows or stores. */
const kept = (page: Page): Promise<string> =>
  page.evaluate(
    'document.documentElement.outerHTML + location.href + JSON.stringify([localStorage, sessionStorage, history.state])',
  );

test('lists keys with one request', async () => {
  const { page } = await open();
  await rowOf(page, hashOf(acquirer.key).slice(0, 12)).getByText('No use recorded').waitFor();
  await page.getByText('A use appears here at most two hours late.').waitFor();
  await view.expectAccessible(page);
  expect(view.takeRequests()).toEqual(['GET /console/api/session', 'GET /console/api/keys']);
});

describe.each(SIZES)('an admin at %s', (size, viewport) => {
  test('creates a key, and its first call works', async () => {
    const [name, role] = size === '390 px' ? ['Operator', 'operator'] : ['Till', 'till'];
    const label = `${role}-${size.slice(0, 3).trim()}`;
    const { page, context } = await open('/keys', { viewport });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Create key' }).click();
    // The first field has the focus, the least role is chosen, and Enter sends.
    await view.expectAccessible(page);
    expect(await dialog(page).getByRole('radio', { name: 'Till' }).isChecked()).toBe(true);
    await dialog(page).getByRole('radio', { name }).check();
    await dialog(page).getByLabel('Label').fill(label);
    await page.keyboard.press('Enter');

    const { key, command } = await shown(page);
    await view.expectAccessible(page);
    expect(key).toMatch(/^apk_[\w-]{48}$/);
    await dialog(page).getByRole('button', { name: 'Copy: API key' }).click();
    await dialog(page).getByRole('button', { name: 'Copied: API key' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
    expect(command).not.toContain(key);
    const called = promisify(execFile)('bash', ['-c', command.replace('curl ', 'curl -s ')]);
    called.child.stdin?.end(`${key}\n`);
    expect(JSON.parse((await called).stdout)).toHaveProperty('data');

    // Only the button closes it.
    await page.keyboard.press('Escape');
    await page.mouse.click(2, 2);
    expect(await kept(page)).toContain(key);
    await page.goBack();
    expect(await kept(page)).toContain(key);
    await dialog(page).getByRole('button', { name: 'I have stored it' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByText(label).first().waitFor();
    expect(await kept(page)).not.toContain(key.slice(4));
    expect(await listed()).toContainEqual(expect.objectContaining({ label, role }));
  });

  test('rotates a key, and sees whether the old one is still used', async () => {
    const { key_id } = await issueApiKey(acquirer.id, `rotated-${size.slice(0, 3)}`, { role: 'viewer' });
    const { page } = await open('/keys', { viewport });
    await choose(page, key_id, 'Rotate');
    await view.expectAccessible(page);
    await dialog(page).getByRole('radio', { name: '7 days' }).check();
    await dialog(page).getByRole('button', { name: 'Rotate' }).click();
    const { key } = await shown(page);
    await dialog(page).getByText('The old key works until').waitFor();
    await dialog(page).getByRole('button', { name: 'I have stored it' }).click();

    const row = rowOf(page, key_id);
    await row.getByText('no use of the last day is recorded').waitFor();
    await row.getByText(/^Ends (in 6 days|in 7 days|next week)$/).waitFor();
    await use(key_id, 2.5 * 3_600_000);
    await page.reload();
    await row.getByText(/It was used 2 hours ago: switch to the new key before/).waitFor();
    await view.expectAccessible(page);
    await row.getByRole('button', { name: 'Actions for key' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Revoke']);
    const hours =
      (Date.parse((await listed()).find((each) => each.key_id === key_id)?.expires_at ?? '') - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(167.9);
    expect(hours).toBeLessThanOrEqual(168);
    expect((await call('listBranches', { key })).status).toBe(200);
  });

  test('revokes a key, told when it was last used', async () => {
    const { key_id, api_key } = await issueApiKey(acquirer.id, `revoked-${size.slice(0, 3)}`);
    await use(key_id, 3_700_000);
    const { page } = await open('/keys', { viewport });
    await choose(page, key_id, 'Revoke');
    await dialog(page).getByText('It was last used 1 hour ago.').waitFor();
    await dialog(page).getByText('stops working within 30 seconds. This cannot be undone.').waitFor();
    await view.expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await rowOf(page, key_id).waitFor({ state: 'detached' });
    expect((await call('listBranches', { key: api_key })).status).toBe(401);
  });
});

test('a new key stays until it is stored, whatever is pressed and wherever one goes back to', async () => {
  const { page } = await open('/help');
  await page.getByRole('link', { name: 'API keys' }).first().click();
  await page.getByRole('button', { name: 'Create key' }).click();
  await dialog(page).getByLabel('Label').fill('kept');
  await page.keyboard.press('Enter');
  const { key } = await shown(page);
  const copy = dialog(page).getByRole('button', { name: 'Copy: API key' });
  for (const pressed of ['n', 'g', 'b', '/', '?', 'Control+k']) await page.keyboard.press(pressed);
  expect(await copy.evaluate((each) => each.matches(':focus'))).toBe(true);
  expect(new URL(page.url()).pathname).toMatch(/\/keys$/);
  await page.goBack();
  await page.goBack();
  await page.getByRole('heading', { name: 'Help', exact: true, includeHidden: true }).waitFor();
  expect((await shown(page)).key).toBe(key);
  await dialog(page).getByRole('button', { name: 'I have stored it' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  expect(await kept(page)).not.toContain(key.slice(4));
});

test('a leaked key is replaced at once', async () => {
  const { key_id, api_key } = await issueApiKey(acquirer.id, 'leaked');
  const { page } = await open();
  await choose(page, key_id, 'Rotate');
  await dialog(page).getByRole('radio', { name: 'Not at all' }).check();
  await dialog(page).getByRole('button', { name: 'Rotate' }).click();
  await dialog(page).getByText('It works at once, and the old key no longer does.').waitFor();
  await dialog(page).getByRole('button', { name: 'I have stored it' }).click();
  await rowOf(page, key_id).waitFor({ state: 'detached' });
  expect((await call('listBranches', { key: api_key })).status).toBe(401);
});

test('a label that is not allowed is said at its field, and nothing is sent', async () => {
  const { page } = await open('/keys?do=create');
  await dialog(page).getByLabel('Label').fill('till lisbon');
  await page.keyboard.press('Enter');
  await dialog(page).getByText('Only letters, digits and . _ - without spaces, at most 64.').waitFor();
  await dialog(page).getByLabel('Label').fill('');
  await page.keyboard.press('Enter');
  await dialog(page).getByText('Is required.').waitFor();
  await view.expectAccessible(page);
  expect(view.takeRequests()).not.toContain('POST /console/api/keys');
});

test('one key too many is refused in words', async () => {
  const full = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  for (let count = 1; count < MOST_KEYS; count += 1) await issueApiKey(full.id, `key-${count}`.padEnd(64, 'x'));
  const { page } = await view.open('/keys?do=create', { as: await personOf(full.id, 'admin'), acquirer: full });
  await dialog(page).getByLabel('Label').fill('another');
  await page.keyboard.press('Enter');
  await dialog(page).getByText('An acquirer can have at most 20 API keys').waitFor();
  expect(await dialog(page).getByLabel('Label').inputValue()).toBe('another');
  await view.expectAccessible(page);
});

describe('somebody else', () => {
  test('has revoked the key meanwhile', async () => {
    const { key_id } = await issueApiKey(acquirer.id, 'gone');
    const { page } = await open();
    await choose(page, key_id, 'Revoke');
    await revokeApiKey(acquirer.id, key_id);
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await dialog(page).getByText(`The acquirer has no API key ${key_id}.`).waitFor();
    await rowOf(page, key_id).waitFor({ state: 'detached' });
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await dialog(page).waitFor({ state: 'detached' });
  });

  test('has rotated the key meanwhile', async () => {
    const { key_id } = await issueApiKey(acquirer.id, 'twice');
    const { page } = await open();
    await choose(page, key_id, 'Rotate');
    await rotateApiKey(acquirer.id, key_id, 3_600_000);
    await dialog(page).getByRole('button', { name: 'Rotate' }).click();
    await dialog(page).getByText('was already rotated').waitFor();
  });
});

test('a sign-in of earlier is confirmed in another window, and the key is created then', async () => {
  const earlier = await personOf(acquirer.id, 'admin', { authTime: Math.floor(Date.now() / 1000) - 3_600 });
  const { page, context } = await view.open('/keys?do=create', { as: earlier, acquirer });
  await context.route('**/console/sign-in?*', async (route) => {
    const to = new URL(route.request().url()).searchParams.get('return_to');
    const { cookie } = (await signInAgain(earlier)).session;
    const headers = {
      location: `${view.base}${to}`,
      'set-cookie': `${SESSION_COOKIE}=${cookie}; Path=/; Secure; HttpOnly; SameSite=Strict`,
    };
    await route.fulfill({ status: 303, headers });
  });
  await dialog(page).getByLabel('Label').fill('confirmed');
  await page.keyboard.press('Enter');
  const asked = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await asked.getByRole('link', { name: 'Sign in in a new window' }).click();
  const { key } = await shown(page);
  expect((await call('listBranches', { key })).status).toBe(403);
});

describe('a failure', () => {
  test('of the list says what to do', async () => {
    const { page, context } = await open('/help');
    await context.route('**/console/api/keys', (route) => route.abort());
    await page.goto(`${view.base}/console/${acquirer.id}/keys`);
    await page.getByText('The service did not respond. Retrying automatically.').waitFor();
    await context.unroute('**/console/api/keys');
    await rowOf(page, hashOf(acquirer.key).slice(0, 12)).waitFor();
  });

  test('of a create says that it may have been made, and shows what is there now', async () => {
    const { page, context } = await open('/keys?do=create');
    await rowOf(page, hashOf(acquirer.key).slice(0, 12)).waitFor();
    await context.route('**/console/api/keys', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      await route.abort();
    });
    await dialog(page).getByLabel('Label').fill('lost');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('The connection was lost').waitFor();
    await view.expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('row').filter({ hasText: /^lost/ }).waitFor();
  });
});

describe.each(['operator', 'viewer'] as const)('of the role %s', (role) => {
  test('a person learns whom to ask, and the API refuses', async () => {
    const { page } = await view.open('/keys', { as: role });
    await page.getByText('Only admins of Payfair can see and change this. Whoever invited you is one').waitFor();
    await view.expectAccessible(page);
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
    expect(view.takeRequests()).toEqual(['GET /console/api/session']);
    const { session } = view.people[role];
    for (const operation of ['listKeys', 'createKey'] as const)
      expect((await call(operation, { session, body: { label: 'mine', role: 'till' } })).status).toBe(403);
  });
});

afterEach(forgetSessions);
