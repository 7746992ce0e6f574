import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { CACHE_MS, Cache } from '../../../lib/base/cache.ts';

const START = Date.parse('2026-03-01T12:00:00.000Z');

let cache: Cache<string>;
let setClock: (time: number) => void;
beforeEach(() => {
  cache = new Cache();
  const now = jest.spyOn(Date, 'now').mockReturnValue(START);
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

  test('is cached no longer than until its expiry', () => {
    cache.set('a', 'one', START + 10);
    setClock(START + 9);
    expect(cache.get('a')).toBe('one');
    setClock(START + 10);
    expect(cache.get('a')).toBeUndefined();
  });

  test('is cached for 30 seconds even with a later expiry', () => {
    cache.set('a', 'one', START + 2 * CACHE_MS);
    setClock(START + CACHE_MS);
    expect(cache.get('a')).toBeUndefined();
  });

  test('is not cached if it has already expired', () => {
    cache.set('a', 'one', START);
    expect(cache.get('a')).toBeUndefined();
  });

  test('is not returned for another key', () => {
    cache.set('a', 'one');
    cache.set('b', 'two');
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['one', 'two', undefined]);
  });

  test('replaces the previous value of its key, with a new expiry', () => {
    cache.set('a', 'one', START + 10);
    setClock(START + 5);
    cache.set('a', 'two');
    setClock(START + 5 + CACHE_MS - 1);
    expect(cache.get('a')).toBe('two');
  });
});

describe('an expired value does not return when the clock is set back', () => {
  test('after it was requested', () => {
    cache.set('a', 'one');
    setClock(START + CACHE_MS);
    cache.get('a');
    setClock(START);
    expect(cache.get('a')).toBeUndefined();
  });

  test('after another value was set', () => {
    cache.set('a', 'one');
    setClock(START + CACHE_MS);
    cache.set('b', 'two');
    setClock(START);
    expect(cache.get('a')).toBeUndefined();
  });
});

test('clear removes every value', () => {
  cache.set('a', 'one');
  cache.set('b', 'two');
  cache.clear();
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, undefined]);
});
