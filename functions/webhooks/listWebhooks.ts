import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { MOST_WEBHOOKS, readWebhooks, toWebhook } from '../../lib/webhooks/webhook.ts';

/** GET /ext/api/v1/webhooks. */
async function list({ acquirer }: Call) {
  const webhooks = (await readWebhooks(acquirer.id)).map(toWebhook);
  return ok(webhooks.sort(byCreation), { meta: { next: null } });
}

const byCreation = (one: { created_at: string }, other: { created_at: string }): number =>
  Date.parse(one.created_at) - Date.parse(other.created_at);

export const handler = endpoint(list, { needs: 'read' });

export const contract = {
  tag: 'Webhooks',
  summary: 'List webhooks',
  description: 'Returns your webhooks, the oldest first. There is only one page.',
  success: {
    status: 200,
    description: 'The webhooks.',
    data: { listOf: 'Webhook', most: MOST_WEBHOOKS },
    meta: 'NextPageMeta',
  },
} satisfies Contract;
