import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { retentionMs } from '../../../lib/base/eventId.ts';
import type { Key } from '../../../lib/table/keys.ts';
import { beforeNext } from '../../lib/table/intercept.ts';
import { call, expectProblem } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { NOTHING_FOUND } from '../../support/constants.ts';
import { expectRefused } from '../../support/outcomes.ts';
import { branchBody, terminalBody } from '../../support/requests.ts';
import { storedBy } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import {
  archiveBranch,
  type Caller,
  newBranch,
  newTerminal,
  restoreTerminal,
  unique,
  useWorld,
} from '../../support/world.ts';

type Query = Record<string, string>;

const world = useWorld();
/** A branch of the provider and the distributor, and one of the provider alone. */
let shared: Awaited<ReturnType<typeof newResources>>;
let unshared: typeof shared;
beforeAll(async () => {
  shared = await newResources({ distributor: world.distributor.id });
  unshared = await newResources();
});

const find = ({ key }: Caller, query: Query) => call('find', { key, query });
const expectNothing = (caller: Caller, query: Query) =>
  expectRefused(() => find(caller, query), 'not_found', NOTHING_FOUND);

/**
 * Creates a branch of the provider with a terminal and a master merchant, each with every field, and returns them with
 * the identifiers that each can be found by.
 */
async function newResources(fields: object = {}) {
  const { provider } = world;
  const body = branchBody({ mid: crypto.randomUUID(), ...fields }) as object as Record<string, string>;
  const created = await newBranch(provider, body);
  const { mid, master_merchant_id, existing_master_merchant, master_merchant_name } = created;
  const terminal = await newTerminal(provider, mid, terminalBody());
  const { data: branch } = (await call('getBranch', { key: provider.key, path: { mid } })).body;
  const { email, country_code, phone, mcc, country } = body;
  const master_merchant = {
    existing_master_merchant,
    master_merchant_id,
    master_merchant_name,
    payment_provider: provider.id,
    ...{ email, country_code, phone, mcc, country },
  };
  const { tid, terminal_id, serial_no } = terminal;
  const ids = { tid, terminal_id, serial_no, mid, master_merchant_id } as Record<Identifier, string>;
  return { ids, terminal: { ...terminal, last_seen_at: null }, branch, master_merchant };
}

/** For each identifier, the type of what it identifies, the requests if it exists, and those if it may but does not. */
const BY = {
  tid: ['terminal', 'GetItem GetItem GetItem', 'GetItem'],
  terminal_id: ['terminal', 'GetItem GetItem GetItem', 'GetItem'],
  serial_no: ['terminal', 'GetItem GetItem GetItem GetItem', 'GetItem GetItem'],
  mid: ['branch', 'GetItem', 'GetItem'],
  master_merchant_id: ['master_merchant', 'BatchGetItem', 'BatchGetItem'],
} as const;
type Identifier = keyof typeof BY;

describe.each(Object.keys(BY) as Identifier[])('by %s', (by) => {
  const [type, operations, unknown] = BY[by];

  /**
   * Sends a find with only these requests, none of them at once but those for a branch and when its terminal was last
   * seen. The API key is cached before.
   */
  async function findBy(caller: Caller, value: string, expected: string = operations) {
    await find(caller, { mid: 'NOSUCHMID' });
    const query = { [by]: value, ...(by === 'master_merchant_id' && { payment_provider: world.provider.id }) };
    const { response: sent, changed } = await storedBy(() => tableRequestsBy(() => find(caller, query)));
    const atOnce = type === 'terminal' && expected === operations ? 2 : Math.sign(expected.length);
    expect([operationsOf(sent), sent.atOnce, changed]).toEqual([expected, atOnce, {}]);
    for (const { input } of sent.requests) expect(JSON.stringify(input)).toContain('"ConsistentRead":true');
    return sent.response;
  }

  test('finds the resource with all its fields, for both acquirers, with white space around the value', async () => {
    for (const caller of [world.provider, world.distributor]) {
      const { status, body } = await findBy(caller, ` ${shared.ids[by]}\n`);
      expect([status, body]).toEqual([200, { data: shared[type], type }]);
    }
  });

  test.each<[string, string, Identifier[]]>([
    ['does not exist', 'NOSUCHID1', ['terminal_id', 'serial_no', 'mid', 'master_merchant_id']],
    ['is a UUID that does not exist', '3f0e8a52-7c1d-5b9e-a6f4-5d2c1b0a9e87', ['tid', 'mid']],
    ['contains a table key', 'X#TERMINAL', []],
    ['is half of a surrogate pair', '\ud83c', []],
    ['is longer than any identifier', 'A'.repeat(3000), []],
  ])('returns 404 for a value that %s, after two requests at most', async (_, value, possible) => {
    const reads = possible.includes(by) ? unknown : '';
    expectProblem(await findBy(world.provider, value, reads), 'not_found', NOTHING_FOUND);
  });

  test('returns 404 to all acquirers but the two of the branch', async () => {
    for (const caller of [world.secondProvider, world.stranger, world.strangeDistributor])
      expectProblem(await findBy(caller, shared.ids[by]), 'not_found', NOTHING_FOUND);
    // Of its partner, but not shared with it.
    expectProblem(await findBy(world.distributor, unshared.ids[by]), 'not_found', NOTHING_FOUND);
  });
});

describe('a serial_no that was released', () => {
  const change = (operation: 'updateTerminal' | 'deleteTerminal', id: string, body?: object) =>
    call(operation, { key: world.provider.key, path: { id }, ...(body && { body }) });

  /** Asserts a 404 that says what the serial_no led to. Returns until when. */
  async function expectReleased(caller: Caller, serial_no: string, { tid, terminal_id, mid }: Query): Promise<string> {
    const response = await find(caller, { serial_no });
    const { released, ...body } = response.body;
    expectProblem({ ...response, body }, 'not_found', NOTHING_FOUND);
    expect(released).toEqual({ tid, terminal_id, mid, until: expect.any(String) });
    return released.until;
  }

  test('leads both acquirers to the terminal that had it, until another change of it or its deletion', async () => {
    const { ids, terminal } = await newResources({ distributor: world.distributor.id });
    const { data } = (await change('updateTerminal', ids.tid, { serial_no: unique('S') })).body;
    for (const caller of [world.provider, world.distributor])
      expect(await expectReleased(caller, terminal.serial_no, ids)).toBe(data.updated_at);
    await change('updateTerminal', ids.tid, { terminal_model: null });
    await change('deleteTerminal', ids.tid);
    expect((await expectReleased(world.provider, data.serial_no, ids)) > data.updated_at).toBe(true);
    expect(await expectReleased(world.provider, terminal.serial_no, ids)).toBe(data.updated_at);
  });

  test('leads to the last of several terminals, and to the one that has it again', async () => {
    const { provider } = world;
    const { ids } = await newResources();
    const { serial_no } = ids;
    await change('updateTerminal', ids.tid, { serial_no: null });
    const other = await newTerminal(provider, ids.mid, { serial_no });
    expect((await find(provider, { serial_no })).body.data).toEqual({ ...other, last_seen_at: null });
    await change('updateTerminal', other.tid, { serial_no: unique('S') });
    await expectReleased(provider, serial_no, other);
  });

  test('is unknown to all others: the same response, after the same reads of the same units', async () => {
    const { ids } = await newResources();
    await change('deleteTerminal', ids.tid);
    await find(world.stranger, { mid: 'NOSUCHMID' });
    const seenBy = async (caller: Caller, serial_no: string) => {
      const { response, requests } = await tableRequestsBy(() => find(caller, { serial_no }));
      const { request_id, ...body } = response.body;
      return [response.status, JSON.stringify(body), requests.map(({ operation, units }) => [operation, units])];
    };
    for (const caller of [world.distributor, world.stranger])
      expect(await seenBy(caller, ids.serial_no)).toEqual(await seenBy(caller, 'NOSUCHSERIAL'));
  });

  test('is unknown once its events have expired, which DynamoDB deletes only later', async () => {
    const { ids } = await newResources();
    await change('updateTerminal', ids.tid, { serial_no: null });
    const until = Date.parse(await expectReleased(world.provider, ids.serial_no, ids));
    setClock(until + retentionMs());
    await expectReleased(world.provider, ids.serial_no, ids);
    setClock(until + retentionMs() + 1);
    await expectNothing(world.provider, { serial_no: ids.serial_no });
    jest.useRealTimers();
  });
});

describe('200', () => {
  test('returns null for details of a master merchant that were never set', async () => {
    const { master_merchant_id, existing_master_merchant, payment_provider } = await newBranch(world.provider);
    expect((await find(world.provider, { master_merchant_id })).body.data).toEqual({
      ...{ existing_master_merchant, master_merchant_id, master_merchant_name: null, payment_provider },
      ...{ email: null, country_code: null, phone: null, mcc: null, country: null },
    });
  });

  test('needs no payment_provider next to a payment provider’s own master_merchant_id, and accepts it', async () => {
    const { master_merchant_id } = shared.ids;
    for (const named of [{}, { payment_provider: world.provider.id.toUpperCase() }])
      expect((await find(world.provider, { master_merchant_id, ...named })).body.data).toEqual(shared.master_merchant);
  });

  test.each(['tid', 'mid'] as const)('accepts a %s in UUID form in either case', async (by) => {
    const { body } = await find(world.provider, { [by]: shared.ids[by].toUpperCase() });
    expect(body.data[by]).toBe(shared.ids[by]);
  });

  test.each(['tid', 'mid'] as const)('accepts a %s as programs also write it: in braces, or as a URN', async (by) => {
    const id = shared.ids[by];
    for (const written of [`{${id}}`, `{${id.toUpperCase()}}`, `urn:uuid:${id}`, ` URN:UUID:${id.toUpperCase()}`])
      expect((await find(world.provider, { [by]: written })).body.data[by]).toBe(id);
    for (const other of [`{${id}`, `${id}}`, `"${id}"`, `urn:${id}`])
      await expectNothing(world.provider, { [by]: other });
  });

  test('finds a terminal by its new serial_no, under its new branch, and no longer when it is deleted', async () => {
    const { provider } = world;
    const { tid, terminal_id, serial_no: before } = (await newResources()).ids;
    const [{ mid }, serial_no] = [await newBranch(provider), unique('S')];
    await call('updateTerminal', { key: provider.key, path: { id: tid }, body: { serial_no } });
    await call('reassignTerminal', { key: provider.key, path: { id: tid }, body: { mid } });
    const { body } = await find(provider, { serial_no });
    expect(body).toMatchObject({ data: { tid, terminal_id, serial_no, mid } });
    expect((await find(provider, { terminal_id })).body).toEqual(body);
    await expectNothing(world.stranger, { serial_no: before });
    await call('deleteTerminal', { key: provider.key, path: { id: tid } });
    for (const query of [{ tid }, { terminal_id }]) await expectNothing(provider, query);
  });

  test('finds archived resources, and shows a terminal as archived with its branch until it is restored', async () => {
    const { provider } = world;
    const { tid, serial_no, mid } = (await newResources()).ids;
    const { archived_at } = await archiveBranch(provider, mid);
    expect((await find(provider, { mid })).body.data).toMatchObject({ status: 'archived', archived_at });
    const archived = { status: 'archived', archived_at, archive_reason: 'Archived with its branch.' };
    expect((await find(provider, { serial_no })).body.data).toMatchObject(archived);
    const restored = await restoreTerminal(provider, tid);
    expect((await find(provider, { serial_no })).body.data).toEqual({ ...restored, last_seen_at: null });
  });

  describe('during concurrent writes', () => {
    /** Runs an action before the next read of an item of this kind. */
    const beforeReading = (kind: string, act: () => Promise<unknown>) =>
      beforeNext(({ input }) => (input as { Key?: Key }).Key?.pk.startsWith(`${kind}#`) ?? false, act);
    const update = (id: string, body: object) =>
      call('updateTerminal', { key: world.provider.key, path: { id }, body });

    test('does not find a terminal by a serial_no that it loses during the request', async () => {
      const { tid, serial_no } = (await newResources()).ids;
      beforeReading('TERMINAL', () => update(tid, { serial_no: null }));
      const { status, body } = await find(world.provider, { serial_no });
      expect([status, body.released.tid]).toEqual([404, tid]);
    });

    test('finds the terminal that takes over a serial_no during the request', async () => {
      const { provider } = world;
      const { tid, serial_no, mid } = (await newResources()).ids;
      const other = await newTerminal(provider, mid);
      beforeReading('TERMINAL', async () => {
        await update(tid, { serial_no: null });
        await update(other.tid, { serial_no });
      });
      expect((await find(provider, { serial_no })).body.data).toMatchObject({ tid: other.tid, serial_no });
    });

    test.each(['tid', 'terminal_id', 'serial_no'] as const)(
      'does not show a terminal, found by its %s, as archived with a branch that it has left',
      async (by) => {
        const { provider } = world;
        const { ids } = await newResources();
        const { mid } = await newBranch(provider);
        beforeReading('BRANCH', async () => {
          await call('reassignTerminal', { key: provider.key, path: { id: ids.tid }, body: { mid } });
          await archiveBranch(provider, ids.mid);
        });
        expect((await find(provider, { [by]: ids[by] })).body.data).toMatchObject({ mid, status: 'active' });
      },
    );
  });
});

const ONE = 'Send exactly one of tid, terminal_id, serial_no, mid, master_merchant_id.';

describe('400', () => {
  const UUID = '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55';
  const EMPTY = 'Must not be empty.';
  const NOT_ALLOWED = 'payment_provider: Allowed only with master_merchant_id.';
  const REQUIRED = 'payment_provider: Is required with master_merchant_id.';

  test.each<[caller: 'provider' | 'distributor', query: Query, detail: string]>([
    ['provider', {}, ONE],
    ['provider', { mid: 'M1', tid: 'T1' }, ONE],
    ['provider', { mid: '' }, `mid: ${EMPTY}`],
    ['provider', { serial_no: ' \t' }, `serial_no: ${EMPTY}`],
    ['provider', { mid: 'M1', payment_provider: UUID }, NOT_ALLOWED],
    ['distributor', { payment_provider: UUID }, `${ONE} ${NOT_ALLOWED}`],
    ['distributor', { master_merchant_id: 'MM1', payment_provider: '' }, `payment_provider: ${EMPTY}`],
    ['distributor', { master_merchant_id: 'MM1' }, REQUIRED],
    ['distributor', { master_merchant_id: ' ' }, `master_merchant_id: ${EMPTY} ${REQUIRED}`],
  ])('rejects without a request to the table, from a %s: %j', async (caller, query, detail) => {
    await find(world[caller], { mid: 'NOSUCHMID' });
    const { response, requests } = await tableRequestsBy(() => find(world[caller], query));
    expectProblem(response, 'invalid_query', detail);
    expect(requests).toEqual([]);
  });
});

test('returns 404 for a payment_provider that is the distributor itself, or cannot be a UUID', async () => {
  const { master_merchant_id } = shared.ids;
  for (const payment_provider of [world.distributor.id, '\ud83c#'])
    await expectNothing(world.distributor, { master_merchant_id, payment_provider });
});
