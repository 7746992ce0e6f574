import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { table } from '../../../lib/table/client.ts';
import { call, expectProblem } from '../../support/api.ts';
import { testCommonBehaviour } from '../../support/commonBehaviour.ts';
import { NAME_UUID, NOTHING_FOUND, TIME } from '../../support/constants.ts';
import { storedBy } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import {
  archiveBranch,
  type Caller,
  newBranch,
  newTerminal,
  newWorld,
  restoreTerminal,
  unique,
  type World,
} from '../../support/world.ts';

type Query = Record<string, string>;

let world: World;
/** A branch of the provider and the distributor, with a terminal and a master merchant that have every field set. */
let shared: Awaited<ReturnType<typeof newResources>>;
beforeAll(async () => {
  world = await newWorld();
  shared = await newResources(world.provider, { distributor: world.distributor.id });
});

const find = ({ key }: Caller, query: Query) => call('find', { key, query });

/** Creates a branch with a terminal, and returns them with the identifiers each can be found by. */
async function newResources(caller: Caller, fields: object = {}) {
  const mid: string = crypto.randomUUID();
  const master_merchant_id = unique('MM');
  const { existing_master_merchant } = await newBranch(caller, {
    mid,
    branch_name: 'Café Ñandú',
    area: 'Old Town',
    city: 'Porto',
    master_merchant_id,
    master_merchant_name: 'Ñandú & Sons',
    email: 'office@example.com',
    country_code: 'PT',
    phone: '+351 22 000',
    mcc: '5812',
    country: 'Portugal',
    ...fields,
  });
  const terminal = await newTerminal(caller, mid, {
    serial_no: unique('S'),
    terminal_model: 'Handheld 2',
    payment_app: 'Checkout Go',
    acquirer_name: 'Atlantic Acquiring',
  });
  const { tid, terminal_id, serial_no } = terminal;
  const { data: branch } = (await call('getBranch', { key: caller.key, path: { mid } })).body;
  return { ids: { tid, terminal_id, serial_no, mid, master_merchant_id }, terminal, branch, existing_master_merchant };
}

describe('200', () => {
  test.each(['tid', 'terminal_id', 'serial_no'] as const)('finds a terminal by its %s', async (by) => {
    const { response, changed } = await storedBy(() => find(world.provider, { [by]: shared.ids[by] }));
    expect(response.body).toEqual({ data: shared.terminal, type: 'terminal' });
    expect(shared.terminal).toEqual({
      tid: NAME_UUID,
      terminal_id: shared.ids.terminal_id,
      serial_no: shared.ids.serial_no,
      terminal_model: 'Handheld 2',
      payment_app: 'Checkout Go',
      acquirer_name: 'Atlantic Acquiring',
      mid: shared.ids.mid,
      status: 'active',
      created_at: TIME,
      updated_at: TIME,
      archived_at: null,
      archive_reason: null,
    });
    expect(changed).toEqual({});
  });

  test('finds a branch by its MID', async () => {
    const { body } = await find(world.provider, { mid: shared.ids.mid });
    expect(body).toEqual({ data: shared.branch, type: 'branch' });
    expect(body.data).toMatchObject({ mid: shared.ids.mid, merchant_name: 'Café Ñandú', terminal_count: 1 });
  });

  test('finds a master merchant by its id and returns all its details', async () => {
    const { master_merchant_id } = shared.ids;
    expect((await find(world.provider, { master_merchant_id })).body).toEqual({
      data: {
        existing_master_merchant: shared.existing_master_merchant,
        master_merchant_id,
        master_merchant_name: 'Ñandú & Sons',
        payment_provider: world.provider.id,
        email: 'office@example.com',
        country_code: 'PT',
        phone: '+351 22 000',
        mcc: '5812',
        country: 'Portugal',
      },
      type: 'master_merchant',
    });
  });

  test('returns null for details of a master merchant that were never set', async () => {
    const { master_merchant_id, existing_master_merchant } = await newBranch(world.provider);
    expect((await find(world.provider, { master_merchant_id })).body).toEqual({
      data: {
        existing_master_merchant,
        master_merchant_id,
        master_merchant_name: null,
        payment_provider: world.provider.id,
        email: null,
        country_code: null,
        phone: null,
        mcc: null,
        country: null,
      },
      type: 'master_merchant',
    });
  });

  test('accepts a payment provider’s own UUID next to a master_merchant_id', async () => {
    const { master_merchant_id } = shared.ids;
    const alone = await find(world.provider, { master_merchant_id });
    const payment_provider = world.provider.id.toUpperCase();
    expect((await find(world.provider, { master_merchant_id, payment_provider })).body).toEqual(alone.body);
  });

  test('returns the same to the distributor and the payment provider of a branch', async () => {
    for (const [by, id] of Object.entries(shared.ids)) {
      const provider = by === 'master_merchant_id' && { payment_provider: world.provider.id };
      const responses = await Promise.all(
        [world.provider, world.distributor].map((caller) => find(caller, { [by]: id, ...provider })),
      );
      expect(responses.map(({ status }) => status)).toEqual([200, 200]);
      expect(responses[0]?.body).toEqual(responses[1]?.body);
    }
  });

  test('accepts a TID and a MID in UUID form in either case', async () => {
    for (const by of ['tid', 'mid'] as const) {
      const { body } = await find(world.provider, { [by]: shared.ids[by].toUpperCase() });
      expect(body.data[by]).toBe(shared.ids[by]);
    }
  });

  test('ignores white space around a value', async () => {
    for (const [by, id] of Object.entries(shared.ids))
      expect((await find(world.provider, { [by]: ` ${id}\n` })).body.data[by]).toBe(id);
  });

  test('finds a terminal by its new serial_no, under its new branch, as soon as both are stored', async () => {
    const { provider } = world;
    const { tid, terminal_id, serial_no: before } = (await newResources(provider)).ids;
    const [{ mid }, serial_no] = [await newBranch(provider), unique('S')];
    await call('updateTerminal', { key: provider.key, path: { id: tid }, body: { serial_no } });
    await call('reassignTerminal', { key: provider.key, path: { id: tid }, body: { mid } });
    const { body } = await find(provider, { serial_no });
    expect(body).toMatchObject({ data: { tid, terminal_id, serial_no, mid } });
    expect((await find(provider, { terminal_id })).body).toEqual(body);
    expectProblem(await find(provider, { serial_no: before }), 'not_found', NOTHING_FOUND);
  });

  test('finds archived resources, and shows a terminal as archived with its branch until it is restored', async () => {
    const { provider } = world;
    const { tid, serial_no, mid } = (await newResources(provider)).ids;
    const { archived_at } = await archiveBranch(provider, mid);
    expect((await find(provider, { mid })).body.data).toMatchObject({ status: 'archived', archived_at });
    const archived = { status: 'archived', archived_at, archive_reason: 'Archived with its branch.' };
    expect((await find(provider, { serial_no })).body.data).toMatchObject(archived);
    const restored = await restoreTerminal(provider, tid);
    expect((await find(provider, { serial_no })).body.data).toEqual(restored);
  });

  describe('during concurrent writes', () => {
    afterEach(() => {
      table.middlewareStack.remove('meanwhile');
    });

    /** Runs an action once, before the first read of an item of this kind. */
    function beforeReading(kind: string, act: () => Promise<unknown>): void {
      let isDone = false;
      table.middlewareStack.add(
        (next) => async (args) => {
          const { Key } = args.input as { Key?: { pk: string } };
          if (Key?.pk.startsWith(`${kind}#`) && !isDone) {
            isDone = true;
            await act();
          }
          return next(args);
        },
        { step: 'initialize', name: 'meanwhile' },
      );
    }

    test('does not find a terminal by a serial_no that it loses during the request', async () => {
      const { provider } = world;
      const { tid, serial_no } = (await newResources(provider)).ids;
      beforeReading('TERMINAL', () =>
        call('updateTerminal', { key: provider.key, path: { id: tid }, body: { serial_no: null } }),
      );
      expectProblem(await find(provider, { serial_no }), 'not_found', NOTHING_FOUND);
    });

    test('finds the terminal that takes over a serial_no during the request', async () => {
      const { provider } = world;
      const { tid, serial_no, mid } = (await newResources(provider)).ids;
      const other = await newTerminal(provider, mid);
      const update = (id: string, body: object) => call('updateTerminal', { key: provider.key, path: { id }, body });
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
        const { ids } = await newResources(provider);
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
  test.each<[title: string, caller: 'provider' | 'distributor', query: Query, detail: string]>([
    ['no identifier', 'provider', {}, ONE],
    ['two identifiers', 'provider', { mid: 'M1', tid: 'T1' }, ONE],
    [
      'all identifiers',
      'provider',
      { tid: '1', terminal_id: '1', serial_no: '1', mid: '1', master_merchant_id: '1' },
      ONE,
    ],
    ['an identifier that is empty', 'provider', { mid: '' }, 'mid: Must not be empty.'],
    ['an identifier of white space', 'provider', { serial_no: ' \t' }, 'serial_no: Must not be empty.'],
    [
      'a payment_provider without master_merchant_id',
      'provider',
      { mid: 'M1', payment_provider: '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55' },
      'payment_provider: Allowed only with master_merchant_id.',
    ],
    [
      'nothing but a payment_provider',
      'distributor',
      { payment_provider: '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55' },
      `${ONE} payment_provider: Allowed only with master_merchant_id.`,
    ],
    [
      'a payment_provider that is empty',
      'distributor',
      { master_merchant_id: 'MM1', payment_provider: '' },
      'payment_provider: Must not be empty.',
    ],
    [
      'a distributor’s master_merchant_id without payment_provider',
      'distributor',
      { master_merchant_id: 'MM1' },
      'payment_provider: Is required with master_merchant_id.',
    ],
    [
      'all of these errors',
      'distributor',
      { master_merchant_id: ' ', mid: '' },
      `mid: Must not be empty. master_merchant_id: Must not be empty. ${ONE} payment_provider: Is required with master_merchant_id.`,
    ],
  ])('rejects %s without a request to the table', async (_, caller, query, detail) => {
    await find(world[caller], { mid: 'NOSUCHMID' });
    const { response, requests } = await tableRequestsBy(() => find(world[caller], query));
    expectProblem(response, 'invalid_query', detail);
    expect(requests).toEqual([]);
  });
});

testCommonBehaviour('find', () => ({ key: world.provider.key, query: { serial_no: shared.ids.serial_no } }));

/** The requests for each identifier, whether or not it is found. */
const REQUESTS = {
  tid: 'GetItem GetItem',
  terminal_id: 'GetItem GetItem',
  serial_no: 'GetItem GetItem GetItem',
  mid: 'GetItem',
  master_merchant_id: 'BatchGetItem',
} as const;

const UNKNOWN: typeof shared.ids = {
  tid: '3f0e8a52-7c1d-5b9e-a6f4-5d2c1b0a9e87',
  terminal_id: 'NOSUCHT1',
  serial_no: 'NOSUCHS1',
  mid: 'NOSUCHMID1',
  master_merchant_id: 'NOSUCHMM1',
};

describe.each(Object.keys(REQUESTS) as (keyof typeof REQUESTS)[])('404 by %s', (by) => {
  /** Asserts a 404 after exactly as many requests as for an identifier that exists. */
  async function expectNotFound(caller: Caller, value: string, provider: string = world.provider.id): Promise<void> {
    await find(caller, { mid: 'NOSUCHMID' });
    const query = { [by]: value, ...(by === 'master_merchant_id' && { payment_provider: provider }) };
    const sent = await tableRequestsBy(() => find(caller, query));
    expectProblem(sent.response, 'not_found', NOTHING_FOUND);
    expect(operationsOf(sent)).toBe(REQUESTS[by]);
    expect(sent.atOnce).toBe(1);
  }

  test('sends as many requests as when nothing is found', async () => {
    await find(world.provider, { mid: 'NOSUCHMID' });
    const sent = await tableRequestsBy(() => find(world.provider, { [by]: shared.ids[by] }));
    expect(sent.response.status).toBe(200);
    expect(operationsOf(sent)).toBe(REQUESTS[by]);
    for (const { input } of sent.requests) expect(JSON.stringify(input)).toContain('"ConsistentRead":true');
  });

  test('returns 404 for a value that does not exist', () => expectNotFound(world.provider, UNKNOWN[by]));

  test.each([
    ['has a character that no identifier can have', 'A1!'],
    ['contains a table key', 'X#TERMINAL'],
    ['is half of a surrogate pair', '\ud83c'],
    ['is longer than any identifier', 'A'.repeat(3000)],
    ['is a hyphen', '-'],
  ])('returns 404 for a value that %s', (_, value) => expectNotFound(world.provider, value));

  test('returns 404 to every acquirer other than the two of the branch', async () => {
    for (const caller of [world.secondProvider, world.stranger, world.strangeDistributor])
      await expectNotFound(caller, shared.ids[by]);
  });

  test('returns 404 to a distributor for its partner’s resources that it does not share', async () => {
    const { ids } = await newResources(world.provider);
    await expectNotFound(world.distributor, ids[by]);
  });
});

describe('404 by master_merchant_id', () => {
  test.each([
    ['is not a partner', () => world.stranger.id],
    ['is a partner without such a master merchant', () => world.secondProvider.id],
    ['does not exist', () => '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55'],
    ['is the distributor itself', () => world.distributor.id],
    ['cannot be a UUID', () => '\ud83c#'],
  ])('returns 404 for a payment_provider that %s', async (_, providerOf) => {
    const { master_merchant_id } = shared.ids;
    const query = { master_merchant_id, payment_provider: providerOf() };
    expectProblem(await find(world.distributor, query), 'not_found', NOTHING_FOUND);
  });

  test('returns 404 for a master merchant of a payment provider that is not a partner', async () => {
    const { master_merchant_id } = await newBranch(world.stranger);
    const query = { master_merchant_id, payment_provider: world.stranger.id };
    for (const caller of [world.provider, world.distributor])
      expectProblem(await find(caller, query), 'not_found', NOTHING_FOUND);
  });
});
