import { retryStrategy } from './retry.ts';

/**
 * Limits of every AWS client: an attempt of a request takes 3 s at most, and retries end with the request's time budget,
 * so that a service out of reach ends in our own response, before the function's time or API Gateway's 30 s run out. The
 * clients share one retry quota.
 */
export const LIMITS = {
  retryStrategy: retryStrategy(),
  // A response that has begun may stop coming: that only `socketTimeout` ends.
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true, socketTimeout: 2000 },
};
