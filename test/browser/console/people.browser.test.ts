import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { invitePerson, removePerson } from '../../../lib/people/people.ts';
import { forgetSessions } from '../../../lib/people/session.ts';
import { call } from '../../support/api.ts';
import { newIdentity, personOf, type SignedIn } from '../../support/people.ts';
import { type Caller, newAcquirer, newBranch } from '../../support/world.ts';
import { PHONE } from '../chromium.ts';
import { SIZES, useConsole } from './harness.ts';

const view = useConsole();

let acquirer: Caller;
let admin: SignedIn;
beforeAll(async () => {
  acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  admin = await named('admin', 'Ana Almeida');
});
afterEach(forgetSessions);

const named = (role: 'viewer' | 'operator' | 'admin', name: string, of = acquirer) =>
  personOf(of.id, role, { identity: newIdentity(name) });
const open = (path = '/people', options = {}) => view.open(path, { as: admin, acquirer, ...options });
const dialog = (page: Page) => page.getByRole('dialog');
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const listed = async (by = admin) => (await call('listPeople', { session: by.session })).body.data;

/** Chooses an action of a person or an invitation. */
async function choose(page: Page, text: string, action: string) {
  await rowOf(page, text).getByRole('button', { name: 'Actions for' }).click();
  await page.getByRole('menuitem', { name: action }).click();
  await dialog(page).waitFor();
  await page.getByRole('menu').waitFor({ state: 'detached' });
}

test('lists people with one request, oneself marked', async () => {
  const { page } = await open();
  await rowOf(page, admin.identity.email).getByText('You').waitFor();
  await view.expectAccessible(page);
  expect(view.takeRequests()).toEqual(['GET /console/api/session', 'GET /console/api/people']);
});

describe.each(SIZES)('an admin at %s', (size, viewport) => {
  const suffix = size.slice(0, 3).trim();

  test('invites a person, gives them the link, and revokes the invitation', async () => {
    const email = `maria.${suffix}@example.com`;
    const { page, context } = await open('/people', { viewport });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Invite' }).click();
    expect(await dialog(page).getByRole('radio', { name: 'Viewer' }).isChecked()).toBe(true);
    await view.expectAccessible(page);
    await dialog(page).getByRole('radio', { name: 'Operator' }).check();
    await dialog(page).getByLabel('E-mail address').fill(`${email.toUpperCase()} `);
    await page.keyboard.press('Enter');

    await dialog(page).getByText('No mail is sent.').waitFor();
    await view.expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Copy: Invitation link' }).click();
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    await page.keyboard.press('Escape');
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    const { invitations } = await listed();
    const { id } = invitations.find((each: { email: string }) => each.email === email);
    expect(link).toBe(`${view.base}/console/sign-in?invitation=${acquirer.id}.${id}`);

    await rowOf(page, email).getByText('Operator').waitFor();
    await choose(page, email, 'Revoke');
    await view.expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect((await listed()).invitations).not.toContainEqual(expect.objectContaining({ id }));
    await page.getByRole('heading', { name: 'Open invitations' }).waitFor({ state: 'detached' });
  });

  test('changes the role of a person, and removes them', async () => {
    const { id, identity, session } = await named('viewer', `Vera ${suffix}`);
    const { page } = await open('/people', { viewport });
    await choose(page, identity.email, 'Change role');
    await dialog(page).getByRole('radio', { name: 'Operator' }).check();
    await view.expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Change role' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await rowOf(page, identity.email).getByText('Operator').waitFor();

    await choose(page, identity.email, 'Remove');
    await dialog(page).getByText('What they did stays in the activity, without their name.').waitFor();
    await view.expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Remove' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect((await listed()).people).not.toContainEqual(expect.objectContaining({ id }));
    expect((await call('listBranches', { session })).status).toBe(401);
    expect(new URL(page.url()).search).toBe('');
  });
});

test('an address that is none is said at its field, and nothing is sent', async () => {
  const { page } = await open('/people?do=invite');
  await dialog(page).getByLabel('E-mail address').fill('maria@');
  await page.keyboard.press('Enter');
  await dialog(page).getByText('This is not an e-mail address.').waitFor();
  await view.expectAccessible(page);
  expect(view.takeRequests()).not.toContain('POST /console/api/invitations');
});

describe('an admin who acts on themself', () => {
  test.each(['Change role', 'Remove'])('stays, being the last one: %s', async (action) => {
    const small = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const only = await named('admin', 'Only One', small);
    const { page } = await view.open('/people', { as: only, acquirer: small });
    await choose(page, only.identity.email, action);
    if (action === 'Change role') await dialog(page).getByRole('radio', { name: 'Viewer' }).check();
    await dialog(page).getByRole('button', { name: action }).click();
    await dialog(page)
      .getByText('This is the only admin of the acquirer. Make somebody else an admin first.')
      .waitFor();
    await view.expectAccessible(page);
    expect((await listed(only)).people).toMatchObject([{ role: 'admin' }]);
  });

  test('is told what they lose by another role, and loses it at once', async () => {
    const other = await named('admin', 'Olga Other');
    const { page } = await open('/people', { as: other });
    await choose(page, other.identity.email, 'Change role');
    await dialog(page).getByRole('radio', { name: 'Viewer' }).check();
    await dialog(page).getByText('Only another admin can give you that back.').waitFor();
    await view.expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Change role' }).click();
    await page.getByText('Only admins of Payfair can see and change this.').waitFor();
    await page.getByText('Payment provider · Viewer').waitFor();
    expect(await page.getByRole('link', { name: 'People' }).count()).toBe(0);
  });

  test('is told what removing themself means, and is out at once', async () => {
    const other = await named('admin', 'Rui Removed');
    const { page } = await open('/people', { as: other });
    await choose(page, other.identity.email, 'Remove');
    await dialog(page).getByText('This is you: you lose your own access.').waitFor();
    await dialog(page).getByRole('button', { name: 'Remove' }).click();
    await page.waitForURL(`${view.base}/console`);
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    expect((await listed()).people).not.toContainEqual(expect.objectContaining({ id: other.id }));
  });
});

test('a person whom somebody else has removed meanwhile is gone from the list', async () => {
  const { id, identity } = await named('viewer', 'Gone Already');
  const { page } = await open();
  await choose(page, identity.email, 'Change role');
  await removePerson(acquirer.id, id);
  await dialog(page).getByRole('radio', { name: 'Operator' }).check();
  await dialog(page).getByRole('button', { name: 'Change role' }).click();
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
  for (const viewport of [PHONE, { width: 1024, height: 800 }]) {
    const { page } = await view.open('/people', { as: boss, acquirer: odd, viewport });
    for (const name of names) await page.getByText(name, { exact: true }).waitFor();
    await view.expectAccessible(page);
    await rowOf(page, 'W'.repeat(255)).getByRole('button', { name: 'Actions for' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await dialog(page).waitFor();
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await view.expectAccessible(page);
  }
});

test('events of a removed person name a former colleague', async () => {
  const { id, session } = await named('operator', 'Paulo Past');
  const { mid } = await newBranch(acquirer, { branch_name: 'Casa Verde' });
  await call('updateBranch', { session, path: { mid }, body: { city: 'Porto' } });
  await removePerson(acquirer.id, id);
  const { page } = await open(`/branches/${mid}`);
  await page.getByText('A former colleague changed it').waitFor();
});

describe.each(['operator', 'viewer'] as const)('of the role %s', (role) => {
  test('a person learns whom to ask, and the API refuses', async () => {
    const { page } = await view.open('/people?do=invite', { as: role });
    await page.getByText('Only admins of Payfair can see and change this. Whoever invited you is one').waitFor();
    await view.expectAccessible(page);
    expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    expect(await dialog(page).count()).toBe(0);
    expect(view.takeRequests()).toEqual(['GET /console/api/session']);
    const { session } = view.people[role];
    const body = { email: 'maria@example.com', role: 'admin' };
    expect((await call('listPeople', { session })).status).toBe(403);
    expect((await call('invitePerson', { session, body })).status).toBe(403);
  });
});
