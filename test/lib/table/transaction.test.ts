import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type FieldError, Problem } from '../../../lib/base/problem.ts';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { getItem, table } from '../../../lib/table/client.ts';
import { Conflict, mayBeApplied } from '../../../lib/table/retry.ts';
import {
  check,
  claim,
  exists,
  isAsRead,
  isFree,
  put,
  type Refusal,
  remove,
  takenOf,
  transact,
  update,
} from '../../../lib/table/transaction.ts';
import { call, expectProblem, type Operation } from '../../support/api.ts';
import { speedUpClock } from '../../support/clock.ts';
import { SERVICE_BUSY, SERVICE_FAILED } from '../../support/constants.ts';
import { captureLog } from '../../support/log.ts';
import { fillQuota } from '../../support/quota.ts';
import { storedBy } from '../../support/stored.ts';
import { newBranch, newTerminal, newWorld, unique } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof newWorld>>;
beforeAll(async () => {
  world = await newWorld();
});

/** No backoff, and creates do not seal lists. */
beforeEach(() => {
  SEALING.probability = 0;
  fillQuota();
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
 * From now on, this many transactions fail with an error, as they could on AWS but never on DynamoDB Local. Returns how
 * many were sent and how many different tokens they had: an operation that starts over writes with a new token.
 */
function failing(times: number, error: () => Error): { sent: () => number; tokens: () => number } {
  const tokens: string[] = [];
  table.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName !== 'TransactWriteItemsCommand') return next(args);
        tokens.push((args.input as { ClientRequestToken: string }).ClientRequestToken);
        return tokens.length <= times ? Promise.reject(error()) : next(args);
      },
    { step: 'deserialize', name: 'cancel' },
  );
  return { sent: () => tokens.length, tokens: () => new Set(tokens).size };
}
const lost = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

/** Every write operation, each with a new request that succeeds once. */
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

describe('a write that conflicts with another', () => {
  test('stores a new branch exactly once', async () => {
    const mid = unique('MID');
    const body = { mid, master_merchant_id: unique('MM'), terminals: [{ terminal_id: unique('T') }] };
    const { sent } = failing(1, () => cancelled('None', 'None', 'None', 'TransactionConflict'));

    const { response, changed } = await storedBy(() => call('createBranch', { key: world.provider.key, body }));

    expect(response.status).toBe(201);
    expect(sent()).toBe(2);
    const { created_at, existing_master_merchant, terminals } = response.body.data;
    expect(Object.keys(changed).sort()).toEqual([
      `ACQUIRER#${world.provider.id} BRANCH_LIST#${created_at}#${mid}`,
      `BRANCH#${mid} BRANCH`,
      `MASTER_MERCHANT#${existing_master_merchant} MASTER_MERCHANT`,
      expect.stringMatching(`^MASTER_MERCHANTS#${world.provider.id} [\\w-]{22}$`),
      `TERMINAL#${terminals[0].tid} TERMINAL`,
    ]);
    expect(changed[`BRANCH#${mid} BRANCH`]).toMatchObject({
      provider_position: Date.parse(created_at),
      terminals: [`${created_at}#000#${terminals[0].tid}`],
    });
  });

  describe.each(WRITES)('as %s', (operation, prepare) => {
    test('succeeds on its next attempt', async () => {
      const request = await prepare();
      const { sent, tokens } = failing(1, () => cancelled('TransactionConflict', 'None'));
      const { status } = await call(operation, { key: world.provider.key, ...request });
      expect(status).toBeLessThan(300);
      expect([sent(), tokens()]).toEqual([2, 2]);
    });

    test('fails with Retry-After if it always conflicts, and stores nothing', async () => {
      const request = await prepare();
      const { sent } = failing(Number.POSITIVE_INFINITY, () => cancelled('None', 'TransactionConflict'));
      speedUpClock();
      const lines = captureLog();

      const { response, changed } = await storedBy(() => call(operation, { key: world.provider.key, ...request }));

      expectProblem(response, 'server_error', SERVICE_BUSY);
      expect(response.headers['retry-after']).toBe('1');
      expect(changed).toEqual({});
      expect(sent()).toBeGreaterThan(1);
      expect(lines()).toHaveLength(1);
    });
  });

  test('is retried as often as its time allows', async () => {
    const { mid } = await newBranch(world.provider);
    const { sent, tokens } = failing(9, () => cancelled('None', 'TransactionConflict'));
    const { status, body } = await call('archiveBranch', { key: world.provider.key, path: { mid } });
    expect(status).toBe(200);
    expect(body.data.status).toBe('archived');
    expect([sent(), tokens()]).toEqual([10, 10]);
  });

  test('starts over with a fresh read: a terminal that was archived meanwhile is already archived', async () => {
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
      'The terminal is already archived.',
    );
  });

  test('gives each of many concurrent creates its own place in the list', async () => {
    const { stranger } = world;
    const mids = Array.from({ length: 8 }, () => unique('MID'));
    const created = await Promise.all(mids.map((mid) => newBranch(stranger, { mid })));
    expect(created.map(({ mid }) => mid).sort()).toEqual([...mids].sort());
    const { body } = await call('listBranches', { key: stranger.key, query: { sort: 'asc' } });
    expect(body.data.map(({ mid }: { mid: string }) => mid).sort()).toEqual([...mids].sort());
    expect(body.meta.total).toBe(8);
  });
});

describe('a write that is throttled', () => {
  test.each(['ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'is resent unchanged up to six times: %s',
    async (code) => {
      const { mid } = await newBranch(world.provider);
      const { sent, tokens } = failing(6, () => cancelled('None', code));
      const { status } = await call('archiveBranch', { key: world.provider.key, path: { mid } });
      expect(status).toBe(200);
      expect([sent(), tokens()]).toEqual([7, 1]);
    },
  );

  test('fails with Retry-After if it is always throttled, and stores nothing', async () => {
    const { mid } = await newBranch(world.provider);
    const { sent, tokens } = failing(Number.POSITIVE_INFINITY, () => cancelled('ThrottlingError', 'None'));
    const lines = captureLog();
    const { response, changed } = await storedBy(() =>
      call('archiveBranch', { key: world.provider.key, path: { mid } }),
    );
    expectProblem(response, 'server_error', SERVICE_BUSY);
    expect(response.headers['retry-after']).toBe('1');
    expect(changed).toEqual({});
    expect([sent(), tokens()]).toEqual([7, 1]);
    expect(lines()).toHaveLength(1);
  });

  test('starts over if it conflicts as well', async () => {
    const { mid } = await newBranch(world.provider);
    const { sent, tokens } = failing(1, () => cancelled('ThrottlingError', 'TransactionConflict'));
    expect((await call('archiveBranch', { key: world.provider.key, path: { mid } })).status).toBe(200);
    expect([sent(), tokens()]).toEqual([2, 2]);
  });
});

describe('a write whose response is lost', () => {
  const step = () => put(newKey(), {});
  /** The error of a transaction whose response is lost and that then keeps failing. */
  async function failure(then: () => Error): Promise<Error> {
    const errors = [lost()];
    failing(Number.POSITIVE_INFINITY, () => errors.shift() ?? then());
    speedUpClock();
    return (await transact([step()]).catch((error: unknown) => error)) as Error;
  }

  test('is resent with the same token until a response arrives, more often than any other request', async () => {
    const { sent, tokens } = failing(12, lost);
    await transact([step()]);
    expect([sent(), tokens()]).toEqual([13, 1]);
  });

  test.each([
    ['it conflicts', () => cancelled('TransactionConflict')],
    ['it is throttled', () => cancelled('ThrottlingError')],
  ])('does not start over when %s, since it could conflict with its own effect', async (_, error) => {
    const failed = await failure(error);
    expect(failed).toBeInstanceOf(TransactionCanceledException);
    expect(mayBeApplied(failed)).toBe(true);
  });

  test('may be applied if no response arrives', async () => {
    const failed = await failure(lost);
    expect(failed).not.toBeInstanceOf(Conflict);
    expect(mayBeApplied(failed)).toBe(true);
  });

  test('starts over when its condition fails afterwards, which means it was not applied', async () => {
    const key = newKey();
    await transact([put(key, {})]);
    failing(1, lost);
    await expect(transact([put(key, {}, isFree('stale'))])).rejects.toThrow(Conflict);
  });

  test('does not conflict with itself if it was applied', async () => {
    const key = newKey();
    let isFirst = true;
    table.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        if (!isFirst) return result;
        isFirst = false;
        throw lost();
      },
      { step: 'deserialize', name: 'cancel' },
    );
    await transact([put(key, { by: 'us' }, isFree('stale'))]);
    expect(isFirst).toBe(false);
    expect(await getItem(key)).toEqual({ ...key, by: 'us' });
  });
});

describe('a transaction that is cancelled because of its content', () => {
  test.each(['ValidationError', 'ItemCollectionSizeLimitExceeded', 'AccessDenied'])(
    'is not retried: %s',
    async (code) => {
      const { mid } = await newBranch(world.provider);
      const { sent } = failing(Number.POSITIVE_INFINITY, () => cancelled(code, 'None'));
      const lines = captureLog();

      const { response, changed } = await storedBy(() =>
        call('archiveBranch', { key: world.provider.key, path: { mid } }),
      );

      expectProblem(response, 'server_error', SERVICE_FAILED);
      expect(response.headers['retry-after']).toBeUndefined();
      expect(changed).toEqual({});
      expect(sent()).toBe(1);
      expect(lines()).toHaveLength(1);
    },
  );

  test('is not treated as a success if it has no reasons', async () => {
    const error = new TransactionCanceledException({ message: 'cancelled', $metadata: {} });
    failing(1, () => error);
    await expect(transact([put(newKey(), {})])).rejects.toBe(error);
  });

  test('passes any other error on unchanged', async () => {
    const error = new RangeError('not a cancellation');
    failing(1, () => error);
    await expect(transact([put(newKey(), {})])).rejects.toBe(error);
  });
});

describe('the refusals of a transaction', () => {
  const fieldError = (pointer: string): FieldError => ({ pointer, code: 'taken', detail: 'Taken.' });
  const refusing = (...refusals: Refusal[]) => refusals.map((refusal) => check(newKey(), exists(refusal)));
  const problem = new Problem('branch_archived', 'Archived.');

  test('are field errors of exactly the taken terminals, by their place in the request', async () => {
    const { key } = world.provider;
    const { mid } = await newBranch(world.provider);
    const taken = await newTerminal(world.provider, mid, { serial_no: unique('S') });
    const terminals = [
      { terminal_id: unique('T') },
      { terminal_id: taken.terminal_id },
      { terminal_id: unique('T'), serial_no: unique('S') },
      { terminal_id: unique('T'), serial_no: taken.serial_no },
    ];
    const { response, changed } = await storedBy(() =>
      call('createTerminals', { key, path: { id: mid }, body: { terminals } }),
    );
    expectProblem(response, 'validation_failed', [
      ['/terminals/1/terminal_id', 'taken', 'Another terminal has this terminal_id.'],
      ['/terminals/3/serial_no', 'taken', 'Another terminal has this serial_no.'],
    ]);
    expect(changed).toEqual({});
  });

  test('are all field errors of a new branch together: MID, master merchant and terminals', async () => {
    const { key } = world.provider;
    const { mid, master_merchant_id, terminals } = await newBranch(world.provider, {
      master_merchant_name: 'Northern Bakery',
      terminals: [{ terminal_id: unique('T') }],
    });
    const { terminal_id } = terminals[0];
    const { response, changed } = await storedBy(() =>
      call('createBranch', {
        key,
        body: { mid, master_merchant_id, master_merchant_name: 'Southern Bakery', terminals: [{ terminal_id }] },
      }),
    );
    expectProblem(response, 'validation_failed', [
      ['/mid', 'taken', 'Another branch has this MID.'],
      [
        '/master_merchant_name',
        'differs',
        'Differs from what is stored for this master merchant. Send the stored value, or omit the field.',
      ],
      ['/terminals/0/terminal_id', 'taken', 'Another terminal has this terminal_id.'],
    ]);
    expect(changed).toEqual({});
  });

  test('are the first one that is not a field error, wherever it is', async () => {
    const steps = refusing([fieldError('/a')], 'stale', problem, new Problem('not_found', 'Later.'));
    await expect(transact(steps)).rejects.toBe(problem);
  });

  test('are otherwise all field errors together, even if other steps are stale or conflict', async () => {
    const refused = transact(refusing('stale', [fieldError('/a')], [fieldError('/b'), fieldError('/c')]));
    await expect(refused).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [fieldError('/a'), fieldError('/b'), fieldError('/c')],
    });
    failing(1, () => cancelled('TransactionConflict', 'ConditionalCheckFailed'));
    await expect(transact(refusing('stale', [fieldError('/d')]))).rejects.toMatchObject({ errors: [fieldError('/d')] });
  });

  test('are a conflict if a step is stale and none is refused', async () => {
    const error = await transact(refusing('stale', 'stale')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Conflict);
    expect((error as Conflict).cause).toBeInstanceOf(TransactionCanceledException);
  });

  test('are the field errors of claims in order, whether found by a read or by the write', async () => {
    const [mine, theirs, other] = [newKey(), newKey(), newKey()];
    const claims = [mine, theirs, other].map((key, at) => ({ key, attributes: { at }, taken: fieldError(`/${at}`) }));
    await transact([put(theirs, {}), put(other, {})]);
    expect(takenOf(claims, [undefined, {}, {}])).toEqual([fieldError('/1'), fieldError('/2')]);
    expect(takenOf(claims, [])).toEqual([]);
    const { changed } = await storedBy(() =>
      expect(transact(claims.map(claim))).rejects.toMatchObject({ errors: [fieldError('/1'), fieldError('/2')] }),
    );
    expect(changed).toEqual({});
    await transact(claims.slice(0, 1).map(claim));
    expect(await getItem(mine)).toEqual({ ...mine, at: 0 });
  });

  test('are only those of steps whose own condition failed', async () => {
    const key = newKey();
    await transact([put(key, {})]);
    const steps = [
      check(key, exists(problem)),
      check(key, isFree([fieldError('/free')])),
      check(newKey(), isFree(problem)),
    ];
    await expect(transact(steps)).rejects.toMatchObject({ errors: [fieldError('/free')] });
  });
});

describe('a step', () => {
  interface Item {
    unread: string;
    read?: string | undefined;
    count?: number;
  }
  const stored = async (item: Item) => {
    const key = newKey();
    await transact([put(key, item)]);
    return key;
  };

  test('sets and removes only the attributes that it names', async () => {
    const key = await stored({ unread: 'as it was', read: 'to go', count: 40 });
    await transact([update(key, { set: { read: undefined, set: 'new' } }, exists('stale'))]);
    expect(await getItem(key)).toEqual({ ...key, unread: 'as it was', set: 'new', count: 40 });
  });

  test('adds elements to sets and removes them, whether they are there or not', async () => {
    const [key, exist] = [newKey(), exists('stale')];
    await transact([put(key, { count: 1 })]);
    await transact([update(key, { add: { set: new Set(['a', 'b']) }, set: { count: 2 } }, exist)]);
    await transact([update(key, { add: { set: new Set(['b', 'c']) } }, exist)]);
    expect(await getItem(key)).toEqual({ ...key, count: 2, set: new Set(['a', 'b', 'c']) });
    await transact([update(key, { remove: { set: new Set(['a', 'never there']) } }, exist)]);
    expect(await getItem(key)).toEqual({ ...key, count: 2, set: new Set(['b', 'c']) });
    await transact([update(key, { remove: { set: new Set(['b', 'c']) } }, exist)]);
    expect(await getItem(key)).toEqual({ ...key, count: 2 });
  });

  test('adds elements of concurrent changes to the same set', async () => {
    const key = newKey();
    await transact([put(key, {})]);
    const elements = Array.from({ length: 6 }, (_, at) => `element ${at}`);
    await Promise.all(
      elements.map((element) => transact([update(key, { add: { set: new Set([element]) } }, exists('stale'))])),
    );
    expect(await getItem(key)).toEqual({ ...key, set: new Set(elements) });
  });

  test('stores no attribute that is undefined', async () => {
    const key = await stored({ unread: 'here', read: undefined });
    expect(await getItem(key)).toEqual({ ...key, unread: 'here' });
  });

  test('stores all or nothing', async () => {
    const [key, taken] = [newKey(), await stored({ unread: 'mine' })];
    const { changed } = await storedBy(() =>
      expect(transact([put(key, {}), put(taken, { unread: 'yours' }, isFree('stale'))])).rejects.toThrow(Conflict),
    );
    expect(changed).toEqual({});
  });

  test('removes an item only under its condition', async () => {
    const key = await stored({ unread: 'here' });
    const mine = (unread: string) => ({
      expression: 'unread = :unread',
      values: { ':unread': unread },
      refusal: 'stale' as const,
    });
    await expect(transact([remove(key, mine('there'))])).rejects.toThrow(Conflict);
    await transact([remove(key, mine('here'))]);
    expect(await getItem(key)).toBeUndefined();
  });

  test.each<[string, Item | undefined, Item | undefined, boolean]>([
    ['nothing has changed', { unread: 'a', read: 'b' }, { unread: 'a', read: 'b' }, true],
    ['only an attribute that was not read has changed', { unread: 'a', read: 'b' }, { unread: 'z', read: 'b' }, true],
    ['an absent attribute is still absent', { unread: 'a' }, { unread: 'a' }, true],
    ['the item still does not exist', undefined, undefined, true],
    ['a value has changed', { unread: 'a', read: 'b' }, { unread: 'a', read: 'c' }, false],
    ['a value was added', { unread: 'a' }, { unread: 'a', read: 'b' }, false],
    ['a value was removed', { unread: 'a', read: 'b' }, { unread: 'a' }, false],
    ['the item was created', undefined, { unread: 'a' }, false],
    ['the item was deleted', { unread: 'a' }, undefined, false],
  ])('checks that an item is as read when %s', async (_, asRead, now, holds) => {
    const key = now ? await stored(now) : newKey();
    const write = transact([check(key, isAsRead(asRead, 'read', 'count'))]);
    await (holds ? expect(write).resolves.toBeUndefined() : expect(write).rejects.toThrow(Conflict));
  });
});

const newKey = () => ({ pk: unique('THING#'), sk: 'THING' });
