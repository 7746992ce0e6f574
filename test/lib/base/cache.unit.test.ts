import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { CACHE_MS, Cache } from '../../../lib/base/cache.ts';

const START = 1_000;
const MOST = 3;

let cache: Cache<string>;
let setClock: (time: number) => void;
beforeEach(() => {
  cache = new Cache(MOST);
  const now = jest.spyOn(performance, 'now').mockReturnValue(START);
  setClock = (time) => void now.mockReturnValue(time);
});
afterEach(() => void jest.restoreAllMocks());

describe('a value', () => {
  test.each([
    ['30 seconds', undefined, 30_000],
    ['its own time', 10, 10],
    ['30 seconds even if its own time is longer', 60_000, 30_000],
  ])('is cached for %s', (_, own, expected) => {
    cache.set('a', 'one', own);
    setClock(START + expected - 1);
    expect(cache.get('a')).toBe('one');
    setClock(START + expected);
    expect(cache.get('a')).toBeUndefined();
  });

  test('is not cached if its time is over', () => {
    cache.set('a', 'one', 0);
    expect(cache.get('a')).toBeUndefined();
  });

  test('replaces the previous value of its key, with a new expiry', () => {
    cache.set('a', 'one', 10);
    cache.set('a', 'two');
    setClock(START + CACHE_MS - 1);
    expect(cache.get('a')).toBe('two');
  });

  test.each([-3_600_000, 3_600_000])('expires at the same time if the wall clock is changed by %i ms', (change) => {
    cache.set('a', 'one');
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + change);
    setClock(START + CACHE_MS - 1);
    expect(cache.get('a')).toBe('one');
    setClock(START + CACHE_MS);
    expect(cache.get('a')).toBeUndefined();
  });
});

describe('a full cache', () => {
  const cached = () => ['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key));

  test('evicts the value that was set first, and keeps one that was set again', () => {
    for (const key of ['a', 'b', 'c', 'a', 'd']) cache.set(key, key);
    expect(cached()).toEqual(['a', 'c', 'd']);
    cache.clear();
    expect(cached()).toEqual([]);
  });

  test('evicts expired values first', () => {
    for (const key of ['a', 'b', 'c']) cache.set(key, key, 10);
    setClock(START + 10);
    for (const key of ['d', 'e']) cache.set(key, key);
    setClock(START);
    // Expired values are gone, even for an earlier time.
    expect(cached()).toEqual(['d', 'e']);
  });
});
