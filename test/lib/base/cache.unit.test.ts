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
afterEach(() => {
  jest.restoreAllMocks();
});

describe('a value', () => {
  test('is cached for 30 seconds', () => {
    expect(CACHE_MS).toBe(30_000);
    cache.set('a', 'one');
    setClock(START + CACHE_MS - 1);
    expect(cache.get('a')).toBe('one');
    setClock(START + CACHE_MS);
    expect(cache.get('a')).toBeUndefined();
  });

  test('is cached no longer than for its own time', () => {
    cache.set('a', 'one', 10);
    setClock(START + 9);
    expect(cache.get('a')).toBe('one');
    setClock(START + 10);
    expect(cache.get('a')).toBeUndefined();
  });

  test('is cached for 30 seconds even if its own time is longer', () => {
    cache.set('a', 'one', 2 * CACHE_MS);
    setClock(START + CACHE_MS);
    expect(cache.get('a')).toBeUndefined();
  });

  test('is not cached if its time is over', () => {
    cache.set('a', 'one', 0);
    expect(cache.get('a')).toBeUndefined();
  });

  test('is not returned for another key', () => {
    cache.set('a', 'one');
    cache.set('b', 'two');
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['one', 'two', undefined]);
  });

  test('replaces the previous value of its key, with a new expiry', () => {
    cache.set('a', 'one', 10);
    setClock(START + 5);
    cache.set('a', 'two');
    setClock(START + 5 + CACHE_MS - 1);
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

  test('evicts the value that was set first', () => {
    for (const key of ['a', 'b', 'c']) cache.set(key, key);
    expect(cached()).toEqual(['a', 'b', 'c']);
    cache.set('d', 'd');
    expect(cached()).toEqual(['b', 'c', 'd']);
  });

  test('keeps a value that was set again', () => {
    for (const key of ['a', 'b', 'c', 'a', 'd']) cache.set(key, key);
    expect(cached()).toEqual(['a', 'c', 'd']);
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

test('clear removes every value', () => {
  cache.set('a', 'one');
  cache.set('b', 'two');
  cache.clear();
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, undefined]);
});
