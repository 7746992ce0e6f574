import * as v from 'valibot';
import { clearable, objectOf, oneOf, storedText } from '../../lib/base/fields.ts';
import { change } from '../../lib/http/change.ts';
import type { Contract } from '../../lib/http/contract.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { decideUpdateWebhook } from '../../lib/webhooks/updateWebhook.ts';
import { WEBHOOK_PATH } from '../../lib/webhooks/webhook.ts';
import { webhookUrl } from '../../lib/webhooks/webhookUrl.ts';

const Body = objectOf({
  url: v.optional(webhookUrl),
  description: clearable(storedText),
  status: v.optional(oneOf(['active', 'paused'])),
});

/** PATCH /ext/api/v1/webhooks/{id}. */
async function update({ author, options, pathParameters, body }: ChangeCall<'id', v.InferOutput<typeof Body>>) {
  const decision = await decideUpdateWebhook(author, pathParameters.id, body, options);
  return { decision, response: ok(decision.data) };
}

export const handler = change(update, { needs: 'manage_webhooks', body: Body, cost: { write: 16 } });

export const contract = {
  tag: 'Webhooks',
  summary: 'Update a webhook',
  description: `Changes only the fields that you send. \`null\` or a blank text clears \`description\`.

- A paused webhook keeps its place, for as long as events are kept. With \`status: active\`, it goes on there.
- If a page waits because your server failed, it is delivered at once when you change \`url\` or send \`status: active\`.`,
  path: WEBHOOK_PATH,
  isConditional: true,
  success: { status: 200, description: 'The updated webhook.', data: 'Webhook' },
} satisfies Contract;
