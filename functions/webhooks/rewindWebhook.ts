import * as v from 'valibot';
import { EVENT_CURSOR, TIME_CURSOR } from '../../lib/base/cursor.ts';
import { code, objectOf } from '../../lib/base/fields.ts';
import { change } from '../../lib/http/change.ts';
import type { Contract } from '../../lib/http/contract.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { decideRewindWebhook } from '../../lib/webhooks/rewindWebhook.ts';
import { WEBHOOK_PATH } from '../../lib/webhooks/webhook.ts';

const TIME = '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]{3})?Z';
const PLACE = new RegExp(`^(?:oldest|${TIME}|${TIME_CURSOR}|${EVENT_CURSOR})$`);

const Body = objectOf({
  after: v.pipe(code, v.regex(PLACE, 'Must be a cursor of the feed, a time in UTC (RFC 3339) or oldest.')),
});

/** POST /ext/api/v1/webhooks/{id}/rewind. */
async function rewind({ author, options, pathParameters, body }: ChangeCall<'id', v.InferOutput<typeof Body>>) {
  const decision = await decideRewindWebhook(author, pathParameters.id, body.after, options);
  return { decision, response: ok(decision.data) };
}

export const handler = change(rewind, { needs: 'manage_webhooks', body: Body, cost: { write: 16 } });

export const contract = {
  tag: 'Webhooks',
  summary: 'Rewind a webhook',
  description: `Moves the webhook to another place in the feed: the events after it are delivered, also those that were \
before. Drop events whose \`id\` you have.

\`after\` is a cursor (\`meta.next\` of a delivery or of the list of events), a time, or \`oldest\` for all events \
that are kept.`,
  path: WEBHOOK_PATH,
  isConditional: true,
  success: { status: 200, description: 'The webhook at its new place.', data: 'Webhook' },
} satisfies Contract;
