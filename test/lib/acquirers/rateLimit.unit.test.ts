import { describe, expect, test } from '@jest/globals';
import { RateLimiter } from '../../../lib/acquirers/rateLimit.ts';
import { limitError } from '../../../lib/base/limit.ts';
import { usage, withUsage } from '../../../lib/table/usageMeter.ts';
import { Fleet, type Load, mostAccepted, type Outcome } from '../../support/fleet.ts';

const PROCESSES = 50;
/** Requests that a process accepts in each window without a lease. */
const UNLEASED = 2;
/** 200 requests in each window of two seconds. */
const LIMIT = { rate: 100, burst: 200 };
const a: Load = { acquirer: 'a', limit: LIMIT, perSecond: 1000 };
const b: Load = { acquirer: 'b', limit: LIMIT, perSecond: 80 };

const total = ({ acceptedIn }: Outcome): number => [...acceptedIn.values()].reduce((sum, each) => sum + each, 0);

describe('50 processes together', () => {
  test('accept at most the quota plus 2 requests per process at ten times the quota, and reject nothing within the quota', async () => {
    const [over, within] = (await new Fleet(PROCESSES).run(60, [a, b])) as [Outcome, Outcome];
    expect(mostAccepted(over)).toBeLessThanOrEqual(LIMIT.burst + UNLEASED * PROCESSES);
    // The quota is also used.
    expect(total(over)).toBeGreaterThanOrEqual(0.95 * 30 * LIMIT.burst);
    expect(over.rejected).toBeGreaterThan(40_000);
    expect(within.calls).toBeGreaterThan(4_000);
    expect(within.rejected).toBe(0);
  });

  test('never reject the member checks of an acquirer because of its other requests', async () => {
    const checks: Load = { ...a, share: 'member-checks', perSecond: 80 };
    const [imported, checked] = (await new Fleet(PROCESSES).run(60, [a, checks])) as [Outcome, Outcome];
    expect(imported.rejected).toBeGreaterThan(0);
    expect(checked.rejected).toBe(0);
  });

  test('send the table no request for an acquirer below one request a second per process', async () => {
    const fleet = new Fleet(PROCESSES);
    const [outcome] = (await fleet.run(120, [{ ...a, perSecond: 0.99 * PROCESSES, isEven: true }])) as [Outcome];
    expect(outcome.calls).toBeGreaterThan(5_900);
    expect([outcome.rejected, fleet.items.size]).toEqual([0, 0]);
  });

  test.each([
    ['ten times the quota', LIMIT, 1000],
    ['10 requests a second per process', { rate: 600, burst: 1200 }, 500],
    ['16 requests a second per process', { rate: 1000, burst: 2000 }, 800],
    ['100 requests a second per process', { rate: 6000, burst: 12_000 }, 5000],
  ])('send at most one table request for ten requests at %s', async (_, limit, perSecond) => {
    const [outcome] = (await new Fleet(PROCESSES).run(20, [{ acquirer: 'a', limit, perSecond }])) as [Outcome];
    expect(outcome.leases / outcome.calls).toBeLessThanOrEqual(0.1);
    // The limit still applies.
    expect(outcome.leases).toBeGreaterThan(0);
  });

  test('accept at most five quotas more in total when their clocks differ by up to 5 seconds', async () => {
    const fleet = new Fleet(PROCESSES, { clockOff: (at) => ((at % 11) - 5) * 1000 });
    const [over, within] = (await fleet.run(60, [a, b])) as [Outcome, Outcome];
    // Each window's item still has a single quota, but a process whose clock is ahead uses it early.
    expect(total(over)).toBeLessThanOrEqual((30 + 5) * LIMIT.burst + 30 * UNLEASED * PROCESSES);
    expect(over.rejected).toBeGreaterThan(30_000);
    expect(within.rejected).toBe(0);
  });

  test('accept every request while leases fail, report why, and limit again from the next window on', async () => {
    const fleet = new Fleet(PROCESSES);
    const failures = await withUsage(async () => {
      fleet.failure = new Error('The table is out of reach');
      const [outage] = (await fleet.run(4, [a])) as [Outcome];
      expect(outage.rejected).toBe(0);
      return usage().limiterFailures;
    });
    // At most one per process and window: no other request waits until the window ends.
    expect(failures.length).toBeGreaterThan(PROCESSES);
    expect(failures.length).toBeLessThanOrEqual(2 * PROCESSES);
    expect(failures[0]).toBe(fleet.failure);

    fleet.failure = undefined;
    fleet.now += 2000;
    const [after] = (await fleet.run(4, [a])) as [Outcome];
    expect(after.rejected).toBeGreaterThan(2_000);
  });

  test('apply a changed quota while tokens are leased', async () => {
    const fleet = new Fleet(PROCESSES);
    const load: Load = { ...a, limit: { ...LIMIT } };
    const start = fleet.now;
    // In the middle of a window.
    const [over] = (await fleet.run(40, [load], (elapsed) => {
      if (elapsed >= 21_000) load.limit = { rate: 20, burst: 40 };
    })) as [Outcome];
    const later = [...over.acceptedIn].filter(([window]) => window >= start + 22_000).map(([, accepted]) => accepted);
    expect(later.length).toBeGreaterThan(5);
    expect(Math.max(...later)).toBeLessThanOrEqual(40 + UNLEASED * PROCESSES);
    const during = over.acceptedIn.get(start + 20_000) ?? 0;
    expect(during).toBeLessThanOrEqual(LIMIT.burst + UNLEASED * PROCESSES);
  });
});

describe('a window', () => {
  const limiterOf = (clock: { now: number }, lease: (tokens: number) => Promise<number>) =>
    new RateLimiter(
      (_, tokens) => lease(tokens),
      () => clock.now,
    );

  test('starts with a full quota when the previous one ends', async () => {
    const fleet = new Fleet(1);
    const limit = { rate: 2, burst: 4 };
    const accepted = async () => {
      const all = await Promise.all(Array.from({ length: 10 }, () => fleet.send({ ...a, limit })));
      return all.filter(({ isAccepted }) => isAccepted).length;
    };
    expect(await accepted()).toBe(limit.burst + UNLEASED);
    expect(await accepted()).toBe(0);
    fleet.now += 2000;
    expect(await accepted()).toBe(limit.burst + UNLEASED);
  });

  test('that ends while a lease is in flight leaves the request to the next one', async () => {
    const clock = { now: 1_800_000_000_000 };
    let finish = (_: number) => {};
    const limiter = limiterOf(clock, () => new Promise((resolve) => (finish = resolve)));
    const limit = { rate: 1, burst: 2 };
    for (let sent = 0; sent < UNLEASED; sent += 1) await limiter.take('a', 'requests', limit);
    const waiting = limiter.take('a', 'requests', limit);
    await Promise.resolve();
    await Promise.resolve();
    clock.now += 2000;
    // The previous window had nothing left.
    finish(100);
    expect(await waiting).toEqual({
      isAccepted: true,
      share: 'requests',
      quota: 2,
      window: 2,
      remaining: 1,
      reset: 2,
    });
  });

  test('that is used up accepts requests again as soon as the limit is raised', async () => {
    const fleet = new Fleet(1);
    const take = async (limit: Load['limit']) => (await fleet.send({ ...a, limit })).isAccepted;
    const low = { rate: 1, burst: 2 };
    for (let sent = 0; sent < low.burst + UNLEASED; sent += 1) expect(await take(low)).toBe(true);
    expect(await take(low)).toBe(false);
    expect(await take({ rate: 5, burst: 10 })).toBe(true);
  });

  test('is limited when two keys of an acquirer have cached limits with different windows', async () => {
    const fleet = new Fleet(1);
    const limits = [
      { rate: 10, burst: 20 },
      { rate: 10, burst: 50 },
    ];
    let accepted = 0;
    for (let sent = 0; sent < 400; sent += 1)
      for (const limit of limits) accepted += Number((await fleet.send({ ...a, limit })).isAccepted);
    expect(accepted).toBeLessThanOrEqual(20 + 50 + 2 * UNLEASED);
    expect(accepted).toBeGreaterThanOrEqual(50);
  });

  test('has a single lease for all concurrent requests', async () => {
    const leases: number[] = [];
    const limiter = limiterOf({ now: 1_800_000_000_000 }, async (tokens) => {
      leases.push(tokens);
      return leases.reduce((sum, each) => sum + each, 0);
    });
    const limit = { rate: 1000, burst: 2000 };
    const all = await Promise.all(Array.from({ length: 100 }, () => limiter.take('a', 'requests', limit)));
    expect(all.every(({ isAccepted }) => isAccepted)).toBe(true);
    expect(leases).toEqual([98]);
  });

  test('leases at most an eighth of the remaining quota, and nothing when none remains', async () => {
    const leases: number[] = [];
    const limiter = limiterOf({ now: 1_800_000_000_000 }, async (tokens) => {
      leases.push(tokens);
      return leases.reduce((sum, each) => sum + each, 0);
    });
    const limit = { rate: 8, burst: 80 };
    const all = await Promise.all(Array.from({ length: 100 }, () => limiter.take('a', 'requests', limit)));
    expect(all.filter(({ isAccepted }) => isAccepted)).toHaveLength(limit.burst + UNLEASED);
    expect(leases).toEqual([10, 9, 8, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1]);
    await limiter.take('a', 'requests', limit);
    expect(leases).toHaveLength(23);
  });

  test('doubles leases in the first window; later windows start with the previous usage, then add a quarter', async () => {
    const clock = { now: 1_800_000_000_000 };
    let leases: number[] = [];
    const limiter = limiterOf(clock, async (tokens) => {
      leases.push(tokens);
      return leases.reduce((sum, each) => sum + each, 0);
    });
    const leasesFor = async (requests: number) => {
      leases = [];
      for (let sent = 0; sent < requests; sent += 1) await limiter.take('a', 'requests', { rate: 1000, burst: 2000 });
      return leases;
    };
    expect(await leasesFor(10)).toEqual([2, 4, 8]);
    clock.now += 2000;
    expect(await leasesFor(14)).toEqual([8, 3, 4]);
  });

  test('reports its remaining quota', async () => {
    const clock = { now: 1_800_000_000_500 };
    const limiter = limiterOf(clock, async (tokens) => 30 + tokens);
    const limit = { rate: 10, burst: 100 };
    const take = () => limiter.take('a', 'requests', limit);
    expect(await take()).toEqual({
      isAccepted: true,
      share: 'requests',
      quota: 100,
      window: 10,
      remaining: 99,
      reset: 10,
    });
    clock.now += 9000;
    await take();
    // Others have leased 30, this process 2, of which one remains.
    expect(await take()).toMatchObject({ isAccepted: true, remaining: 69, reset: 1 });
  });
});

describe('a change', () => {
  const LIMIT_OF_20 = { rate: 10, burst: 20 };
  const now = () => 1_800_000_000_000;
  const change = (tokens: number) => ({ tokens, isChange: true });

  /** Processes that share a table of leases, of which others have taken some tokens. */
  const processes = (count: number, others = 0) => {
    const leases: number[] = [];
    const lease = async (_: unknown, tokens: number) => {
      leases.push(tokens);
      return leases.reduce((sum, each) => sum + each, others);
    };
    const limiters = Array.from({ length: count }, () => new RateLimiter(lease, now));
    return { leases, take: (at: number, wanted = {}) => limiters[at]?.take('a', 'requests', LIMIT_OF_20, wanted) };
  };

  test('takes all its tokens or none, and leases nothing that it cannot get', async () => {
    const { leases, take } = processes(1);
    expect(await take(0, change(12))).toMatchObject({ isAccepted: true, remaining: 8 });
    expect(await take(0, change(12))).toMatchObject({ isAccepted: false, remaining: 8 });
    expect(await take(0, change(8))).toMatchObject({ isAccepted: true, remaining: 0 });
    expect(leases).toEqual([12, 8]);
  });

  test('leaves leased tokens that do not suffice to smaller requests', async () => {
    const { leases, take } = processes(1, 15);
    expect(await take(0, change(12))).toMatchObject({ isAccepted: false, remaining: 5 });
    expect(await take(0, change(5))).toMatchObject({ isAccepted: true, remaining: 0 });
    expect(leases).toEqual([12]);
  });

  test('can take the whole quota of a new window, and no more', async () => {
    expect(await processes(1).take(0, change(20))).toMatchObject({ isAccepted: true, remaining: 0 });
    expect(await processes(1).take(0, change(21))).toMatchObject({ isAccepted: false, remaining: 20 });
  });

  test('is always leased, so that the quota holds in any number of processes', async () => {
    const { take } = processes(50);
    const all = [];
    for (let sent = 0; sent < 150; sent += 1) all.push(await take(sent % 50, change(1)));
    expect(all.filter((allowance) => allowance?.isAccepted)).toHaveLength(LIMIT_OF_20.burst);
  });

  test('that waits for a lease together with others gets its tokens', async () => {
    const { leases, take } = processes(1);
    const all = await Promise.all([1, 9, 2, 7].map((tokens) => take(0, change(tokens))));
    expect(all.map((allowance) => allowance?.isAccepted)).toEqual([true, true, true, true]);
    expect(leases.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(LIMIT_OF_20.burst);
  });
});

describe('while leases fail', () => {
  const limit = { rate: 10, burst: 20 };

  /** A process that sends changes, one after the other, and how many of them it accepts. */
  const newProcess = () => {
    const state = { now: 1_800_000_000_000, failure: undefined as Error | undefined, leases: 0, taken: 0 };
    const lease = async (_: unknown, tokens: number) => {
      state.leases += 1;
      if (state.failure) throw state.failure;
      state.taken += tokens;
      return state.taken;
    };
    const limiter = new RateLimiter(lease, () => state.now);
    const accepted = async (requests: number, wanted: object) => {
      let count = 0;
      for (let sent = 0; sent < requests; sent += 1)
        count += Number((await limiter.take('a', 'requests', limit, wanted)).isAccepted);
      return count;
    };
    const nextWindow = () => {
      state.now += 2000;
      state.taken = 0;
    };
    return { state, accepted, nextWindow };
  };
  const throttled = (name = 'ProvisionedThroughputExceededException') => Object.assign(new Error('slow'), { name });

  test.each(['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded'])(
    'by %s, a process keeps to its share of the previous window and leases no more',
    async (name) => {
      const { state, accepted, nextWindow } = newProcess();
      await withUsage(async () => {
        expect(await accepted(3, { tokens: 4, isChange: true })).toBe(3);
        state.failure = throttled(name);
        for (let window = 1; window <= 3; window += 1) {
          nextWindow();
          state.leases = 0;
          expect(await accepted(10, { tokens: 4, isChange: true })).toBe(3);
          expect(state.leases).toBe(1);
          expect(usage().limiterFailures).toHaveLength(window);
        }
        state.failure = undefined;
        nextWindow();
        expect(await accepted(10, { tokens: 4, isChange: true })).toBe(5);
      });
    },
  );

  test('by throttling, a process without a previous window accepts two reads and no change', async () => {
    const { state, accepted } = newProcess();
    state.failure = throttled();
    expect(await accepted(10, { isChange: true })).toBe(0);
    expect(await accepted(10, {})).toBe(UNLEASED);
    expect(state.leases).toBe(1);
  });

  test('by throttling in the middle of a window, a process counts what it accepted before', async () => {
    const { state, accepted, nextWindow } = newProcess();
    expect(await accepted(12, {})).toBe(12);
    nextWindow();
    expect(await accepted(UNLEASED, {})).toBe(UNLEASED);
    state.failure = throttled();
    expect(await accepted(20, {})).toBe(10);
  });

  test('for any other reason, a process accepts every request', async () => {
    const { state, accepted, nextWindow } = newProcess();
    state.failure = Object.assign(new Error('No response'), { name: 'TimeoutError' });
    expect(await accepted(50, { tokens: 4, isChange: true })).toBe(50);
    expect(state.leases).toBe(1);
    state.failure = undefined;
    nextWindow();
    expect(await accepted(50, { tokens: 4, isChange: true })).toBe(5);
  });
});

describe('a limit', () => {
  test('may not be negative, even if its window is valid', () => {
    expect(limitError({ rate: -1, burst: -2 })).toBe(
      'The rate must be a positive whole number and the burst a multiple of it, at most 60 times the rate: not -1 and -2.',
    );
  });

  test.each([
    { rate: 1, burst: 1 },
    { rate: 100, burst: 200 },
    { rate: 100, burst: 6000 },
  ])('accepts %j', (limit) => {
    expect(limitError(limit)).toBeUndefined();
  });

  test.each([
    { rate: 0, burst: 0 },
    { rate: 100, burst: 50 },
    { rate: 100, burst: 250 },
    { rate: 100, burst: 6100 },
    { rate: 0.5, burst: 1 },
    { rate: -1, burst: 2 },
    { rate: Number.NaN, burst: 2 },
  ])('rejects %j', (limit) => {
    expect(limitError(limit)).toBe(
      `The rate must be a positive whole number and the burst a multiple of it, at most 60 times the rate: not ${limit.rate} and ${limit.burst}.`,
    );
  });
});
