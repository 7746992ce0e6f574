import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { requestContext } from '../aws/requestContext.ts';
import { isTransient } from '../aws/retry.ts';
import { seconds, time } from '../base/values.ts';
import { once, table, tableName } from '../table/client.ts';
import { apiKeyUseKey, type Key } from '../table/keys.ts';

/** The stored item of an API key's last use. A revoked key keeps it, until it expires. */
export const apiKeyUseItem = v.object({ used_at: time, ttl: seconds });
export type ApiKeyUse = v.InferOutput<typeof apiKeyUseItem>;

/** How often uses are recorded. Tests change it. */
export const KEY_USE = {
  /**
   * The least time between two attempts of a process, and between two recorded uses, in milliseconds; or `Infinity`.
   */
  intervalMs: 3_600_000,
};

const ATTEMPT_MS = 300;

/** How long after a failed attempt the next one is due: a new key that is in use must not look unused for an hour. */
const RETRY_MS = 60_000;

/** Retention of a use, in seconds: 400 days. */
export const RETENTION_S = 400 * 86_400;

/** The most keys, sessions or terminals of which a process remembers its last attempt. */
const MOST_ATTEMPTS = 10_000;

/**
 * When this process last attempted to record a use, by key and `performance.now()`; the oldest attempt first.
 */
const attempts = new Map<string, number>();

/** Reports whether a use is to be recorded now, and remembers the attempt. */
export function isDue(name: string, intervalMs: number): boolean {
  const now = performance.now();
  if (now - (attempts.get(name) ?? Number.NEGATIVE_INFINITY) <= intervalMs) return false;
  attempts.delete(name);
  attempts.set(name, now);
  const [oldest] = attempts.keys();
  if (attempts.size > MOST_ATTEMPTS && oldest) attempts.delete(oldest);
  return true;
}

/** Whether an attempt was refused because of a later use or of a sign-out under way, throttled, lost or too slow. */
const isExpected = (error: unknown): boolean =>
  error instanceof ConditionalCheckFailedException ||
  isTransient(error) ||
  ['AbortError', 'TransactionConflictException'].includes((error as Error).name);

interface Use {
  key: Key;
  /** What is recorded, unless a later time is: by default now, unless one of the last interval is. */
  at?: string | undefined;
  /** The least time between two attempts of a process, and between two recorded uses, in milliseconds. */
  intervalMs: number;
  retentionS: number;
}

/**
 * Records when something was used, if this process has not attempted it within the interval. It stores nothing if
 * another process has recorded a use within that time, so concurrent requests cause one write, and no conflict.
 *
 * Never rejects, and takes at most {@link ATTEMPT_MS}: throttled, lost and slow requests are ignored, other failures
 * are logged. It is retried by the first use after {@link RETRY_MS}.
 */
export async function recordUse({ key, at, intervalMs, retentionS }: Use): Promise<void> {
  const name = `${key.pk} ${key.sk} ${at ?? ''}`;
  if (!isDue(name, intervalMs)) return;
  const now = Date.now();
  const input = {
    TableName: tableName(),
    Key: key,
    UpdateExpression: 'SET used_at = :now, #ttl = :ttl',
    ConditionExpression: 'attribute_not_exists(used_at) OR used_at < :before',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: {
      ':now': at ?? new Date(now).toISOString(),
      ':before': at ?? new Date(now - intervalMs).toISOString(),
      ':ttl': Math.ceil(now / 1000) + retentionS,
    },
  };
  try {
    await table.send(once(new UpdateCommand(input)), { abortSignal: AbortSignal.timeout(ATTEMPT_MS) });
  } catch (error) {
    if (!isExpected(error)) requestContext().failures.keyUse.push(error);
    if (!(error instanceof ConditionalCheckFailedException))
      attempts.set(name, performance.now() - intervalMs + RETRY_MS);
  }
}

/** Records that an API key was used: its first use at once, later ones up to two hours later than `used_at`. */
export const recordKeyUse = (keyId: string): Promise<void> =>
  recordUse({ key: apiKeyUseKey(keyId), intervalMs: KEY_USE.intervalMs, retentionS: RETENTION_S });
