import { randomUUID } from 'node:crypto';
import { lowerBoundId } from '../../lib/base/eventId.ts';
import { webhookKey } from '../../lib/table/keys.ts';
import { put, transact } from '../../lib/table/transaction.ts';
import { due, here, type Webhook } from '../../lib/webhooks/webhook.ts';

/** Stores a webhook that is active and has delivered everything, with other attributes as given; `undefined` is none. */
export async function storeWebhook(
  acquirer: string,
  slot: number,
  more: { [K in keyof Webhook]?: Webhook[K] | undefined } = {},
): Promise<Webhook> {
  const [id, at] = [randomUUID(), new Date().toISOString()];
  const webhook = {
    id,
    url: 'https://receiver.example.com/events',
    status: 'active',
    created_at: at,
    updated_at: at,
    secrets: [{ sealed: `sealed-${id}` }],
    delivers_in: here(),
    cursor: lowerBoundId(Date.now()),
    failures: 0,
    is_slow: false,
    ...due({ id }, at),
    ...more,
  };
  await transact([put(webhookKey(acquirer, slot), webhook)]);
  return webhook as Webhook;
}
