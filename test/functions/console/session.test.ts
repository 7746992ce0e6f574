import { beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { consoleRequestOf } from '../../../infra/publish/contract/consoleCalls.ts';
import { CONSOLE_OPERATIONS, moduleOf } from '../../../infra/publish/contract/invoke.ts';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import { KEY_ROLES } from '../../../lib/acquirers/roles.ts';
import { RECENT_S } from '../../../lib/http/authorize.ts';
import { disableAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { personAuthor } from '../../../lib/people/person.ts';
import { forgetSessions, hashOfCookie } from '../../../lib/people/session.ts';
import { asRole } from '../../support/access.ts';
import { call, eventOf, expectProblem } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { INVALID_KEY, recorded, TIME } from '../../support/constants.ts';
import { personOf, type SignedIn, signInAgain } from '../../support/people.ts';
import { splitRecord, storedBy } from '../../support/stored.ts';
import { type Caller, newAcquirer, unique } from '../../support/world.ts';

const INVALID =
  'Sign in, and send the UUID of one of your acquirers in Acting-As. Sessions work only on pages of this service.';
const NONE = 'Sign in, and send Acting-As: none.';
const BOTH = 'Send either an API key or a session with Acting-As, not both.';
const SIGN_IN_AGAIN =
  'Changes of API keys and people need a sign-in within the last 15 minutes. Sign in again, then repeat the request.';

let provider: Caller;
let stranger: Caller;
let admin: SignedIn;
let others: Record<'operator' | 'viewer', SignedIn>;
/** API keys of the provider, by role. */
const keys: Record<string, string> = {};
beforeAll(async () => {
  provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  stranger = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
  admin = await personOf(provider.id, 'admin');
  others = { operator: await personOf(provider.id, 'operator'), viewer: await personOf(provider.id, 'viewer') };
  for (const role of KEY_ROLES) keys[role] = (await issueApiKey(provider.id, role, { role })).api_key;
});
beforeEach(() => forgetSessions());

/** The session of a person who acts as none of their acquirers. */
const own = ({ session: { cookie } }: SignedIn) => ({ cookie, actingAs: 'none' });
const get = (person: SignedIn) => call('getSession', { session: own(person) });

/** Ends a session, with the cookies of the response. */
async function signOut(person: SignedIn, query = {}) {
  const { handler } = await moduleOf('signOut');
  const event = eventOf('signOut', { session: own(person), query });
  const { response, changed } = await storedBy(
    (): Promise<APIGatewayProxyStructuredResultV2> =>
      asRole('signOut', () => handler(event, { awsRequestId: 'id' } as Context)),
  );
  const { statusCode, cookies, body } = response;
  return { response: { status: statusCode, cookies, body: JSON.parse(body ?? '') }, ...splitRecord(changed) };
}

const sessionItem = ({ session: { cookie } }: SignedIn) => `SESSION#${hashOfCookie(cookie)} SESSION`;

describe('getSession', () => {
  test('200: returns the person, their acquirers by name with the roles, and the times', async () => {
    const authTime = Math.floor(Date.now() / 1000) - 3_600;
    const distributor = await newAcquirer('DISTRIBUTOR', 'Northgate');
    const { identity } = await personOf(provider.id, 'viewer');
    const person = await personOf(distributor.id, 'admin', { identity, authTime });
    const { response, changed } = await storedBy(() => get(person));
    const { name, email } = identity;
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      data: {
        person: { id: person.id, name, email },
        acquirers: [
          {
            id: distributor.id,
            type: 'DISTRIBUTOR',
            name: 'Northgate',
            role: 'admin',
            permissions: ['read', 'change', 'delete', 'check_members', 'administer'],
          },
          { id: provider.id, type: 'PAYMENT_PROVIDER', name: 'Payfair', role: 'viewer', permissions: ['read'] },
        ],
        authenticated_at: new Date(authTime * 1000).toISOString(),
        ends_at: TIME,
      },
    });
    expect(changed).toEqual({});
  });

  test('200: without a time of the sign-in, authenticated_at is null', async () => {
    const person = await personOf(provider.id, 'viewer', { authTime: 0 });
    expect((await get(person)).body.data.authenticated_at).toBeNull();
  });

  test('200: a disabled acquirer is left out', async () => {
    const disabled = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    const person = await personOf(disabled.id, 'admin');
    await disableAcquirer(disabled.id);
    expect((await get(person)).body.data.acquirers).toEqual([]);
    expectProblem(await call('listKeys', { session: person.session }), 'invalid_session', INVALID);
  });
});

describe('signOut', () => {
  test('200: ends this session and deletes its cookie, and no other session', async () => {
    const person = await personOf(provider.id, 'viewer');
    const other = await signInAgain(person);
    const { response, others, events } = await signOut(person);
    expect(response).toEqual({
      status: 200,
      cookies: ['__Host-session=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0'],
      body: { data: { person: person.id } },
    });
    expect(others).toEqual({ [sessionItem(person)]: null });
    expect(events).toEqual({});
    expectProblem(await get(person), 'invalid_session', NONE);
    expectProblem(await call('listBranches', { session: person.session }), 'invalid_session', INVALID);
    expect((await get(other)).status).toBe(200);
  });

  test('200: with everywhere=true, ends all sessions, and the person can sign in again', async () => {
    const person = await personOf(provider.id, 'viewer');
    const other = await signInAgain(person);
    const { response, others, events } = await signOut(person, { everywhere: 'true' });
    expect(response).toMatchObject({ status: 200, body: { data: { person: person.id } } });
    expect(others).toEqual({
      [sessionItem(person)]: null,
      [`PERSON#${person.id} PERSON`]: expect.objectContaining({ generation: 2 }),
    });
    const event = recorded('person.signed_out', { person: person.id }, personAuthor(person.id));
    expect(events).toEqual({ [`PERSON#${person.id}`]: [event] });
    expectProblem(await get(other), 'invalid_session', NONE);
    expectProblem(await call('listBranches', { session: other.session }), 'invalid_session', INVALID);
    expect((await get(await signInAgain(person))).status).toBe(200);
  });

  test('400: everywhere is true or false', async () => {
    const request = { session: own(admin), query: { everywhere: 'all' } };
    const { response, changed } = await storedBy(() => call('signOut', request));
    expectProblem(response, 'invalid_query', 'everywhere: Must be true or false.');
    expect(changed).toEqual({});
  });
});

describe.each(['getSession', 'signOut'] as const)('%s', (operation) => {
  test.each([
    ['no cookie', { session: { cookie: '', actingAs: 'none' } }],
    ['a malformed cookie', { session: { cookie: 'x', actingAs: 'none' } }],
    [
      'a cookie of no session',
      () => ({ session: { cookie: admin.session.cookie.replace(/.$/, '_'), actingAs: 'none' } }),
    ],
    ['an acquirer in Acting-As', () => ({ session: admin.session })],
    ['no Acting-As', () => ({ session: own(admin), headers: { 'acting-as': undefined as never } })],
    ['a page of another origin', () => ({ session: own(admin), headers: { 'sec-fetch-site': 'cross-site' } })],
    ['a page of a sibling domain', () => ({ session: own(admin), headers: { 'sec-fetch-site': 'same-site' } })],
    ['an API key', () => ({ key: provider.key })],
  ] as const)('401: %s', async (_, request) => {
    const { response, changed } = await storedBy(() =>
      call(operation, typeof request === 'function' ? request() : request),
    );
    expectProblem(response, 'invalid_session', NONE);
    expect(changed).toEqual({});
  });

  test('400: a session and an API key', async () => {
    expectProblem(await call(operation, { session: own(admin), key: provider.key }), 'ambiguous_credentials', BOTH);
  });
});

/** Operations of all people of an acquirer. The others are of admins, or of a person's own session. */
const OF_ALL = ['search', 'listActivity'] as const;
const OF_ADMINS = CONSOLE_OPERATIONS.filter((operation) => !['getSession', 'signOut', ...OF_ALL].includes(operation));
const READS = ['listKeys', 'listPeople'];

/** Credentials that no operation of an acquirer accepts. */
const NOT_ACCEPTED: [string, () => Parameters<typeof call>[1]][] = [
  ['no cookie', () => ({ session: { cookie: '', actingAs: provider.id } })],
  ['another acquirer in Acting-As', () => ({ session: { ...admin.session, actingAs: stranger.id } })],
  ['none in Acting-As', () => ({ session: own(admin) })],
  ['a page of another origin', () => ({ session: admin.session, headers: { 'sec-fetch-site': 'cross-site' } })],
  ['a page of a sibling domain', () => ({ session: admin.session, headers: { 'sec-fetch-site': 'same-site' } })],
  ['a link, a bookmark or the address bar', () => ({ session: admin.session, headers: { 'sec-fetch-site': 'none' } })],
];

/** Calls an operation with a cookie, and without `Acting-As`. */
async function withoutActingAs(operation: (typeof CONSOLE_OPERATIONS)[number], request: Parameters<typeof call>[1]) {
  const event = eventOf(operation, { ...request, session: admin.session });
  const { 'acting-as': _, ...headers } = event.headers;
  const { handler } = await moduleOf(operation);
  const { statusCode, body } = await handler({ ...event, headers }, { awsRequestId: 'id' } as Context);
  return { statusCode, detail: JSON.parse(body ?? '').detail };
}

/** An admin who signed in 15 minutes before this time, and with sessions whose sign-in was earlier or is unknown. */
const NOW = Date.parse('2026-05-04T12:00:00.000Z');
const sessions: SignedIn['session'][] = [];
beforeAll(async () => {
  setClock(NOW);
  const authTime = NOW / 1000 - RECENT_S;
  const person = await personOf(provider.id, 'admin', { authTime });
  for (const each of [person, await signInAgain(person, authTime - 1), await signInAgain(person, 0)])
    sessions.push(each.session);
  jest.useRealTimers();
});

describe.each(OF_ADMINS)('%s', (operation) => {
  const isRead = READS.includes(operation);
  /** A request about what does not exist, so that it does nothing if it is permitted. */
  const request = () =>
    consoleRequestOf(operation, {
      key_id: '000000000000',
      person: '00000000-0000-4000-8000-000000000000',
      invitation: '00000000-0000-4000-8000-000000000000',
      email: `${unique('a')}@example.com`,
    });
  const send = async (more: Parameters<typeof call>[1]) => storedBy(() => call(operation, { ...request(), ...more }));

  test.each(['operator', 'viewer'] as const)('403: a person with the role %s', async (role) => {
    const { response, changed } = await send({ session: others[role].session });
    expectProblem(
      response,
      'insufficient_permission',
      `You have the role ${role}, which may not manage API keys and people. Ask an admin of your acquirer for the role admin.`,
    );
    expect(changed).toEqual({});
  });

  test('403: an API key, whatever its role', async () => {
    for (const [role, key] of Object.entries(keys)) {
      const { response, changed } = await send({ key });
      expectProblem(
        response,
        'insufficient_permission',
        `This API key has the role ${role}, which may not manage API keys and people. Only people with the role admin can: sign in.`,
      );
      expect(changed).toEqual({});
    }
  });

  test('400: a session and an API key, valid or not', async () => {
    for (const key of [provider.key, 'x', '']) {
      const { response, changed } = await send({ session: admin.session, key });
      expectProblem(response, 'ambiguous_credentials', BOTH);
      expect(changed).toEqual({});
    }
  });

  test.each(NOT_ACCEPTED)('401: %s', async (_, credentials) => {
    const { response, changed } = await send(credentials());
    expectProblem(response, 'invalid_session', INVALID);
    expect(changed).toEqual({});
  });

  test('401: a cookie without Acting-As counts for nothing', async () => {
    expect(await withoutActingAs(operation, request())).toEqual({ statusCode: 401, detail: INVALID_KEY });
  });

  test(
    isRead ? '200: however long ago the sign-in was' : '403 sign_in_again: 15 minutes after the sign-in',
    async () => {
      setClock(NOW);
      try {
        const [recent, ...earlier] = sessions;
        expect((await call(operation, { ...request(), session: recent })).body.code).not.toBe('sign_in_again');
        for (const session of earlier) {
          const { response, changed } = await send({ session });
          if (isRead) expect(response.status).toBe(200);
          else expectProblem(response, 'sign_in_again', SIGN_IN_AGAIN);
          expect(changed).toEqual({});
        }
      } finally {
        jest.useRealTimers();
      }
    },
  );

  test('a page of this service, and Acting-As in capitals, are accepted', async () => {
    const session = { ...admin.session, actingAs: provider.id.toUpperCase() };
    const { status } = await call(operation, { ...request(), session, headers: { 'sec-fetch-site': 'same-origin' } });
    expect([200, 201, 404]).toContain(status);
  });
});

describe.each(OF_ALL)('%s', (operation) => {
  const query = operation === 'search' ? { q: 'nothing' } : {};
  const send = (request: Parameters<typeof call>[1]) => storedBy(() => call(operation, { query, ...request }));

  test('200: a person with any role, however long ago the sign-in was', async () => {
    for (const { session } of [admin, others.operator, others.viewer]) {
      const { response, changed } = await send({ session, headers: { 'sec-fetch-site': 'same-origin' } });
      expect([response.status, changed]).toEqual([200, {}]);
    }
    setClock(NOW);
    try {
      for (const session of sessions) expect((await call(operation, { query, session })).status).toBe(200);
    } finally {
      jest.useRealTimers();
    }
  });

  test('401: an API key, whatever its role', async () => {
    for (const key of [provider.key, ...Object.values(keys)]) {
      const { response, changed } = await send({ key });
      expectProblem(response, 'invalid_session', INVALID);
      expect(changed).toEqual({});
    }
  });

  test.each(NOT_ACCEPTED)('401: %s', async (_, credentials) => {
    const { response, changed } = await send(credentials());
    expectProblem(response, 'invalid_session', INVALID);
    expect(changed).toEqual({});
  });

  test('401: a cookie without Acting-As', async () => {
    expect(await withoutActingAs(operation, { query })).toEqual({ statusCode: 401, detail: INVALID });
  });

  test('400: a session and an API key, valid or not', async () => {
    for (const key of [provider.key, 'x', ''])
      expectProblem((await send({ session: admin.session, key })).response, 'ambiguous_credentials', BOTH);
  });
});
