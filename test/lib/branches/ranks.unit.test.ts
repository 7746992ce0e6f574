import { expect, test } from '@jest/globals';
import { SEALING } from '../../../lib/branches/ranks.ts';

test('seals rank more branches than creates add, although each branch can be in two lists', () => {
  expect(SEALING.probability * SEALING.most).toBeGreaterThan(2);
});
