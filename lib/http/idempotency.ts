import { Conflict } from '../aws/retry.ts';
import { Problem } from '../base/problem.ts';
import type { ExtraSteps } from '../table/transaction.ts';
import { AlreadyExecuted, IdempotentRequest, type SavedResponse } from './idempotentRequest.ts';
import type { Call, HandlerResult } from './middleware.ts';

/** Visible ASCII characters (RFC 20), which are valid in any HTTP header. */
const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/;

/**
 * Executes a write. With an `Idempotency-Key` it is executed once: retries within 24 hours get a replay of the
 * response. Problems are not stored, because a retry may succeed.
 *
 * @param execute Executes the write, and stores the given extra steps in the same transaction.
 * @param responseOf Makes the response.
 * @throws Problem `invalid_idempotency_key`; `idempotency_key_reused` when the key was used for a different request;
 *   and whatever `execute` throws.
 */
export async function idempotent<T>(
  { acquirer, author, headers, routeKey, pathParameters, body }: Call,
  execute: (extraSteps: ExtraSteps<T>) => Promise<T>,
  responseOf: (result: T) => HandlerResult,
): Promise<HandlerResult> {
  const key = headers['idempotency-key'];
  if (key === undefined) return responseOf(await execute(() => []));
  if (!IDEMPOTENCY_KEY.test(key))
    throw new Problem(
      'invalid_idempotency_key',
      'Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces.',
    );

  const request = new IdempotentRequest(acquirer, key, [routeKey, pathParameters, body]);
  const replay = (saved: SavedResponse): HandlerResult => ({ ...saved, body: JSON.parse(saved.body), isReplay: true });
  const save: ExtraSteps<T> = (result) => {
    const { status, body, location } = responseOf(result);
    return [request.save({ status, body: JSON.stringify(body), location })];
  };
  // A validation stores nothing that would tell it that the key was used.
  const saved = author?.isValidation ? await request.response() : undefined;
  if (saved) return replay(saved);
  try {
    return responseOf(await execute(save));
  } catch (error) {
    if (error instanceof AlreadyExecuted) return replay(error.response);
    // Retries are rare, so it ran optimistically, without reading the key first. A problem or conflict may be the
    // effect of the first run.
    const first = error instanceof Problem || error instanceof Conflict ? await request.response() : undefined;
    if (!first) throw error;
    return replay(first);
  }
}
