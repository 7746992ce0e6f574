import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

/** Pauses that were asked for. A pause takes no time here, but the clock shows it. */
const pauses: number[] = [];
let now: number;
jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: async (pause: number) => {
    pauses.push(pause);
    now += pause;
  },
}));
const { BUDGET_MS, Contention, pauseAfter, retrying, withinBudget } = await import('../../../lib/table/retry.ts');
const { withUsage } = await import('../../../lib/table/usage.ts');

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

const contention = new Contention('in the way');

/** An operation that meets contention so many times and then succeeds. Each time it takes `latency` milliseconds. */
const contended = (times: number, latency = 20) => {
  let left = times;
  return jest.fn(async () => {
    now += latency;
    left -= 1;
    if (left >= 0) throw contention;
    return 'done';
  });
};

describe('an operation', () => {
  test('that succeeds runs once, without a pause', async () => {
    const operation = contended(0);
    await expect(retrying(operation)).resolves.toBe('done');
    expect(operation).toHaveBeenCalledTimes(1);
    expect(pauses).toEqual([]);
  });

  test('that meets contention runs again after a pause until it succeeds', async () => {
    const operation = contended(3);
    await expect(retrying(operation)).resolves.toBe('done');
    expect(operation).toHaveBeenCalledTimes(4);
    expect(pauses).toHaveLength(3);
  });

  test.each([
    ['is not contention', new Error('broken')],
    ['only resembles contention', Object.assign(new Error('in the way'), { name: 'Contention' })],
    ['is caused by contention', new Error('broken', { cause: contention })],
  ])('that fails with what %s fails at once', async (_, error) => {
    const operation = jest.fn(() => Promise.reject(error));
    await expect(retrying(operation)).rejects.toBe(error);
    expect(operation).toHaveBeenCalledTimes(1);
    expect(pauses).toEqual([]);
  });

  test('that fails otherwise after contention fails with that', async () => {
    const broken = new Error('broken');
    const operation = jest.fn<() => Promise<never>>().mockRejectedValueOnce(contention).mockRejectedValueOnce(broken);
    await expect(retrying(operation)).rejects.toBe(broken);
    expect(pauses).toHaveLength(1);
  });
});

describe('the pauses', () => {
  test.each([0, 0.25, 0.5, 0.999999])('are full jitter: %d of a bound', async (share) => {
    random.mockReturnValue(share);
    await retrying(contended(3));
    expect(pauses).toEqual([100, 200, 400].map((bound) => expect.closeTo(share * bound, 6)));
  });

  test.each([1, 20, 60])(
    'have a bound that begins at five times what an attempt took, and doubles: %d ms',
    (lasted) => {
      const bounds = [0, 1, 2, 3].map((attempt) => pauseAfter({ attempt, lasted, left: BUDGET_MS }, 1));
      expect(bounds).toEqual([5 * lasted, 10 * lasted, 20 * lasted, 40 * lasted]);
    },
  );

  test.each([
    [10_000, 3_000],
    [6_400, 1_536],
    [2_500, 375],
    [400, 24],
    [200, 20],
  ])('have a bound that falls with the time that is left: at %d ms it is %d', (left, bound) => {
    expect(pauseAfter({ attempt: 30, lasted: 20, left }, 1)).toBeCloseTo(bound, 9);
  });

  test('are drawn anew each time', async () => {
    for (const share of [0.1, 0.9, 0]) random.mockReturnValueOnce(share);
    await retrying(contended(3));
    expect(pauses).toEqual([10, 180, 0].map((pause) => expect.closeTo(pause, 6)));
  });

  test('are those of a single request when it was the table that had no time', async () => {
    const throttled = new Contention('slow down', { wasThrottled: true });
    const operation = jest.fn<() => Promise<string>>().mockResolvedValue('done');
    for (let count = 0; count < 6; count += 1) operation.mockRejectedValueOnce(throttled);
    await retrying(operation);
    expect(pauses).toEqual([60, 120, 240, 480, 960, 1_000].map((bound) => bound / 2));
  });

  test('begin anew for every operation', async () => {
    await retrying(contended(3));
    pauses.length = 0;
    await retrying(contended(1));
    expect(pauses).toEqual([expect.closeTo(50, 6)]);
  });

  test('fall with what is left of the request that is being answered', async () => {
    await withUsage(async () => {
      now += BUDGET_MS - 2_520;
      await retrying(contended(1, 120));
    });
    // When the attempt has ended 2.4 s of the 10 are left. By its own time alone the bound would be 600 ms.
    expect(pauses).toEqual([expect.closeTo(0.5 * 3_000 * 0.24 ** 1.5, 6)]);
  });
});

describe('contention for ever', () => {
  test.each([
    [0.5, 1],
    [0.999999, 1],
    [0.01, 40],
    [0, 10],
    [0.5, 3000],
  ])('ends with the budget, with the contention (random %d, %d ms a try)', async (share, latency) => {
    random.mockReturnValue(share);
    const start = now;
    const operation = contended(Number.POSITIVE_INFINITY, latency);
    await expect(retrying(operation)).rejects.toBe(contention);
    expect(operation.mock.calls.length).toBeGreaterThan(1);
    // The last try begins within the budget and is the one that ends it, but for the last digit of a fraction.
    expect(Math.floor(now - latency - start)).toBeLessThanOrEqual(BUDGET_MS);
    expect(Math.ceil(now - start)).toBeGreaterThanOrEqual(BUDGET_MS);
    // A table that is busy for so long is not stormed.
    if (share === 0.5) expect(operation.mock.calls.length).toBeLessThan(200);
  });

  test('is given up without a pause when a single try takes all the time', async () => {
    const operation = contended(Number.POSITIVE_INFINITY, BUDGET_MS);
    await expect(retrying(operation)).rejects.toBe(contention);
    expect(operation).toHaveBeenCalledTimes(1);
    expect(pauses).toEqual([]);
  });
});

describe('a request to the table that fails', () => {
  const cancelled = (...codes: string[]) =>
    new TransactionCanceledException({
      message: 'cancelled',
      CancellationReasons: codes.map((Code) => ({ Code })),
      $metadata: {},
    });
  type Info = Parameters<typeof withinBudget.refreshRetryTokenForRetry>[1];
  const failed = (error: Error) => ({ error }) as Info;
  const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const passing = failed(lost);
  const first = () => withinBudget.acquireInitialRetryToken('');
  const second = async () => withinBudget.refreshRetryTokenForRetry(await first(), passing);

  test.each<[string, Error]>([
    ['that was throttled', Object.assign(new Error('slow down'), { name: 'ThrottlingException', $fault: 'client' })],
    ['on which the table failed', Object.assign(new Error(), { $fault: 'server', $metadata: { httpStatusCode: 500 } })],
    ['that took too long', Object.assign(new Error('2000 ms'), { name: 'TimeoutError' })],
    ['of which the answer was lost', lost],
    ['that something else answered', Object.assign(new SyntaxError('Unexpected token <'), { $response: {} })],
  ])('%s is repeated, with full jitter', async (_, error) => {
    let token = await first();
    const delays: number[] = [];
    for (let count = 1; count <= 6; count += 1) {
      token = await withinBudget.refreshRetryTokenForRetry(token, failed(error));
      expect(token.getRetryCount()).toBe(count);
      delays.push(token.getRetryDelay());
    }
    expect(delays).toEqual([30, 60, 120, 240, 480, 500]);
  });

  test('for what is wrong with it, or with us, is not', async () => {
    for (const error of [new Error('broken'), cancelled('ConditionalCheckFailed'), cancelled()]) {
      await expect(withinBudget.refreshRetryTokenForRetry(await first(), failed(error))).rejects.toThrow();
      await expect(withinBudget.refreshRetryTokenForRetry(await second(), failed(error))).rejects.toThrow();
    }
  });

  test.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'as a transaction for a %s, is decided anew, unless nobody knows whether it was applied: then it is repeated',
    async (code) => {
      const inTheWay = failed(cancelled('None', code));
      await expect(withinBudget.refreshRetryTokenForRetry(await first(), inTheWay)).rejects.toThrow();
      const third = await withinBudget.refreshRetryTokenForRetry(await second(), inTheWay);
      expect(third.getRetryCount()).toBe(2);
      const stale = failed(cancelled('ConditionalCheckFailed', code));
      await expect(withinBudget.refreshRetryTokenForRetry(await second(), stale)).rejects.toThrow();
    },
  );

  test('is repeated within the budget only, which began with the request that is being answered', async () => {
    await withUsage(async () => {
      now += BUDGET_MS - 100;
      const token = await withinBudget.refreshRetryTokenForRetry(await first(), passing);
      now += token.getRetryDelay() + 50;
      await expect(withinBudget.refreshRetryTokenForRetry(token, passing)).rejects.toThrow();
      const operation = contended(1, 200);
      await expect(retrying(operation)).rejects.toBe(contention);
    });
  });

  test('has a budget of its own where no request is being answered', async () => {
    const token = await first();
    now += BUDGET_MS + 1;
    await expect(withinBudget.refreshRetryTokenForRetry(token, passing)).rejects.toThrow();
    await expect(second()).resolves.toBeDefined();
  });
});
