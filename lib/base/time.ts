/**
 * The time for a change: now, or a millisecond after the latest of earlier changes if this process's clock is behind.
 */
export const laterThan = (...times: string[]): string =>
  new Date(Math.max(Date.now(), ...times.map((time) => Date.parse(time) + 1))).toISOString();

/**
 * The age beyond which no item with an earlier time can still be stored: functions time out after 20 s, and clocks may
 * differ by 5 s, which aws/clockSkew.ts measures.
 */
export const HORIZON_MS = 25_000;
