import { ThrottlingException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

/** The requested pauses. Here a pause takes no time but advances the clock. */
const pauses: number[] = [];
let now: number;
jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: async (pause: number) => {
    pauses.push(pause);
    now += pause;
  },
}));
const {
  allDone,
  asWrite,
  BUDGET_MS,
  Conflict,
  mayBeApplied,
  isTransient,
  RETRY_MS,
  RetryQuota,
  retrying,
  retryStrategy,
  withoutRetries,
} = await import('../../../lib/table/retry.ts');
const { usage, withUsage } = await import('../../../lib/table/usageMeter.ts');

let random: jest.SpiedFunction<typeof Math.random>;
beforeEach(() => {
  now = performance.now();
  pauses.length = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  random = jest.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  jest.restoreAllMocks();
});

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
  test('runs once without a pause if it succeeds', async () => {
    const operation = conflicting(0);
    await expect(retrying(operation)).resolves.toBe('done');
    expect(operation).toHaveBeenCalledTimes(1);
    expect(pauses).toEqual([]);
  });

  test('runs again after a pause for each conflict until it succeeds, and its restarts are counted for the log', async () => {
    const operation = conflicting(3);
    const restarts = await withUsage(async () => {
      await expect(retrying(operation)).resolves.toBe('done');
      return usage().restarts;
    });
    expect(operation).toHaveBeenCalledTimes(4);
    expect(pauses).toHaveLength(3);
    expect(restarts).toBe(3);
  });

  test.each([
    ['is not a conflict', new Error('broken')],
    ['only resembles a conflict', Object.assign(new Error('conflicting write'), { name: 'Conflict' })],
    ['is caused by a conflict', new Error('broken', { cause: conflict })],
    ['is throttling, which the SDK has retried', new ThrottlingException({ message: 'slow down', $metadata: {} })],
  ])('is not retried if its error %s', async (_, error) => {
    const operation = jest.fn(() => Promise.reject(error));
    await expect(retrying(operation)).rejects.toBe(error);
    expect(operation).toHaveBeenCalledTimes(1);
    expect(pauses).toEqual([]);
  });

  test('fails with another error that follows a conflict', async () => {
    const broken = new Error('broken');
    const operation = jest.fn<() => Promise<never>>().mockRejectedValueOnce(conflict).mockRejectedValueOnce(broken);
    await expect(retrying(operation)).rejects.toBe(broken);
    expect(pauses).toHaveLength(1);
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

  test('is drawn anew each time', async () => {
    for (const share of [0.1, 0.9, 0]) random.mockReturnValueOnce(share);
    await retrying(conflicting(3));
    expect(pauses).toEqual([5, 90, 0].map((pause) => expect.closeTo(pause, 6)));
  });

  test('starts over for every operation', async () => {
    await retrying(conflicting(3));
    pauses.length = 0;
    await retrying(conflicting(1));
    expect(pauses).toEqual([25]);
  });

  test('ends 3 s after the first failure of the current API request', async () => {
    await withUsage(async () => {
      // However long the request has taken so far.
      now += BUDGET_MS;
      await retrying(conflicting(1, 0));
      // One pause has passed.
      now += RETRY_MS - 25 - 130;
      await retrying(conflicting(1, 120));
    });
    expect(pauses).toEqual([25, expect.closeTo(10, 6)]);
  });
});

describe('an endless conflict', () => {
  test.each([
    [0.5, 1],
    [0.999999, 1],
    [0.01, 40],
    [0, 10],
    [0.5, 2000],
  ])('ends 3 s after the first failure, with the conflict (random %d, %d ms per attempt)', async (share, latency) => {
    random.mockReturnValue(share);
    const firstFailure = now + latency;
    const operation = conflicting(Number.POSITIVE_INFINITY, latency);
    await expect(retrying(operation)).rejects.toBe(conflict);
    expect(operation.mock.calls.length).toBeGreaterThan(1);
    // The last attempt starts within the time and ends it, apart from rounding.
    expect(Math.floor(now - latency - firstFailure)).toBeLessThanOrEqual(RETRY_MS);
    expect(Math.ceil(now - firstFailure)).toBeGreaterThanOrEqual(RETRY_MS);
    if (share === 0.5) expect(operation.mock.calls.length).toBeLessThan(15);
  });

  test('is not retried again when the second attempt takes all the time', async () => {
    const operation = conflicting(Number.POSITIVE_INFINITY, RETRY_MS);
    await expect(retrying(operation)).rejects.toBe(conflict);
    expect(operation).toHaveBeenCalledTimes(2);
    expect(pauses).toEqual([25]);
  });
});

describe('allDone', () => {
  /** Work that ends on demand. */
  const begin = () => Promise.withResolvers<string>();
  const isOver = async (all: Promise<unknown>) => {
    const open = Symbol();
    const first = await Promise.race([all.catch(() => undefined), new Promise((done) => setImmediate(done, open))]);
    return first !== open;
  };

  test('returns all results in order, of promises and plain values', async () => {
    const [a, b] = [begin(), begin()];
    const all = allDone([a.promise, 'plain', b.promise]);
    b.resolve('b');
    expect(await isOver(all)).toBe(false);
    a.resolve('a');
    await expect(all).resolves.toEqual(['a', 'plain', 'b']);
    await expect(allDone([])).resolves.toEqual([]);
  });

  test('waits for all work before it fails', async () => {
    const [failing, slow] = [begin(), begin()];
    const all = allDone([failing.promise, slow.promise]);
    failing.reject(new Error('broken'));
    expect(await isOver(all)).toBe(false);
    slow.resolve('late');
    await expect(all).rejects.toThrow('broken');
  });

  test('throws the first of several errors and leaves no rejection unhandled', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const [one, other] = [begin(), begin()];
    const all = allDone([one.promise, other.promise]);
    other.reject(new Error('the other'));
    one.reject(new Error('the one'));
    await expect(all).rejects.toThrow('the one');
    await new Promise((done) => setImmediate(done));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: 'cancelled',
    CancellationReasons: codes.map((Code) => ({ Code })),
    $metadata: {},
  });
const throttled = () => new ThrottlingException({ message: 'slow down', $metadata: {} });
const lost = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

type Strategy = ReturnType<typeof retryStrategy>;
type Token = Awaited<ReturnType<Strategy['acquireInitialRetryToken']>>;

/** Sends a request: a read as it is, a write by {@link asWrite}. */
type Kind = typeof asWrite;
const READ: Kind = (send) => send();

const begin = (strategy: Strategy, kind: Kind): Promise<Token> => kind(() => strategy.acquireInitialRetryToken(''));

/** Reports a failed request. Returns its retry token once the pause has passed, or `undefined` if it is not retried. */
async function fails(strategy: Strategy, token: Token, error: Error): Promise<Token | undefined> {
  try {
    const next = await strategy.refreshRetryTokenForRetry(token, { error } as never);
    now += next.getRetryDelay();
    return next;
  } catch {
    return undefined;
  }
}

/** Fails a request with the same error until it is no longer retried, and returns the pauses. */
async function pausesOf(strategy: Strategy, kind: Kind, error: () => Error): Promise<number[]> {
  const delays: number[] = [];
  let token: Token | undefined = await begin(strategy, kind);
  for (;;) {
    token = await fails(strategy, token, error());
    if (!token) return delays;
    delays.push(token.getRetryDelay());
    expect(token.getRetryCount()).toBe(delays.length);
  }
}

/**
 * Fails a request `failures` times, or until it is no longer retried, and then succeeds. Returns how often it was sent.
 */
async function send(
  strategy: Strategy,
  failures: number,
  error: () => Error = throttled,
  kind: Kind = READ,
): Promise<number> {
  let token = await begin(strategy, kind);
  for (let sent = 1; ; sent += 1) {
    if (sent > failures) {
      strategy.recordSuccess(token);
      return sent;
    }
    const next = await fails(strategy, token, error());
    if (!next) return sent;
    token = next;
  }
}

const TRANSIENT: [string, () => Error][] = [
  ['was throttled', throttled],
  ['left keys unprocessed', () => Object.assign(new Error(), { name: 'ThrottlingException' })],
  [
    'caused an internal error of the table',
    () => Object.assign(new Error(), { $fault: 'server', $metadata: { httpStatusCode: 500 } }),
  ],
  ['timed out', () => Object.assign(new Error('2000 ms'), { name: 'TimeoutError' })],
  ['got no response', lost],
  [
    'got a response from something other than the table',
    () => Object.assign(new SyntaxError('Unexpected token <'), { $response: {} }),
  ],
];
const PERMANENT: [string, () => Error][] = [
  ['failed because of a bug', () => new TypeError('broken')],
  ['is invalid', () => Object.assign(new Error(), { name: 'ValidationException', $fault: 'client' })],
  ['is not allowed', () => Object.assign(new Error(), { name: 'AccessDeniedException', $fault: 'client' })],
  ['failed its condition', () => cancelled('ConditionalCheckFailed')],
  ['failed its condition and was throttled', () => cancelled('ConditionalCheckFailed', 'ThrottlingError')],
  ['was cancelled without a reason', () => cancelled()],
];

describe('a table request', () => {
  test.each(TRANSIENT)(
    'that %s is retried six times, with full jitter and a bound that doubles up to 1 s',
    async (_, error) => {
      expect(await pausesOf(retryStrategy(), READ, error)).toEqual([25, 50, 100, 200, 400, 500]);
      expect(isTransient(error())).toBe(true);
    },
  );

  test.each(['ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'that is a transaction cancelled only for a %s is retried, and is known not to be applied',
    async (code) => {
      const error = cancelled('None', code, code);
      expect(await pausesOf(retryStrategy(), asWrite, () => error)).toHaveLength(6);
      expect([mayBeApplied(error), isTransient(error)]).toEqual([false, true]);
    },
  );

  test.each([
    ['a conflict', cancelled('None', 'TransactionConflict')],
    ['a conflict and throttling', cancelled('ThrottlingError', 'TransactionConflict')],
  ])('that is a transaction cancelled for %s starts over instead', async (_, error) => {
    expect(await pausesOf(retryStrategy(), asWrite, () => error)).toEqual([]);
    expect([mayBeApplied(error), isTransient(error)]).toEqual([false, true]);
  });

  test.each(PERMANENT)('that %s is not retried', async (_, error) => {
    for (const kind of [READ, asWrite]) expect(await pausesOf(retryStrategy(), kind, error)).toEqual([]);
    expect([mayBeApplied(error()), isTransient(error())]).toEqual([false, false]);
  });

  test.each([['a text'], [undefined], [null]])('that is not an Error, such as %j, is not retried', (thrown) => {
    expect(isTransient(thrown)).toBe(false);
  });

  test('is retried for 3 s from the first failure of the current API request', async () => {
    await withUsage(async () => {
      const strategy = retryStrategy();
      const token = await begin(strategy, READ);
      now += BUDGET_MS;
      const firstFailure = now;
      const next = await fails(strategy, token, throttled());
      expect(next?.getRetryDelay()).toBe(25);
      now = firstFailure + RETRY_MS - 40;
      // The next pause would be 50 ms; that of another request is 25 ms.
      expect(await fails(strategy, next as Token, throttled())).toBeUndefined();
      expect(await fails(strategy, await begin(strategy, READ), throttled())).toBeDefined();
    });
  });

  test('is never retried if the response does not depend on it', async () => {
    const strategy = retryStrategy();
    for (const kind of [READ, asWrite])
      for (const error of [throttled, lost])
        expect(await withoutRetries(() => pausesOf(strategy, kind, error))).toEqual([]);
    expect(await pausesOf(strategy, READ, throttled)).toHaveLength(6);
  });

  test('is retried for 3 s from its own first failure outside an API request', async () => {
    const strategy = retryStrategy();
    const token = await begin(strategy, READ);
    const next = await fails(strategy, token, throttled());
    now += RETRY_MS;
    expect(await fails(strategy, next as Token, throttled())).toBeUndefined();
    expect(await pausesOf(strategy, READ, throttled)).toHaveLength(6);
  });
});

/** A quota that is never used up. */
const endless = () => Object.assign(new RetryQuota(), { take: () => true });

describe('the table requests of one API request', () => {
  test('share six consecutive retries: two that are always throttled are sent eight times in total', async () => {
    await withUsage(async () => {
      const strategy = retryStrategy();
      const open = await Promise.all([begin(strategy, READ), begin(strategy, READ)]);
      let sent = open.length;
      while (open.length > 0) {
        const next = await fails(strategy, open.shift() as Token, throttled());
        if (!next) continue;
        open.push(next);
        sent += 1;
      }
      expect(sent).toBe(8);
      // A later request is not retried either.
      expect(await send(strategy, 1)).toBe(1);
    });
  });

  test('have six retries again after one has succeeded', async () => {
    await withUsage(async () => {
      const strategy = retryStrategy(endless());
      random.mockReturnValue(0);
      for (let request = 1; request <= 3; request += 1) expect(await send(strategy, 6)).toBe(7);
    });
  });

  test('do not use the retries of another API request', async () => {
    const strategy = retryStrategy(endless());
    for (let call = 1; call <= 3; call += 1)
      await withUsage(async () => expect(await pausesOf(strategy, READ, throttled)).toHaveLength(6));
  });

  test('are not limited by retries of a write that may be applied', async () => {
    await withUsage(async () => {
      const strategy = retryStrategy();
      random.mockReturnValue(0);
      const write = await begin(strategy, asWrite);
      let token: Token | undefined = write;
      for (let times = 1; times <= 9; times += 1) token = await fails(strategy, token as Token, lost());
      expect(token?.getRetryCount()).toBe(9);
      expect(await pausesOf(strategy, READ, throttled)).toHaveLength(6);
    });
  });
});

describe('a write whose response was lost', () => {
  test('is resent for 10 s, however often', async () => {
    const start = now;
    const delays = await pausesOf(retryStrategy(), asWrite, lost);
    expect(delays.slice(0, 6)).toEqual([25, 50, 100, 200, 400, 500]);
    expect(new Set(delays.slice(6))).toEqual(new Set([500]));
    expect(now - start).toBeGreaterThan(BUDGET_MS - 500);
    expect(now - start).toBeLessThan(BUDGET_MS);
  });

  test.each([
    ['a conflict', () => cancelled('TransactionConflict')],
    ['throttling of the transaction', () => cancelled('ThrottlingError')],
    ['throttling', throttled],
    ['its own first attempt in progress', () => Object.assign(new Error(), { name: 'TransactionInProgressException' })],
  ])('is resent after %s as well, and may be applied from then on', async (_, error) => {
    const strategy = retryStrategy();
    let token = await fails(strategy, await begin(strategy, asWrite), lost());
    for (let times = 2; times <= 12; times += 1) {
      const failure = error();
      token = await fails(strategy, token as Token, failure);
      expect(token?.getRetryCount()).toBe(times);
      expect(mayBeApplied(failure)).toBe(true);
    }
    const last = error();
    now += BUDGET_MS;
    expect(await fails(strategy, token as Token, last)).toBeUndefined();
    expect([mayBeApplied(last), isTransient(last)]).toEqual([true, true]);
  });

  test('is also resent if it was throttled before', async () => {
    const strategy = retryStrategy();
    const token = await fails(strategy, await begin(strategy, asWrite), throttled());
    const error = lost();
    now += RETRY_MS;
    expect(await fails(strategy, token as Token, error)).toBeDefined();
    expect(mayBeApplied(error)).toBe(true);
  });

  test('is not resent after a permanent error', async () => {
    const strategy = retryStrategy();
    for (const [, error] of PERMANENT) {
      const token = await fails(strategy, await begin(strategy, asWrite), lost());
      expect(await fails(strategy, token as Token, error())).toBeUndefined();
    }
  });

  test('needs no retry quota', async () => {
    const quota = new RetryQuota();
    while (quota.take());
    const strategy = retryStrategy(quota);
    expect(await pausesOf(strategy, asWrite, throttled)).toEqual([]);
    expect((await pausesOf(strategy, asWrite, lost)).length).toBeGreaterThan(20);
    // Nor does it fill the quota, apart from the token of any success.
    await send(strategy, 3, lost, asWrite);
    expect(quota.take()).toBe(false);
  });

  test('differs from a lost read', async () => {
    const error = lost();
    expect(await pausesOf(retryStrategy(), READ, () => error)).toHaveLength(6);
    expect(mayBeApplied(error)).toBe(false);
  });
});

describe('the retry quota of a process', () => {
  /** Lets this many first attempts succeed. */
  const succeed = async (strategy: Strategy, times: number) => {
    for (let time = 1; time <= times; time += 1) await send(strategy, 0);
  };

  test('is used up by ten failed retries; then every request is sent once', async () => {
    const strategy = retryStrategy();
    const sent: number[] = [];
    for (let call = 1; call <= 4; call += 1) sent.push(1 + (await pausesOf(strategy, READ, throttled)).length);
    expect(sent).toEqual([7, 5, 1, 1]);
  });

  test('gains one retry for five successes, up to ten retries', async () => {
    const strategy = retryStrategy();
    for (let call = 1; call <= 2; call += 1) await pausesOf(strategy, READ, throttled);
    await succeed(strategy, 4);
    expect(await pausesOf(strategy, READ, throttled)).toHaveLength(0);
    await succeed(strategy, 1);
    expect(await pausesOf(strategy, READ, throttled)).toHaveLength(1);
    await succeed(strategy, 500);
    const retries: number[] = [];
    for (let call = 1; call <= 3; call += 1) retries.push((await pausesOf(strategy, READ, throttled)).length);
    expect(retries).toEqual([6, 4, 0]);
  });

  test('is refunded for a retry that succeeds', async () => {
    const strategy = retryStrategy();
    for (let call = 1; call <= 100; call += 1) expect(await send(strategy, 1)).toBe(2);
    expect(await pausesOf(strategy, READ, throttled)).toHaveLength(6);
  });

  test('is not used by errors that are never retried', async () => {
    const quota = new RetryQuota();
    const strategy = retryStrategy(quota);
    for (const [, error] of PERMANENT) await pausesOf(strategy, asWrite, error);
    for (let time = 1; time <= 10; time += 1) expect(quota.take()).toBe(true);
    expect(quota.take()).toBe(false);
  });

  /** A random number from 0 to 1, the same sequence for the same seed (mulberry32). */
  const numbers = (seed: number) => () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };

  test.each([0, 0.1, 0.3, 0.5, 0.7, 0.9, 1])(
    'keeps the load of many requests below twice that without retries: %d of all requests throttled',
    async (share) => {
      const next = numbers(1);
      random.mockReturnValue(0);
      const strategy = retryStrategy();
      const calls = 2_000;
      let sent = 0;
      for (let call = 1; call <= calls; call += 1)
        await withUsage(async () => {
          let token: Token | undefined = await begin(strategy, READ);
          while (token) {
            sent += 1;
            if (next() >= share) {
              strategy.recordSuccess(token);
              return;
            }
            token = await fails(strategy, token, throttled());
          }
        });
      expect(sent / calls).toBeLessThan(2);
      // The quota only matters if much fails: otherwise retries are refunded.
      if (share <= 0.1) expect(sent / calls).toBeCloseTo(1 / (1 - share), 1);
      if (share === 1) expect(sent).toBe(calls + 10);
    },
  );

  test('of many processes keeps the load on a table with half the necessary capacity close to the demand', async () => {
    const next = numbers(2);
    random.mockImplementation(next);
    const strategies = Array.from({ length: 120 }, () => retryStrategy());
    // Each process starts a request every second, whatever the outcome of its last one. The table serves what arrives
    // in 50 ms.
    const [seconds, ticks, capacity] = [60, 20, strategies.length / 20 / 2];
    const due = new Map<number, { strategy: Strategy; token: Token }[]>();
    const arrive = (tick: number, each: { strategy: Strategy; token: Token }) =>
      due.set(tick, [...(due.get(tick) ?? []), each]);
    const sent = Array<number>(seconds).fill(0);
    const start = now;
    for (let tick = 0; tick < seconds * ticks; tick += 1) {
      now = start + tick * 50;
      for (const [at, strategy] of strategies.entries())
        if (at % ticks === tick % ticks) arrive(tick, { strategy, token: await begin(strategy, READ) });
      const arrived = (due.get(tick) ?? []).sort(() => next() - 0.5);
      sent[Math.floor(tick / ticks)] = (sent[Math.floor(tick / ticks)] ?? 0) + arrived.length;
      for (const { strategy, token } of arrived.slice(0, capacity)) strategy.recordSuccess(token);
      for (const { strategy, token } of arrived.slice(capacity)) {
        const info = { error: throttled() } as never;
        const retry = await strategy.refreshRetryTokenForRetry(token, info).catch(() => undefined);
        if (retry) arrive(tick + 1 + Math.floor(retry.getRetryDelay() / 50), { strategy, token: retry });
      }
    }
    const loadOf = (part: number[]) => part.reduce((sum, each) => sum + each) / (part.length * strategies.length);
    // Until each process has used its ten retries, the table gets considerably more.
    expect(loadOf(sent.slice(0, 5))).toBeGreaterThan(1.5);
    expect(loadOf(sent.slice(10))).toBeLessThan(1.4);
    expect(loadOf(sent)).toBeLessThan(2);
  });
});
