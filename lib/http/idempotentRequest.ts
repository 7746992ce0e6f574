import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { retrying } from '../aws/retry.ts';
import { Problem } from '../base/problem.ts';
import { bytes, hash, seconds } from '../base/values.ts';
import { idempotencyKeyKey, type Key } from '../table/keys.ts';
import { getSettled, put, type Step } from '../table/transaction.ts';

/** The stored response to a request with an Idempotency-Key. */
export interface SavedResponse {
  status: 200 | 201;
  /** JSON, byte for byte. */
  body: string;
  location?: string | undefined;
}

/**
 * The stored item of a response. Its body is compressed (RFC 1951) if that is shorter, because each KB of a write
 * costs.
 */
export const idempotencyKeyItem = v.object({
  status: v.picklist([200, 201]),
  body: v.union([v.string(), bytes]),
  location: v.optional(v.string()),
  /** Hash of the request. */
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
export class AlreadyExecuted extends Error {
  override name = 'AlreadyExecuted';
  readonly response: SavedResponse;

  constructor(response: SavedResponse) {
    super('The request was executed before');
    this.response = response;
  }
}

/** A request with an Idempotency-Key, which is executed once. */
export class IdempotentRequest {
  readonly #key: Key;
  readonly #fingerprint: string;

  /** @param request Identifies the request: two requests are the same if this is. */
  constructor(acquirer: Acquirer, idempotencyKey: string, request: unknown) {
    this.#key = idempotencyKeyKey(acquirer.id, hashOf(idempotencyKey));
    this.#fingerprint = hashOf(JSON.stringify(request));
  }

  /**
   * Reads the response of this request, if it was executed before. Waits for a transaction that stores it: its other
   * items may be visible already.
   *
   * @throws Problem `idempotency_key_reused` when the key was used for a different request.
   */
  async response(): Promise<SavedResponse | undefined> {
    const stored = await retrying(() => getSettled<StoredResponse>(this.#key));
    if (!stored || stored.ttl <= now()) return undefined;
    if (stored.fingerprint !== this.#fingerprint) throw reused();
    return { ...stored, body: unpack(stored.body) };
  }

  /**
   * A step that stores the response in the transaction of the request, on condition that the key is unused. If not, the
   * transaction throws {@link AlreadyExecuted} or, for a different request, Problem `idempotency_key_reused`.
   */
  save(response: SavedResponse): Step {
    const item = {
      ...response,
      body: pack(response.body),
      fingerprint: this.#fingerprint,
      ttl: now() + RETENTION_S,
    } satisfies StoredResponse;
    return put(this.#key, item, {
      expression: 'attribute_not_exists(pk) OR #ttl <= :now',
      names: { '#ttl': 'ttl' },
      values: { ':now': now() },
      refusal: (found) => {
        const stored = found as unknown as StoredResponse | undefined;
        return stored?.fingerprint === this.#fingerprint
          ? new AlreadyExecuted({ ...stored, body: unpack(stored.body) })
          : reused();
      },
    });
  }
}
