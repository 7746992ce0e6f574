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
  attemptMs,
  BUDGET_MS,
  Conflict,
  isTransient,
  noteOutcome,
  OutcomeUnknown,
  RETRY_MS,
  RetryStrategy,
  retrying,
  untilKnown,
} = await import('../../../lib/aws/retry.ts');
const { requestContext, inRequest } = await import('../../../lib/aws/requestContext.ts');

let random: jest.SpiedFunction<typeof Math.random>;
beforeEach(() => {
  now = performance.now();
  pauses.length = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  random = jest.spyOn(Math, 'random').mockReturnValue(0.5);
  // The SDK's own pauses.
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((done: () => void, pause: number) => {
    pauses.push(pause);
    now += pause;
    queueMicrotask(done);
  }) as never);
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

type Strategy = InstanceType<typeof RetryStrategy>;

/** Sends a request as the SDK and the table's client do. Each attempt fails until there are no more failures. */
async function send(strategy: Strategy, failures: Iterator<Error>, more: { isSentOnce?: true } = {}): Promise<void> {
  const outcome = { isLost: false, ...more };
  for (let token = await strategy.acquireInitialRetryToken(''); ; ) {
    const { value: error, done } = failures.next();
    if (done) return strategy.recordSuccess(token);
    noteOutcome(error, outcome);
    token = await strategy.refreshRetryTokenForRetry(token, { error, errorType: 'CLIENT_ERROR' } as never).catch(() => {
      throw error;
    });
  }
}

/** So many failures; each is an error of its own. */
function* times(count: number, error: () => Error = throttled): Iterator<Error> {
  for (let made = 0; made < count; made += 1) yield error();
}
const always = (error: () => Error = throttled) => times(Number.POSITIVE_INFINITY, error);
function* inTurn(...errors: Iterator<Error>[]): Iterator<Error> {
  for (const each of errors) for (let next = each.next(); !next.done; next = each.next()) yield next.value;
}

/** The pauses before the retries of a request, and the error with which it fails. */
async function outcomeOf(work: Promise<void>): Promise<{ delays: number[]; error: Error | undefined }> {
  const before = pauses.length;
  const error = await work.then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  return { delays: pauses.slice(before), error };
}
const read = (strategy: Strategy, failures: Iterator<Error>) => outcomeOf(send(strategy, failures));
const write = (strategy: Strategy, failures: Iterator<Error>) => outcomeOf(untilKnown(() => send(strategy, failures)));
const SIX_PAUSES = [25, 50, 100, 200, 400, 500];

/** A process whose retry quota is used up. */
const exhausted = () => Object.assign(new RetryStrategy(), { capacity: 0 });

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
  test.each(TRANSIENT)('that %s is retried six times, with full jitter and a doubling bound', async (_, error) => {
    const failed = await read(new RetryStrategy(), always(error));
    expect(failed.delays).toEqual(SIX_PAUSES);
    expect(isTransient(failed.error)).toBe(true);
  });

  test.each([
    ['throttling', 6, () => cancelled('None', 'ThrottlingError', 'ThrottlingError')],
    ['exceeded throughput', 6, () => cancelled('None', 'ProvisionedThroughputExceeded')],
    ['a conflict', 0, () => cancelled('None', 'TransactionConflict')],
    ['a conflict and throttling', 0, () => cancelled('ThrottlingError', 'TransactionConflict')],
  ])('that is a transaction cancelled for %s is retried %d times, and not applied', async (_, retries, error) => {
    const { delays, error: failure } = await write(new RetryStrategy(), always(error));
    expect([delays.length, failure?.name]).toEqual([retries, 'TransactionCanceledException']);
    expect(isTransient(failure)).toBe(true);
  });

  test.each(PERMANENT)('that %s is not retried', async (_, error) => {
    for (const kind of [read, write]) {
      const failed = await kind(new RetryStrategy(), always(error));
      expect(failed.delays).toEqual([]);
      expect(isTransient(failed.error)).toBe(false);
    }
  });

  test('that started over too often is transient; what is not an Error is not', () => {
    expect([conflict, 'a text', undefined, null].map(isTransient)).toEqual([true, false, false, false]);
  });

  test('is retried for 3 s from the first failure of the current API request', async () => {
    await inRequest(async () => {
      const strategy = new RetryStrategy();
      now += BUDGET_MS;
      const firstFailure = now;
      expect((await read(strategy, times(1))).delays).toEqual([25]);
      now = firstFailure + RETRY_MS - 40;
      // The third pause would end after that.
      expect((await read(strategy, always())).delays).toEqual([25, expect.closeTo(15, 6)]);
      expect((await read(strategy, always())).delays).toEqual([]);
    });
  });

  test('is never retried if the response does not depend on it', async () => {
    const strategy = new RetryStrategy();
    for (const error of [throttled, lost]) {
      const failed = await outcomeOf(send(strategy, always(error), { isSentOnce: true }));
      expect([failed.delays, isTransient(failed.error)]).toEqual([[], true]);
    }
    expect((await read(strategy, always())).delays).toHaveLength(6);
  });

  test('is sent once while the retry quota of the process is used up, as in the SDK', async () => {
    expect((await read(exhausted(), always())).delays).toEqual([]);
    const strategy = new RetryStrategy();
    // A quota of 500, of which each of the six retries takes 5, unless it succeeds.
    for (let request = 1; request <= 16; request += 1) await read(strategy, always());
    expect([await read(strategy, always()), await read(strategy, always())]).toMatchObject([
      { delays: SIX_PAUSES.slice(0, 4) },
      { delays: [] },
    ]);
  });
});

describe('an API request with a budget of its own', () => {
  const budget = { totalMs: 1_000, attemptMs: 400 };

  test('retries conflicts, reads and lost writes until 1 s after its start, whenever the first failed', async () => {
    for (const kind of [read, write])
      await inRequest(async () => {
        /** Failures that each take a while. */
        function* slow(): Iterator<Error> {
          for (const ms of [600, 250, 20, 0, 0, 0]) {
            now += ms;
            yield lost();
          }
        }
        await kind(new RetryStrategy(), slow());
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
  test('share six consecutive retries, also if they are sent at once', async () => {
    await inRequest(async () => {
      const strategy = new RetryStrategy();
      const both = await outcomeOf(Promise.allSettled([send(strategy, always()), send(strategy, always())]).then());
      expect(both.delays).toHaveLength(6);
      expect((await read(strategy, always())).delays).toEqual([]);
    });
  });

  test('have six retries again after one has succeeded, and in another API request', async () => {
    const strategy = new RetryStrategy();
    random.mockReturnValue(0);
    for (const failures of [times(6), always()])
      await inRequest(async () => {
        expect((await read(strategy, times(6))).delays).toHaveLength(6);
        expect((await read(strategy, failures)).delays).toHaveLength(6);
      });
  });
});

describe('a write whose response was lost', () => {
  test('is resent for 10 s, however often, and needs no quota', async () => {
    await inRequest(async () => {
      const { started } = requestContext();
      const { delays, error } = await write(exhausted(), always(lost));
      expect(delays.slice(0, 6)).toEqual(SIX_PAUSES);
      expect(new Set(delays.slice(6))).toEqual(new Set([500]));
      expect(error).toBeInstanceOf(OutcomeUnknown);
      expect(now - started).toBeGreaterThan(BUDGET_MS - 500);
      expect(now - started).toBeLessThan(BUDGET_MS);
    });
  });

  test.each([
    ['a conflict', () => cancelled('TransactionConflict')],
    ['throttling of the transaction', () => cancelled('ThrottlingError')],
    ['throttling', throttled],
    ['its own first attempt in progress', () => named('TransactionInProgressException')],
  ])('is resent after %s as well, and may be applied from then on', async (_, error) => {
    expect((await write(new RetryStrategy(), inTurn(times(1, lost), times(20, error)))).error).toBeUndefined();
    const failed = await write(new RetryStrategy(), inTurn(times(1, lost), always(error)));
    expect(failed.error).toBeInstanceOf(OutcomeUnknown);
    expect([failed.error?.cause, isTransient(failed.error)]).toEqual([error(), true]);
  });

  test('is also resent if it was throttled before', async () => {
    const { error } = await write(new RetryStrategy(), inTurn(times(3), times(1, lost), always()));
    expect(error).toBeInstanceOf(OutcomeUnknown);
  });

  test.each(PERMANENT)('is not resent after an attempt that %s', async (_, error) => {
    const failure = error();
    const failed = await write(
      new RetryStrategy(),
      inTurn(
        times(1, lost),
        always(() => failure),
      ),
    );
    expect([failed.delays.length, failed.error === failure]).toEqual([1, true]);
  });
});
