import { retryStrategy } from './retry.ts';

/**
 * Timeouts and retries of every AWS client. An attempt takes 3 s at most, and retries end with the request's time
 * budget: if a service is unreachable, the API responds before the function or API Gateway (30 s) times out. The
 * clients share one retry quota.
 */
export const LIMITS = {
  retryStrategy: retryStrategy(),
  // Only `socketTimeout` ends a response that stalls after it has begun.
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true, socketTimeout: 2000 },
};
