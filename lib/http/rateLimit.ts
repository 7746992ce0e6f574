import type { Acquirer } from '../acquirers/acquirer.ts';
import { requestContext } from '../aws/requestContext.ts';
import { Problem } from '../base/problem.ts';
import { TokenAccount } from './account.ts';
import { CHANGES } from './authorize.ts';
import type { Incoming, Middleware, Response } from './middleware.ts';
import { type Allowance, type Share, takePersonTokens, takeTokens } from './tokens.ts';

/**
 * Enforces the acquirer's rate limit: takes a token before the request is validated, and what it weighs more right
 * before it reads or writes (see TokenAccount). A change that is sent again after a conflict pays again.
 *
 * @throws Problem `rate_limited`. Its `Retry-After` is up to one window longer than necessary, at random, so that
 *   throttled clients do not all retry at once.
 */
export const rateLimit = (share: Share): Middleware => ({
  before: async function rateLimit({ event }) {
    const take = async (tokens: number, isLeased: boolean): Promise<void> => {
      event.allowance = await takeTokens(event.acquirer as Acquirer, share, { tokens, isLeased });
      if (event.allowance?.isAccepted === false) throw rateLimited(event.allowance);
      if (event.allowance) event.payments = [...(event.payments ?? []), { tokens, allowance: event.allowance }];
    };
    // First, so that what a person requests beyond their own limit takes nothing from others.
    await limitPerson(event);
    // Member checks change nothing, and have a share of their own.
    await take(1, share === 'requests' && CHANGES.test(event.routeKey));
    if (!event.allowance) return;
    event.account = new TokenAccount(event.allowance.quota, (tokens) => take(tokens, true));
    requestContext().account = event.account;
  },
  after: settle,
  onError: settle,
});

/** Returns what the request was charged and did not cost. */
const settle: NonNullable<Middleware['after']> = function settle({ event: { account, allowance, payments = [] } }) {
  let unused = account?.close() ?? 0;
  if (allowance) allowance.remaining += unused;
  // Each to the window from which it was taken, the last one first.
  for (const { tokens, allowance: granted } of payments.toReversed()) {
    const returned = Math.min(unused, tokens);
    granted.giveBack(returned);
    unused -= returned;
  }
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
