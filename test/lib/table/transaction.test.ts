import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type Fault, Problem } from '../../../lib/problem.ts';
import { getItem, table } from '../../../lib/table/client.ts';
import { Contention } from '../../../lib/table/retry.ts';
import {
  check,
  exists,
  isAsRead,
  isFree,
  put,
  type Refusal,
  refuse,
  remove,
  transact,
  update,
} from '../../../lib/table/transaction.ts';
import { call, expectProblem, type Operation } from '../../support/api.ts';
import { hurry } from '../../support/clock.ts';
import { SERVICE_BUSY, SERVICE_FAILED } from '../../support/constants.ts';
import { captureLog } from '../../support/log.ts';
import { storedBy } from '../../support/stored.ts';
import { newBranch, newTerminal, newWorld, unique } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof newWorld>>;
beforeAll(async () => {
  world = await newWorld();
});

/** Pauses are as long as random makes them: none here. */
beforeEach(() => {
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  table.middlewareStack.remove('cancel');
  jest.restoreAllMocks();
});

const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: 'Transaction cancelled, please refer cancellation reasons for specific reasons',
    CancellationReasons: codes.map((Code) => ({ Code })),
    $metadata: {},
  });

/**
 * From now on the table answers the first so many transactions with an error, as it would on AWS where DynamoDB Local
 * never does. Returns how many transactions were sent.
 */
function failing(times: number, error: () => Error): { sent: () => number } {
  let sent = 0;
  table.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName !== 'TransactWriteItemsCommand') return next(args);
        sent += 1;
        return sent <= times ? Promise.reject(error()) : next(args);
      },
    { step: 'deserialize', name: 'cancel' },
  );
  return { sent: () => sent };
}

/** Writes of every kind, each ready to be done once: an operation and what it needs. */
const WRITES: [Operation, () => Promise<Parameters<typeof call>[1]>][] = [
  ['createBranch', async () => ({ body: { mid: unique('MID'), master_merchant_id: unique('MM') } })],
  ['archiveBranch', async () => ({ path: { mid: (await newBranch(world.provider)).mid } })],
  [
    'createTerminals',
    async () => ({
      path: { id: (await newBranch(world.provider)).mid },
      body: { terminals: [{ terminal_id: unique('T'), serial_no: unique('S') }] },
    }),
  ],
  ['updateTerminal', async () => ({ path: { id: await newTid() }, body: { serial_no: unique('S') } })],
  ['archiveTerminal', async () => ({ path: { id: await newTid() }, body: { reason: 'broken' } })],
  [
    'restoreTerminal',
    async () => {
      const id = await newTid();
      await call('archiveTerminal', { key: world.provider.key, path: { id }, body: { reason: 'broken' } });
      return { path: { id } };
    },
  ],
  [
    'reassignTerminal',
    async () => ({ path: { id: await newTid() }, body: { mid: (await newBranch(world.provider)).mid } }),
  ],
  ['deleteTerminal', async () => ({ path: { id: await newTid() } })],
];
const newTid = async (): Promise<string> =>
  (await newTerminal(world.provider, (await newBranch(world.provider)).mid)).tid;

describe('a write that meets another writer', () => {
  test('stores a new branch exactly once', async () => {
    const before = (await call('listBranches', { key: world.provider.key })).body.meta.total;
    const mid = unique('MID');
    const body = { mid, master_merchant_id: unique('MM'), terminals: [{ terminal_id: unique('T') }] };
    const { sent } = failing(1, () => cancelled('None', 'None', 'None', 'TransactionConflict'));

    const { answer, changed } = await storedBy(() => call('createBranch', { key: world.provider.key, body }));

    expect(answer.status).toBe(201);
    expect(sent()).toBe(2);
    expect(Object.keys(changed).sort()).toEqual([
      `ACQUIRER#${world.provider.id} BRANCH_LIST`,
      `ACQUIRER#${world.provider.id} MASTER_MERCHANT#${answer.body.data.existing_master_merchant}`,
      `BRANCH#${mid} BRANCH`,
      `TERMINAL#${answer.body.data.terminals[0].tid} TERMINAL`,
    ]);
    expect(changed[`BRANCH#${mid} BRANCH`]).toMatchObject({ provider_position: before + 1, terminal_count: 1 });
    expect(changed[`ACQUIRER#${world.provider.id} BRANCH_LIST`]).toMatchObject({ count: before + 1 });
  });

  describe.each(WRITES)('as %s', (operation, prepare) => {
    test('succeeds at its next try', async () => {
      const request = await prepare();
      const { sent } = failing(1, () => cancelled('TransactionConflict', 'None'));
      const { status } = await call(operation, { key: world.provider.key, ...request });
      expect(status).toBeLessThan(300);
      expect(sent()).toBe(2);
    });

    test('that is always in its way is refused in the end, as one that can be repeated, and stores nothing', async () => {
      const request = await prepare();
      const { sent } = failing(Number.POSITIVE_INFINITY, () => cancelled('None', 'TransactionConflict'));
      hurry();
      const lines = captureLog();

      const { answer, changed } = await storedBy(() => call(operation, { key: world.provider.key, ...request }));

      expectProblem(answer, 'server_error', SERVICE_BUSY);
      expect(answer.headers['retry-after']).toBe('2');
      expect(changed).toEqual({});
      expect(sent()).toBeGreaterThan(1);
      expect(lines()).toHaveLength(1);
    });
  });

  test.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'or a busy table (%s) is tried again as often as its time allows',
    async (code) => {
      const { mid } = await newBranch(world.provider);
      const { sent } = failing(3, () => cancelled('None', code));
      const { status, body } = await call('archiveBranch', { key: world.provider.key, path: { mid } });
      expect(status).toBe(200);
      expect(body.data.status).toBe('archived');
      expect(sent()).toBe(4);
    },
  );

  test('decides again from a fresh read: what was archived meanwhile is archived already', async () => {
    const { mid } = await newBranch(world.provider);
    const { tid } = await newTerminal(world.provider, mid);
    const archive = (operation: Operation, path: Record<string, string>) =>
      call(operation, { key: world.provider.key, path, body: { reason: 'broken' } });
    let others: Promise<unknown> | undefined;
    table.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'TransactWriteItemsCommand' && !others) {
            others = archive('archiveBranch', { mid });
            await others;
          }
          return next(args);
        },
      { step: 'deserialize', name: 'cancel' },
    );
    expectProblem(
      await archive('archiveTerminal', { id: tid }),
      'already_archived',
      'The terminal is archived already.',
    );
  });

  test('is not decided anew when an earlier attempt of it may have been applied: it would meet its own effect', async () => {
    const errors = [Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })];
    const { sent } = failing(Number.POSITIVE_INFINITY, () => errors.shift() ?? cancelled('TransactionConflict'));
    hurry();
    const written = transact([put({ pk: unique('THING#'), sk: 'THING' }, {})]);
    await expect(written).rejects.not.toBeInstanceOf(Contention);
    await expect(written).rejects.toBeInstanceOf(TransactionCanceledException);
    expect(sent()).toBeGreaterThan(2);
  });

  test('leaves each of many concurrent creators its own place in the list', async () => {
    const { stranger } = world;
    const mids = Array.from({ length: 8 }, () => unique('MID'));
    const created = await Promise.all(mids.map((mid) => newBranch(stranger, { mid })));
    expect(created.map(({ mid }) => mid).sort()).toEqual([...mids].sort());
    const { body } = await call('listBranches', { key: stranger.key, query: { sort: 'asc' } });
    expect(body.data.map(({ mid }: { mid: string }) => mid).sort()).toEqual([...mids].sort());
    expect(body.meta.total).toBe(8);
  });
});

describe('a transaction that is cancelled for what is in it', () => {
  test.each(['ValidationError', 'ItemCollectionSizeLimitExceeded', 'AccessDenied'])(
    'is tried once, and is no matter of repeating: %s',
    async (code) => {
      const { mid } = await newBranch(world.provider);
      const { sent } = failing(Number.POSITIVE_INFINITY, () => cancelled(code, 'None'));
      const lines = captureLog();

      const { answer, changed } = await storedBy(() =>
        call('archiveBranch', { key: world.provider.key, path: { mid } }),
      );

      expectProblem(answer, 'server_error', SERVICE_FAILED);
      expect(answer.headers['retry-after']).toBeUndefined();
      expect(changed).toEqual({});
      expect(sent()).toBe(1);
      expect(lines()).toHaveLength(1);
    },
  );

  test('is not taken for a success when it gives no reasons', async () => {
    const error = new TransactionCanceledException({ message: 'cancelled', $metadata: {} });
    failing(1, () => error);
    await expect(transact([put(newKey(), {})])).rejects.toBe(error);
  });

  test('and any other error, passes as it is', async () => {
    const error = new RangeError('not a cancellation');
    failing(1, () => error);
    await expect(transact([put(newKey(), {})])).rejects.toBe(error);
  });
});

describe('the refusals of a transaction', () => {
  const fault = (pointer: string): Fault => ({ pointer, code: 'taken', detail: 'Taken.' });
  const refusing = (...refusals: Refusal[]) => refusals.map((refusal) => check(newKey(), exists(refusal)));
  const problem = new Problem('branch_archived', 'Archived.');

  test('are the faults of just the terminals that are taken, by their place in the request', async () => {
    const { key } = world.provider;
    const { mid } = await newBranch(world.provider);
    const taken = await newTerminal(world.provider, mid, { serial_no: unique('S') });
    const terminals = [
      { terminal_id: unique('T') },
      { terminal_id: taken.terminal_id },
      { terminal_id: unique('T'), serial_no: unique('S') },
      { terminal_id: unique('T'), serial_no: taken.serial_no },
    ];
    const { answer, changed } = await storedBy(() =>
      call('createTerminals', { key, path: { id: mid }, body: { terminals } }),
    );
    expectProblem(answer, 'validation_failed', [
      ['/terminals/1/terminal_id', 'taken', 'Another terminal has this terminal_id.'],
      ['/terminals/3/serial_no', 'taken', 'Another terminal has this serial_no.'],
    ]);
    expect(changed).toEqual({});
  });

  test('are all faults of a new branch in one answer: its MID, its master merchant, its terminals', async () => {
    const { key } = world.provider;
    const { mid, master_merchant_id, terminals } = await newBranch(world.provider, {
      terminals: [{ terminal_id: unique('T') }],
    });
    const { terminal_id } = terminals[0];
    const { answer, changed } = await storedBy(() =>
      call('createBranch', {
        key,
        body: { mid, master_merchant_id, terminals: [{ terminal_id }] },
      }),
    );
    expectProblem(answer, 'validation_failed', [
      ['/mid', 'taken', 'Another branch has this MID.'],
      [
        '/master_merchant_id',
        'taken',
        'This payment provider has a master merchant with this id. Name that one in existing_master_merchant; a distributor can as soon as it shares a branch of it.',
      ],
      ['/terminals/0/terminal_id', 'taken', 'Another terminal has this terminal_id.'],
    ]);
    expect(changed).toEqual({});
  });

  test('are the first that is no fault, wherever it stands', async () => {
    const steps = refusing([fault('/a')], 'stale', problem, new Problem('not_found', 'Later.'));
    await expect(transact(steps)).rejects.toBe(problem);
  });

  test('are otherwise all faults together, whatever else is stale or busy', async () => {
    const refused = transact(refusing('stale', [fault('/a')], [fault('/b'), fault('/c')]));
    await expect(refused).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [fault('/a'), fault('/b'), fault('/c')],
    });
    failing(1, () => cancelled('TransactionConflict', 'ConditionalCheckFailed'));
    await expect(transact(refusing('stale', [fault('/d')]))).rejects.toMatchObject({ errors: [fault('/d')] });
  });

  test('are contention when something was stale and nothing refused', async () => {
    const error = await transact(refusing('stale', 'stale')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Contention);
    expect((error as Contention).cause).toBeInstanceOf(TransactionCanceledException);
  });

  test('hold what a read has shown already, together with what the write finds', async () => {
    const [there, free] = [newKey(), newKey()];
    await transact([put(there, {})]);
    const { changed } = await storedBy(() =>
      expect(
        transact([
          refuse(newKey(), [fault('/read')]),
          put(free, {}, isFree([fault('/free')])),
          put(there, {}, isFree([fault('/taken')])),
        ]),
      ).rejects.toMatchObject({ errors: [fault('/read'), fault('/taken')] }),
    );
    expect(changed).toEqual({});
    await expect(transact([refuse(there, problem), put(free, {})])).rejects.toBe(problem);
  });

  test('are only those of steps whose own condition failed', async () => {
    const key = newKey();
    await transact([put(key, {})]);
    const steps = [check(key, exists(problem)), check(key, isFree([fault('/free')])), check(newKey(), isFree(problem))];
    await expect(transact(steps)).rejects.toMatchObject({ errors: [fault('/free')] });
  });
});

describe('a step', () => {
  interface Thing {
    kept: string;
    read?: string | undefined;
    count?: number;
  }
  const stored = async (thing: Thing) => {
    const key = newKey();
    await transact([put(key, thing)]);
    return key;
  };

  test('updates what it names and nothing else: sets, removes, adds', async () => {
    const key = await stored({ kept: 'as it was', read: 'to go', count: 40 });
    await transact([
      update(key, { set: { read: undefined, set: 'new' }, add: { count: 2, more: -1 } }, exists('stale')),
    ]);
    expect(await getItem(key)).toEqual({ ...key, kept: 'as it was', set: 'new', count: 42, more: -1 });
  });

  test('stores no attribute that is undefined', async () => {
    const key = await stored({ kept: 'here', read: undefined });
    expect(await getItem(key)).toEqual({ ...key, kept: 'here' });
  });

  test('stores all or nothing', async () => {
    const [key, taken] = [newKey(), await stored({ kept: 'mine' })];
    const { changed } = await storedBy(() =>
      expect(transact([put(key, {}), put(taken, { kept: 'yours' }, isFree('stale'))])).rejects.toThrow(Contention),
    );
    expect(changed).toEqual({});
  });

  test('removes an item only under its condition', async () => {
    const key = await stored({ kept: 'here' });
    const mine = (kept: string) => ({
      expression: 'kept = :kept',
      values: { ':kept': kept },
      refusal: 'stale' as const,
    });
    await expect(transact([remove(key, mine('there'))])).rejects.toThrow(Contention);
    await transact([remove(key, mine('here'))]);
    expect(await getItem(key)).toBeUndefined();
  });

  test.each<[string, Thing | undefined, Thing | undefined, boolean]>([
    ['nothing has changed', { kept: 'a', read: 'b' }, { kept: 'a', read: 'b' }, true],
    ['only what was not looked at has changed', { kept: 'a', read: 'b' }, { kept: 'z', read: 'b' }, true],
    ['what was absent still is', { kept: 'a' }, { kept: 'a' }, true],
    ['there was no item and there still is none', undefined, undefined, true],
    ['a value has changed', { kept: 'a', read: 'b' }, { kept: 'a', read: 'c' }, false],
    ['a value has come', { kept: 'a' }, { kept: 'a', read: 'b' }, false],
    ['a value has gone', { kept: 'a', read: 'b' }, { kept: 'a' }, false],
    ['the item has come', undefined, { kept: 'a' }, false],
    ['the item has gone', { kept: 'a' }, undefined, false],
  ])('on condition that all is as read, when %s', async (_, asRead, now, holds) => {
    const key = now ? await stored(now) : newKey();
    const write = transact([check(key, isAsRead(asRead, 'read', 'count'))]);
    await (holds ? expect(write).resolves.toBeUndefined() : expect(write).rejects.toThrow(Contention));
  });
});

const newKey = () => ({ pk: unique('THING#'), sk: 'THING' });
