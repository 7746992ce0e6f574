import { randomUUID } from 'node:crypto';
import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import { expiryOf, newEventId } from '../../lib/base/eventId.ts';
import { KEPT_MS, type RefusedRequest } from '../../lib/refusedRequests/refusedRequest.ts';
import { refusedRequestKey } from '../../lib/table/keys.ts';
import { storeMany } from './storeMany.ts';

/** Stores so many refused requests directly, as they are kept: of a key that wants to create terminals, by default. */
export const storeRefused = (
  { id: acquirer }: Pick<Acquirer, 'id'>,
  count: number,
  setOf: (number: number) => Partial<RefusedRequest> & { at: string },
): Promise<void> =>
  storeMany(1, count, (number) => {
    const set = setOf(number);
    const { refused_request_id = randomUUID() } = set;
    return {
      ...refusedRequestKey(acquirer, newEventId(set.at, refused_request_id)),
      ...{ refused_request_id, key_id: '0123456789ab', key_label: 'production', operation: 'createTerminals' },
      ...{ status: 422, code: 'validation_failed', errors: [{ pointer: '/terminals/3/serial_no', code: 'taken' }] },
      ...{ duration_ms: 41, weight: 1, times: 1, ttl: expiryOf(set.at, KEPT_MS) },
      ...set,
    };
  });
