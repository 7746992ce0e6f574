import { openSecret } from './secret.ts';
import { type Sent, send } from './send.ts';
import { signedHeaders } from './signature.ts';
import type { Webhook } from './webhook.ts';

interface Delivery {
  /** The header `webhook-id`. */
  id: string;
  /** When the attempt begins. */
  at: string;
  body: string;
}

/** What sends a delivery. Recordings and tests replace it. */
export const TRANSPORT = { send };

/** Posts a page to a webhook, signed with each secret that has not ended. Throws for nothing that the server does. */
export async function post(
  webhook: Pick<Webhook, 'id' | 'url' | 'secrets'>,
  { id, at, body }: Delivery,
): Promise<Sent> {
  const valid = webhook.secrets.filter(({ ends_at }) => ends_at === undefined || ends_at > at);
  const secrets = await Promise.all(valid.map(({ sealed }) => openSecret(sealed, webhook.id)));
  return TRANSPORT.send(webhook.url, { headers: signedHeaders({ id, at, body, secrets }), body });
}

/** Whether the server has accepted it. A redirect is a failure too. */
export const isDelivered = ({ status }: Pick<Sent, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300;
