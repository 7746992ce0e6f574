import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { cancelled, lost, named, throttled } from '../table/errors.ts';

/** The requested pauses. Here a pause takes no time but advances the clock. */
const pauses: number[] = [];
let now = 0;
jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: async (pause: number) => {
    pauses.push(pause);
    now += pause;
  },
}));
const {
  allDone,
  asWrite,
  attemptMs,
  BUDGET_MS,
  Conflict,
  mayBeApplied,
  isTransient,
  RETRY_MS,
  RetryQuota,
  retrying,
  retryStrategy,
  withoutRetries,
} = await import('../../../lib/aws/retry.ts');
const { requestContext, inRequest } = await import('../../../lib/aws/requestContext.ts');

let random: jest.SpiedFunction<typeof Math.random>;
beforeEach(() => {
  now = performance.now();
  pauses.length = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  random = jest.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => void jest.restoreAllMocks());

const conflict = new Conflict('conflicting write');

/** An operation that conflicts `times` times and then succeeds, each time after `latency` milliseconds. */
const conflicting = (times: number, latency = 20) => {
  let left = times;
  return jest.fn(async () => {
    now += latency;
    left -= 1;
    if (left >= 0) throw conflict;
    return 'done';
  });
};

describe('an operation', () => {
  test.each([0, 3])(
    'runs again after a pause for each of %d conflicts, which are counted for the log',
    async (times) => {
      const operation = conflicting(times);
      const restarts = await inRequest(async () => {
        await expect(retrying(operation)).resolves.toBe('done');
        return requestContext().restarts;
      });
      expect([operation.mock.calls.length, pauses.length, restarts]).toEqual([times + 1, times, times]);
    },
  );

  test.each([
    ['is not a conflict', new Error('broken')],
    ['only resembles a conflict', named('Conflict', 'conflicting write')],
    ['is caused by a conflict', new Error('broken', { cause: conflict })],
    ['is throttling, which the SDK has retried', throttled()],
  ])('fails at once with an error that %s, also after a conflict', async (_, error) => {
    const operation = jest.fn<() => Promise<never>>().mockRejectedValueOnce(conflict).mockRejectedValue(error);
    await expect(retrying(operation)).rejects.toBe(error);
    await expect(retrying(operation)).rejects.toBe(error);
    expect([operation.mock.calls.length, pauses.length]).toEqual([3, 1]);
  });
});

describe('the backoff of an operation', () => {
  test.each([0, 0.25, 0.5, 0.999999])(
    'has full jitter with a bound that doubles from 50 ms to 1 s: %d of it',
    async (share) => {
      random.mockReturnValue(share);
      await retrying(conflicting(6, 0));
      const bounds = [50, 100, 200, 400, 800, 1_000];
      expect(pauses).toEqual(bounds.map((bound) => expect.closeTo(share * bound, 6)));
    },
  );

  test('ends 3 s after the first failure of the current API request', async () => {
    await inRequest(async () => {
      // However long the request has taken so far.
      now += BUDGET_MS;
      await retrying(conflicting(1, 0));
      // One pause has passed.
      now += RETRY_MS - 25 - 130;
      await retrying(conflicting(1, 120));
    });
    expect(pauses).toEqual([25, expect.closeTo(10, 6)]);
  });

  test.each([0.5, 0])('of an endless conflict ends after 3 s, with the conflict: random %d', async (share) => {
    random.mockReturnValue(share);
    const firstFailure = now + 10;
    const operation = conflicting(Number.POSITIVE_INFINITY, 10);
    await expect(retrying(operation)).rejects.toBe(conflict);
    // The last attempt starts within the time and ends it, apart from rounding.
    expect(Math.floor(now - 10 - firstFailure)).toBeLessThanOrEqual(RETRY_MS);
    expect(Math.ceil(now - firstFailure)).toBeGreaterThanOrEqual(RETRY_MS);
  });
});

test('allDone waits for all work; then it returns the results in order, or throws the first error', async () => {
  expect(await allDone([Promise.resolve('a'), 'plain', Promise.resolve('b')])).toEqual(['a', 'plain', 'b']);
  const [one, other, slow] = [1, 2, 3].map(() => Promise.withResolvers<string>()) as [Work, Work, Work];
  const over = jest.fn((error: Error) => error.message);
  const all = allDone([one.promise, other.promise, slow.promise]).catch(over);
  other.reject(new Error('the other'));
  one.reject(new Error('the one'));
  // All that can happen without the slow one has happened.
  await new Promise(setImmediate);
  expect(over).not.toHaveBeenCalled();
  slow.resolve('late');
  expect(await all).toBe('the one');
});
type Work = ReturnType<typeof Promise.withResolvers<string>>;

type Strategy = ReturnType<typeof retryStrategy>;
/** Sends a request: a read as it is, a write by {@link asWrite}. */
type Kind = typeof asWrite;
const READ: Kind = (send) => send();

/** Begins a request to the table. */
async function begin(strategy: Strategy, kind = READ) {
  let token = await kind(() => strategy.acquireInitialRetryToken(''));
  return {
    /** Fails an attempt. Returns the pause before its retry, once it has passed, or `undefined` if there is none. */
    async fails(error: Error = throttled()): Promise<number | undefined> {
      const count = token.getRetryCount();
      try {
        token = await strategy.refreshRetryTokenForRetry(token, { error } as never);
      } catch {
        return undefined;
      }
      expect(token.getRetryCount()).toBe(count + 1);
      now += token.getRetryDelay();
      return token.getRetryDelay();
    },
    succeeds: () => strategy.recordSuccess(token),
  };
}

/**
 * Sends a request that fails `failures` times, or until it is no longer retried, and then succeeds. Returns the pauses
 * before its retries.
 */
async function send(
  strategy: Strategy,
  { failures = Number.POSITIVE_INFINITY, error = throttled as () => Error, kind = READ } = {},
): Promise<number[]> {
  const request = await begin(strategy, kind);
  const delays: number[] = [];
  for (let failed = 0; failed < failures; failed += 1) {
    const delay = await request.fails(error());
    if (delay === undefined) return delays;
    delays.push(delay);
  }
  request.succeeds();
  return delays;
}
const SIX_PAUSES = [25, 50, 100, 200, 400, 500];

/** A quota that is used up, and one that never is. */
function emptyQuota() {
  const quota = new RetryQuota();
  while (quota.take());
  return quota;
}
const endlessQuota = () => Object.assign(new RetryQuota(), { take: () => true });

const answer = (properties: object): Error => Object.assign(new Error('no'), properties);
const TRANSIENT: [string, () => Error][] = [
  ['was throttled', throttled],
  ['left keys unprocessed', () => named('ThrottlingException')],
  ['met an internal error', () => answer({ $fault: 'server', $metadata: { httpStatusCode: 500 } })],
  ['met an unavailable table', () => answer({ name: 'Unavailable', $metadata: { httpStatusCode: 503 } })],
  ['timed out', () => named('TimeoutError')],
  ['met ECONNRESET', () => lost('ECONNRESET')],
  ['met ECONNREFUSED', () => lost('ECONNREFUSED')],
  ['met ENOTFOUND', () => lost('ENOTFOUND')],
  ['failed because of a lost connection', () => new Error('wrapped', { cause: lost('ETIMEDOUT') })],
  ['got a response that is not the table’s', () => Object.assign(new SyntaxError('<'), { $response: {} })],
];
const PERMANENT: [string, () => Error][] = [
  ['failed because of a bug', () => new TypeError('broken')],
  ['is invalid', () => answer({ name: 'ValidationException', $fault: 'client' })],
  ['is not allowed', () => answer({ name: 'AccessDeniedException', $fault: 'client' })],
  ['needs a table that is missing', () => answer({ name: 'ResourceNotFoundException', $fault: 'client' })],
  ['failed its condition', () => cancelled('ConditionalCheckFailed')],
  ['failed its condition and was throttled', () => cancelled('ConditionalCheckFailed', 'ThrottlingError')],
  ['was cancelled because it is invalid', () => cancelled('ValidationError')],
  ['was cancelled without a reason', () => cancelled()],
];

describe('a table request', () => {
  test.each(TRANSIENT)('that %s is retried six times, with full jitter and a doubling bound', async (_, newError) => {
    const error = newError();
    expect(await send(retryStrategy(), { error: () => error })).toEqual(SIX_PAUSES);
    expect([mayBeApplied(error), isTransient(error)]).toEqual([false, true]);
  });

  test.each([
    ['throttling', 6, cancelled('None', 'ThrottlingError', 'ThrottlingError')],
    ['exceeded throughput', 6, cancelled('None', 'ProvisionedThroughputExceeded')],
    ['a conflict', 0, cancelled('None', 'TransactionConflict')],
    ['a conflict and throttling', 0, cancelled('ThrottlingError', 'TransactionConflict')],
  ])('that is a transaction cancelled for %s is retried %d times, and not applied', async (_, retries, error) => {
    expect(await send(retryStrategy(), { error: () => error, kind: asWrite })).toHaveLength(retries);
    expect([mayBeApplied(error), isTransient(error)]).toEqual([false, true]);
  });

  test.each(PERMANENT)('that %s is not retried', async (_, error) => {
    for (const kind of [READ, asWrite]) expect(await send(retryStrategy(), { error, kind })).toEqual([]);
    expect([mayBeApplied(error()), isTransient(error())]).toEqual([false, false]);
  });

  test('that started over too often is transient; what is not an Error is not', () => {
    expect([conflict, 'a text', undefined, null].map(isTransient)).toEqual([true, false, false, false]);
  });

  test('is retried for 3 s from the first failure of the current API request', async () => {
    await inRequest(async () => {
      const strategy = retryStrategy();
      const request = await begin(strategy);
      now += BUDGET_MS;
      const firstFailure = now;
      expect(await request.fails()).toBe(25);
      now = firstFailure + RETRY_MS - 40;
      // The next pause would be 50 ms; that of another request is 25 ms.
      expect(await request.fails()).toBeUndefined();
      expect(await (await begin(strategy)).fails()).toBe(25);
    });
  });

  test('is retried for 3 s from its own first failure outside an API request', async () => {
    const strategy = retryStrategy();
    const request = await begin(strategy);
    expect(await request.fails()).toBe(25);
    now += RETRY_MS;
    expect(await request.fails()).toBeUndefined();
    expect(await send(strategy)).toHaveLength(6);
  });

  test('is never retried if the response does not depend on it', async () => {
    const strategy = retryStrategy();
    for (const kind of [READ, asWrite])
      for (const error of [throttled, lost])
        expect(await withoutRetries(() => send(strategy, { error, kind }))).toEqual([]);
    expect(await send(strategy)).toHaveLength(6);
  });
});

describe('an API request with a budget of its own', () => {
  const budget = { totalMs: 1_000, attemptMs: 400 };

  test('retries conflicts, reads and lost writes until 1 s after its start, whenever the first failed', async () => {
    for (const kind of [READ, asWrite])
      await inRequest(async () => {
        const request = await begin(retryStrategy(), kind);
        now += 600;
        expect(await request.fails(lost())).toBe(25);
        now += 300;
        expect(await request.fails(lost())).toBe(50);
        now += 20;
        expect(await request.fails(lost())).toBeUndefined();
        await expect(retrying(conflicting(99, 10))).rejects.toBe(conflict);
        expect(now - requestContext().started).toBeLessThan(budget.totalMs + 20);
      }, budget);
  });

  test('gives an attempt 400 ms, then what is left; another API request gives it all it needs', () => {
    inRequest(() => {
      const left = [0, 600, 300, 200].map((ms) => {
        now += ms;
        return attemptMs();
      });
      expect(left).toEqual([400, 400, 100, -100].map((ms) => expect.closeTo(ms, 6)));
    }, budget);
    expect(inRequest(attemptMs)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the table requests of one API request', () => {
  test('share six consecutive retries', async () => {
    await inRequest(async () => {
      const strategy = retryStrategy();
      const [a, b] = [await begin(strategy), await begin(strategy)];
      for (let time = 1; time <= 3; time += 1)
        for (const request of [a, b]) expect(await request.fails()).toBeDefined();
      for (const request of [a, b, await begin(strategy)]) expect(await request.fails()).toBeUndefined();
    });
  });

  test('have six retries again after one has succeeded, and in another API request', async () => {
    const strategy = retryStrategy(endlessQuota());
    random.mockReturnValue(0);
    for (const failures of [6, Number.POSITIVE_INFINITY])
      await inRequest(async () => {
        expect(await send(strategy, { failures: 6 })).toHaveLength(6);
        expect(await send(strategy, { failures })).toHaveLength(6);
      });
  });

  test('are not limited by retries of a write that may be applied', async () => {
    await inRequest(async () => {
      const strategy = retryStrategy();
      random.mockReturnValue(0);
      const write = await begin(strategy, asWrite);
      for (let time = 1; time <= 9; time += 1) expect(await write.fails(lost())).toBeDefined();
      expect(await send(strategy)).toHaveLength(6);
    });
  });
});

describe('a write whose response was lost', () => {
  test('is resent for 10 s, however often, and needs no quota', async () => {
    const start = now;
    const quota = emptyQuota();
    const strategy = retryStrategy(quota);
    const delays = await send(strategy, { error: lost, kind: asWrite });
    expect(delays.slice(0, 6)).toEqual(SIX_PAUSES);
    expect(new Set(delays.slice(6))).toEqual(new Set([500]));
    expect(now - start).toBeGreaterThan(BUDGET_MS - 500);
    expect(now - start).toBeLessThan(BUDGET_MS);
    // Nor does it fill the quota, apart from the token of any success.
    await send(strategy, { failures: 3, error: lost, kind: asWrite });
    expect(quota.take()).toBe(false);
    expect(await send(strategy, { kind: asWrite })).toEqual([]);
  });

  test.each([
    ['a conflict', () => cancelled('TransactionConflict')],
    ['throttling of the transaction', () => cancelled('ThrottlingError')],
    ['throttling', throttled],
    ['its own first attempt in progress', () => named('TransactionInProgressException')],
  ])('is resent after %s as well, and may be applied from then on', async (_, error) => {
    const write = await begin(retryStrategy(), asWrite);
    await write.fails(lost());
    for (let time = 2; time <= 12; time += 1) {
      const failure = error();
      expect(await write.fails(failure)).toBeDefined();
      expect(mayBeApplied(failure)).toBe(true);
    }
    const last = error();
    now += BUDGET_MS;
    expect(await write.fails(last)).toBeUndefined();
    expect([mayBeApplied(last), isTransient(last)]).toEqual([true, true]);
  });

  test('is also resent if it was throttled before', async () => {
    const write = await begin(retryStrategy(), asWrite);
    await write.fails();
    const error = lost();
    now += RETRY_MS;
    expect(await write.fails(error)).toBeDefined();
    expect(mayBeApplied(error)).toBe(true);
  });

  test.each(PERMANENT)('is not resent after an attempt that %s', async (_, error) => {
    const write = await begin(retryStrategy(), asWrite);
    await write.fails(lost());
    expect(await write.fails(error())).toBeUndefined();
  });
});

describe('the retry quota of a process', () => {
  /** How often each of so many requests, which always fail, is retried. */
  async function retriesOf(strategy: Strategy, requests: number): Promise<number[]> {
    const retries: number[] = [];
    for (let request = 1; request <= requests; request += 1) retries.push((await send(strategy)).length);
    return retries;
  }
  const succeed = async (strategy: Strategy, times: number) => {
    for (let time = 1; time <= times; time += 1) await send(strategy, { failures: 0 });
  };

  test('is used up by ten failed retries; then every request is sent once', async () => {
    expect(await retriesOf(retryStrategy(), 4)).toEqual([6, 4, 0, 0]);
  });

  test('gains one retry for five successes, up to ten retries', async () => {
    const strategy = retryStrategy(emptyQuota());
    await succeed(strategy, 4);
    expect(await retriesOf(strategy, 1)).toEqual([0]);
    await succeed(strategy, 1);
    expect(await retriesOf(strategy, 1)).toEqual([1]);
    await succeed(strategy, 500);
    expect(await retriesOf(strategy, 3)).toEqual([6, 4, 0]);
  });

  test('is refunded for a retry that succeeds', async () => {
    const strategy = retryStrategy();
    for (let call = 1; call <= 100; call += 1) expect(await send(strategy, { failures: 1 })).toHaveLength(1);
    expect(await retriesOf(strategy, 1)).toEqual([6]);
  });

  test('is not used by errors that are never retried', async () => {
    const strategy = retryStrategy();
    for (const [, error] of PERMANENT) await send(strategy, { error, kind: asWrite });
    expect(await retriesOf(strategy, 3)).toEqual([6, 4, 0]);
  });
});
