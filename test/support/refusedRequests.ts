import { randomUUID } from 'node:crypto';
import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import { expiryOf, newEventId } from '../../lib/base/eventId.ts';
import { KEPT_MS, type RefusedRequest } from '../../lib/refusedRequests/refusedRequest.ts';
import { refusedRequestKey } from '../../lib/table/keys.ts';
import { storeMany } from './storeMany.ts';

/**
 * Stores so many refused requests directly, as they are kept: by default of a key that wants to create terminals, now.
 * Returns them.
 */
export async function storeRefused(
  { id: acquirer }: Pick<Acquirer, 'id'>,
  count: number,
  setOf: (number: number) => Partial<RefusedRequest>,
): Promise<RefusedRequest[]> {
  const items = Array.from({ length: count }, (_, index): RefusedRequest => {
    const set = setOf(index + 1);
    const { at = new Date().toISOString() } = set;
    return {
      ...{ refused_request_id: randomUUID(), at, key_id: '0123456789ab', key_label: 'production' },
      ...{ operation: 'createTerminals', status: 422, code: 'validation_failed' },
      errors: [{ pointer: '/terminals/3/serial_no', code: 'taken' }],
      ...{ duration_ms: 41, weight: 1, times: 1, ttl: expiryOf(at, KEPT_MS) },
      ...set,
    };
  });
  await storeMany(0, count - 1, (index) => {
    const item = items[index] as RefusedRequest;
    return { ...refusedRequestKey(acquirer, newEventId(item.at, item.refused_request_id)), ...item };
  });
  return items;
}

/** Stores one of now, and returns its request id. */
export async function storeOneRefused(acquirer: Pick<Acquirer, 'id'>, set: Partial<RefusedRequest>): Promise<string> {
  const [{ refused_request_id } = { refused_request_id: '' }] = await storeRefused(acquirer, 1, () => set);
  return refused_request_id;
}
