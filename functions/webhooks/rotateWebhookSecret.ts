import { change } from '../../lib/http/change.ts';
import type { Contract } from '../../lib/http/contract.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { ok, withSecret } from '../../lib/http/response.ts';
import { decideRotateSecret } from '../../lib/webhooks/rotateSecret.ts';
import { WEBHOOK_PATH } from '../../lib/webhooks/webhook.ts';

/** POST /ext/api/v1/webhooks/{id}/rotate. */
async function rotate({ author, options, pathParameters: { id } }: ChangeCall<'id'>) {
  const decision = await decideRotateSecret(author, id, options);
  return { decision, response: withSecret(ok(decision.data), decision.secret) };
}

export const handler = change(rotate, { needs: 'manage_webhooks', cost: { write: 16 } });

export const contract = {
  tag: 'Webhooks',
  summary: 'Rotate the secret of a webhook',
  description: `Returns a new \`secret\`. For 24 hours, the one before signs too, so you can exchange it without a break.

- The \`secret\` is shown only in this response. If you lose it, rotate again: no secret ends early by that, unless \
it is your third rotation within 24 hours.
- If a secret was disclosed, delete the webhook and create another.`,
  path: WEBHOOK_PATH,
  isConditional: true,
  success: { status: 200, description: 'The webhook, with its new secret.', data: 'WebhookWithSecret' },
} satisfies Contract;
