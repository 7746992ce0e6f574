import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { seconds, time } from '../base/values.ts';
import { table, tableName } from '../table/client.ts';
import { apiKeyUseKey } from '../table/keys.ts';
import { isTransient, withoutRetries } from '../table/retry.ts';
import { usage } from '../table/usageMeter.ts';

/** The stored item of an API key's last use. A revoked key keeps it, until it expires. */
export const apiKeyUseItem = v.object({ used_at: time, ttl: seconds });
export type ApiKeyUse = v.InferOutput<typeof apiKeyUseItem>;

/** How often uses are recorded. Tests change it. */
export const KEY_USE = {
  /** The least time between two attempts of a process, and between two recorded uses, in milliseconds; or `Infinity`. */
  intervalMs: 3_600_000,
};

/** Timeout of an attempt, in milliseconds. */
const ATTEMPT_MS = 300;

/** Retention of a use, in seconds: 400 days. */
const RETENTION_S = 400 * 86_400;

/** The most keys of which a process remembers its last attempt. */
const MOST_KEYS = 10_000;

/** When this process last attempted to record a use, by key_id and `performance.now()`; the oldest attempt first. */
const attempts = new Map<string, number>();

/** Reports whether a use is to be recorded now, and remembers the attempt. */
function isDue(keyId: string): boolean {
  const now = performance.now();
  if (now - (attempts.get(keyId) ?? Number.NEGATIVE_INFINITY) <= KEY_USE.intervalMs) return false;
  attempts.delete(keyId);
  attempts.set(keyId, now);
  const [oldest] = attempts.keys();
  if (attempts.size > MOST_KEYS && oldest) attempts.delete(oldest);
  return true;
}

/** Whether an attempt was refused because of a later use, throttled, lost or too slow. */
const isExpected = (error: unknown): boolean =>
  error instanceof ConditionalCheckFailedException || isTransient(error) || (error as Error).name === 'AbortError';

/**
 * Records that an API key was used, if this process has not attempted it within {@link KEY_USE}.intervalMs. It stores
 * nothing if another process has recorded a use within that time. So the last use may be up to two hours later than
 * `used_at`.
 *
 * Never rejects, and takes at most {@link ATTEMPT_MS}: throttled, lost and slow requests are ignored, other failures are
 * logged. It is not retried before the interval has passed.
 */
export async function recordUse(keyId: string): Promise<void> {
  if (!isDue(keyId)) return;
  const now = Date.now();
  const input = {
    TableName: tableName(),
    Key: apiKeyUseKey(keyId),
    UpdateExpression: 'SET used_at = :now, #ttl = :ttl',
    ConditionExpression: 'attribute_not_exists(used_at) OR used_at < :before',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: {
      ':now': new Date(now).toISOString(),
      ':before': new Date(now - KEY_USE.intervalMs).toISOString(),
      ':ttl': Math.ceil(now / 1000) + RETENTION_S,
    },
  };
  try {
    await withoutRetries(() => table.send(new UpdateCommand(input), { abortSignal: AbortSignal.timeout(ATTEMPT_MS) }));
  } catch (error) {
    if (!isExpected(error)) usage().keyUseFailures.push(error);
  }
}
