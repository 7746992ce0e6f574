import { describe, expect, test } from '@jest/globals';
import { atRandom, race, races, together } from '../../bench/race.ts';
import { BUDGET_MS } from '../../lib/table/retry.ts';

const RULES = [{ refusesConflicts: false }, { refusesConflicts: true }];
const timingOf = (rule: (typeof RULES)[number]) => ({ read: 5, write: 15, ...rule });

describe.each(RULES)('A race of the model, %p', (rule) => {
  const timing = timingOf(rule);
  /** Nothing differs between the creators: whatever they do, they do in step. */
  const inStep = { timing, spread: 0, pause: () => 0, seed: '' };

  test('of one creator takes one attempt, as long as a read and a write', () => {
    const outcome = race({ ...inStep, starts: together(1) });
    expect(outcome).toEqual({ created: 1, failed: 0, attempts: 1, seconds: 0.02 });
  });

  test('of creators one after the other has no losers', () => {
    const outcome = race({ ...inStep, starts: [0, 21, 42] });
    expect(outcome).toEqual({ created: 3, failed: 0, attempts: 3, seconds: 0.062 });
  });

  test.each([2, 7, 64])('of %d creators in step, without a pause, has one winner at a time', (creators) => {
    const outcome = race({ ...inStep, starts: together(creators) });
    const attempts = (creators * (creators + 1)) / 2;
    expect(outcome).toEqual({ created: creators, failed: 0, attempts, seconds: expect.closeTo(creators * 0.02, 9) });
  });

  test('of creators with several branches each, in step, has one winner at a time as well', () => {
    const outcome = race({ ...inStep, starts: together(3), each: 4 });
    expect(outcome.created).toBe(12);
    expect(outcome.seconds).toBeCloseTo(12 * 0.02, 9);
  });

  test('has a winner who is known when the write has ended: nobody who has read before', () => {
    // The second one reads while the first one writes.
    expect(race({ ...inStep, starts: [0, 6] }).attempts).toBe(3);
    expect(race({ ...inStep, starts: [0, 19.9] }).attempts).toBe(3);
  });

  test('lets pauses last as long as they are', () => {
    const outcome = race({ ...inStep, starts: together(2), pause: () => 1000 });
    expect(outcome).toEqual({ created: 2, failed: 0, attempts: 3, seconds: expect.closeTo(1.04, 9) });
  });

  test('tells pauses what lib/table/retry.ts would: which loss it was, how long it took, and what is left', () => {
    const losses: unknown[] = [];
    race({ ...inStep, starts: together(3), pause: (lost) => losses.push(lost) && 0 });
    expect(losses).toEqual([
      { attempt: 0, lasted: 20, left: BUDGET_MS - 20 },
      { attempt: 0, lasted: 20, left: BUDGET_MS - 20 },
      { attempt: 1, lasted: 20, left: BUDGET_MS - 40 },
    ]);
  });

  test('ends for a creator whose time budget ends', () => {
    const slow = { ...timing, write: BUDGET_MS - 5 };
    const outcome = race({ ...inStep, timing: slow, starts: together(3) });
    expect(outcome).toEqual({ created: 1, failed: 2, attempts: 3, seconds: BUDGET_MS / 1000 });
  });

  test('is the same for the same seed, and another one for another seed', () => {
    const of = (seed: string) => race({ timing, starts: together(16), each: 3, between: 20, providers: 2, seed });
    expect(of('1')).toEqual(of('1'));
    expect(of('2')).not.toEqual(of('1'));
  });

  test('of 64 creators is won by all of them, with six attempts each at the most, however slow the table is', () => {
    for (const factor of [0.5, 1, 2]) {
      const table = { ...timing, read: 5 * factor, write: 15 * factor };
      const { created, failed, attempts } = races(10, (seed) => race({ timing: table, starts: together(64), seed }));
      expect({ created, failed }).toEqual({ created: 640, failed: 0 });
      expect(attempts / created).toBeLessThanOrEqual(6);
    }
  });

  test('of two or four takes little more than their writes do', () => {
    const secondsOf = (creators: number) =>
      races(50, (seed) => race({ timing, starts: together(creators), seed })).seconds;
    expect(secondsOf(2)).toBeLessThan(0.12);
    expect(secondsOf(4)).toBeLessThan(0.3);
  });
});

describe('Creates of a distributor for several payment providers', () => {
  const compare = (rule: (typeof RULES)[number], providers: number) =>
    races(5, (seed) => race({ timing: timingOf(rule), starts: atRandom(30, 20, seed), providers, seed })).attempts;

  test('meet in its own list, and where conflicts are refused also in theirs', () => {
    const [stale, conflicts] = RULES as [(typeof RULES)[number], (typeof RULES)[number]];
    expect(compare(stale, 4) / compare(stale, 0)).toBeCloseTo(1, 1);
    expect(compare(conflicts, 4)).toBeGreaterThan(compare(conflicts, 0) * 1.1);
  });
});

test('Requests at random come as often as is asked for, each at a time of its own', () => {
  const starts = atRandom(40, 100, 'seed');
  expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  expect(new Set(starts).size).toBe(starts.length);
  expect(starts.length / 100).toBeGreaterThan(37);
  expect(starts.length / 100).toBeLessThan(43);
  expect(atRandom(40, 100, 'seed')).toEqual(starts);
});
