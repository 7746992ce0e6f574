import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import { DAY_MS, newEventId, retentionMs } from '../../../lib/base/eventId.ts';

const { EVENT_DAYS } = process.env;
afterEach(() => {
  if (EVENT_DAYS === undefined) delete process.env['EVENT_DAYS'];
  else process.env['EVENT_DAYS'] = EVENT_DAYS;
});

test('gives each request another id, even at the same moment, which begins with the time', () => {
  const at = '2026-11-20T09:30:00.000Z';
  const ids = Array.from({ length: 100 }, () => newEventId(at, randomUUID()));
  expect(new Set(ids).size).toBe(100);
  for (const id of ids) expect(id.slice(0, 13)).toBe('01a1f84a-95c0');
  expect(newEventId(at, 'request')).toBe(newEventId(at, 'request'));
});

test('retains events for EVENT_DAYS', () => {
  process.env['EVENT_DAYS'] = '30';
  expect(retentionMs()).toBe(30 * DAY_MS);
});

test.each(['0', '-1', '1.5', 'many'])('rejects an EVENT_DAYS of %s', (days) => {
  process.env['EVENT_DAYS'] = days;
  expect(retentionMs).toThrow(
    `The environment variable EVENT_DAYS must be a whole number of 1 to 36500, not "${days}".`,
  );
});
