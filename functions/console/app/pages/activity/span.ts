/**
 * From when to when a day is, such as `2026-11-24`, in the browser's time zone; `undefined` for anything else, and for
 * a day that does not exist: `Date` reads 30 February as 2 March.
 */
export function spanOf(day: string | null): { since: string; until: string } | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '')?.map(Number) ?? [];
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const first = new Date(year, month - 1, date);
  if (first.getFullYear() !== year || first.getMonth() !== month - 1 || first.getDate() !== date) return undefined;
  const [since, until] = [date, date + 1].map((each) => new Date(year, month - 1, each).toISOString());
  return { since, until } as { since: string; until: string };
}

/** The day of a time in the browser's time zone, as {@link spanOf} reads it. The locale of Sweden writes ISO 8601. */
export const dayAt = (time: number): string => new Intl.DateTimeFormat('sv-SE').format(time);
