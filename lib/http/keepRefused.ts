import type { Context } from 'aws-lambda';
import { requestContext } from '../aws/requestContext.ts';
import { storedId } from '../base/mid.ts';
import { Problem } from '../base/problem.ts';
import { tokensOf, usedCost } from '../limits/cost.ts';
import type { Allowance } from '../limits/rateLimiter.ts';
import { keepRefusedRequest, type Named, type Refused } from '../refusedRequests/keep.ts';
import type { Incoming, Middleware } from './middleware.ts';
import { payForKeeping } from './rateLimit.ts';

/**
 * Keeps a refused request of a known caller for its acquirer, before its cost is settled. Never fails, and takes at
 * most `KEEP_REFUSED_MS`: one that could not be kept is counted (`refused_requests_not_kept`).
 */
export const keepRefused = (): Middleware => ({
  onError: async function keepRefused({ event, context, error }) {
    if (!event.acquirer || !event.author) return;
    const refused = refusedOf(event, context, error instanceof Problem ? error : undefined);
    try {
      if (refused && (await payForKeeping(event))) await keepRefusedRequest(event.acquirer, refused);
    } catch (failure) {
      requestContext().failures.refusedRequest.push(failure);
    }
  },
});

/**
 * What is kept of a request; `undefined` if it repeats what the acquirer's limit has refused already, or exceeds the
 * limit of a person, which is no matter of the acquirer.
 */
function refusedOf(event: Incoming, context: Context, problem: Problem | undefined): Refused | undefined {
  const { author, charged, options, allowance } = event;
  const { code = 'server_error', status = 400, errors = [] } = problem ?? {};
  const isLimited = code === 'rate_limited';
  const window = isLimited && allowance?.isAccepted === false ? windowOf(event, allowance) : undefined;
  if (window?.more === 0 || (isLimited && !window && !charged)) return undefined;
  const usage = requestContext();
  const operation = context.functionName.slice(context.functionName.lastIndexOf('-') + 1);
  return {
    request_id: context.awsRequestId,
    key_id: author?.key_id,
    key_label: author?.label,
    person: author?.person,
    operation: operation === 'unknownRoute' ? undefined : operation,
    named: namedBy(event),
    status,
    code,
    errors,
    validate_only: options?.validate_only || undefined,
    duration_ms: Math.round(performance.now() - usage.started),
    weight: tokensOf(usedCost(usage, charged?.stated ?? {})),
    window,
  };
}

/** How often this process has refused a caller in a window of the limit, by both; the oldest first. */
const refusals = new Map<string, number>();

/** The most callers and windows of which it remembers that. */
const MOST_REFUSALS = 1_000;

/**
 * Counts a request that the acquirer's limit has refused. Of those of a caller in a window, a process writes the first,
 * the tenth, the hundredth and so on; `more` is 0 for all others.
 */
function windowOf({ author }: Incoming, { start }: Allowance): Refused['window'] {
  const name = `${author?.key_id ?? author?.person} ${start}`;
  const count = (refusals.get(name) ?? 0) + 1;
  refusals.delete(name);
  refusals.set(name, count);
  const [oldest] = refusals.keys();
  if (refusals.size > MOST_REFUSALS && oldest) refusals.delete(oldest);
  const isPowerOfTen = Number.isInteger(Math.log10(count));
  return { start, more: isPowerOfTen ? count - Math.floor(count / 10) : 0 };
}

/** The branch, terminal or webhook that the path names. */
function namedBy({ routeKey, pathParameters }: Incoming): Named | undefined {
  const { mid, id = mid } = pathParameters ?? {};
  if (id === undefined) return undefined;
  const kind = kindOf(routeKey);
  return kind && { kind, id: storedId(id) };
}

function kindOf(routeKey: string): Named['kind'] | undefined {
  if (routeKey.includes(' /ext/api/v1/merchants/{mid}')) return 'mid';
  if (/^(?:GET|POST) \/ext\/api\/v1\/terminals\/\{id\}$/.test(routeKey)) return 'mid';
  if (routeKey.includes(' /ext/api/v1/terminals/{id}')) return 'tid';
  return routeKey.includes(' /ext/api/v1/webhooks/{id}') ? 'webhook' : undefined;
}
