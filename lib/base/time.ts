/**
 * The time of a change: now, but at least a millisecond later than the changes before it, whatever this process's clock
 * says. RFC 3339 UTC with milliseconds, like its arguments.
 */
export const laterThan = (...times: string[]): string =>
  new Date(Math.max(Date.now(), ...times.map((time) => Date.parse(time) + 1))).toISOString();

/**
 * How old something has to be, in milliseconds, so that nothing with an earlier time can still be stored: a request lives no
 * longer than its function's 20 s (serverless.yml), and clocks may differ by 5 s.
 */
export const HORIZON_MS = 25_000;
