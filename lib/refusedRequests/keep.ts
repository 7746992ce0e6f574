import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { requestContext, within } from '../aws/requestContext.ts';
import { setting } from '../base/config.ts';
import { expiryOf, newEventId } from '../base/eventId.ts';
import { UUID } from '../base/mid.ts';
import type { FieldError } from '../base/problem.ts';
import { findBranch, isAccessible } from '../branches/branch.ts';
import type { Terminal } from '../branches/terminal.ts';
import { type Cost, tokensOf, usedCost } from '../limits/cost.ts';
import { getItem, once, table, tableName } from '../table/client.ts';
import { refusedRequestKey, terminalKey } from '../table/keys.ts';
import { readWebhooks } from '../webhooks/webhook.ts';
import { KEPT_MS, MOST_ERRORS, type RefusedRequest } from './refusedRequest.ts';

/** A resource that the path of a request names, as it was sent. */
export interface Named {
  kind: 'mid' | 'tid' | 'webhook';
  id: string;
}

export interface Refused
  extends Pick<
    RefusedRequest,
    'key_id' | 'key_label' | 'person' | 'operation' | 'status' | 'code' | 'validate_only' | 'duration_ms'
  > {
  request_id: string;
  errors: FieldError[];
  named: Named | undefined;
  /** What its operation stated, if it came to that. */
  stated: Cost;
  /**
   * Only if the rate limit refused it: those of a caller and window are one item, with at least how many there were.
   * `start` is the beginning of the window in milliseconds, `more` how many are added.
   */
  window: { start: number; more: number } | undefined;
}

/**
 * Keeps a refused request for its acquirer: with nothing that was sent, but the ids of what the acquirer can access. It
 * is sent once, so that one that the rate limit refused is not counted twice.
 *
 * @throws Error if it takes longer than `KEEP_REFUSED_MS`, or the table refuses it. Nothing is pending then.
 */
export const keepRefusedRequest = (acquirer: Acquirer, refused: Refused): Promise<void> =>
  within(setting('KEEP_REFUSED_MS'), () => keep(acquirer, refused));

async function keep(
  acquirer: Acquirer,
  { request_id, errors, named, stated, window, ...attributes }: Refused,
): Promise<void> {
  const isNamed = named && (await isAccessibleTo(acquirer, named));
  const at = new Date(window?.start ?? Date.now()).toISOString();
  const item: Omit<RefusedRequest, 'times'> = {
    ...attributes,
    refused_request_id: request_id,
    at,
    ...(isNamed && { [named.kind]: named.id }),
    errors: errors.slice(0, MOST_ERRORS).map(keptError),
    more_errors: Math.max(0, errors.length - MOST_ERRORS) || undefined,
    weight: tokensOf(usedCost(requestContext(), stated)),
    ttl: expiryOf(at, KEPT_MS),
  };
  const values = Object.entries(item).filter(([, value]) => value !== undefined);
  const write = new UpdateCommand({
    TableName: tableName(),
    Key: refusedRequestKey(acquirer.id, newEventId(at, window ? callerOf(attributes) : request_id)),
    UpdateExpression: `SET ${values.map(([name]) => `#${name} = if_not_exists(#${name}, :${name})`)} ADD times :times`,
    ExpressionAttributeNames: Object.fromEntries(values.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(values.map(([name, value]) => [`:${name}`, value])),
      ':times': window?.more ?? 1,
    },
  });
  await table.send(once(write));
}

export const callerOf = ({ key_id, person }: Pick<Refused, 'key_id' | 'person'>): string => key_id ?? person ?? '';

/** A misplaced `validate_only` of any spelling, which has its letters, also within a terminal: see warnings.ts. */
const MISPLACED_CHECK = /^(?:\/terminals\/\d{1,2})?\/[A-Za-z_-]{1,20}$/;

/** A field error without its detail. Unlike the fields of schemas, an unknown one can have any name. */
export const keptError = ({ pointer, code }: FieldError) => ({
  pointer: code === 'unknown_field' && !MISPLACED_CHECK.test(pointer) ? '' : pointer,
  code,
});

/** Whether an acquirer can access what a path names. */
async function isAccessibleTo(acquirer: Acquirer, { kind, id }: Named): Promise<boolean> {
  if (kind === 'webhook') return (await readWebhooks(acquirer.id)).some((webhook) => webhook.id === id);
  if (kind === 'tid' && !UUID.test(id)) return false;
  const mid = kind === 'mid' ? id : (await getItem<Terminal>(terminalKey(id)))?.mid;
  const branch = mid === undefined ? undefined : await findBranch(mid);
  return branch !== undefined && isAccessible(branch, acquirer);
}
