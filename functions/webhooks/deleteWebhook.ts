import { change } from '../../lib/http/change.ts';
import type { Contract } from '../../lib/http/contract.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { decideDeleteWebhook, deletedWebhook } from '../../lib/webhooks/deleteWebhook.ts';
import { WEBHOOK_PATH } from '../../lib/webhooks/webhook.ts';

/** DELETE /ext/api/v1/webhooks/{id}. */
async function remove({ author, options, pathParameters: { id } }: ChangeCall<'id'>) {
  const decision = await decideDeleteWebhook(author, id, options);
  return { decision, response: ok(decision.data) };
}

export const handler = change(remove, { needs: 'manage_webhooks', cost: { write: 16 } });

export const contract = {
  tag: 'Webhooks',
  summary: 'Delete a webhook',
  description: 'Deletes a webhook, with its secret and its list of deliveries. An attempt that is under way ends.',
  path: WEBHOOK_PATH,
  isConditional: true,
  success: { status: 200, description: 'The deleted webhook.', data: deletedWebhook },
} satisfies Contract;
