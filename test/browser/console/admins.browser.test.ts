import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { issueApiKey, revokeApiKey, rotateApiKey } from '../../../lib/acquirers/keyring.ts';
import { hashOf } from '../../../lib/base/apiKeyFormat.ts';
import { erasePerson } from '../../../lib/operator/people.ts';
import { invitePerson, removePerson } from '../../../lib/people/people.ts';
import { apiKeyUseKey } from '../../../lib/table/keys.ts';
import { put, transact } from '../../../lib/table/transaction.ts';
import { call } from '../../support/api.ts';
import { newIdentity, personOf, type SignedIn } from '../../support/people.ts';
import { type Caller, newAcquirer, newBranch } from '../../support/world.ts';
import { expectAccessible, onDesktop, onPhone, useConsole } from './harness.ts';
import { button, chooseFrom, dialog, hasFocus, press, submit, turnKeysOn } from './page.ts';
import { lose } from './wire.ts';

const view = useConsole();

let acquirer: Caller;
let admin: SignedIn;
beforeAll(async () => {
  acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  admin = await named('admin', 'Ana Almeida');
});

const named = (role: 'viewer' | 'operator' | 'admin', name: string, of = acquirer) =>
  personOf(of.id, role, { identity: newIdentity(name) });
const open = (path: string, options = {}) => view.open(path, { as: admin, acquirer, ...options });
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

/** Chooses an action of a key, a person or an invitation. */
const choose = (page: Page, text: string, action: string) =>
  chooseFrom(rowOf(page, text).getByRole('button', { name: 'Actions for' }), action);

/** The keys as the API returns them. */
const keys = async (): Promise<{ key_id: string; label: string; role: string; expires_at: string | null }[]> =>
  (await call('listKeys', { session: admin.session })).body.data;
const firstKey = (page: Page) => rowOf(page, hashOf(acquirer.key).slice(0, 12));

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
    'document.documentElement.outerHTML + location.href + JSON.stringify([localStorage, sessionStorage, ' +
      'history.state])',
  );

onDesktop('an admin creates a key, and its first call works, at %s', async (_, viewport) => {
  const { page, context } = await open('/help', { viewport });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const link = page.getByRole('main').getByRole('link', { name: 'API keys' }).first();
  await turnKeysOn(page);
  await link.waitFor();
  view.takeRequests();
  await link.click();
  await firstKey(page).getByText('Not used yet').waitFor();
  await firstKey(page)
    .getByText(`apk_…${acquirer.key.slice(-4)}`)
    .waitFor();
  expect(view.takeRequests().sort()).toEqual(['GET /console/api/keys', 'GET /ext/api/v1/refused-requests']);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create key' }).click();
  // The first field has the focus, the least role is chosen, and Enter sends.
  await hasFocus(dialog(page).getByRole('textbox', { name: 'Label' }));
  expect(await dialog(page).getByRole('radio', { name: 'Till' }).isChecked()).toBe(true);
  await page.keyboard.type('till lisbon', { delay: 100 });
  await page.keyboard.press('Enter');
  await dialog(page).getByText('Only letters, digits and . _ - without spaces, at most 64.').waitFor();
  await dialog(page).getByLabel('Label').fill('');
  await page.keyboard.press('Enter');
  await dialog(page).getByText('Is required.').waitFor();
  await expectAccessible(page);
  expect(view.takeRequests()).toEqual([]);
  await dialog(page).getByRole('radio', { name: 'Operator' }).check();
  await dialog(page).getByLabel('Label').fill('lisbon');
  await page.keyboard.press('Enter');

  const { key, command } = await shown(page);
  await expectAccessible(page);
  expect(key).toMatch(/^apk_[\w-]{48}$/);
  await dialog(page).getByRole('button', { name: 'Copy: API key' }).click();
  await dialog(page).getByRole('button', { name: 'Copied: API key' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
  expect(command).not.toContain(key);
  const called = promisify(execFile)('bash', ['-c', command.replace('curl ', 'curl -s ')]);
  called.child.stdin?.end(`${key}\n`);
  expect(JSON.parse((await called).stdout)).toHaveProperty('data');

  // Only its button closes it, whatever is pressed and wherever one goes back to.
  await press(page, 'Escape', 'n', 'g', 'b', '/', '?', 'Control+k');
  await page.mouse.click(2, 2);
  expect(new URL(page.url()).pathname).toMatch(/\/keys$/);
  await page.goBack();
  await page.goBack();
  await page.getByRole('heading', { name: 'Help', exact: true, includeHidden: true }).waitFor();
  expect((await shown(page)).key).toBe(key);
  await submit(page, 'I have stored it');
  await page.goForward();
  await page.getByText('lisbon').first().waitFor();
  expect(await kept(page)).not.toContain(key.slice(4));
  expect(await keys()).toContainEqual(expect.objectContaining({ label: 'lisbon', role: 'operator' }));
});

test.each([
  ['has no clipboard', 'delete Navigator.prototype.clipboard'],
  [
    'refuses to copy',
    `navigator.clipboard.writeText = () => Promise.reject(new DOMException('No', 'NotAllowedError'))`,
  ],
])('a new key is shown selected, to be copied by hand, where the browser %s', async (_, script) => {
  const { page } = await open('/keys?do=create', { isFresh: true });
  await page.addInitScript(script);
  await page.reload();
  await dialog(page).getByLabel('Label').fill('by-hand');
  await page.keyboard.press('Enter');
  const { key } = await shown(page);
  await dialog(page).getByRole('button', { name: 'Copy: API key' }).click();
  const field = page.getByRole('textbox', { name: 'The browser does not let this page copy' });
  await hasFocus(field);
  expect(await page.evaluate('getSelection().toString()')).toBe(key);
  await expectAccessible(page);
  // Only the field closes, which leads back to its button.
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  await hasFocus(dialog(page).getByRole('button', { name: 'Copy: API key' }));
  await submit(page, 'I have stored it');
});

onPhone('an admin rotates a key, and sees whether the old one is still used, at %s', async (_, viewport) => {
  const { key_id, ends_with } = await issueApiKey(acquirer.id, 'rotated', { role: 'viewer' });
  const { page } = await open('/keys', { viewport });
  await choose(page, key_id, 'Rotate');
  await hasFocus(dialog(page).getByRole('radio', { name: '24 hours' }));
  await dialog(page).getByRole('radio', { name: '7 days' }).check();
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Rotate' }).click();
  const { key } = await shown(page);
  await dialog(page).getByText('The old key works until').waitFor();
  await submit(page, 'I have stored it');

  const row = rowOf(page, `apk_…${ends_with}`);
  await row.getByText('It was not used in the last day.').waitFor();
  await row.getByText(`Replaced by …${key.slice(-4)}`).waitFor();
  await rowOf(page, `apk_…${key.slice(-4)}`)
    .getByText(`Replaces …${ends_with}`)
    .waitFor();
  await row.getByText(/It works until .+\d:\d\d/).waitFor();
  await use(key_id, 2.5 * 3_600_000);
  await page.reload();
  await row.getByText('It was used in the last day: switch to the new key.').waitFor();
  await row.getByText('or up to two hours later').waitFor();
  await row.getByRole('button', { name: 'Actions for key' }).click();
  expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Revoke']);
  const hours =
    (Date.parse((await keys()).find((each) => each.key_id === key_id)?.expires_at ?? '') - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(167.5);
  expect(hours).toBeLessThanOrEqual(168);
  expect((await call('listBranches', { key })).status).toBe(200);
});

test('an admin replaces a leaked key at once', async () => {
  const { key_id, api_key } = await issueApiKey(acquirer.id, 'leaked');
  const { page } = await open('/keys');
  await choose(page, key_id, 'Rotate');
  await dialog(page).getByRole('radio', { name: 'Not at all' }).check();
  await dialog(page).getByRole('button', { name: 'Rotate' }).click();
  await dialog(page).getByText('It works at once, and the old key no longer does.').waitFor();
  await submit(page, 'I have stored it');
  await rowOf(page, key_id).waitFor({ state: 'detached' });
  expect((await call('listBranches', { key: api_key })).status).toBe(401);
});

onDesktop('an admin revokes a key, told when it was last used, at %s', async (_, viewport) => {
  const { key_id, api_key } = await issueApiKey(acquirer.id, 'revoked'.padEnd(64, 'x'));
  await use(key_id, 3_700_000);
  const { page } = await open('/keys', { viewport });
  await choose(page, key_id, 'Revoke');
  await dialog(page).getByText('It was last used 1 hour ago, or up to two hours later.').waitFor();
  await dialog(page).getByText('stops working within 30 seconds. This cannot be undone.').waitFor();
  await expectAccessible(page);
  await submit(page, 'Revoke');
  await rowOf(page, key_id).waitFor({ state: 'detached' });
  expect((await call('listBranches', { key: api_key })).status).toBe(401);
});

test('a key that somebody else has revoked or rotated meanwhile is refused in words', async () => {
  const [gone, twice] = [await issueApiKey(acquirer.id, 'gone'), await issueApiKey(acquirer.id, 'twice')];
  const { page } = await open('/keys');
  await choose(page, gone.key_id, 'Revoke');
  await revokeApiKey(acquirer.id, gone.key_id);
  await dialog(page).getByRole('button', { name: 'Revoke' }).click();
  await dialog(page).getByText(`The acquirer has no API key ${gone.key_id}.`).waitFor();
  await rowOf(page, gone.key_id).waitFor({ state: 'detached' });
  await submit(page, 'Cancel');
  await choose(page, twice.key_id, 'Rotate');
  await rotateApiKey(acquirer.id, twice.key_id, 3_600_000);
  await dialog(page).getByRole('button', { name: 'Rotate' }).click();
  await dialog(page).getByText('was already rotated').waitFor();
});

test('a sign-in of earlier is confirmed in another window, and the key is created then', async () => {
  const earlier = await personOf(acquirer.id, 'admin', { authTime: Math.floor(Date.now() / 1000) - 3_600 });
  const { page, context } = await view.open('/keys?do=create', { as: earlier, acquirer });
  await view.signInWhenAsked(context, earlier);
  await dialog(page).getByLabel('Label').fill('confirmed');
  await page.keyboard.press('Enter');
  const asked = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await asked.getByRole('link', { name: 'Sign in in a new window' }).click();
  const { key } = await shown(page);
  expect((await call('listBranches', { key })).status).toBe(403);
});

test('a lost list is read again, and a lost create says that it may have been made', async () => {
  const { page, context } = await open('/help');
  await context.route('**/console/api/keys', (route) => route.abort());
  await page.goto(view.addressOf('/keys?do=create', acquirer));
  await page.getByText('The service did not respond. Retrying automatically.').waitFor();
  await context.unroute('**/console/api/keys');
  await firstKey(page).waitFor();
  await context.route('**/console/api/keys', (route) =>
    route.request().method() === 'POST' ? lose(route) : route.continue(),
  );
  await dialog(page).getByLabel('Label').fill('lost');
  await page.keyboard.press('Enter');
  await dialog(page).getByText('The connection was lost').waitFor();
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await button(page, 'Discard').click();
  await page.getByRole('row').filter({ hasText: /^lost/ }).waitFor();
});

/** The people and invitations as the API returns them. */
const people = async (by = admin) => (await call('listPeople', { session: by.session })).body.data;

onDesktop('an admin invites a person, gives them the link, and revokes the invitation, at %s', async (_, viewport) => {
  const email = 'maria@example.com';
  const { page, context } = await open('/people', { viewport });
  await rowOf(page, admin.identity.email).getByText('You').waitFor();
  expect(view.takeRequests()).toEqual(['GET /console/api/session', 'GET /console/api/people']);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Invite' }).click();
  expect(await dialog(page).getByRole('radio', { name: 'Viewer' }).isChecked()).toBe(true);
  await dialog(page).getByLabel('E-mail address').fill('maria@');
  await page.keyboard.press('Enter');
  await dialog(page).getByText('An e-mail address, such as name@example.com.').waitFor();
  expect(view.takeRequests()).toEqual([]);
  await expectAccessible(page);
  await dialog(page).getByRole('radio', { name: 'Operator' }).check();
  await dialog(page).getByLabel('E-mail address').fill(`${email.toUpperCase()} `);
  await page.keyboard.press('Enter');

  await dialog(page).getByText('No mail is sent.').waitFor();
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Copy: Invitation link' }).click();
  const link = await page.evaluate<string>('navigator.clipboard.readText()');
  await page.keyboard.press('Escape');
  await submit(page, 'Done');
  const { invitations } = await people();
  const { id } = invitations.find((each: { email: string }) => each.email === email);
  expect(link).toBe(`${view.base}/console/sign-in?invitation=${acquirer.id}.${id}`);

  await rowOf(page, email).getByText('Operator').waitFor();
  await choose(page, email, 'Revoke');
  await expectAccessible(page);
  await submit(page, 'Revoke');
  expect((await people()).invitations).not.toContainEqual(expect.objectContaining({ id }));
  await page.getByRole('heading', { name: 'Open invitations' }).waitFor({ state: 'detached' });
});

onPhone('an admin changes the role of a person, and removes them, at %s', async (_, viewport) => {
  const { id, identity, session } = await named('viewer', 'Vera Viewer');
  const { page } = await open('/people', { viewport });
  await choose(page, identity.email, 'Change role');
  await dialog(page).getByRole('radio', { name: 'Operator' }).check();
  await expectAccessible(page);
  await submit(page, 'Change role');
  await rowOf(page, identity.email).getByText('Operator').waitFor();

  await choose(page, identity.email, 'Remove');
  await dialog(page).getByText('What they did stays in the activity, under their name.').waitFor();
  await submit(page, 'Remove');
  expect((await people()).people).not.toContainEqual(expect.objectContaining({ id }));
  expect((await call('listBranches', { session })).status).toBe(401);
  expect(new URL(page.url()).search).toBe('');
});

test('to leave is not offered to the only admin, who is told what to do first', async () => {
  const small = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const only = await named('admin', 'Only One', small);
  const { page } = await view.open('/people', { as: only, acquirer: small });
  await rowOf(page, only.identity.email).getByText('You, the only admin').waitFor();
  expect(await page.getByRole('button', { name: 'Actions for' }).count()).toBe(0);
  await view.open('/help', { as: only, acquirer: small });
  await page.getByRole('button', { name: 'Account of Only One' }).click();
  await page.getByRole('menuitem', { name: 'Leave Payfair' }).click();
  await dialog(page).getByText('You are its only admin. Before you leave, make somebody else an admin').waitFor();
  expect(await dialog(page).getByRole('button', { name: 'Leave' }).count()).toBe(0);
  await expectAccessible(page);
  await submit(page, 'Go to People');
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
});

test.each(['Change role', 'Leave'])('who became the last admin meanwhile stays one: %s', async (action) => {
  const small = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const [only, other] = [await named('admin', 'Only One', small), await named('admin', 'Olga Other', small)];
  const { page } = await view.open('/people', { as: only, acquirer: small });
  await choose(page, only.identity.email, action);
  if (action === 'Change role') await dialog(page).getByRole('radio', { name: 'Viewer' }).check();
  await removePerson(small.id, other.id);
  await dialog(page).getByRole('button', { name: action }).click();
  await dialog(page).getByText('This is the only admin of the acquirer. Make somebody else an admin first.').waitFor();
  expect((await people(only)).people).toMatchObject([{ role: 'admin' }]);
});

test('an admin is told what they lose by another role, and loses it at once', async () => {
  const other = await named('admin', 'Olga Other');
  const { page } = await open('/people', { as: other });
  await choose(page, other.identity.email, 'Change role');
  await dialog(page).getByRole('radio', { name: 'Viewer' }).check();
  await dialog(page).getByText('Only another admin can give you this role back.').waitFor();
  await dialog(page).getByRole('button', { name: 'Change role' }).click();
  await page.getByText('Only admins of Payfair can see and change this.').waitFor();
  await page.getByText('Payment provider · Viewer').waitFor();
  expect(await page.getByRole('link', { name: 'People' }).count()).toBe(0);
});

test('an admin is told what removing themself means, and is out at once', async () => {
  const other = await named('admin', 'Rui Removed');
  const { page } = await open('/people', { as: other });
  await choose(page, other.identity.email, 'Leave');
  await dialog(page).getByText('To come back, you need a new invitation.').waitFor();
  await dialog(page).getByRole('button', { name: 'Leave' }).click();
  await page.waitForURL(`${view.base}/console`);
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  expect((await people()).people).not.toContainEqual(expect.objectContaining({ id: other.id }));
});

test('a person whom somebody else has removed meanwhile is gone from the list', async () => {
  const { id, identity } = await named('viewer', 'Gone Already');
  const { page } = await open('/people');
  await choose(page, identity.email, 'Remove');
  await removePerson(acquirer.id, id);
  await dialog(page).getByRole('button', { name: 'Remove' }).click();
  await dialog(page).getByText(`The acquirer has no person ${id}.`).waitFor();
  await rowOf(page, identity.email).waitFor({ state: 'detached' });
});

test('names of any script and length stay in the screen, and are only text', async () => {
  const odd = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const names = ['W'.repeat(255), 'محمد بن سلمان', '👩🏽‍💻 Zoë', '<img src=x onerror=alert(1)>'];
  const boss = await named('admin', 'Ana Almeida', odd);
  for (const name of names) await named('viewer', name, odd);
  await invitePerson(odd.id, {
    email: `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.example.com`,
    role: 'viewer',
  });
  const { page } = await view.open('/people', { as: boss, acquirer: odd });
  for (const name of names) await page.getByText(name, { exact: true }).waitFor();
  await expectAccessible(page);
  await choose(page, 'W'.repeat(255), 'Remove');
  await expectAccessible(page);
});

test('what a removed person did keeps their name, until they are erased', async () => {
  const { id, session, identity } = await named('operator', 'Paulo Past');
  const { mid } = await newBranch(acquirer, { branch_name: 'Casa Verde' });
  await call('updateBranch', { session, path: { mid }, body: { city: 'Porto' } });
  await removePerson(acquirer.id, id);
  const { page } = await open(`/branches/${mid}`);
  await page.getByText('Paulo Past changed it').waitFor();
  await open('/activity?of=access');
  await page.getByText(`Support removed Paulo Past (${identity.email})`).waitFor();
  await page.getByText(`Support invited ${identity.email} with the role Operator`).waitFor();
  await erasePerson(id);
  await page.reload();
  await page.getByText('Support removed a former colleague').waitFor();
  await page.getByText('Support erased the name and address of a former colleague').waitFor();
  await open(`/branches/${mid}`);
  await page.getByText('A former colleague changed it').waitFor();
});

test.each([
  ['operator', 'keys', 'create', 'API keys', 'Create key'],
  ['viewer', 'keys', 'create', 'API keys', 'Create key'],
  ['operator', 'people', 'invite', 'People', 'Invite'],
  ['viewer', 'people', 'invite', 'People', 'Invite'],
] as const)('of the role %s, a person learns whom to ask about %s', async (as, path, action, link, name) => {
  const { page } = await view.open(`/${path}?do=${action}`, { as });
  await page.getByText('Only admins of Payfair can see and change this. Ask the person who invited you.').waitFor();
  await expectAccessible(page);
  expect(await button(page, name).count()).toBe(0);
  expect(await dialog(page).count()).toBe(0);
  expect(await page.getByRole('link', { name: link }).count()).toBe(0);
  expect(view.takeRequests()).toEqual(['GET /console/api/session']);
});
