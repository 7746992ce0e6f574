import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { erasePerson } from '../../../lib/operator/people.ts';
import { endSessions, invitePerson, removePerson } from '../../../lib/people/people.ts';
import { forgetSessions, hashOfCookie, SESSION } from '../../../lib/people/session.ts';
import { table } from '../../../lib/table/client.ts';
import { sessionKey, sessionUseKey } from '../../../lib/table/keys.ts';
import { type ApiResponse, call } from '../../support/api.ts';
import { stopClocks } from '../../support/clock.ts';
import { eventOf, invoke } from '../../support/invoke.ts';
import { expectRefused } from '../../support/outcomes.ts';
import { enter, newIdentity, personOf } from '../../support/people.ts';
import { storedBy } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import { newAcquirer, newBranch, unique, useProvider } from '../../support/world.ts';

type Person = Awaited<ReturnType<typeof personOf>>;

/* Which requests are refused is in test/functions/console/session.test.ts. */

const provider = useProvider();
let operator: Person;
beforeAll(async () => {
  operator = await personOf(provider.id, 'operator');
});
afterEach(() => {
  jest.restoreAllMocks();
  forgetSessions();
});

const list = ({ session }: Pick<Person, 'session'>) => invoke('listBranches', eventOf('listBranches', { session }));

const INVALID =
  'Sign in, and send the UUID of one of your acquirers in Acting-As. Sessions work only on pages of this service.';
const inShort = ({ status, body }: ApiResponse): string => (status < 300 ? 'success' : `${status} ${body.code}`);

/** Changes when a session ends, or when it was last used. */
const edit = ({ session }: Person, name: 'used_at' | 'ends_at', at: number) => {
  const sha256 = hashOfCookie(session.cookie);
  return table.send(
    new UpdateCommand({
      TableName: process.env['TABLE_NAME'],
      Key: name === 'ends_at' ? sessionKey(sha256) : sessionUseKey(sha256),
      UpdateExpression: 'SET #name = :at, #ttl = if_not_exists(#ttl, :ttl)',
      ExpressionAttributeNames: { '#name': name, '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':at': new Date(at).toISOString(), ':ttl': Math.ceil(Date.now() / 1000) + 3600 },
    }),
  );
};

describe('a request with a session', () => {
  test('sees and changes what the acquirer can, and its author is the person', async () => {
    const { session, id } = operator;
    const mid = unique('MID');
    const created = await call('createBranch', { session, body: { mid, master_merchant_id: unique('MM') } });
    expect(created.status).toBe(201);
    expect((await call('getBranch', { key: provider.key, path: { mid } })).body.data).toMatchObject({ mid });
    const history = await call('getBranchHistory', { session, path: { mid } });
    expect(history.body.data[0].by).toEqual({
      acquirer: provider.id,
      acquirer_name: 'Payfair',
      key_id: null,
      key_label: null,
      person: { id, name: operator.identity.name },
    });
  });

  test('returns the name of a person as of their removal, and none after they were erased', async () => {
    const removed = await personOf(provider.id, 'operator');
    const { mid, terminals } = await newBranch(provider, { terminals: [{ terminal_id: unique('T') }] });
    const { key } = provider;
    await call('archiveBranch', { session: removed.session, path: { mid } });
    await removePerson(provider.id, removed.id);
    const authors = async () => {
      const ofBranch = await call('getBranchHistory', { key, path: { mid } });
      const ofTerminal = await call('getTerminalHistory', { key, path: { id: terminals[0]?.tid as string } });
      return [ofBranch, ofTerminal].map(({ body }) => body.data[0].by.person);
    };
    const named = (name: string | null) => Array(2).fill({ id: removed.id, name });
    expect(await authors()).toEqual(named(removed.identity.name as string));
    await erasePerson(removed.id);
    expect(await authors()).toEqual(named(null));
  });

  test('takes two requests to the table for authentication, a key one, and none while it is cached', async () => {
    const { requests } = await tableRequestsBy(() => list(operator));
    const byKey = await tableRequestsBy(() => call('listBranches', { key: provider.key }));
    expect(requests.slice(0, 2).map(({ operation }) => operation)).toEqual(['GetItem', 'BatchGetItem']);
    expect(requests.at(-1)?.wave).toBe(3);
    expect(byKey.requests.at(-1)?.wave).toBeLessThanOrEqual(2);
    expect(operationsOf(await tableRequestsBy(() => list(operator)))).not.toContain('BatchGetItem');
  });
});

test('a sign-in takes two reads and a transaction, with an invitation as well', async () => {
  const identity = newIdentity();
  const invited = await invitePerson(provider.id, { email: identity.email, role: 'viewer' });
  const accepted = await tableRequestsBy(() => enter(identity, invited));
  expect(operationsOf(accepted)).toBe('BatchGetItem GetItem TransactWriteItems');
  const again = await tableRequestsBy(() => enter(identity));
  expect(operationsOf(again)).toBe('GetItem GetItem TransactWriteItems');
  // Two write units each: none of these items has more than 1 KB.
  const itemsIn = ({ requests }: typeof again) =>
    (requests.at(-1)?.input['TransactItems'] as object[] | undefined)?.length;
  expect([itemsIn(accepted), itemsIn(again)]).toEqual([7, 2]);
});

describe('a session', () => {
  test('ends after 30 minutes without use', async () => {
    const person = await personOf(provider.id, 'viewer');
    await edit(person, 'used_at', Date.now() - SESSION.idleMs + 5_000);
    expect(inShort(await list(person))).toBe('success');
    forgetSessions();
    await edit(person, 'used_at', Date.now() - SESSION.idleMs);
    expect(inShort(await list(person))).toBe('401 invalid_session');
  });

  test('ends after 8 hours, however often it is used', async () => {
    const person = await personOf(provider.id, 'viewer');
    await edit(person, 'ends_at', Date.now() - 1);
    expect(inShort(await list(person))).toBe('401 invalid_session');
  });

  test('does not outlive its end in the cache', async () => {
    const person = await personOf(provider.id, 'viewer');
    await edit(person, 'ends_at', Date.now() + 10_000);
    const wait = stopClocks();
    expect(inShort(await list(person))).toBe('success');
    wait(9_000);
    expect(inShort(await list(person))).toBe('success');
    wait(10_001);
    expect(inShort(await list(person))).toBe('401 invalid_session');
  });

  test.each<[string, (person: Person) => Promise<unknown>]>([
    ['the person is removed', ({ id }) => removePerson(provider.id, id)],
    ['all sessions of the person are ended', ({ id }) => endSessions(id)],
  ])('ends within 30 seconds after %s', async (_, end) => {
    const person = await personOf(provider.id, 'viewer');
    const wait = stopClocks();
    expect(inShort(await list(person))).toBe('success');
    await end(person);
    wait(30_001);
    expect(inShort(await list(person))).toBe('401 invalid_session');
  });

  test('cannot change keys or people from the moment on that it is ended', async () => {
    const person = await personOf(provider.id, 'admin');
    const body = { label: 'late', role: 'full' };
    expect(inShort(await list(person))).toBe('success');
    await endSessions(person.id);
    const create = () => call('createKey', { session: person.session, body });
    await expectRefused(create, 'invalid_session', INVALID);
  });

  test('is extended at most once a minute, without a conflict of concurrent requests', async () => {
    const person = await personOf(provider.id, 'viewer');
    await edit(person, 'used_at', Date.now() - 61_000);
    SESSION.useIntervalMs = 60_000;
    try {
      const { response, requests } = await tableRequestsBy(() =>
        Promise.all(Array.from({ length: 8 }, () => list(person))),
      );
      expect(new Set(response.map(inShort))).toEqual(new Set(['success']));
      expect(requests.filter(({ operation }) => operation === 'UpdateItem')).toHaveLength(1);
      const { changed } = await storedBy(() => list(person));
      expect(changed).toEqual({});
    } finally {
      SESSION.useIntervalMs = Number.POSITIVE_INFINITY;
    }
  });
});

test('a request that no person caused does not extend a session', async () => {
  const person = await personOf(provider.id, 'viewer');
  SESSION.useIntervalMs = 0;
  const unattended = { session: person.session, headers: { unattended: 'true' } };
  const { response, changed } = await storedBy(() => call('listBranches', unattended));
  SESSION.useIntervalMs = Number.POSITIVE_INFINITY;
  expect([response.status, changed]).toEqual([200, {}]);
});

test(
  'a made-up cookie costs half a read unit, and a made-up key too, but for one confirmation in 30 ' + 'seconds',
  async () => {
    const person = await personOf(provider.id, 'viewer');
    const madeUp = { ...person.session, cookie: `${person.session.cookie.slice(0, -12)}${'A'.repeat(12)}` };
    const units = async (request: Parameters<typeof call>[1]) =>
      (await tableRequestsBy(() => call('listBranches', request))).requests.map((each) => each.units);
    await units({ session: madeUp });
    expect([await units({ session: madeUp }), await units({ key: newApiKey() })]).toEqual([[0.5], [0.5]]);
  },
);

test('a member check takes no session', async () => {
  const person = await personOf(provider.id, 'admin');
  const { response, requests } = await tableRequestsBy(() => call('memberCheck', { session: person.session }));
  expect([response.status, response.body.code, requests]).toEqual([401, 'invalid_api_key', []]);
});

test('a person of two acquirers sees each only as that acquirer', async () => {
  const other = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
  const person = await personOf(provider.id, 'admin');
  await personOf(other.id, 'viewer', { identity: person.identity });
  const { mid } = await newBranch(other);
  const asProvider = await list(person);
  const asOther = await list({ session: { ...person.session, actingAs: other.id } });
  const midsOf = ({ body }: ApiResponse) => body.data.map((branch: { mid: string }) => branch.mid);
  expect(midsOf(asOther)).toEqual([mid]);
  expect(midsOf(asProvider)).not.toContain(mid);
});
