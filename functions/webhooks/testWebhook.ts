import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { ChangeQuery } from '../../lib/http/query.ts';
import { ok } from '../../lib/http/response.ts';
import { testWebhook } from '../../lib/webhooks/testWebhook.ts';
import { shownOutcome, WEBHOOK_PATH } from '../../lib/webhooks/webhook.ts';

/** POST /ext/api/v1/webhooks/{id}/test. */
const test = async ({ acquirer, options, pathParameters: { id } }: ChangeCall<'id'>) =>
  ok(await testWebhook(acquirer, id, options.validate_only === true));

export const handler = endpoint(test, { needs: 'manage_webhooks', query: ChangeQuery, cost: { write: 16 } });

export const contract = {
  tag: 'Webhooks',
  summary: 'Test a webhook',
  description: `Posts an empty page to the webhook, whatever its status, and returns what became of it.

- If that succeeds and a page waits because your server failed, it is delivered at once.
- You can test ten times a minute. Then the response is a 429 \`rate_limited\`.
- With \`validate_only=true\`, nothing is posted, and \`status\` and \`error\` are \`null\`.`,
  path: WEBHOOK_PATH,
  success: { status: 200, description: 'What became of the test.', data: shownOutcome },
} satisfies Contract;
