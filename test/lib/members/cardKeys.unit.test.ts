import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type CardKeys, keyedHashes, laterHashes, versionOf } from '../../../lib/members/cardKeys.ts';

const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex');

const chain = (keys: string[], isSettled: boolean): CardKeys => ({
  keys,
  isSettled,
  text: keys.join('\n'),
  id: 'version',
  now: () => 0,
  age: () => 0,
});

const FIRST = hmac('one', 'card_id\n5000');
const SECOND = `2.${hmac('two', FIRST)}`;
const THIRD = `3.${hmac('three', SECOND)}`;

describe('the hashes of a card_id', () => {
  test.each([
    ['with one key', ['one'], true, [FIRST]],
    ['with a new key that every process knows, begin with the newest', ['one', 'two'], true, [SECOND, FIRST]],
    ['with a new key that a process may not know, begin with the one before', ['one', 'two'], false, [FIRST, SECOND]],
    ['with three keys have all versions', ['one', 'two', 'three'], true, [THIRD, SECOND, FIRST]],
    ['with a third key that is new', ['one', 'two', 'three'], false, [SECOND, THIRD, FIRST]],
  ])('%s', (_, keys, isSettled, hashes) => {
    expect(keyedHashes('card_id', '5000', chain(keys, isSettled))).toEqual(hashes);
  });

  test('follow from a stored hash of any version, without the card_id', () => {
    const keys = chain(['one', 'two', 'three'], true);
    expect(laterHashes(FIRST, keys)).toEqual([SECOND, THIRD]);
    expect(laterHashes(SECOND, keys)).toEqual([THIRD]);
    expect(laterHashes(THIRD, keys)).toEqual([]);
    expect([FIRST, SECOND, THIRD].map(versionOf)).toEqual([1, 2, 3]);
  });
});
