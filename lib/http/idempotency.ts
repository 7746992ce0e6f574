import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import { retrying } from '../aws/retry.ts';
import { Problem } from '../base/problem.ts';
import { bytes, hash, seconds } from '../base/values.ts';
import { idempotencyKeyKey, type Key } from '../table/keys.ts';
import { getSettled, put, type Step } from '../table/transaction.ts';
import type { Call, HandlerResult } from './middleware.ts';

/** The stored item of a response. */
export const idempotencyKeyItem = v.object({
  status: v.picklist([200, 201]),
  /** JSON, byte for byte, deflated (RFC 1951): each KB of a write costs. */
  body: bytes,
  location: v.optional(v.string()),
  fingerprint: hash,
  /** When it expires; DynamoDB deletes it later. */
  ttl: seconds,
});
type StoredResponse = v.InferOutput<typeof idempotencyKeyItem>;

const replayOf = ({ status, body, location }: StoredResponse): HandlerResult => ({
  status,
  body: JSON.parse(inflateRawSync(body).toString()),
  location,
  isReplay: true,
});

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
  readonly response: HandlerResult;

  constructor(response: HandlerResult) {
    super('The request was executed before');
    this.response = response;
  }
}

/** Visible ASCII characters (RFC 20), which are valid in any HTTP header. */
const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/;

/** The record of an `Idempotency-Key`: where it is stored, and what identifies the request that it is of. */
export interface IdempotencyRecord {
  key: Key;
  fingerprint: string;
}

/**
 * The record of a request's `Idempotency-Key`; `undefined` if it has none.
 *
 * @throws Problem `invalid_idempotency_key`.
 */
export function idempotencyRecordOf({
  acquirer,
  headers,
  routeKey,
  pathParameters,
  body,
}: Call): IdempotencyRecord | undefined {
  const sent = headers['idempotency-key'];
  if (sent === undefined) return undefined;
  if (!IDEMPOTENCY_KEY.test(sent))
    throw new Problem(
      'invalid_idempotency_key',
      'Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces.',
    );
  return {
    key: idempotencyKeyKey(acquirer.id, hashOf(sent)),
    fingerprint: hashOf(JSON.stringify([routeKey, pathParameters, body])),
  };
}

/**
 * Reads the response of a request that was executed before. Waits for a transaction that stores it.
 *
 * @throws Problem `idempotency_key_reused` when the key was used for a different request.
 */
export async function savedResponse({ key, fingerprint }: IdempotencyRecord): Promise<HandlerResult | undefined> {
  const stored = await retrying(() => getSettled<StoredResponse>(key));
  if (!stored || stored.ttl <= now()) return undefined;
  if (stored.fingerprint !== fingerprint) throw reused();
  return replayOf(stored);
}

/**
 * A step that stores the response in the transaction of the request, on condition that the key is unused. If not, the
 * transaction throws {@link AlreadyExecuted} or, for a different request, Problem `idempotency_key_reused`.
 */
export function saveStep({ key, fingerprint }: IdempotencyRecord, { status, body, location }: HandlerResult): Step {
  const ttl = now() + RETENTION_S;
  const item = {
    status,
    body: deflateRawSync(JSON.stringify(body)),
    location,
    fingerprint,
    ttl,
  } satisfies StoredResponse;
  return put(key, item, {
    expression: 'attribute_not_exists(pk) OR #ttl <= :now',
    names: { '#ttl': 'ttl' },
    values: { ':now': now() },
    refusal: (found) => {
      const stored = found as unknown as StoredResponse | undefined;
      return stored?.fingerprint === fingerprint ? new AlreadyExecuted(replayOf(stored)) : reused();
    },
  });
}
