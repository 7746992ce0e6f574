import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import { Conflict, retrying } from '../aws/retry.ts';
import { Problem } from '../base/problem.ts';
import { bytes, hash, seconds } from '../base/values.ts';
import { idempotencyKeyKey, type Key } from '../table/keys.ts';
import { type ExtraSteps, getSettled, put, type Step } from '../table/transaction.ts';
import type { Call, HandlerResult } from './middleware.ts';

interface SavedResponse {
  status: 200 | 201;
  /** JSON, byte for byte. */
  body: string;
  location?: string | undefined;
}

/** The stored item of a response. Its body is deflated (RFC 1951) if that is shorter: each KB of a write costs. */
export const idempotencyKeyItem = v.object({
  status: v.picklist([200, 201]),
  body: v.union([v.string(), bytes]),
  location: v.optional(v.string()),
  fingerprint: hash,
  /** When it expires; DynamoDB deletes it later. */
  ttl: seconds,
});
type StoredResponse = v.InferOutput<typeof idempotencyKeyItem>;

const pack = (body: string): string | Uint8Array => {
  const deflated = deflateRawSync(body);
  return deflated.length < Buffer.byteLength(body) ? deflated : body;
};
const unpack = (body: string | Uint8Array): string =>
  typeof body === 'string' ? body : inflateRawSync(body).toString();

const RETENTION_S = 24 * 60 * 60;

const now = (): number => Math.floor(Date.now() / 1000);

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const reused = (): Problem => {
  const detail =
    'You used this Idempotency-Key for a different request within the last 24 hours. Use a new key for each request.';
  return new Problem('idempotency_key_reused', detail, {
    errors: [{ pointer: '', code: 'idempotency_key_reused', detail }],
  });
};

/** The request was executed before, with this response. */
class AlreadyExecuted extends Error {
  override name = 'AlreadyExecuted';
  readonly response: SavedResponse;

  constructor(response: SavedResponse) {
    super('The request was executed before');
    this.response = response;
  }
}

/**
 * Reads the response of a request that was executed before. Waits for a transaction that stores it.
 *
 * @throws Problem `idempotency_key_reused` when the key was used for a different request.
 */
async function savedResponse(key: Key, fingerprint: string): Promise<SavedResponse | undefined> {
  const stored = await retrying(() => getSettled<StoredResponse>(key));
  if (!stored || stored.ttl <= now()) return undefined;
  if (stored.fingerprint !== fingerprint) throw reused();
  return { ...stored, body: unpack(stored.body) };
}

/**
 * A step that stores the response in the transaction of the request, on condition that the key is unused. If not, the
 * transaction throws {@link AlreadyExecuted} or, for a different request, Problem `idempotency_key_reused`.
 */
function saveStep(key: Key, fingerprint: string, response: SavedResponse): Step {
  const ttl = now() + RETENTION_S;
  const item = { ...response, body: pack(response.body), fingerprint, ttl } satisfies StoredResponse;
  return put(key, item, {
    expression: 'attribute_not_exists(pk) OR #ttl <= :now',
    names: { '#ttl': 'ttl' },
    values: { ':now': now() },
    refusal: (found) => {
      const stored = found as unknown as StoredResponse | undefined;
      return stored?.fingerprint === fingerprint
        ? new AlreadyExecuted({ ...stored, body: unpack(stored.body) })
        : reused();
    },
  });
}

/** Visible ASCII characters (RFC 20), which are valid in any HTTP header. */
const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/;

/**
 * Executes a write. With an `Idempotency-Key`, retries within 24 hours get a replay of the response. Problems are not
 * stored, because a retry may succeed.
 *
 * @param execute Executes the write, and stores the given extra steps in the same transaction.
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

  const item = idempotencyKeyKey(acquirer.id, hashOf(key));
  const fingerprint = hashOf(JSON.stringify([routeKey, pathParameters, body]));
  const replay = (saved: SavedResponse): HandlerResult => ({ ...saved, body: JSON.parse(saved.body), isReplay: true });
  const save: ExtraSteps<T> = (result) => {
    const { status, body, location } = responseOf(result);
    return [saveStep(item, fingerprint, { status, body: JSON.stringify(body), location })];
  };
  // A validation stores nothing that would tell it that the key was used.
  const saved = author?.isValidation ? await savedResponse(item, fingerprint) : undefined;
  if (saved) return replay(saved);
  try {
    return responseOf(await execute(save));
  } catch (error) {
    if (error instanceof AlreadyExecuted) return replay(error.response);
    // Retries are rare, so it ran optimistically, without reading the key first. A problem or conflict may be the
    // effect of the first run.
    const first =
      error instanceof Problem || error instanceof Conflict ? await savedResponse(item, fingerprint) : undefined;
    if (!first) throw error;
    return replay(first);
  }
}
