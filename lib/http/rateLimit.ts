import type { Acquirer } from '../acquirers/acquirer.ts';
import { requestContext } from '../aws/requestContext.ts';
import { Problem } from '../base/problem.ts';
import { type StatedCost, statedCost, tokensOf, usedCost } from '../limits/cost.ts';
import { type Allowance, type Share, takePersonTokens, takeTokens } from '../limits/rateLimiter.ts';
import { CHANGING_ROUTE } from './authorize.ts';
import type { Call, Incoming, Middleware, Response } from './middleware.ts';

/**
 * Takes tokens of the acquirer's rate limit.
 *
 * @throws Problem `rate_limited`. Its `Retry-After` is up to one window longer than necessary, at random, so that
 *   throttled clients do not all retry at once.
 */
async function take(event: Incoming, share: Share, wanted: { tokens: number; isLeased: boolean }): Promise<void> {
  event.allowance = await takeTokens(event.acquirer as Acquirer, share, wanted);
  if (event.allowance?.isAccepted === false) throw rateLimited(event.allowance);
}

/** Takes the first token, before the request is validated, and settles at its end what it took by what it used. */
export const rateLimit = (share: Share): Middleware => ({
  before: async function rateLimit({ event }) {
    // First, so that what a person requests beyond their own limit takes nothing from others.
    await limitPerson(event);
    // Member checks change nothing, and have a share of their own.
    await take(event, share, { tokens: 1, isLeased: share === 'requests' && CHANGING_ROUTE.test(event.routeKey) });
    event.charged = { share, tokens: 1, stated: {} };
  },
  after: settle,
  onError: settle,
});

/** Takes what the operation states for the request, beyond the first token, before its rules read anything. */
export const takeStated = (cost: StatedCost<Call>): Middleware => ({
  before: async function takeStated({ event }) {
    if (!event.charged || !event.allowance) return;
    const stated = statedCost(cost, event as Call);
    // What weighs more than the quota takes all of it, so that it succeeds in a new window.
    const tokens = Math.min(tokensOf(stated), event.allowance.quota);
    if (tokens > 1) await take(event, event.charged.share, { tokens: tokens - 1, isLeased: true });
    Object.assign(event.charged, { tokens, stated });
  },
});

/**
 * Has a refused request pay for being kept: with the first token that it has taken or, if it was refused before the
 * limit, with one of the share `requests`, also for a member check, so that it takes nothing from tills.
 *
 * A request that the limit refused pays nothing, because debts would prolong a flood. Each process that refuses has
 * leased a token in vain, so `excess` bounds how many processes keep one.
 *
 * @returns Whether it is kept.
 */
export async function payForKeeping(event: Incoming): Promise<boolean> {
  if (event.allowance?.isAccepted === false) return event.allowance.excess <= event.allowance.quota;
  if (event.charged) return true;
  if (await isOverOwnLimit(event)) return false;
  event.allowance = await takeTokens(event.acquirer as Acquirer, 'requests', { isLeased: true });
  if (event.allowance?.isAccepted === false) return false;
  event.charged = { share: 'requests', tokens: 1, stated: {} };
  return true;
}

/** Gives back what the request did not use, or takes what it used more from the next ones. */
const settle: NonNullable<Middleware['after']> = async function settle({ event }) {
  const { charged, allowance } = event;
  // Once, even if another middleware fails after this one.
  delete event.charged;
  if (!charged || !allowance) return;
  const used = Math.min(tokensOf(usedCost(requestContext(), charged.stated)), allowance.quota);
  if (used !== charged.tokens) await allowance.settle(charged.tokens - used);
};

/** Enforces the limit of a person, who shares that of the acquirer. A request counts once. */
export const countPerson =
  (event: Incoming) =>
  async (person: string): Promise<void> => {
    event.isPersonCounted = true;
    const allowance = await takePersonTokens(person);
    if (allowance?.isAccepted === false) throw rateLimited(allowance);
  };

async function limitPerson(event: Incoming): Promise<void> {
  const person = event.author?.person ?? event.session?.person.id;
  if (person && !event.isPersonCounted) await countPerson(event)(person);
}

/** Whether the request of a person exceeds their own limit, which it counts against. */
const isOverOwnLimit = (event: Incoming): Promise<boolean> =>
  limitPerson(event).then(
    () => false,
    (error) => {
      if (error instanceof Problem) return true;
      throw error;
    },
  );

export const personRateLimit = (): Middleware => ({
  before: async function personRateLimit({ event }) {
    await limitPerson(event);
  },
});

const detailOf = ({ quota, window }: Allowance): string =>
  `You exceeded your rate limit, a total weight of ${quota} per ${window} s. Wait for Retry-After seconds, then retry.`;

export const rateLimited = (allowance: Allowance, detail = detailOf(allowance)): Problem =>
  new Problem('rate_limited', detail, {
    retryAfter: allowance.reset + Math.floor(Math.random() * (allowance.window + 1)),
  });

/** Adds `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10) to authenticated responses. */
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
