import type { Acquirer } from '../acquirers/acquirer.ts';
import { cursorAt, positionOf } from '../base/cursor.ts';
import { lowerBoundId } from '../base/eventId.ts';
import { type Item, queryPage } from '../table/client.ts';
import { deliveriesOf } from '../table/keys.ts';
import { DELIVERIES_MS, type Delivery, readWebhook, toDelivery } from './webhook.ts';

/** Before it are all ids, which begin with a hexadecimal digit. */
const END = '~';

/**
 * Lists the attempts of the last seven days, the newest first.
 *
 * @returns `next` is the cursor of the next page, `null` after the last.
 * @throws Problem `not_found`; `invalid_query` unless `after` is a cursor of this list.
 */
export async function listDeliveries(
  { id: acquirer }: Acquirer,
  id: string,
  { after, limit }: { after?: string | undefined; limit: number },
) {
  const list = [acquirer, 'deliveries', id];
  const before = after === undefined ? END : positionOf(after, list, 'after');
  await readWebhook(acquirer, id);
  const range = {
    KeyConditionExpression: 'pk = :pk AND sk < :before',
    ExpressionAttributeValues: { ':pk': deliveriesOf(id).pk, ':before': before },
    ConsistentRead: true,
    ScanIndexForward: false,
  };
  const { items, next } = await queryPage<Item<Delivery>>(range, limit);
  // DynamoDB deletes them only hours after they have expired.
  const oldest = lowerBoundId(Date.now() - DELIVERIES_MS);
  const kept = items.filter(({ sk }) => sk >= oldest);
  const hasMore = next && kept.length === items.length;
  return { deliveries: kept.map(toDelivery), next: hasMore ? cursorAt(next['sk'], list) : null };
}
