/**
 * How many requests an acquirer may send: `burst` in each window of `burst / rate` seconds, and so `rate` a second in the
 * long run.
 */
export interface Limit {
  rate: number;
  burst: number;
}

/** The longest window, in seconds. `Retry-After` is at most two windows. */
const LONGEST_WINDOW = 60;

/** What is wrong with a limit; `undefined` for a valid one. Windows are whole seconds, as `RateLimit-Policy` states them. */
export function limitError({ rate, burst }: Limit): string | undefined {
  const window = burst / rate;
  const isValid = Number.isSafeInteger(rate) && rate > 0 && Number.isSafeInteger(window) && window >= 1;
  return isValid && window <= LONGEST_WINDOW
    ? undefined
    : `The rate must be a whole number from 1, and the burst a whole multiple of it, up to ${LONGEST_WINDOW} times: not ${rate} and ${burst}.`;
}
