/**
 * Returns the time for a change: now, or a millisecond after the latest of the earlier changes if this process's clock
 * is behind. Times are RFC 3339 UTC with milliseconds.
 */
export const laterThan = (...times: string[]): string =>
  new Date(Math.max(Date.now(), ...times.map((time) => Date.parse(time) + 1))).toISOString();

/**
 * The age, in milliseconds, beyond which no item with an earlier time can still be stored: functions time out after
 * 20 s (serverless.yml), and clocks may differ by 5 s, which is measured: table/clockSkew.ts.
 */
export const HORIZON_MS = 25_000;
