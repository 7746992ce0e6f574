import { Problem } from '../base/problem.ts';
import { AlreadyExecuted, IdempotentRequest, type SavedResponse } from '../idempotencyKey.ts';
import { Contention } from '../table/retry.ts';
import type { Alongside } from '../table/transaction.ts';
import type { Call, HandlerResult } from './middleware.ts';

/** Visible characters of ASCII (RFC 20), as HTTP allows them in a header without a doubt. */
const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/;

/**
 * Executes a request that changes something; one with an `Idempotency-Key` once, and is answered the same whenever it is
 * repeated within 24 hours. Refusals are not kept: what was wrong may be right by then.
 *
 * @param execute Stores what it is given to store alongside its result, in the same transaction: there is no state in
 *   which the one is there without the other.
 * @throws Problem `invalid_idempotency_key`; `idempotency_key_reused` when another request had this key; and whatever
 *   `execute` throws.
 */
export async function idempotent<T>(
  { acquirer, headers, routeKey, pathParameters, body }: Call,
  execute: (alongside: Alongside<T>) => Promise<T>,
  responseOf: (result: T) => HandlerResult,
): Promise<HandlerResult> {
  const key = headers['idempotency-key'];
  if (key === undefined) return responseOf(await execute(() => []));
  if (!IDEMPOTENCY_KEY.test(key))
    throw new Problem(
      'invalid_idempotency_key',
      'Send an Idempotency-Key of 1 to 255 visible ASCII characters, without spaces, or none.',
    );

  const request = new IdempotentRequest(acquirer, key, [routeKey, pathParameters, body]);
  const again = (kept: SavedResponse): HandlerResult => ({ ...kept, body: JSON.parse(kept.body), isReplay: true });
  const keep: Alongside<T> = (result) => {
    const { status, body, location } = responseOf(result);
    return [request.keep({ status, body: JSON.stringify(body), location })];
  };
  try {
    return responseOf(await execute(keep));
  } catch (error) {
    if (error instanceof AlreadyExecuted) return again(error.response);
    // Repetitions are rare, so it was executed without a look whether it is one. What refused it, or was in its way before
    // it could be told so, may be its own effect.
    const kept = error instanceof Problem || error instanceof Contention ? await request.response() : undefined;
    if (!kept) throw error;
    return again(kept);
  }
}
