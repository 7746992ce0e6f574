import { capitalized, formatDay, LANGUAGE, relative } from '../../shared/format.ts';

const weekdays = new Intl.DateTimeFormat(LANGUAGE, { weekday: 'long' });

/** The first moment of the day, in the browser's time zone, that is some days before that of a time. */
function dayOf(time: string | number, before = 0): Date {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - before);
}

export const byDay = <Thing extends { at: string }>(things: Thing[]): Map<number, Thing[]> =>
  Map.groupBy(things, ({ at }) => dayOf(at).getTime());

/** A day as people say it, such as `Today`, or `Wednesday, 25 Nov 2026`. */
export function dayName(day: number, now: number): string {
  const ago = [0, 1].find((days) => dayOf(now, days).getTime() === day);
  const date = formatDay(new Date(day).toISOString());
  const name = ago === undefined ? weekdays.format(day) : relative.format(-ago, 'day');
  return `${capitalized(name)}, ${date}`;
}
