import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { INVITATION_MS, invitePerson, removePerson } from '../../../lib/people/people.ts';
import type { Session } from '../../../lib/people/person.ts';
import { forgetSessions, hashOfCookie, SESSION } from '../../../lib/people/session.ts';
import { getItem } from '../../../lib/table/client.ts';
import { sessionKey } from '../../../lib/table/keys.ts';
import { call } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { TIME } from '../../support/constants.ts';
import { bodyOf, expectRefused } from '../../support/outcomes.ts';
import { enter, newIdentity, personOf, type SignedIn, signInAgain } from '../../support/people.ts';
import { newAcquirer } from '../../support/world.ts';
import { type Administered, changeBy, sendBy, useAdministered } from './admins.ts';

/* How people join, and what happens at the same time, is in test/lib/people/people.test.ts. */

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const ROLE = 'Must be viewer, operator or admin.';

afterEach(() => void jest.useRealTimers());

const own = {} as Administered;

const invite = async (email: string, role = 'viewer') =>
  (await changeBy(own.admin, 'invitePerson', undefined, { email, role })).body.data;
const list = async () => (await call('listPeople', { session: own.admin.session })).body.data;
/** Whether a person may read, in a process that has not cached their session. */
const mayRead = async ({ cookie }: SignedIn['session'], actingAs = own.provider.id) => {
  forgetSessions();
  return (await call('listBranches', { session: { cookie, actingAs } })).status === 200;
};

describe('listPeople', () => {
  useAdministered(own);

  test('returns people and open invitations, the oldest first, of this acquirer only', async () => {
    const stranger = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    await personOf(stranger.id, 'admin');
    const viewer = await personOf(own.provider.id, 'viewer');
    const { id } = await invitePerson(own.provider.id, { email: 'Maria@Example.com', role: 'operator' });
    const body = await bodyOf(() => call('listPeople', { session: own.admin.session }));
    const shown = ({ id, identity: { name, email } }: SignedIn, role: string) => ({
      ...{ id, name, email, role },
      joined_at: TIME,
      signed_in_at: TIME,
    });
    expect(body).toEqual({
      data: {
        people: [shown(own.admin, 'admin'), shown(viewer, 'viewer')],
        invitations: [{ id, email: 'maria@example.com', role: 'operator', created_at: TIME, expires_at: TIME }],
      },
    });
  });
});

describe('invitePerson', () => {
  useAdministered(own);

  test('201: makes an invitation for seven days, with the link to hand over', async () => {
    const body = { email: ' Maria@Example.COM ', role: 'operator' };
    const response = await changeBy(own.admin, 'invitePerson', undefined, body);
    const { id, created_at } = response.body.data;
    expect([response.status, response.headers['location']]).toEqual([
      201,
      'https://api.example.com/console/api/people',
    ]);
    expect(response.body).toEqual({
      data: {
        id: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
        email: 'maria@example.com',
        role: 'operator',
        created_at: TIME,
        expires_at: new Date(Date.parse(created_at) + INVITATION_MS).toISOString(),
        link: `https://api.example.com/console/sign-in?invitation=${own.provider.id}.${id}`,
      },
    });
  });

  test('201: ends an earlier invitation of the address, and no other', async () => {
    const others = (await list()).invitations;
    await invite('twice@example.com');
    const { id } = await invite('TWICE@example.com', 'admin');
    const again = expect.objectContaining({ id, role: 'admin', email: 'twice@example.com' });
    expect((await list()).invitations).toEqual([...others, again]);
  });

  const EMAIL = 'Must be an e-mail address, such as name@example.com.';
  const LONG = `${'a'.repeat(244)}@example.com`;
  const NO_EMAIL = ['/email', 'required', 'Is required.'];
  const NO_ROLE = ['/role', 'required', 'Is required.'];
  test.each([
    ['nothing', {}, [NO_EMAIL, NO_ROLE]],
    ['a text that is no address', { email: 'maria', role: 'viewer' }, [['/email', 'invalid_format', EMAIL]]],
    [
      'an address of 256 characters',
      { email: LONG, role: 'viewer' },
      [['/email', 'too_long', 'Must have at most 255 characters.']],
    ],
    ['a role of API keys', { email: 'maria@example.com', role: 'full' }, [['/role', 'invalid_format', ROLE]]],
  ])('422: refuses %s, and stores nothing', async (_, body, errors) => {
    const sent = () => sendBy(own.admin, 'invitePerson', undefined, body);
    await expectRefused(sent, 'validation_failed', errors as [string, string, string][]);
  });
});

describe('revokeInvitation', () => {
  useAdministered(own);
  const expectNone = (id: string, by = own.admin) =>
    expectRefused(() => sendBy(by, 'revokeInvitation', id), 'not_found', `There is no open invitation ${id}.`);

  test('200: ends the invitation', async () => {
    const { id } = await invite('maria@example.com');
    const { status, body } = await changeBy(own.admin, 'revokeInvitation', id);
    expect([status, body]).toEqual([200, { data: { id } }]);
    expect((await list()).invitations).toEqual([]);
  });

  test('404: an invitation that is unknown, accepted, or of another acquirer', async () => {
    const stranger = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    const { id: foreign } = await invitePerson(stranger.id, { email: 'maria@example.com', role: 'admin' });
    const identity = newIdentity();
    const accepted = await invite(identity.email);
    await enter(identity, accepted);
    for (const id of [UNKNOWN, foreign, accepted.id]) await expectNone(id);
  });

  test('404: an invitation that has expired', async () => {
    const { id, expires_at } = await invite('late@example.com');
    setClock(Date.parse(expires_at));
    await expectNone(id, await personOf(own.provider.id, 'admin'));
  });
});

describe('changePerson', () => {
  useAdministered(own);
  const changeRole = (id: string, role: unknown, by = own.admin) => changeBy(by, 'changePerson', id, { role });

  test('200: changes the role, also of an open session', async () => {
    const { id, identity, session } = await personOf(own.provider.id, 'operator');
    const { status, body } = await changeRole(id, 'viewer');
    const { name, email } = identity;
    expect(status).toBe(200);
    expect(body).toEqual({ data: { id, name, email, role: 'viewer', joined_at: TIME, signed_in_at: TIME } });
    forgetSessions();
    expect((await call('createBranch', { session, body: {} })).status).toBe(403);
  });

  test('200: the only admin can get the role admin', async () => {
    const { status, others } = await changeRole(own.admin.id, 'admin');
    expect([status, others]).toEqual([200, {}]);
  });

  test.each([
    ['no role', undefined, 'required', 'Is required.'],
    ['a role of API keys', 'till', 'invalid_format', ROLE],
  ])('422: refuses %s', async (_, role, code, detail) => {
    const sent = () => sendBy(own.admin, 'changePerson', own.admin.id, { role });
    await expectRefused(sent, 'validation_failed', [['/role', code, detail]]);
  });
});

describe('removePerson', () => {
  useAdministered(own);
  const remove = (id: string) => changeBy(own.admin, 'removePerson', id);

  test('200: removes the person, whose session ends', async () => {
    const { id, session } = await personOf(own.provider.id, 'operator');
    const { status, body } = await remove(id);
    expect([status, body]).toEqual([200, { data: { id } }]);
    expect((await list()).people).toEqual([expect.objectContaining({ id: own.admin.id })]);
    expect(await mayRead(session)).toBe(false);
  });

  test('200: a person of another acquirer stays there', async () => {
    const other = await newAcquirer('DISTRIBUTOR', 'Northgate');
    const { id, identity } = await personOf(own.provider.id, 'viewer');
    const there = await personOf(other.id, 'viewer', { identity });
    const { others } = await remove(id);
    expect(others).toEqual({
      [`ACQUIRERS ACQUIRER#${own.provider.id}`]: expect.anything(),
      [`PEOPLE#${own.provider.id} PERSON#${id}`]: null,
      [`PEOPLE_NAMES#${own.provider.id} PERSON#${id}`]: {
        name: identity.name,
        email: identity.email,
        ttl: expect.any(Number),
      },
      [`PERSON#${id} PERSON`]: expect.objectContaining({ acquirers: new Set([other.id]) }),
    });
    expect([await mayRead(there.session, other.id), await mayRead(there.session)]).toEqual([true, false]);
  });
});

describe('leave', () => {
  useAdministered(own);

  test.each(['viewer', 'operator', 'admin'] as const)('200: a person with the role %s leaves', async (role) => {
    const person = await personOf(own.provider.id, role);
    const { status, body, others } = await changeBy(person, 'leave');
    expect([status, body]).toEqual([200, { data: { acquirer: own.provider.id } }]);
    expect(others[`PEOPLE#${own.provider.id} PERSON#${person.id}`]).toBeNull();
    expect(await mayRead(person.session)).toBe(false);
  });

  test('200: a person of two acquirers leaves one of them', async () => {
    const other = await newAcquirer('DISTRIBUTOR', 'Northgate');
    const person = await personOf(own.provider.id, 'viewer');
    const there = await personOf(other.id, 'viewer', { identity: person.identity });
    const { others } = await changeBy(person, 'leave');
    expect(others[`PERSON#${person.id} PERSON`]).toMatchObject({ acquirers: new Set([other.id]) });
    expect([await mayRead(there.session, other.id), await mayRead(there.session)]).toEqual([true, false]);
  });

  test('400 last_admin: the only admin stays', async () => {
    const detail = 'This is the only admin of the acquirer. Make somebody else an admin first.';
    await expectRefused(() => sendBy(own.admin, 'leave'), 'last_admin', detail);
  });

  test('401: an API key, another acquirer, and a page of another origin', async () => {
    const { session } = await personOf(own.provider.id, 'viewer');
    const detail =
      'Sign in, and send the UUID of one of your acquirers in Acting-As. Sessions work only on pages of this service.';
    for (const request of [
      { key: own.provider.key },
      { session: { ...session, actingAs: UNKNOWN } },
      { session, headers: { 'sec-fetch-site': 'cross-site' } },
    ])
      await expectRefused(() => call('leave', request), 'invalid_session', detail);
  });
});

test('listPeople shows exactly when a person signed in who acts as this acquirer, and nothing of their work for another', async () => {
  const { memberUseIntervalMs } = SESSION;
  const other = await newAcquirer('DISTRIBUTOR', 'Northgate');
  const person = await personOf(own.provider.id, 'viewer');
  const elsewhere = await personOf(other.id, 'viewer', { identity: person.identity });
  const signedInAt = async () => (await list()).people.find(({ id }: { id: string }) => id === person.id)?.signed_in_at;
  const joined = await signedInAt();
  SESSION.memberUseIntervalMs = 0;
  expect(await mayRead(elsewhere.session, other.id)).toBe(true);
  expect(await signedInAt()).toBe(joined);
  const [earlier, later] = [await signInAgain(person), await signInAgain(person)];
  // Whatever the order of their requests.
  for (const { session } of [later, earlier, later]) expect(await mayRead(session)).toBe(true);
  SESSION.memberUseIntervalMs = memberUseIntervalMs;
  const { started_at } = (await getItem<Session>(sessionKey(hashOfCookie(later.session.cookie)))) as Session;
  expect(await signedInAt()).toBe(started_at);
  // Who comes back joined after that.
  await removePerson(own.provider.id, person.id);
  await personOf(own.provider.id, 'viewer', { identity: person.identity });
  const [again] = (await list()).people.filter(({ id }: { id: string }) => id === person.id);
  expect(again.signed_in_at).toBe(again.joined_at);
});

describe.each([
  ['changePerson', [{ role: 'operator' }, { role: 'viewer' }]],
  ['removePerson', [undefined]],
] as const)('%s', (operation, bodies) => {
  useAdministered(own);

  test('404: an unknown person, and one of another acquirer', async () => {
    const stranger = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    const { id: foreign } = await personOf(stranger.id, 'viewer');
    for (const id of [UNKNOWN, foreign]) {
      const sent = () => sendBy(own.admin, operation, id, bodies[0]);
      await expectRefused(sent, 'not_found', `The acquirer has no person ${id}.`);
    }
  });

  test('400 last_admin: the only admin stays one, and nothing is stored', async () => {
    const detail = 'This is the only admin of the acquirer. Make somebody else an admin first.';
    for (const body of bodies)
      await expectRefused(() => sendBy(own.admin, operation, own.admin.id, body), 'last_admin', detail);
  });
});
