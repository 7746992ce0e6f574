/**
 * Limits of every AWS client: no request takes longer than three attempts of 3 s and the pauses between them, so that a
 * service out of reach ends in our own answer, before the function's time or API Gateway's 30 s run out.
 */
export const LIMITS = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
};
