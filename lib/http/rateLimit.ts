import type { Acquirer } from '../acquirer.ts';
import { Problem } from '../base/problem.ts';
import { type Allowance, type Share, takeToken } from '../rateLimit.ts';
import type { Middleware, Response } from './middleware.ts';

/**
 * Enforces the acquirer's rate limit, before the request is validated.
 *
 * @throws Problem `rate_limited`. Its `Retry-After` is up to one window longer than necessary, at random, so that
 *   throttled clients do not all retry at once.
 */
export const rateLimit = (share: Share): Middleware => ({
  before: async function rateLimit({ event }) {
    const allowance = await takeToken(event.acquirer as Acquirer, share);
    event.allowance = allowance;
    if (allowance?.isAccepted === false) throw rateLimited(allowance);
  },
});

const rateLimited = ({ quota, window, reset }: Allowance): Problem =>
  new Problem(
    'rate_limited',
    `You exceeded your rate limit of ${quota} requests per ${window} s. Wait for Retry-After seconds, then retry.`,
    { retryAfter: reset + Math.floor(Math.random() * (window + 1)) },
  );

/**
 * Adds `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10) to every authenticated response.
 */
export const rateLimitHeaders = (): Middleware => {
  const mark: NonNullable<Middleware['after']> = function rateLimitHeaders({ event, response }) {
    if (!event.allowance) return;
    const { share, quota, window, remaining, reset } = event.allowance;
    Object.assign((response as Response).headers, {
      'ratelimit-policy': `"${share}";q=${quota};w=${window}`,
      ratelimit: `"${share}";r=${remaining};t=${reset}`,
    });
  };
  return { after: mark, onError: mark };
};
