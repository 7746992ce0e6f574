import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { deflateRawSync } from 'node:zlib';
import { Webhook as Verifier } from 'standardwebhooks';
import { serve } from '../../infra/local/serve.ts';
import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import { expiryOf, newEventId } from '../../lib/base/eventId.ts';
import { copyKey, DICTIONARY, type Event } from '../../lib/events/event.ts';
import { feedEnd } from '../../lib/events/feed.ts';
import { getItem, type Item } from '../../lib/table/client.ts';
import { webhookKey } from '../../lib/table/keys.ts';
import { put, transact } from '../../lib/table/transaction.ts';
import { newSecret, sealSecret } from '../../lib/webhooks/secret.ts';
import { due, here, type Webhook } from '../../lib/webhooks/webhook.ts';

// Receivers of tests are on this machine.
process.env['WEBHOOK_HOSTS'] = 'loopback';

/** A delivery that a receiver has verified. */
export interface Received {
  id: string;
  events: Event[];
  meta: { next: string; missed_before: string | null };
  headers: IncomingHttpHeaders;
}

/** How a receiver responds to a delivery: with a status, or as it does itself. */
export type Respond = (received: Received, response: ServerResponse) => unknown;

/**
 * Starts a server that verifies each delivery with the library of Standard Webhooks, keeps it and responds.
 *
 * @param respond Responds with 204 by default.
 */
export async function newReceiver(secrets: string[], respond: Respond = () => {}) {
  const received: Received[] = [];
  const server = await serve(async (request, response) => {
    const body = await text(request);
    const verified = secrets.map((secret) => new Verifier(secret).verify(body, request.headers as never));
    const { data, meta } = verified[0] as { data: Event[]; meta: Received['meta'] };
    const delivery = { id: String(request.headers['webhook-id']), events: data, meta, headers: request.headers };
    received.push(delivery);
    await respond(delivery, response);
    if (!response.writableEnded) response.writeHead(204).end();
  });
  return { ...server, received };
}

/** Stores an active webhook that begins now; `set` overrides its attributes. */
export async function storeWebhook(
  { id: acquirer }: Pick<Acquirer, 'id'>,
  url: string,
  { slot = 1, secret = newSecret(), ...set }: Partial<Webhook> & { slot?: number; secret?: string } = {},
): Promise<{ id: string; slot: number; secret: string }> {
  const id = randomUUID();
  const created_at = new Date().toISOString();
  const webhook = {
    id,
    url,
    status: 'active',
    created_at,
    updated_at: created_at,
    secrets: [{ sealed: await sealSecret(secret, id) }],
    delivers_in: here(),
    cursor: feedEnd(),
    failures: 0,
    is_slow: false,
    ...due({ id }, new Date(Date.now() + 3_600_000).toISOString()),
    ...set,
  } satisfies Webhook;
  await transact([put(webhookKey(acquirer, slot), webhook)]);
  return { id, slot, secret };
}

/**
 * An event of an acquirer as the feed has it, to store directly, without what puts it into histories: `size` is of a text
 * in its data, `person` who made it.
 */
export function eventItem(
  { id: acquirer, name }: Acquirer,
  at: number,
  seed: string,
  { size = 0, person }: { size?: number | undefined; person?: string | undefined } = {},
) {
  const time = new Date(at).toISOString();
  const content = {
    type: 'branch.updated',
    branch: { mid: 'MID1', status: 'active', archived_at: null },
    data: { merchant_name: 'x'.repeat(size) },
    changes: { merchant_name: null },
    by: { acquirer, acquirer_name: name, key_id: null, key_label: null, ...(person && { person }) },
    request_id: randomUUID(),
  };
  const body = deflateRawSync(JSON.stringify(content), { dictionary: DICTIONARY });
  return { ...copyKey(acquirer, newEventId(time, seed)), body, ttl: expiryOf(time) };
}

/** A webhook as it is stored. */
export const storedWebhook = async ({ id }: Pick<Acquirer, 'id'>, slot = 1): Promise<Item<Webhook>> =>
  (await getItem<Webhook>(webhookKey(id, slot))) as Item<Webhook>;
