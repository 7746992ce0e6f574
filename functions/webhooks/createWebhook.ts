import type * as v from 'valibot';
import { objectOf, optional, storedText } from '../../lib/base/fields.ts';
import { change } from '../../lib/http/change.ts';
import type { Contract } from '../../lib/http/contract.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { created, withSecret } from '../../lib/http/response.ts';
import { itemKilobytes } from '../../lib/limits/cost.ts';
import { decideCreateWebhook } from '../../lib/webhooks/createWebhook.ts';
import { webhookUrl } from '../../lib/webhooks/webhookUrl.ts';

const Body = objectOf({ url: webhookUrl, description: optional(storedText) });

/** POST /ext/api/v1/webhooks. */
async function create({ author, options, body }: ChangeCall<never, v.InferOutput<typeof Body>>) {
  const decision = await decideCreateWebhook(author, body, options);
  const response = created(decision.data, `/ext/api/v1/webhooks/${decision.data.id}`);
  return { decision, response: withSecret(response, decision.secret) };
}

export const handler = change(create, {
  needs: 'manage_webhooks',
  body: Body,
  isIdempotent: true,
  // The webhook, its response if there is an Idempotency-Key, the record, and an entry of an index.
  cost: ({ body }) => ({ write: 4 * itemKilobytes(body) + 6 }),
});

export const contract = {
  tag: 'Webhooks',
  summary: 'Create a webhook',
  description: `Creates a webhook: from now on, each event is delivered to its \`url\`. You can have five.

- The \`secret\` is shown only in this response. A replay of it has \`null\`; then rotate the secret.
- The \`url\` is an https URL of a host on the Internet, with port 443 or one from 1024, and without user, \
password and fragment.
- Send a test before you rely on it.`,
  success: { status: 201, description: 'The webhook was created.', data: 'WebhookWithSecret', hasLocation: true },
} satisfies Contract;
