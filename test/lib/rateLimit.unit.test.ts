import { describe, expect, test } from '@jest/globals';
import { limitError } from '../../lib/base/limit.ts';
import { RateLimiter } from '../../lib/rateLimit.ts';
import { usage, withUsage } from '../../lib/table/usageMeter.ts';
import { Fleet, type Load, mostAccepted, type Outcome } from '../support/fleet.ts';

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
