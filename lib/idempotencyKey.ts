import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import type { Acquirer } from './acquirer.ts';
import { Problem } from './base/problem.ts';
import { bytes, hash, seconds } from './base/values.ts';
import { getItem } from './table/client.ts';
import { idempotencyKeyKey, type Key } from './table/keys.ts';
import { put, type Step } from './table/transaction.ts';

/** The answer to a request that had an Idempotency-Key. */
export interface SavedResponse {
  status: 200 | 201;
  /** JSON, byte for byte. */
  body: string;
  location?: string | undefined;
}

/** The stored item of a response. Its body is deflated (RFC 1951) if that is shorter, because each KB of a write costs. */
export const idempotencyKeyItem = v.object({
  status: v.picklist([200, 201]),
  body: v.union([v.string(), bytes]),
  location: v.optional(v.string()),
  /** Hash of the request. */
  fingerprint: hash,
  /** When it expires. DynamoDB deletes it later. */
  ttl: seconds,
});
export type StoredResponse = v.InferOutput<typeof idempotencyKeyItem>;

const pack = (body: string): string | Uint8Array => {
  const deflated = deflateRawSync(body);
  return deflated.length < Buffer.byteLength(body) ? deflated : body;
};
const unpack = (body: string | Uint8Array): string =>
  typeof body === 'string' ? body : inflateRawSync(body).toString();

/** How long an answer is kept, in seconds: a day. */
const KEPT_S = 24 * 60 * 60;

const now = (): number => Math.floor(Date.now() / 1000);

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const reused = (): Problem => {
  const detail =
    'You sent this Idempotency-Key with another request within 24 hours. Give each request a key of its own.';
  return new Problem('idempotency_key_reused', detail, {
    errors: [{ pointer: '', code: 'idempotency_key_reused', detail }],
  });
};

/** The request was executed before, and answered so. */
export class AlreadyExecuted extends Error {
  override name = 'Repeated';
  readonly response: SavedResponse;

  constructor(response: SavedResponse) {
    super('The request was executed before');
    this.response = response;
  }
}

/** A request that is to be executed once, however often it comes: an acquirer's, under the key that it gave it. */
export class IdempotentRequest {
  readonly #key: Key;
  readonly #fingerprint: string;

  /** @param request What makes it this request and no other. */
  constructor(acquirer: Acquirer, idempotencyKey: string, request: unknown) {
    this.#key = idempotencyKeyKey(acquirer.id, hashOf(idempotencyKey));
    this.#fingerprint = hashOf(JSON.stringify(request));
  }

  /**
   * What this request was answered, if it was executed before.
   *
   * @throws Problem `idempotency_key_reused` when another request had this key.
   */
  async response(): Promise<SavedResponse | undefined> {
    const kept = await getItem<StoredResponse>(this.#key);
    if (!kept || kept.ttl <= now()) return undefined;
    if (kept.fingerprint !== this.#fingerprint) throw reused();
    return { ...kept, body: unpack(kept.body) };
  }

  /**
   * Stores the answer with what the request changes, on condition that no request with this key has been executed. Else
   * it is refused as {@link AlreadyExecuted}, or with the Problem `idempotency_key_reused`.
   */
  keep(response: SavedResponse): Step {
    const kept = {
      ...response,
      body: pack(response.body),
      fingerprint: this.#fingerprint,
      ttl: now() + KEPT_S,
    } satisfies StoredResponse;
    return put(this.#key, kept, {
      expression: 'attribute_not_exists(pk) OR #ttl <= :now',
      names: { '#ttl': 'ttl' },
      values: { ':now': now() },
      refusal: (found) => {
        const there = found as unknown as StoredResponse | undefined;
        return there?.fingerprint === this.#fingerprint
          ? new AlreadyExecuted({ ...there, body: unpack(there.body) })
          : reused();
      },
    });
  }
}
