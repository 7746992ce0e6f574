import { describe, expect, test } from '@jest/globals';
import { limitError } from '../../lib/base/limit.ts';
import { RateLimiter } from '../../lib/rateLimit.ts';
import { usage, withUsage } from '../../lib/table/usageMeter.ts';
import { Fleet, type Load, mostAccepted, type Outcome } from '../support/fleet.ts';

const PROCESSES = 50;
/** What a process accepts in each window on its own account. */
const OWN = 2;
/** 200 requests in each window of two seconds. */
const LIMIT = { rate: 100, burst: 200 };
const a: Load = { acquirer: 'a', limit: LIMIT, perSecond: 1000 };
const b: Load = { acquirer: 'b', limit: LIMIT, perSecond: 80 };

const total = ({ acceptedIn }: Outcome): number => [...acceptedIn.values()].reduce((sum, each) => sum + each, 0);

describe('50 processes together', () => {
  test('accept an acquirer at ten times its quota up to the quota and 2 per process, and refuse nothing of another within its own', async () => {
    const [over, within] = (await new Fleet(PROCESSES).run(60, [a, b])) as [Outcome, Outcome];
    expect(mostAccepted(over)).toBeLessThanOrEqual(LIMIT.burst + OWN * PROCESSES);
    // The quota is there to be used.
    expect(total(over)).toBeGreaterThanOrEqual(0.95 * 30 * LIMIT.burst);
    expect(over.refused).toBeGreaterThan(40_000);
    expect(within.calls).toBeGreaterThan(4_000);
    expect(within.refused).toBe(0);
  });

  test('never refuse the member checks of an acquirer for its import', async () => {
    const checks: Load = { ...a, share: 'member-checks', perSecond: 80 };
    const [imported, checked] = (await new Fleet(PROCESSES).run(60, [a, checks])) as [Outcome, Outcome];
    expect(imported.refused).toBeGreaterThan(0);
    expect(checked.refused).toBe(0);
  });

  test('ask the table nothing for an acquirer below one request a second per process', async () => {
    const fleet = new Fleet(PROCESSES);
    const [outcome] = (await fleet.run(120, [{ ...a, perSecond: 0.99 * PROCESSES, isEven: true }])) as [Outcome];
    expect(outcome.calls).toBeGreaterThan(5_900);
    expect([outcome.refused, fleet.items.size]).toEqual([0, 0]);
  });

  test.each([
    ['ten times the quota', LIMIT, 1000],
    ['10 requests a second per process', { rate: 600, burst: 1200 }, 500],
    ['16 requests a second per process', { rate: 1000, burst: 2000 }, 800],
    ['100 requests a second per process', { rate: 6000, burst: 12_000 }, 5000],
  ])('ask the table at most once for ten requests at %s', async (_, limit, perSecond) => {
    const [outcome] = (await new Fleet(PROCESSES).run(20, [{ acquirer: 'a', limit, perSecond }])) as [Outcome];
    expect(outcome.leases / outcome.calls).toBeLessThanOrEqual(0.1);
    // It is limited all the same.
    expect(outcome.leases).toBeGreaterThan(0);
  });

  test('accept no more in a window when their clocks differ by up to 5 seconds', async () => {
    const fleet = new Fleet(PROCESSES, { clockOff: (at) => ((at % 11) - 5) * 1000 });
    const [over, within] = (await fleet.run(60, [a, b])) as [Outcome, Outcome];
    // Each window's item still has but one quota; a process that is ahead uses it early.
    expect(total(over)).toBeLessThanOrEqual((30 + 5) * LIMIT.burst + 30 * OWN * PROCESSES);
    expect(over.refused).toBeGreaterThan(30_000);
    expect(within.refused).toBe(0);
  });

  test('accept everything while leases fail, keep why, and limit again from the next window on', async () => {
    const fleet = new Fleet(PROCESSES);
    const failures = await withUsage(async () => {
      fleet.failure = new Error('The table is out of reach');
      const [outage] = (await fleet.run(4, [a])) as [Outcome];
      expect(outage.refused).toBe(0);
      return usage().limiterFailures;
    });
    // At most one per process and window: no request is held up again until the window ends.
    expect(failures.length).toBeGreaterThan(PROCESSES);
    expect(failures.length).toBeLessThanOrEqual(2 * PROCESSES);
    expect(failures[0]).toBe(fleet.failure);

    fleet.failure = undefined;
    fleet.now += 2000;
    const [after] = (await fleet.run(4, [a])) as [Outcome];
    expect(after.refused).toBeGreaterThan(2_000);
  });

  test('follow a quota that changes while tokens are leased', async () => {
    const fleet = new Fleet(PROCESSES);
    const load: Load = { ...a, limit: { ...LIMIT } };
    const start = fleet.now;
    // In the middle of a window.
    const [over] = (await fleet.run(40, [load], (elapsed) => {
      if (elapsed >= 21_000) load.limit = { rate: 20, burst: 40 };
    })) as [Outcome];
    const later = [...over.acceptedIn].filter(([window]) => window >= start + 22_000).map(([, accepted]) => accepted);
    expect(later.length).toBeGreaterThan(5);
    expect(Math.max(...later)).toBeLessThanOrEqual(40 + OWN * PROCESSES);
    const during = over.acceptedIn.get(start + 20_000) ?? 0;
    expect(during).toBeLessThanOrEqual(LIMIT.burst + OWN * PROCESSES);
  });
});

describe('a window', () => {
  const limiterOf = (clock: { now: number }, lease: (tokens: number) => Promise<number>) =>
    new RateLimiter(
      (_, tokens) => lease(tokens),
      () => clock.now,
    );

  test('ends, and the next one begins with a full quota', async () => {
    const fleet = new Fleet(1);
    const limit = { rate: 2, burst: 4 };
    const verdicts = async () => {
      const all = await Promise.all(Array.from({ length: 10 }, () => fleet.send({ ...a, limit })));
      return all.filter(({ isAccepted }) => isAccepted).length;
    };
    expect(await verdicts()).toBe(limit.burst + OWN);
    expect(await verdicts()).toBe(0);
    fleet.now += 2000;
    expect(await verdicts()).toBe(limit.burst + OWN);
  });

  test('that changes while a lease is under way has the request decided in the new one', async () => {
    const clock = { now: 1_800_000_000_000 };
    let finish = (_: number) => {};
    const limiter = limiterOf(clock, () => new Promise((resolve) => (finish = resolve)));
    const limit = { rate: 1, burst: 2 };
    for (let sent = 0; sent < OWN; sent += 1) await limiter.take('a', 'requests', limit);
    const waiting = limiter.take('a', 'requests', limit);
    await Promise.resolve();
    await Promise.resolve();
    clock.now += 2000;
    // Nothing was left of the old one.
    finish(100);
    expect(await waiting).toEqual({
      ...{ isAccepted: true, share: 'requests', quota: 2, window: 2, remaining: 1, reset: 2 },
    });
  });

  test('that is used up goes on at once when the limit is raised', async () => {
    const fleet = new Fleet(1);
    const take = async (limit: Load['limit']) => (await fleet.send({ ...a, limit })).isAccepted;
    const low = { rate: 1, burst: 2 };
    for (let sent = 0; sent < low.burst + OWN; sent += 1) expect(await take(low)).toBe(true);
    expect(await take(low)).toBe(false);
    expect(await take({ rate: 5, burst: 10 })).toBe(true);
  });

  test('keeps its limit when two keys of an acquirer show two of different lengths', async () => {
    const fleet = new Fleet(1);
    const limits = [
      { rate: 10, burst: 20 },
      { rate: 10, burst: 50 },
    ];
    let accepted = 0;
    for (let sent = 0; sent < 400; sent += 1)
      for (const limit of limits) accepted += Number((await fleet.send({ ...a, limit })).isAccepted);
    expect(accepted).toBeLessThanOrEqual(20 + 50 + 2 * OWN);
    expect(accepted).toBeGreaterThanOrEqual(50);
  });

  test('has one lease for all requests that arrive at once', async () => {
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

  test('leases at most an eighth of what is left of it, and nothing once it is used up', async () => {
    const leases: number[] = [];
    const limiter = limiterOf({ now: 1_800_000_000_000 }, async (tokens) => {
      leases.push(tokens);
      return leases.reduce((sum, each) => sum + each, 0);
    });
    const limit = { rate: 8, burst: 80 };
    const all = await Promise.all(Array.from({ length: 100 }, () => limiter.take('a', 'requests', limit)));
    expect(all.filter(({ isAccepted }) => isAccepted)).toHaveLength(limit.burst + OWN);
    expect(leases).toEqual([10, 9, 8, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1]);
    await limiter.take('a', 'requests', limit);
    expect(leases).toHaveLength(23);
  });

  test('leases as many again in the first window, then as many as in the window before, then a quarter more', async () => {
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

  test('tells how much is left of it', async () => {
    const clock = { now: 1_800_000_000_500 };
    const limiter = limiterOf(clock, async (tokens) => 30 + tokens);
    const limit = { rate: 10, burst: 100 };
    const take = () => limiter.take('a', 'requests', limit);
    expect(await take()).toEqual({
      ...{ isAccepted: true, share: 'requests', quota: 100, window: 10, remaining: 99, reset: 10 },
    });
    clock.now += 9000;
    await take();
    // Others have leased 30, this process 2, of which one is left.
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
  ])('may be %j', (limit) => {
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
  ])('may not be %j', (limit) => {
    expect(limitError(limit)).toBe(
      `The rate must be a positive whole number and the burst a multiple of it, at most 60 times the rate: not ${limit.rate} and ${limit.burst}.`,
    );
  });
});
