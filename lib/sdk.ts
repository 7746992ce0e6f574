import { withinBudget } from './table/retry.ts';

/**
 * Limits of every AWS client: an attempt of a request takes 3 s at the most, and no attempt but the first begins after
 * the time budget, so that a service out of reach ends in our own answer, before the function's time or API Gateway's
 * 30 s run out.
 */
export const LIMITS = {
  retryStrategy: withinBudget,
  // An answer that has begun may stop coming: that only `socketTimeout` ends.
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true, socketTimeout: 2000 },
};
