import { afterEach, expect, jest, test } from '@jest/globals';
import { pauseAfter } from '../../../lib/webhooks/schedule.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const failed = { status: 500, at: 4 * DAY, failing_since: 4 * DAY, failures: 1 };

afterEach(() => void jest.restoreAllMocks());
const random = (value: number) => jest.spyOn(Math, 'random').mockReturnValue(value);

test('attempts follow after 5 s, 30 s, 2, 10 and 30 minutes, then hourly', () => {
  random(0);
  const pauses = [1, 2, 3, 4, 5, 6, 7, 70].map((failures) => pauseAfter({ ...failed, failures }));
  expect(pauses).toEqual([5_000, 30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, HOUR, HOUR]);
});

test('each at most a tenth later', () => {
  random(0.999_999_9);
  expect(pauseAfter(failed)).toBe(5_500);
  expect(pauseAfter({ ...failed, failures: 9 })).toBe(66 * MINUTE);
});

test('not before Retry-After asks for, up to an hour', () => {
  random(0);
  expect(pauseAfter({ ...failed, status: 429, retry_after_s: 90 })).toBe(90_000);
  expect(pauseAfter({ ...failed, retry_after_s: 1 })).toBe(5_000);
  expect(pauseAfter({ ...failed, status: 503, retry_after_s: 86_400 })).toBe(HOUR);
});

test('a server that responds 410, or has failed for three days, gets no other attempt', () => {
  random(0);
  expect(pauseAfter({ ...failed, status: 410 })).toBeUndefined();
  expect(pauseAfter({ ...failed, failures: 70, failing_since: DAY })).toBeUndefined();
  expect(pauseAfter({ ...failed, failures: 70, failing_since: DAY + 1 })).toBe(HOUR);
  expect(pauseAfter({ ...failed, status: null, failures: 70, failing_since: DAY })).toBeUndefined();
});
