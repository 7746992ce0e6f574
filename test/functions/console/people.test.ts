import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { signIn } from '../../../lib/people/admission.ts';
import { INVITATION_MS, invitePerson } from '../../../lib/people/people.ts';
import { hashOfIdentity, personAuthor } from '../../../lib/people/person.ts';
import { forgetSessions } from '../../../lib/people/session.ts';
import { call, expectProblem } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { recorded, TIME } from '../../support/constants.ts';
import { newIdentity, personOf, type SignedIn } from '../../support/people.ts';
import { splitRecord, storedBy } from '../../support/stored.ts';
import { type Caller, newAcquirer } from '../../support/world.ts';

const UUID = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const LAST_ADMIN = 'This is the only admin of the acquirer. Make somebody else an admin first.';
const ROLE = 'Must be viewer, operator or admin.';

let provider: Caller;
let admin: SignedIn;
const useAcquirer = () =>
  beforeAll(async () => {
    provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    admin = await personOf(provider.id, 'admin');
  });

/** Sends a request as the admin. Returns the changed items and the events of the record. */
async function change(
  operation: Parameters<typeof call>[0],
  { id, body }: { id?: string; body?: unknown },
  { session } = admin,
) {
  const { response, changed } = await storedBy(() =>
    call(operation, { session, ...(id !== undefined && { path: { id } }), body }),
  );
  return { response, changed, ...splitRecord(changed) };
}

const invite = (email: unknown, role: unknown = 'viewer') => change('invitePerson', { body: { email, role } });
const list = async () => (await call('listPeople', { session: admin.session })).body.data;

const acquirerItem = () => `ACQUIRERS ACQUIRER#${provider.id}`;
const membershipItem = (person: string) => `PEOPLE#${provider.id} PERSON#${person}`;
const invitationItem = (id: string) => `PEOPLE#${provider.id} INVITATION#${id}`;

describe('listPeople', () => {
  useAcquirer();

  test('returns people and open invitations, the oldest first, of this acquirer only', async () => {
    const stranger = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    await personOf(stranger.id, 'admin');
    const viewer = await personOf(provider.id, 'viewer');
    const { id } = await invitePerson(provider.id, { email: 'Maria@Example.com', role: 'operator' });
    const { response, changed } = await storedBy(() => call('listPeople', { session: admin.session }));
    const shown = ({ id, identity: { name, email } }: SignedIn, role: string) => ({
      id,
      name,
      email,
      role,
      joined_at: TIME,
      signed_in_at: TIME,
    });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      data: {
        people: [shown(admin, 'admin'), shown(viewer, 'viewer')],
        invitations: [{ id, email: 'maria@example.com', role: 'operator', created_at: TIME, expires_at: TIME }],
      },
    });
    expect(changed).toEqual({});
  });

  test('returns the name and address of the last sign-in, or null without an address', async () => {
    const person = await personOf(provider.id, 'viewer');
    const { email: _, ...identity } = { ...person.identity, name: 'Anna Married' };
    await signIn(identity, { invitation: undefined, authTime: 0, earlier: undefined });
    const { people } = await list();
    expect(people.find(({ id }: { id: string }) => id === person.id)).toMatchObject({
      name: 'Anna Married',
      email: null,
    });
  });
});

describe('invitePerson', () => {
  useAcquirer();

  test('201: makes an invitation for seven days, with the link to hand over', async () => {
    const { response, others, events } = await invite(' Maria@Example.COM ', 'operator');
    const { id, created_at, expires_at } = response.body.data;
    expect(response).toMatchObject({
      status: 201,
      headers: { location: 'https://api.example.com/console/api/people' },
    });
    expect(response.body).toEqual({
      data: {
        id: UUID,
        email: 'maria@example.com',
        role: 'operator',
        created_at: TIME,
        expires_at: new Date(Date.parse(created_at) + INVITATION_MS).toISOString(),
        link: `https://api.example.com/console/sign-in?invitation=${provider.id}.${id}`,
      },
    });
    expect(others).toEqual({
      [acquirerItem()]: expect.objectContaining({ updated_at: TIME }),
      [invitationItem(id)]: {
        email: 'maria@example.com',
        role: 'operator',
        created_at,
        expires_at,
        ttl: Math.ceil(Date.parse(expires_at) / 1000),
      },
    });
    const details = { acquirer: provider.id, invitation: id, role: 'operator' };
    const event = recorded('person.invited', details, personAuthor(admin.id));
    expect(events).toEqual({ [`ACQUIRER#${provider.id}`]: [event] });
  });

  test('201: a person joins with the link, and has the role', async () => {
    const identity = newIdentity('Maria Example');
    const { link } = (await invite(identity.email, 'operator')).response.body.data;
    const invitation = new URL(link).searchParams.get('invitation') ?? undefined;
    const cookie = await signIn(identity, { invitation, authTime: 0, earlier: undefined });
    const { people, invitations } = await list();
    expect(people.at(-1)).toMatchObject({ name: 'Maria Example', role: 'operator' });
    expect(invitations.map(({ email }: { email: string }) => email)).not.toContain(identity.email);
    expect((await call('listBranches', { session: { cookie, actingAs: provider.id } })).status).toBe(200);
  });

  test('201: ends an earlier invitation of the address', async () => {
    const earlier = await invite('twice@example.com');
    const { response, others } = await invite('TWICE@example.com', 'admin');
    expect(others[invitationItem(earlier.response.body.data.id)]).toBeNull();
    const { invitations } = await list();
    expect(invitations.filter(({ email }: { email: string }) => email === 'twice@example.com')).toEqual([
      expect.objectContaining({ id: response.body.data.id, role: 'admin' }),
    ]);
  });

  const EMAIL = 'Must be an e-mail address, such as name@example.com.';
  test.each([
    [
      'nothing',
      {},
      [
        ['/email', 'required', 'Is required.'],
        ['/role', 'required', 'Is required.'],
      ],
    ],
    ['a text that is no address', { email: 'maria', role: 'viewer' }, [['/email', 'invalid_format', EMAIL]]],
    [
      'an address of 256 characters',
      { email: `${'a'.repeat(244)}@example.com`, role: 'viewer' },
      [['/email', 'too_long', 'Must have at most 255 characters.']],
    ],
    ['a role of API keys', { email: 'maria@example.com', role: 'full' }, [['/role', 'invalid_format', ROLE]]],
  ] as [string, object, [string, string, string][]][])(
    '422: refuses %s, and stores nothing',
    async (_, body, errors) => {
      const { response, changed } = await change('invitePerson', { body });
      expectProblem(response, 'validation_failed', errors);
      expect(changed).toEqual({});
    },
  );
});

describe('revokeInvitation', () => {
  useAcquirer();

  test('200: ends the invitation, once', async () => {
    const { id } = (await invite('maria@example.com')).response.body.data;
    const { response, others, events } = await change('revokeInvitation', { id });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ data: { id } });
    expect(others).toEqual({ [acquirerItem()]: expect.anything(), [invitationItem(id)]: null });
    const details = { acquirer: provider.id, invitation: id };
    const event = recorded('invitation.revoked', details, personAuthor(admin.id));
    expect(events).toEqual({ [`ACQUIRER#${provider.id}`]: [event] });
    const again = await change('revokeInvitation', { id });
    expectProblem(again.response, 'not_found', `There is no open invitation ${id}.`);
    expect(again.changed).toEqual({});
  });

  test('404: an unknown invitation, and one of another acquirer', async () => {
    const stranger = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    const { id: foreign } = await invitePerson(stranger.id, { email: 'maria@example.com', role: 'admin' });
    for (const id of [UNKNOWN, foreign]) {
      const { response, changed } = await change('revokeInvitation', { id });
      expectProblem(response, 'not_found', `There is no open invitation ${id}.`);
      expect(changed).toEqual({});
    }
  });

  test('404: an invitation that has expired', async () => {
    const { id, expires_at } = (await invite('late@example.com')).response.body.data;
    setClock(Date.parse(expires_at));
    try {
      const later = await personOf(provider.id, 'admin');
      const { response } = await change('revokeInvitation', { id }, later);
      expectProblem(response, 'not_found', `There is no open invitation ${id}.`);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('changePerson', () => {
  useAcquirer();

  test('200: changes the role, also of an open session', async () => {
    const person = await personOf(provider.id, 'operator');
    const { response, others, events } = await change('changePerson', { id: person.id, body: { role: 'viewer' } });
    const { name, email } = person.identity;
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      data: { id: person.id, name, email, role: 'viewer', joined_at: TIME, signed_in_at: TIME },
    });
    expect(others).toEqual({
      [acquirerItem()]: expect.anything(),
      [membershipItem(person.id)]: { role: 'viewer', joined_at: TIME },
    });
    const details = { acquirer: provider.id, person: person.id, role: 'viewer', role_before: 'operator' };
    const event = recorded('person.role_changed', details, personAuthor(admin.id));
    expect(events).toEqual({ [`ACQUIRER#${provider.id}`]: [event], [`PERSON#${person.id}`]: [event] });

    forgetSessions();
    const { status } = await call('createBranch', { session: person.session, body: {} });
    expect(status).toBe(403);
  });

  test('200: an admin can become less once there is another', async () => {
    const other = await personOf(provider.id, 'viewer');
    await change('changePerson', { id: other.id, body: { role: 'admin' } });
    const demoted = await personOf(provider.id, 'admin');
    const { response } = await change('changePerson', { id: demoted.id, body: { role: 'viewer' } }, demoted);
    expect(response).toMatchObject({ status: 200, body: { data: { role: 'viewer' } } });
    await change('removePerson', { id: other.id });
  });

  test('400 last_admin: the only admin stays one, and nothing is stored', async () => {
    for (const role of ['operator', 'viewer']) {
      const { response, changed } = await change('changePerson', { id: admin.id, body: { role } });
      expectProblem(response, 'last_admin', LAST_ADMIN);
      expect(changed).toEqual({});
    }
    expect((await change('changePerson', { id: admin.id, body: { role: 'admin' } })).response.status).toBe(200);
  });

  test.each([
    ['no role', {}, 'required', 'Is required.'],
    ['a role of API keys', { role: 'till' }, 'invalid_format', ROLE],
  ])('422: refuses %s', async (_, body, code, detail) => {
    const { response, changed } = await change('changePerson', { id: admin.id, body });
    expectProblem(response, 'validation_failed', [['/role', code, detail]]);
    expect(changed).toEqual({});
  });
});

describe('removePerson', () => {
  useAcquirer();

  test('200: removes the person, and erases name, address and identity with the last acquirer', async () => {
    const person = await personOf(provider.id, 'operator');
    const { response, others, events } = await change('removePerson', { id: person.id });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ data: { id: person.id } });
    expect(others).toEqual({
      [acquirerItem()]: expect.anything(),
      [membershipItem(person.id)]: null,
      [`PERSON#${person.id} PERSON`]: null,
      [`IDENTITY#${hashOfIdentity(person.identity)} IDENTITY`]: null,
    });
    const details = { acquirer: provider.id, person: person.id };
    const event = recorded('person.removed', details, personAuthor(admin.id));
    const subjects = [`ACQUIRER#${provider.id}`, `PERSON#${person.id}`, 'ERASURES'];
    expect(events).toEqual(Object.fromEntries(subjects.map((subject) => [subject, [event]])));
    expect((await list()).people).toEqual([expect.objectContaining({ id: admin.id })]);

    forgetSessions();
    expect((await call('listBranches', { session: person.session })).status).toBe(401);
  });

  test('200: a person of another acquirer stays there', async () => {
    const other = await newAcquirer('DISTRIBUTOR', 'Northgate');
    const person = await personOf(provider.id, 'viewer');
    const there = await personOf(other.id, 'viewer', { identity: person.identity });
    const { others } = await change('removePerson', { id: person.id });
    expect(others).toEqual({
      [acquirerItem()]: expect.anything(),
      [membershipItem(person.id)]: null,
      [`PERSON#${person.id} PERSON`]: expect.objectContaining({ acquirers: new Set([other.id]) }),
    });
    forgetSessions();
    expect((await call('listBranches', { session: there.session })).status).toBe(200);
    const { cookie } = there.session;
    expect((await call('listBranches', { session: { cookie, actingAs: provider.id } })).status).toBe(401);
  });

  test('400 last_admin: the only admin stays, and nothing is stored', async () => {
    const { response, changed } = await change('removePerson', { id: admin.id });
    expectProblem(response, 'last_admin', LAST_ADMIN);
    expect(changed).toEqual({});
  });
});

describe.each(['changePerson', 'removePerson'] as const)('%s', (operation) => {
  useAcquirer();
  const body = operation === 'changePerson' ? { role: 'viewer' } : undefined;

  test('404: an unknown person, and one of another acquirer', async () => {
    const stranger = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    const { id: foreign } = await personOf(stranger.id, 'viewer');
    for (const id of [UNKNOWN, foreign]) {
      const { response, changed } = await change(operation, { id, body });
      expectProblem(response, 'not_found', `The acquirer has no person ${id}.`);
      expect(changed).toEqual({});
    }
  });
});
