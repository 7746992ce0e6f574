import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { CACHE_MS, Cache } from '../../../lib/base/cache.ts';

const START = Date.parse('2026-03-01T12:00:00.000Z');

let kept: Cache<string>;
let setClock: (time: number) => void;
beforeEach(() => {
  kept = new Cache();
  const now = jest.spyOn(Date, 'now').mockReturnValue(START);
  setClock = (time) => void now.mockReturnValue(time);
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('a value', () => {
  test('is kept for 30 seconds', () => {
    expect(CACHE_MS).toBe(30_000);
    kept.set('a', 'one');
    setClock(START + CACHE_MS - 1);
    expect(kept.get('a')).toBe('one');
    setClock(START + CACHE_MS);
    expect(kept.get('a')).toBeUndefined();
  });

  test('is kept no longer than until the time that it is given', () => {
    kept.set('a', 'one', START + 10);
    setClock(START + 9);
    expect(kept.get('a')).toBe('one');
    setClock(START + 10);
    expect(kept.get('a')).toBeUndefined();
  });

  test('is kept for 30 seconds also if it is given a later time', () => {
    kept.set('a', 'one', START + 2 * CACHE_MS);
    setClock(START + CACHE_MS);
    expect(kept.get('a')).toBeUndefined();
  });

  test('is not kept at all if its time is over already', () => {
    kept.set('a', 'one', START);
    expect(kept.get('a')).toBeUndefined();
  });

  test('is not found by another name', () => {
    kept.set('a', 'one');
    kept.set('b', 'two');
    expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual(['one', 'two', undefined]);
  });

  test('replaces the one that had its name, and starts a time of its own', () => {
    kept.set('a', 'one', START + 10);
    setClock(START + 5);
    kept.set('a', 'two');
    setClock(START + 5 + CACHE_MS - 1);
    expect(kept.get('a')).toBe('two');
  });
});

describe('a value whose time is over does not come back when the clock is set back', () => {
  test('after somebody asked for it', () => {
    kept.set('a', 'one');
    setClock(START + CACHE_MS);
    kept.get('a');
    setClock(START);
    expect(kept.get('a')).toBeUndefined();
  });

  test('after another value was set, so that none stays in memory for nothing', () => {
    kept.set('a', 'one');
    setClock(START + CACHE_MS);
    kept.set('b', 'two');
    setClock(START);
    expect(kept.get('a')).toBeUndefined();
  });
});

test('clear forgets every value', () => {
  kept.set('a', 'one');
  kept.set('b', 'two');
  kept.clear();
  expect([kept.get('a'), kept.get('b')]).toEqual([undefined, undefined]);
});
