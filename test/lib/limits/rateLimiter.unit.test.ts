import { describe, expect, test } from '@jest/globals';
import { inRequest, requestContext } from '../../../lib/aws/requestContext.ts';
import { type Limit, limitError } from '../../../lib/base/rateAndBurst.ts';
import { type Lease, RateLimiter } from '../../../lib/limits/rateLimiter.ts';
import { named } from '../table/errors.ts';

const PROCESSES = 50;
/** Requests that a process accepts in each window without a lease. */
const UNLEASED = 2;
/** 200 requests in each window of two seconds. */
const LIMIT = { rate: 100, burst: 200 };

/** Processes that lease from the same table. Other processes have taken some tokens of the first window. */
function newProcesses(limit: Limit, { count = 1, others = 0, clockOff = (_: number): number => 0 } = {}) {
  const table = {
    now: 1_800_000_000_000,
    leases: [] as number[],
    /** Tokens that were leased, by the key of their window. */
    items: new Map<string, number>(),
    failure: undefined as Error | undefined,
    isDone: Promise.resolve(),
  };
  let before = others;
  const lease: Lease = async ({ pk }, tokens) => {
    table.leases.push(tokens);
    if (table.failure) throw table.failure;
    const taken = (table.items.get(pk) ?? before) + tokens;
    table.items.set(pk, taken);
    await table.isDone;
    return taken;
  };
  const limiters = Array.from({ length: count }, (_, at) => new RateLimiter(lease, () => table.now + clockOff(at)));
  let next = 0;
  /** Each request goes to the next process. */
  const take = (wanted = {}, own = limit) =>
    (limiters[next++ % count] as RateLimiter).take({ owner: 'a', share: 'requests', limit: { ...own } }, wanted);
  const acceptedOf = (all: Awaited<ReturnType<typeof take>>[]) => all.filter(({ isAccepted }) => isAccepted).length;
  return {
    table,
    take,
    nextWindow() {
      before = 0;
      Object.assign(table, { now: table.now + (1000 * limit.burst) / limit.rate, leases: [] });
    },
    /** Sends requests one after the other, and returns how many are accepted. */
    async accepted(requests: number, wanted = {}) {
      const all = [];
      for (let sent = 0; sent < requests; sent += 1) all.push(await take(wanted));
      return acceptedOf(all);
    },
    acceptedAtOnce: async (...all: object[]) => acceptedOf(await Promise.all(all.map((each) => take(each)))),
  };
}
const requests = (count: number): object[] => Array(count).fill({});

describe('50 processes together', () => {
  test('accept the quota of each window and 2 requests per process, however many they get', async () => {
    const { accepted, nextWindow } = newProcesses(LIMIT, { count: PROCESSES });
    for (let window = 1; window <= 3; window += 1) {
      expect(await accepted(2_000)).toBe(LIMIT.burst + UNLEASED * PROCESSES);
      nextWindow();
    }
  });

  test('send the table no request for an acquirer below one request a second per process', async () => {
    const { table, accepted, nextWindow } = newProcesses(LIMIT, { count: PROCESSES });
    for (let window = 1; window <= 3; window += 1) {
      expect(await accepted(UNLEASED * PROCESSES)).toBe(UNLEASED * PROCESSES);
      nextWindow();
    }
    expect(table.items.size).toBe(0);
  });

  test('accept at most five quotas more in total when their clocks differ by up to 5 seconds', async () => {
    const clockOff = (at: number) => ((at % 11) - 5) * 1000;
    const { table, accepted } = newProcesses(LIMIT, { count: PROCESSES, clockOff });
    let total = 0;
    for (let tenth = 0; tenth < 200; tenth += 1, table.now += 100) total += await accepted(100);
    // Each window's item still has a single quota, but a process whose clock is ahead uses it early.
    expect(total).toBeLessThanOrEqual((10 + 5) * LIMIT.burst + 10 * UNLEASED * PROCESSES);
  });
});

test('a flood is kept by as many processes as the quota has tokens, whatever their number, and is served its quota', async () => {
  const limit = { rate: 10, burst: 10 };
  for (const count of [1, 10, 200]) {
    const { take, nextWindow } = newProcesses(limit, { count });
    for (let window = 1; window <= 3; window += 1) {
      const all = [];
      for (let sent = 0; sent < 5 * count + 20; sent += 1)
        all.push({ ...(await take({ isLeased: true })), by: sent % count });
      const keepers = all.filter(({ isAccepted, excess, quota }) => !isAccepted && excess <= quota).map(({ by }) => by);
      expect(all.filter(({ isAccepted }) => isAccepted)).toHaveLength(limit.burst);
      expect(new Set(keepers).size).toBeLessThanOrEqual(limit.burst + 1);
      expect(keepers.length).toBeGreaterThan(0);
      nextWindow();
    }
  }
});

describe('a window', () => {
  test('starts with a full quota when the previous one ends', async () => {
    const { acceptedAtOnce, nextWindow } = newProcesses({ rate: 2, burst: 4 });
    expect(await acceptedAtOnce(...requests(10))).toBe(4 + UNLEASED);
    expect(await acceptedAtOnce(...requests(10))).toBe(0);
    nextWindow();
    expect(await acceptedAtOnce(...requests(10))).toBe(4 + UNLEASED);
  });

  test('that ends while a lease is in flight leaves the request to the next one', async () => {
    // Nothing is left of the first window.
    const { table, take, accepted, nextWindow } = newProcesses({ rate: 1, burst: 2 }, { others: 2 });
    const { promise, resolve } = Promise.withResolvers<void>();
    table.isDone = promise;
    await accepted(UNLEASED);
    const waiting = take();
    await new Promise(setImmediate);
    expect(table.leases).toEqual([1]);
    nextWindow();
    resolve();
    const allowance = { share: 'requests', quota: 2, window: 2, remaining: 1, reset: 2 };
    expect(await waiting).toMatchObject({ isAccepted: true, ...allowance });
  });

  test('follows a limit that is lowered while tokens are leased, or raised when they are used up', async () => {
    const limit = { rate: 10, burst: 20 };
    const { accepted } = newProcesses(limit);
    expect(await accepted(10)).toBe(10);
    Object.assign(limit, { rate: 5, burst: 10 });
    expect(await accepted(10)).toBeLessThanOrEqual(UNLEASED);
    Object.assign(limit, { rate: 20, burst: 40 });
    expect(await accepted(1)).toBe(1);
  });

  test('is limited when two keys of an acquirer have cached limits with different windows', async () => {
    const { table, take } = newProcesses(LIMIT);
    // The windows begin at different times.
    table.now += 2500;
    let accepted = 0;
    for (let sent = 0; sent < 400; sent += 1)
      for (const burst of [20, 50]) accepted += Number((await take({}, { rate: 10, burst })).isAccepted);
    expect(accepted).toBeLessThanOrEqual(20 + 50 + 2 * UNLEASED);
    expect(accepted).toBeGreaterThanOrEqual(50);
  });

  test('leases at most an eighth of the remaining quota, and nothing when none remains', async () => {
    const { table, accepted } = newProcesses({ rate: 8, burst: 80 });
    expect(await accepted(100)).toBe(80 + UNLEASED);
    const leases = [2, 4, 8, 9, 8, 7, 6, 5, 4, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1];
    expect(table.leases).toEqual(leases);
    expect(await accepted(1)).toBe(0);
    expect(table.leases).toEqual(leases);
  });

  test('doubles leases in the first window; later ones start with the last usage, then add a quarter', async () => {
    const { table, accepted, nextWindow } = newProcesses({ rate: 1000, burst: 2000 });
    await accepted(10);
    expect(table.leases).toEqual([2, 4, 8]);
    nextWindow();
    await accepted(14);
    expect(table.leases).toEqual([8, 3, 4]);
  });
});

describe('a change', () => {
  const LIMIT_OF_20 = { rate: 10, burst: 20 };
  const change = (tokens: number) => ({ tokens, isLeased: true });

  test('takes all its tokens or none, and leases nothing that it cannot get', async () => {
    const { table, take } = newProcesses(LIMIT_OF_20);
    expect(await take(change(12))).toMatchObject({ isAccepted: true, remaining: 8 });
    expect(await take(change(12))).toMatchObject({ isAccepted: false, remaining: 8 });
    expect(await take(change(8))).toMatchObject({ isAccepted: true, remaining: 0 });
    expect(table.leases).toEqual([12, 8]);
  });

  test('is always leased, so that the quota holds in any number of processes', async () => {
    expect(await newProcesses(LIMIT_OF_20, { count: 50 }).accepted(150, change(1))).toBe(20);
  });

  test('that waits for a lease together with others gets its tokens', async () => {
    const { table, acceptedAtOnce } = newProcesses(LIMIT_OF_20);
    expect(await acceptedAtOnce(...[1, 9, 2, 7].map(change))).toBe(4);
    expect(Math.max(...table.items.values())).toBeLessThanOrEqual(20);
  });
});

describe('while leases fail', () => {
  const limit = { rate: 10, burst: 20 };
  const change = { tokens: 4, isLeased: true };
  const throttled = () => named('ProvisionedThroughputExceededException');

  test.each(['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded'])(
    'by %s, a process keeps to its share of the previous window and leases no more',
    async (name) => {
      const { table, accepted, nextWindow } = newProcesses(limit);
      await inRequest(async () => {
        expect(await accepted(3, change)).toBe(3);
        table.failure = named(name);
        for (const [at, requests] of [10, 1, 10].entries()) {
          nextWindow();
          expect(await accepted(requests, change)).toBe(Math.min(requests, 3));
          expect(table.leases).toHaveLength(1);
          expect(requestContext().failures.limiter).toHaveLength(at + 1);
        }
        table.failure = undefined;
        nextWindow();
        expect(await accepted(10, change)).toBe(5);
      });
    },
  );

  test('by throttling in the middle of a window, a process counts what it accepted before', async () => {
    const { table, accepted, nextWindow } = newProcesses(limit);
    expect(await accepted(12)).toBe(12);
    nextWindow();
    expect(await accepted(UNLEASED)).toBe(UNLEASED);
    table.failure = throttled();
    expect(await accepted(20)).toBe(10);
  });

  test('for any other reason, a process accepts every request until the window ends', async () => {
    const { table, accepted, nextWindow } = newProcesses(limit);
    table.failure = named('TimeoutError');
    expect(await accepted(50, change)).toBe(50);
    expect(table.leases).toHaveLength(1);
    table.failure = undefined;
    nextWindow();
    expect(await accepted(50, change)).toBe(5);
  });
});

describe('a limit', () => {
  test('accepts a burst of 1 to 60 times the rate', () => {
    for (const [rate, burst] of [
      [1, 1],
      [100, 200],
      [100, 6000],
    ] as const)
      expect(limitError({ rate, burst })).toBeUndefined();
  });

  test.each([
    [0, 0],
    [100, 50],
    [100, 250],
    [100, 6100],
    [0.5, 1],
    [-1, 2],
    // Its window would be valid.
    [-1, -2],
    [Number.NaN, 2],
  ])('rejects a rate of %d and a burst of %d', (rate, burst) => {
    expect(limitError({ rate, burst })).toBe(
      `The rate must be a positive whole number and the burst a multiple of it, at most 60 times the rate: not ` +
        `${rate} and ${burst}.`,
    );
  });
});

describe('a request that is settled', () => {
  const LIMIT_OF_80 = { rate: 40, burst: 80 };
  const wanting = (tokens: number) => ({ tokens, isLeased: true });

  test('leaves what it did not use to its process, up to an eighth of the quota, and returns the rest', async () => {
    const { table, take, accepted } = newProcesses(LIMIT_OF_80);
    const allowance = await take(wanting(8));
    await allowance.settle(7);
    expect([table.leases, allowance.remaining]).toEqual([[8], 79]);
    expect(await accepted(7, wanting(1))).toBe(7);
    expect(table.leases).toEqual([8]);
    await (await take(wanting(40))).settle(39);
    expect(table.leases).toEqual([8, 40, -29]);
    expect([...table.items.values()]).toEqual([19]);
  });

  test('returns nothing to a window that has ended', async () => {
    const { table, take, nextWindow } = newProcesses(LIMIT_OF_80);
    const allowance = await take(wanting(40));
    nextWindow();
    await allowance.settle(39);
    expect(table.leases).toEqual([]);
  });

  test('takes what it used beyond that from the next requests of all processes', async () => {
    const { take, accepted, nextWindow } = newProcesses(LIMIT_OF_80, { count: 3 });
    await (await take(wanting(1))).settle(-49);
    expect(await accepted(80, wanting(1))).toBe(30);
    nextWindow();
    expect(await accepted(100, wanting(1))).toBe(80);
  });

  test('takes what a window has not left from the next ones, behind what others owe', async () => {
    const { take, table, accepted, nextWindow } = newProcesses(LIMIT_OF_80, { count: 8 });
    const all = await Promise.all(Array.from({ length: 8 }, () => take(wanting(10))));
    // Each used 45, so 280 are owed: three windows and a half.
    for (const allowance of all) await allowance.settle(-35);
    expect(table.leases.length).toBeLessThanOrEqual(8 + 3 * 8);
    for (const left of [0, 0, 0, 40, 80]) {
      nextWindow();
      expect(await accepted(100, wanting(1))).toBe(left);
    }
  });

  test('does not fail if that cannot be stored, which is logged', async () => {
    const { table, take } = newProcesses(LIMIT_OF_80);
    await inRequest(async () => {
      const allowance = await take(wanting(1));
      table.failure = named('TimeoutError');
      await allowance.settle(-9);
      expect(requestContext().failures.limiter).toHaveLength(1);
    });
  });
});

describe('50 processes whose requests state little and use much', () => {
  const STATED = 2;
  const USED = 12;
  const AT_ONCE = 64;

  test('use no more than the quota of the windows, and once what those at the same time use beyond it', async () => {
    const { take, nextWindow } = newProcesses(LIMIT, { count: PROCESSES });
    let used = 0;
    const WINDOWS = 60;
    for (let window = 1; window <= WINDOWS; window += 1) {
      // In each window, as many as are accepted, 64 at once.
      for (let accepted = AT_ONCE; accepted === AT_ONCE; ) {
        const all = await Promise.all(Array.from({ length: AT_ONCE }, () => take({ tokens: STATED, isLeased: true })));
        const running = all.filter(({ isAccepted }) => isAccepted);
        accepted = running.length;
        used += accepted * USED;
        for (const { settle } of running) await settle(STATED - USED);
      }
      nextWindow();
    }
    expect(used).toBeGreaterThan(0.9 * WINDOWS * LIMIT.burst);
    expect(used).toBeLessThanOrEqual(WINDOWS * LIMIT.burst + AT_ONCE * (USED - STATED));
  });
});
