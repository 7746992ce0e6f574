import { once } from 'node:events';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { setting } from '../base/config.ts';
import { expiryOf, newEventId } from '../base/eventId.ts';
import { UUID } from '../base/mid.ts';
import type { FieldError } from '../base/problem.ts';
import { findBranch, isAccessible } from '../branches/branch.ts';
import type { Terminal } from '../branches/terminal.ts';
import { getItem, table, tableName } from '../table/client.ts';
import { refusedRequestKey, terminalKey } from '../table/keys.ts';
import { readWebhooks } from '../webhooks/webhook.ts';
import { KEPT_MS, MOST_ERRORS, type RefusedRequest } from './refusedRequest.ts';

type Attributes = Omit<RefusedRequest, 'refused_request_id' | 'at' | 'errors' | 'more_errors' | 'times' | 'ttl'>;

/** A resource that the path of a request names, as it was sent. */
export interface Named {
  kind: 'mid' | 'tid' | 'webhook';
  id: string;
}

export interface Refused extends Omit<Attributes, Named['kind']> {
  request_id: string;
  errors: FieldError[];
  named: Named | undefined;
  /**
   * Only if the rate limit refused it: the first such request of a caller in a window of the limit is kept, with at
   * least how many there were. `start` is the beginning of the window in milliseconds, `more` how many are added.
   */
  window: { start: number; more: number } | undefined;
}

/** Pointers to fields that schemas have. Any other may have what was sent as the name of a field. */
const POINTER = /^(?:\/(?:[a-z_]{1,32}|\d{1,4})){0,4}$/;

/**
 * Keeps a refused request for its acquirer: with nothing that was sent, but the ids of what it can access.
 *
 * @throws Error if it takes longer than `KEEP_REFUSED_MS`, or the table refuses it.
 */
export async function keepRefusedRequest(acquirer: Acquirer, refused: Refused): Promise<void> {
  const signal = AbortSignal.timeout(setting('KEEP_REFUSED_MS'));
  const isTooLate = once(signal, 'abort').then(() => signal.throwIfAborted());
  // Reads do not end with the signal. One that is pending writes nothing when the process goes on.
  await Promise.race([keep(acquirer, refused, signal), isTooLate]);
}

async function keep(
  acquirer: Acquirer,
  { request_id, errors, named, window, ...attributes }: Refused,
  abortSignal: AbortSignal,
): Promise<void> {
  const at = new Date().toISOString();
  const item: Omit<RefusedRequest, 'times'> = {
    ...attributes,
    refused_request_id: request_id,
    at,
    ...(named && (await isAccessibleTo(acquirer, named)) && { [named.kind]: named.id }),
    errors: errors.slice(0, MOST_ERRORS).map(({ pointer, code }) => ({
      pointer: POINTER.test(pointer) ? pointer : '',
      code,
    })),
    more_errors: Math.max(0, errors.length - MOST_ERRORS) || undefined,
    ttl: expiryOf(at, KEPT_MS),
  };
  const id = window
    ? newEventId(new Date(window.start).toISOString(), attributes.key_id ?? attributes.person)
    : newEventId(at, request_id);
  const values = Object.entries(item).filter(([, value]) => value !== undefined);
  abortSignal.throwIfAborted();
  await table.send(
    new UpdateCommand({
      TableName: tableName(),
      Key: refusedRequestKey(acquirer.id, id),
      UpdateExpression: `SET ${values.map(([name]) => `#${name} = if_not_exists(#${name}, :${name})`)} ADD times :times`,
      ExpressionAttributeNames: Object.fromEntries(values.map(([name]) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        ...Object.fromEntries(values.map(([name, value]) => [`:${name}`, value])),
        ':times': window?.more ?? 1,
      },
    }),
    { abortSignal },
  );
}

/** Whether an acquirer can access what a path names. */
async function isAccessibleTo(acquirer: Acquirer, { kind, id }: Named): Promise<boolean> {
  if (kind === 'webhook') return (await readWebhooks(acquirer.id)).some((webhook) => webhook.id === id);
  if (kind === 'tid' && !UUID.test(id)) return false;
  const mid = kind === 'mid' ? id : (await getItem<Terminal>(terminalKey(id)))?.mid;
  const branch = mid === undefined ? undefined : await findBranch(mid);
  return branch !== undefined && isAccessible(branch, acquirer);
}
