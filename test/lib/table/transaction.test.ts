import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Conflict } from '../../../lib/aws/retry.ts';
import { type FieldError, Problem } from '../../../lib/base/problem.ts';
import { getItem } from '../../../lib/table/client.ts';
import {
  check,
  claim,
  exists,
  isAsRead,
  isFree,
  put,
  type Refusal,
  remove,
  type Step,
  takenOf,
  transact,
  update,
} from '../../../lib/table/transaction.ts';
import { call, OPERATIONS, STATUSES } from '../../support/api.ts';
import { speedUpClock } from '../../support/clock.ts';
import { SERVICE_BUSY } from '../../support/constants.ts';
import { isChange } from '../../support/contract.ts';
import { captureLog } from '../../support/log.ts';
import { expectRefused } from '../../support/outcomes.ts';
import { fillQuota } from '../../support/quota.ts';
import { newRequests } from '../../support/requests.ts';
import { unique } from '../../support/world.ts';
import { cancelled, lost } from './errors.ts';
import { failTable, intercept, type Sent } from './intercept.ts';

beforeEach(() => {
  fillQuota();
  // No backoff.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => void jest.restoreAllMocks());

/** From now on, this many transactions fail with an error, as they could on AWS but never on DynamoDB Local. */
const failWrites = (error: () => Error, times?: number) =>
  failTable(error, { operations: ['TransactWriteItems'], ...(times && { times }) });

/**
 * How often a transaction was sent, and how many different tokens it had: an operation that starts over writes with a
 * new token.
 */
const attemptsOf = (sent: Sent[]) => [sent.length, new Set(sent.map(({ input }) => input['ClientRequestToken'])).size];

const newKey = () => ({ pk: unique('THING#'), sk: 'THING' });
const step = () => put(newKey(), {});
const errorOf = (steps: Step[]): Promise<Error> => transact(steps).catch((error) => error) as Promise<Error>;

describe('a write that conflicts with another', () => {
  let requestOf: Awaited<ReturnType<typeof newRequests>>['requestOf'];
  beforeAll(async () => {
    ({ requestOf } = await newRequests());
  });

  test.each(OPERATIONS.filter(isChange))(
    'starts over, and if it always conflicts, returns Retry-After and stores nothing: %s',
    async (operation) => {
      const request = await requestOf(operation);
      const conflicts = failWrites(() => cancelled('None', 'TransactionConflict'));
      const lines = captureLog();
      speedUpClock();
      const response = await expectRefused(() => call(operation, request), 'server_error', SERVICE_BUSY);
      expect(response.headers['retry-after']).toBe('1');
      expect(conflicts.length).toBeGreaterThan(1);
      expect(lines()).toHaveLength(1);

      const sent = failWrites(() => cancelled('TransactionConflict', 'None'), 1);
      expect((await call(operation, request)).status).toBe(STATUSES[operation][0]);
      // A test that succeeds is followed by a second transaction.
      const attempts = operation === 'testWebhook' ? 3 : 2;
      expect(attemptsOf(sent)).toEqual([attempts, attempts]);
    },
  );

  test('starts over after short pauses if it archives a branch, so steady creates cannot keep it waiting', async () => {
    const request = await requestOf('archiveBranch');
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const sent = failWrites(() => cancelled('TransactionConflict'), 20);
    expect((await call('archiveBranch', request)).status).toBe(200);
    expect(attemptsOf(sent)).toEqual([21, 21]);
  });
});

/* How often and how long it is resent is in test/lib/aws/retry.unit.test.ts. */

describe('a write whose response is lost', () => {
  test('starts over when its condition fails afterwards, which means it was not applied', async () => {
    const key = newKey();
    await transact([put(key, {})]);
    failWrites(lost, 1);
    await expect(transact([put(key, {}, isFree('stale'))])).rejects.toThrow(Conflict);
  });

  test('does not conflict with itself if it was applied', async () => {
    const key = newKey();
    let isFirst = true;
    intercept(async (send) => {
      const result = await send();
      if (!isFirst) return result;
      isFirst = false;
      throw lost();
    }, 'deserialize');
    await transact([put(key, { by: 'us' }, isFree('stale'))]);
    expect(isFirst).toBe(false);
    expect(await getItem(key)).toEqual({ ...key, by: 'us' });
  });
});

test.each([
  ['is invalid', cancelled('ValidationError', 'None')],
  ['is too large', cancelled('ItemCollectionSizeLimitExceeded', 'None')],
  ['is not allowed', cancelled('AccessDenied', 'None')],
  ['is cancelled without reasons', new TransactionCanceledException({ message: 'cancelled', $metadata: {} })],
  ['fails because of a bug', new RangeError('not a cancellation')],
])('a write that %s is not retried, and its error is thrown as it is', async (_, error) => {
  const sent = failWrites(() => error);
  await expect(transact([step()])).rejects.toBe(error);
  expect(sent).toHaveLength(1);
});

describe('the refusals of a transaction', () => {
  const fieldError = (pointer: string): FieldError => ({ pointer, code: 'taken', detail: 'Taken.' });
  const refusing = (...refusals: Refusal[]) => refusals.map((refusal) => check(newKey(), exists(refusal)));
  const problem = new Problem('branch_archived', 'Archived.');

  test('are the first one that is not a field error, wherever it is', async () => {
    const steps = refusing([fieldError('/a')], 'stale', problem, new Problem('not_found', 'Later.'));
    await expect(transact(steps)).rejects.toBe(problem);
  });

  test('are otherwise all field errors together', async () => {
    const refused = transact(refusing([fieldError('/a')], [fieldError('/b'), fieldError('/c')]));
    await expect(refused).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [fieldError('/a'), fieldError('/b'), fieldError('/c')],
    });
  });

  test('are a conflict if a step is stale or in conflict, because that may be wrong too', async () => {
    const error = await errorOf(refusing('stale', [fieldError('/a')]));
    expect(error).toBeInstanceOf(Conflict);
    expect(error.cause).toBeInstanceOf(TransactionCanceledException);
    failWrites(() => cancelled('TransactionConflict', 'ConditionalCheckFailed'), 1);
    expect(await errorOf(refusing('stale', [fieldError('/a')]))).toBeInstanceOf(Conflict);
  });

  test('are the field errors of claims in order, whether found by a read or by the write', async () => {
    const [mine, theirs, other] = [newKey(), newKey(), newKey()];
    const claims = [mine, theirs, other].map((key, at) => ({ key, attributes: { at }, taken: fieldError(`/${at}`) }));
    await transact([put(theirs, {}), put(other, {})]);
    expect(takenOf(claims, [undefined, {}, {}])).toEqual([fieldError('/1'), fieldError('/2')]);
    expect(takenOf(claims, [])).toEqual([]);
    await expect(transact(claims.map(claim))).rejects.toMatchObject({ errors: [fieldError('/1'), fieldError('/2')] });
    expect(await getItem(mine)).toBeUndefined();
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
  const stored = async (item: object) => {
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
    const key = await stored({ count: 1 });
    for (const [changes, expected] of [
      [{ add: { set: new Set(['a', 'b']) }, set: { count: 2 } }, ['a', 'b']],
      [{ add: { set: new Set(['b', 'c']) } }, ['a', 'b', 'c']],
      [{ remove: { set: new Set(['a', 'never there']) } }, ['b', 'c']],
      [{ remove: { set: new Set(['b', 'c']) } }, undefined],
    ] as const) {
      await transact([update(key, changes, exists('stale'))]);
      expect(await getItem(key)).toEqual({ ...key, count: 2, ...(expected && { set: new Set(expected) }) });
    }
  });

  test('stores no attribute that is undefined', async () => {
    const key = await stored({ unread: 'here', read: undefined });
    expect(await getItem(key)).toEqual({ ...key, unread: 'here' });
  });

  test('removes an item only under its condition', async () => {
    const key = await stored({ unread: 'here' });
    const mine = (unread: string) =>
      remove(key, { expression: 'unread = :unread', values: { ':unread': unread }, refusal: 'stale' });
    await expect(transact([mine('there')])).rejects.toThrow(Conflict);
    await transact([mine('here')]);
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
