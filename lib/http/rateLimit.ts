import type { Acquirer } from '../acquirers/acquirer.ts';
import { requestContext } from '../aws/requestContext.ts';
import { Problem } from '../base/problem.ts';
import { CHANGES } from './authorize.ts';
import type { Incoming, Middleware, Response } from './middleware.ts';
import { type Allowance, type Share, takePersonTokens, takeTokens } from './tokens.ts';

/**
 * Write units of the table that a token pays for. So an acquirer at its limit writes at most this many times its rate,
 * which is a tenth of a stage's `maxWriteUnits`.
 */
export const UNITS_PER_TOKEN = 16;

/**
 * Enforces the acquirer's rate limit: takes a token before the request is validated, and what a change weighs more
 * right before it is written. A change that is decided and sent again after a conflict pays again, because it costs
 * again. If it weighs more than the quota, it takes the whole quota, so that it succeeds in a new window.
 *
 * @throws Problem `rate_limited`. Its `Retry-After` is up to one window longer than necessary, at random, so that
 *   throttled clients do not all retry at once.
 */
export const rateLimit = (share: Share): Middleware => ({
  before: async function rateLimit({ event }) {
    // Member checks change nothing, and have a share of their own.
    const isChange = share === 'requests' && CHANGES.test(event.routeKey);
    const take = async (tokens: number): Promise<Allowance | undefined> => {
      event.allowance = await takeTokens(event.acquirer as Acquirer, share, { tokens, isChange });
      if (event.allowance?.isAccepted === false) throw rateLimited(event.allowance);
      return event.allowance;
    };
    // First, so that what a person requests beyond their own limit takes nothing from others.
    await limitPerson(event);
    const { quota } = (await take(1)) ?? {};
    if (quota === undefined) return;
    let paid = 1;
    requestContext().charge = async (units) => {
      const owed = Math.min(Math.ceil(units / UNITS_PER_TOKEN), quota) - paid;
      paid = 0;
      if (owed > 0) await take(owed);
    };
  },
});

/** Enforces the limit of a person, who shares that of the acquirer. */
async function limitPerson({ author, session }: Incoming): Promise<void> {
  const person = author?.person ?? session?.person.id;
  const allowance = person ? await takePersonTokens(person) : undefined;
  if (allowance?.isAccepted === false) throw rateLimited(allowance);
}

/** Enforces only the limit of a person. */
export const personRateLimit = (): Middleware => ({
  before: async function personRateLimit({ event }) {
    await limitPerson(event);
  },
});

const rateLimited = ({ quota, window, reset }: Allowance): Problem =>
  new Problem(
    'rate_limited',
    `You exceeded your rate limit, a total weight of ${quota} per ${window} s. Wait for Retry-After seconds, then retry.`,
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
