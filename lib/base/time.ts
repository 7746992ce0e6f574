/** A time in milliseconds since 1970, as it is stored and shown (RFC 3339, UTC). */
export const timeText = (time: number): string => new Date(time).toISOString();

/**
 * The time for a change: now, or a millisecond after the latest of earlier changes if this process's clock is behind.
 */
export const laterThan = (...times: string[]): string =>
  new Date(Math.max(Date.now(), ...times.map((time) => Date.parse(time) + 1))).toISOString();

/**
 * Whether the date and time of day at the beginning of a text (RFC 3339) exist: `Date` reads 30 February as 2 March,
 * and 24:00 as the next day.
 */
export function exists(text: string): boolean {
  const stated = text.slice(0, 19).replace(' ', 'T');
  const time = Date.parse(`${stated}Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(stated);
}

/**
 * The age beyond which no item with an earlier time can still be stored: functions time out after 20 s, and clocks may
 * differ by 5 s, which aws/clockSkew.ts measures.
 */
export const HORIZON_MS = 25_000;
