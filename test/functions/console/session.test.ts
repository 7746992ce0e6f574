import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { consoleRequestOf } from '../../../infra/publish/contract/consoleCalls.ts';
import { CONSOLE_OPERATIONS, moduleOf } from '../../../infra/publish/contract/invoke.ts';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import { KEY_ROLES, PERMISSIONS, type PersonRole } from '../../../lib/acquirers/roles.ts';
import { RECENT_S } from '../../../lib/http/authorize.ts';
import { disableAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { removePerson } from '../../../lib/people/people.ts';
import { personAuthor } from '../../../lib/people/person.ts';
import { forgetSessions, hashOfCookie } from '../../../lib/people/session.ts';
import { asRole } from '../../support/access.ts';
import { call, eventOf, expectProblem, invoke } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { BROWSER_KEY, INVALID_KEY, recorded, TIME } from '../../support/constants.ts';
import type { Request } from '../../support/invoke.ts';
import { bodyOf, expectRefused } from '../../support/outcomes.ts';
import { personOf, type SignedIn, signInAgain } from '../../support/people.ts';
import { splitRecord, storedBy } from '../../support/stored.ts';
import { newAcquirer, unique, useProvider } from '../../support/world.ts';

const INVALID =
  'Sign in, and send the UUID of one of your acquirers in Acting-As. Sessions work only on pages of this service.';
const NONE = 'Sign in, and send Acting-As: none.';
const BOTH = 'Send either an API key or a session with Acting-As, not both.';
const SIGN_IN_AGAIN =
  'Changes of API keys, people and webhooks need a sign-in within the last 15 minutes. Sign in again, then repeat the ' +
  'request.';

const provider = useProvider();
let stranger: { id: string };
/** People of the provider, by role. */
let people: Record<PersonRole, SignedIn>;
/** API keys of the provider, by role. */
const keys: Record<string, string> = {};
beforeAll(async () => {
  stranger = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
  const [admin, operator, viewer] = ['admin', 'operator', 'viewer'].map((role) =>
    personOf(provider.id, role as PersonRole),
  );
  people = { admin: await admin, operator: await operator, viewer: await viewer } as typeof people;
  for (const role of KEY_ROLES) keys[role] = (await issueApiKey(provider.id, role, { role })).api_key;
});
beforeEach(() => forgetSessions());
afterEach(() => void jest.useRealTimers());

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
    const { name, email } = identity;
    expect(await bodyOf(() => get(person))).toEqual({
      data: {
        person: { id: person.id, name, email },
        acquirers: [
          {
            ...{ id: distributor.id, type: 'DISTRIBUTOR', name: 'Northgate', role: 'admin', permissions: PERMISSIONS },
            browser_key: BROWSER_KEY,
          },
          {
            ...{ id: provider.id, type: 'PAYMENT_PROVIDER', name: 'Payfair', role: 'viewer', permissions: ['read'] },
            browser_key: BROWSER_KEY,
          },
        ],
        authenticated_at: new Date(authTime * 1000).toISOString(),
        ends_at: TIME,
      },
    });
  });

  test('200: without a time of the sign-in, authenticated_at is null', async () => {
    const person = await personOf(provider.id, 'viewer', { authTime: 0 });
    expect((await get(person)).body.data.authenticated_at).toBeNull();
  });

  /** The keys of a person's browser, by acquirer. */
  const keysOf = async (person: SignedIn): Promise<Record<string, string>> => {
    const { acquirers } = (await get(person)).body.data as { acquirers: { id: string; browser_key: string }[] };
    return Object.fromEntries(acquirers.map(({ id, browser_key }) => [id, browser_key]));
  };

  test('200: the key of a browser is the same in every session, and another for each person and acquirer', async () => {
    const distributor = await newAcquirer('DISTRIBUTOR', 'Northgate');
    const { identity } = await personOf(provider.id, 'viewer');
    const person = await personOf(distributor.id, 'admin', { identity });
    const own = await keysOf(person);
    expect(await keysOf(await signInAgain(person))).toEqual(own);
    const others = await keysOf(await personOf(provider.id, 'viewer'));
    expect(new Set([...Object.values(own), ...Object.values(others)]).size).toBe(3);
  });

  test('200: a person who was removed and joins again gets another key', async () => {
    const distributor = await newAcquirer('DISTRIBUTOR', 'Northgate');
    const { identity } = await personOf(provider.id, 'viewer');
    const person = await personOf(distributor.id, 'viewer', { identity });
    const before = await keysOf(person);
    await removePerson(provider.id, person.id);
    expect(await keysOf(person)).toEqual({ [distributor.id]: before[distributor.id] });
    const again = await keysOf(await personOf(provider.id, 'viewer', { identity }));
    expect(again[distributor.id]).toBe(before[distributor.id]);
    expect(again[provider.id]).toEqual(BROWSER_KEY);
    expect(again[provider.id]).not.toBe(before[provider.id]);
  });

  test('200: no cache may store the key, and it is in no log line and no other response', async () => {
    const { [provider.id]: key } = await keysOf(people.admin);
    const written: string[] = [];
    for (const stream of [process.stdout, process.stderr])
      jest.spyOn(stream, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
    process.env['LOG_LEVEL'] = 'DEBUG';
    const { headers } = await get(people.admin);
    const responses = await Promise.all(
      (['listPeople', 'listAccessChanges', 'listActivity'] as const).map((operation) =>
        call(operation, { session: people.admin.session }),
      ),
    );
    process.env['LOG_LEVEL'] = 'ERROR';
    jest.restoreAllMocks();
    expect(headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(written.join('')).toContain('GET /console/api/session');
    expect(written.join('') + JSON.stringify(responses)).not.toContain(key);
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
    const request = { session: own(people.admin), query: { everywhere: 'all' } };
    const detail = 'everywhere: Must be true or false.';
    const { response, ...stored } = await storedBy(() => call('signOut', request));
    expectProblem(response, 'invalid_query', detail);
    // Nor is it kept that it was refused: the session is of no acquirer.
    expect(stored).toEqual({ changed: {} });
  });
});

/**
 * Operations of a person's own session, of all people of an acquirer, and of admins. One of partners has sessions too.
 */
const OF_PERSONS: readonly string[] = ['getSession', 'signOut'];
const OF_ALL: readonly string[] = ['search', 'listActivity', 'listLastSeen', 'listBranches'];
const READS = ['listKeys', 'listPeople', 'listAccessChanges'];
// Whoever leaves is gone: test/functions/console/people.test.ts.
const OPERATIONS = [...CONSOLE_OPERATIONS.filter((name) => name !== 'leave'), 'listBranches'] as const;

/** An admin who signed in 15 minutes before this time, and with sessions whose sign-in was earlier or is unknown. */
const NOW = Date.parse('2026-05-04T12:00:00.000Z');
const sessions: SignedIn[] = [];
beforeAll(async () => {
  setClock(NOW);
  const authTime = NOW / 1000 - RECENT_S;
  const person = await personOf(provider.id, 'admin', { authTime });
  sessions.push(person, await signInAgain(person, authTime - 1), await signInAgain(person, 0));
  jest.useRealTimers();
});

describe.each(OPERATIONS)('%s', (operation) => {
  const isOwn = OF_PERSONS.includes(operation);
  const isOfAll = OF_ALL.includes(operation);
  const isOfAdmins = !isOwn && !isOfAll;
  const refusal = isOwn ? NONE : INVALID;

  /** A request about what does not exist, so that it does nothing if it is permitted. */
  const request = (): Request =>
    operation === 'listBranches'
      ? {}
      : consoleRequestOf(operation, {
          key_id: '000000000000',
          person: '00000000-0000-4000-8000-000000000000',
          invitation: '00000000-0000-4000-8000-000000000000',
          email: `${unique('a')}@example.com`,
        });
  const sessionOf = (person: SignedIn) => (isOwn ? own(person) : person.session);
  const send = (more: Request) => call(operation, { ...request(), ...more });
  const withHeader = (name: string, value: string | undefined): Request => ({
    session: sessionOf(people.admin),
    headers: { [name]: value as string },
  });
  const withCookie = (change: (cookie: string) => string): Request => {
    const { cookie, actingAs } = sessionOf(people.admin);
    return { session: { cookie: change(cookie), actingAs } };
  };
  const actingAs = (id: string): Request => ({ session: { ...people.admin.session, actingAs: id } });

  test.each<[string, () => Request]>([
    ['no cookie', () => withCookie(() => '')],
    ['a malformed cookie', () => withCookie(() => 'x')],
    ['a cookie of no session', () => withCookie((cookie) => `${cookie.slice(0, -3)}AAA`)],
    [
      'the cookie of another person before its dot',
      () => withCookie((cookie) => `${'A'.repeat(22)}${cookie.slice(22)}`),
    ],
    ['another acquirer in Acting-As', () => actingAs(stranger.id)],
    ['what only other operations accept in Acting-As', () => actingAs(isOwn ? provider.id : 'none')],
    ['a page of another origin', () => withHeader('sec-fetch-site', 'cross-site')],
    ['a page of a sibling domain', () => withHeader('sec-fetch-site', 'same-site')],
    ['a link, a bookmark or the address bar', () => withHeader('sec-fetch-site', 'none')],
  ])('401: %s', async (_, more) => {
    await expectRefused(() => send(more()), 'invalid_session', refusal);
  });

  test('401: a cookie without Acting-As counts for nothing', async () => {
    const without = () =>
      invoke(operation, eventOf(operation, { ...request(), ...withHeader('acting-as', undefined) }));
    const needsKey = isOfAdmins || operation === 'listBranches';
    if (needsKey) await expectRefused(without, 'invalid_api_key', INVALID_KEY);
    else await expectRefused(without, 'invalid_session', refusal);
  });

  test('400: a session and an API key, valid or not', async () => {
    for (const key of [provider.key, 'x', ''])
      await expectRefused(() => send({ session: sessionOf(people.admin), key }), 'ambiguous_credentials', BOTH);
  });

  if (operation !== 'listBranches')
    test(`${isOfAdmins ? 403 : 401}: an API key, whatever its role`, async () => {
      for (const [role, key] of Object.entries(keys)) {
        const forbidden =
          `This API key has the role ${role}, which may not manage API keys and people. Only people ` +
          `with the role admin can: sign in.`;
        if (isOfAdmins) await expectRefused(() => send({ key }), 'insufficient_permission', forbidden);
        else await expectRefused(() => send({ key }), 'invalid_session', refusal);
      }
    });

  if (!isOwn)
    test(`${isOfAll ? 200 : 403}: a person with the role operator or viewer`, async () => {
      for (const role of ['operator', 'viewer'] as const) {
        const forbidden =
          `You have the role ${role}, which may not manage API keys and people. Ask an admin of ` +
          `your acquirer for the role admin.`;
        const { session } = people[role];
        if (isOfAll) expect((await send({ session })).status).toBe(200);
        else await expectRefused(() => send({ session }), 'insufficient_permission', forbidden);
      }
    });

  const isOfRecent = isOfAdmins && !READS.includes(operation);
  if (operation !== 'signOut')
    test(
      isOfRecent ? '403 sign_in_again: 15 minutes after the sign-in' : '200: 15 minutes after the sign-in',
      async () => {
        setClock(NOW);
        const [recent, ...earlier] = sessions.map(sessionOf);
        expect((await send({ session: recent })).body.code).not.toBe('sign_in_again');
        for (const session of earlier)
          if (isOfRecent) await expectRefused(() => send({ session }), 'sign_in_again', SIGN_IN_AGAIN);
          else expect((await send({ session })).status).toBe(200);
      },
    );

  if (!isOwn)
    test('a page of this service, and Acting-As in capitals, are accepted', async () => {
      const { status } = await send({
        ...actingAs(provider.id.toUpperCase()),
        headers: { 'sec-fetch-site': 'same-origin' },
      });
      expect([200, 201, 404]).toContain(status);
    });
});
