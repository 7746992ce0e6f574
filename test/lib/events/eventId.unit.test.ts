import { afterEach, expect, test } from '@jest/globals';
import { DAY_MS, retentionMs } from '../../../lib/events/eventId.ts';

const { EVENT_DAYS } = process.env;
afterEach(() => {
  if (EVENT_DAYS === undefined) delete process.env['EVENT_DAYS'];
  else process.env['EVENT_DAYS'] = EVENT_DAYS;
});

test('retains events for EVENT_DAYS', () => {
  process.env['EVENT_DAYS'] = '30';
  expect(retentionMs()).toBe(30 * DAY_MS);
});

test.each(['0', '-1', '1.5', 'many'])('rejects an EVENT_DAYS of %s', (days) => {
  process.env['EVENT_DAYS'] = days;
  expect(retentionMs).toThrow(`The environment variable EVENT_DAYS must be a positive whole number, not "${days}".`);
});
