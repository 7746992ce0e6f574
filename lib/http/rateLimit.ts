import type { Acquirer } from '../acquirer.ts';
import { Problem } from '../base/problem.ts';
import { type Allowance, type Share, takeToken } from '../rateLimit.ts';
import type { Middleware, Response } from './middleware.ts';

/**
 * Refuses an acquirer that exceeds its limit, before anything else of its request is looked at.
 *
 * @throws Problem `rate_limited`. Its `Retry-After` is up to one window later than necessary, at random, so that clients
 *   which were refused together do not return together.
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
    `You exceeded your rate limit of ${quota} requests per ${window} s. Wait as long as Retry-After says, then repeat the request.`,
    { retryAfter: reset + Math.floor(Math.random() * (window + 1)) },
  );

/**
 * Tells each authenticated caller its limit and what is left of it: `RateLimit-Policy` and `RateLimit` as
 * draft-ietf-httpapi-ratelimit-headers-10 defines them.
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
