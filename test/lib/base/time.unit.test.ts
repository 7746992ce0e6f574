import { expect, test } from '@jest/globals';
import { exists } from '../../../lib/base/time.ts';

test.each([
  ['2026-02-28T23:59:59Z', true],
  ['2024-02-29T00:00:00.000Z', true],
  ['2026-12-31 23:59:59+02:00', true],
  ['0026-02-01T00:00:00Z', true],
  ['2026-02-29T00:00:00Z', false],
  ['2026-02-30T00:00:00Z', false],
  ['2026-04-31 10:00:00-05:00', false],
  ['2026-00-10T00:00:00Z', false],
  ['2026-13-01T00:00:00Z', false],
  ['2026-02-28T24:00:00Z', false],
  ['2026-02-28T23:60:00Z', false],
])('the time %s exists: %s', (time, expected) => {
  expect(exists(time)).toBe(expected);
});
