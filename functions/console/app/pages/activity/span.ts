/** The first moment of a day, such as `2026-11-24`, and of the next; `undefined` for a day that does not exist. */
function midnightsOf(day: string | null): [Date, Date] | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '')?.map(Number) ?? [];
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const first = new Date(year, month - 1, date);
  // `Date` reads 30 February as 2 March.
  if (first.getFullYear() !== year || first.getMonth() !== month - 1 || first.getDate() !== date) return undefined;
  return [first, new Date(year, month - 1, date + 1)];
}

/**
 * From when to when a day is, in the browser's time zone, or several days: to the end of the last one. A last day before
 * the first one is left out.
 */
export function spanOf(day: string | null, last: string | null = null): { since: string; until: string } | undefined {
  const [first, next] = midnightsOf(day) ?? [];
  if (!first || !next) return undefined;
  const [, end = next] = midnightsOf(last) ?? [];
  return { since: first.toISOString(), until: (end > next ? end : next).toISOString() };
}

/** The day of a time in the browser's time zone, as {@link spanOf} reads it. The locale of Sweden writes ISO 8601. */
export const dayAt = (time: number): string => new Intl.DateTimeFormat('sv-SE').format(time);
