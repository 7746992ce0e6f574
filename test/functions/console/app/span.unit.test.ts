import { expect, test } from '@jest/globals';
import { spanOf } from '../../../../functions/console/app/pages/activity/span.ts';

test.each(['2026-02-28', '2024-02-29', '2026-12-31'])(
  'a day of the address is from its midnight to the next: %s',
  (day) => {
    const { since = '', until = '' } = spanOf(day) ?? {};
    const [from, to] = [new Date(since), new Date(until)];
    expect([from.getHours(), from.getMinutes(), to.getHours(), to.getMinutes()]).toEqual([0, 0, 0, 0]);
    const two = (number: number) => String(number).padStart(2, '0');
    expect(`${from.getFullYear()}-${two(from.getMonth() + 1)}-${two(from.getDate())}`).toBe(day);
  },
);

test.each([
  '2026-02-30',
  '2026-02-29',
  '2026-04-31',
  '2026-13-01',
  '2026-00-10',
  '2026-01-00',
  '0026-02-01',
  'today',
  null,
])('an address with a day that does not exist is of no day: %s', (day) => {
  expect(spanOf(day)).toBeUndefined();
});

test('several days are from the first midnight to the end of the last day', () => {
  const until = (day: string, last: string | null) => spanOf(day, last)?.until;
  expect(spanOf('2026-10-01', '2026-10-31')).toEqual({
    since: spanOf('2026-10-01')?.since,
    until: spanOf('2026-10-31')?.until,
  });
  for (const last of ['2026-10-01', '2026-09-30', '2026-02-30', 'today', null])
    expect(until('2026-10-01', last)).toBe(until('2026-10-01', null));
});
