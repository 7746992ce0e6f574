/** `burst` tokens in each window of `burst / rate` seconds, which is `rate` per second on average. */
export interface Limit {
  rate: number;
  burst: number;
}

/** The longest window, in seconds. `Retry-After` is at most two windows. */
const LONGEST_WINDOW = 60;

/** Says what is wrong with a limit, if anything. `RateLimit-Policy` requires windows of whole seconds. */
export function limitError({ rate, burst }: Limit): string | undefined {
  const window = burst / rate;
  const isValid = Number.isSafeInteger(rate) && rate > 0 && Number.isSafeInteger(window) && window >= 1;
  return isValid && window <= LONGEST_WINDOW
    ? undefined
    : `The rate must be a positive whole number and the burst a multiple of it, at most ${LONGEST_WINDOW} times the ` +
        `rate: not ${rate} and ${burst}.`;
}
