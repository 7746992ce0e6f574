import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { readWebhook, toWebhook, WEBHOOK_PATH } from '../../lib/webhooks/webhook.ts';

/** GET /ext/api/v1/webhooks/{id}. */
const get = async ({ acquirer, pathParameters: { id } }: Call<'id'>) =>
  ok(toWebhook(await readWebhook(acquirer.id, id)));

export const handler = endpoint(get, { needs: 'read' });

export const contract = {
  tag: 'Webhooks',
  summary: 'Get a webhook',
  description: 'Returns a webhook, with what became of its latest attempt.',
  path: WEBHOOK_PATH,
  success: { status: 200, description: 'The webhook.', data: 'Webhook' },
} satisfies Contract;
