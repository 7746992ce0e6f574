import type { Context } from 'aws-lambda';
import { requestContext } from '../aws/requestContext.ts';
import { storedId } from '../base/mid.ts';
import { namedInPath } from '../base/namedInPath.ts';
import { Problem } from '../base/problem.ts';
import type { Allowance } from '../limits/rateLimiter.ts';
import { callerOf, keepRefusedRequest, type Named, type Refused } from '../refusedRequests/keep.ts';
import type { Incoming, Middleware } from './middleware.ts';
import { payForKeeping } from './rateLimit.ts';

/**
 * Keeps a refused request of a known caller for its acquirer, before its cost is settled. Never fails, and waits at
 * most `KEEP_REFUSED_MS` for the table: one that could not be stored in time is counted (`refused_requests_not_kept`).
 * A 403 also waits for its token.
 */
export const keepRefused = (): Middleware => ({
  onError: async function keepRefused({ event, context, error }) {
    if (!event.acquirer || !event.author) return;
    try {
      const refused = refusedOf(event, context, error instanceof Problem ? error : undefined);
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
  const operation = context.functionName.slice(context.functionName.lastIndexOf('-') + 1);
  const refused = {
    request_id: context.awsRequestId,
    key_id: author?.key_id,
    key_label: author?.label,
    person: author?.person,
    operation: operation === 'unknownRoute' ? undefined : operation,
    status,
    code,
    errors,
    // What was refused before its query was read says it only there.
    validate_only: options?.validate_only || event.queryStringParameters?.['validate_only'] === 'true' || undefined,
    duration_ms: Math.round(performance.now() - requestContext().started),
    stated: charged?.stated ?? {},
  };
  if (allowance?.isAccepted === false) {
    const window = windowOf(callerOf(refused), allowance);
    return window && { ...refused, named: undefined, window };
  }
  return code === 'rate_limited' && !charged ? undefined : { ...refused, named: namedBy(event), window: undefined };
}

/** How often this process has refused a caller in a window of the limit, by both; the oldest first. */
const refusals = new Map<string, number>();

/** The most callers and windows of which it remembers that. */
const MOST_REFUSALS = 1_000;

/**
 * Counts a request that the acquirer's limit has refused. Of those of a caller in a window, a process writes the first,
 * the tenth, the hundredth and so on, and nothing of the others.
 */
function windowOf(caller: string, { start }: Allowance): Refused['window'] {
  const name = `${caller} ${start}`;
  const count = (refusals.get(name) ?? 0) + 1;
  refusals.delete(name);
  refusals.set(name, count);
  const [oldest] = refusals.keys();
  if (refusals.size > MOST_REFUSALS && oldest) refusals.delete(oldest);
  return /^10*$/.test(String(count)) ? { start, more: count - Math.floor(count / 10) } : undefined;
}

/** The branch, terminal or webhook that the path names. */
function namedBy({ routeKey, pathParameters }: Incoming): Named | undefined {
  const kind = namedInPath(routeKey);
  const [id] = Object.values(pathParameters ?? {});
  return kind && id ? { kind, id: storedId(id) } : undefined;
}
