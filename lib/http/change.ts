import { Conflict, retrying } from '../aws/retry.ts';
import { Problem } from '../base/problem.ts';
import { commit, type Decision } from '../events/decision.ts';
import { type ChainOptions, endpoint } from './endpoint.ts';
import { AlreadyExecuted, idempotencyRecordOf, savedResponse, saveStep } from './idempotency.ts';
import type { ChangeCall, HandlerResult } from './middleware.ts';
import { ChangeQuery } from './query.ts';

/** What the handler of a change returns: what its operation has decided, and the response. */
interface Decided {
  decision: Decision<unknown>;
  response: HandlerResult;
}

interface Options<C> extends Pick<ChainOptions<C>, 'needs' | 'body' | 'cost'> {
  /** Whether it accepts an `Idempotency-Key`: retries within 24 hours get the first response again. */
  isIdempotent?: true;
  /** The pause before a retry after a conflict; by default, it grows. */
  pause?: Parameters<typeof retrying>[1];
}

/**
 * Wraps the handler of an operation that changes something: see {@link endpoint}. The handler only decides, again after
 * each conflict; {@link write} writes.
 */
export const change = <C extends ChangeCall>(
  handler: (call: C) => Promise<Decided>,
  { isIdempotent, pause, ...options }: Options<C>,
) => {
  const handle = (call: C) => write(call, () => handler(call), isIdempotent, pause);
  return Object.assign(endpoint(handle, { query: ChangeQuery, ...options }), { isIdempotent });
};

/**
 * Has a change decided, and writes it with its events and the response of an `Idempotency-Key`, in one transaction.
 * After a conflict, it is decided anew. Problems are not stored, because a retry may succeed.
 *
 * @throws Problem `invalid_idempotency_key`; `idempotency_key_reused` when the key was used for a different request;
 *   and whatever `decide` throws.
 */
async function write(
  call: ChangeCall,
  decide: () => Promise<Decided>,
  isIdempotent: Options<ChangeCall>['isIdempotent'],
  pause: Options<ChangeCall>['pause'],
): Promise<HandlerResult> {
  const { author, options } = call;
  const record = isIdempotent && idempotencyRecordOf(call);
  // A validation stores nothing that would tell it that the key was used.
  const saved = record && options.validate_only ? await savedResponse(record) : undefined;
  if (saved) return saved;
  try {
    return await retrying(async () => {
      const { decision, response } = await decide();
      await commit(author, options, decision.change, ...(record ? [saveStep(record, response)] : []));
      return response;
    }, pause);
  } catch (error) {
    if (error instanceof AlreadyExecuted) return error.response;
    // Retries are rare, so it ran without looking for the record first. A problem or conflict may be the effect of the
    // first run.
    const isEffect = error instanceof Problem || error instanceof Conflict;
    const first = record && isEffect ? await savedResponse(record) : undefined;
    if (!first) throw error;
    return first;
  }
}
