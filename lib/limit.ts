/**
 * How many requests an acquirer may send: `burst` in each window of `burst / rate` seconds, and so `rate` a second in the
 * long run.
 */
export interface Limit {
  rate: number;
  burst: number;
}

/** What is wrong with a limit; `undefined` for a valid one. Windows are whole seconds, as `RateLimit-Policy` states them. */
export const faultOfLimit = ({ rate, burst }: Limit): string | undefined =>
  Number.isSafeInteger(rate) && rate > 0 && Number.isSafeInteger(burst) && burst > 0 && burst % rate === 0
    ? undefined
    : `A rate is a whole number from 1, and a burst a multiple of it (2 × the rate lets a full burst return every 2 seconds), not ${rate} and ${burst}.`;
