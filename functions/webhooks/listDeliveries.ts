import * as v from 'valibot';
import { EVENT_CURSOR } from '../../lib/base/cursor.ts';
import { published } from '../../lib/base/fields.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { cursor, wholeNumber } from '../../lib/http/page.ts';
import { ok } from '../../lib/http/response.ts';
import { listDeliveries } from '../../lib/webhooks/listDeliveries.ts';
import { WEBHOOK_PATH } from '../../lib/webhooks/webhook.ts';

const Query = v.object({
  after: v.optional(v.pipe(cursor, published({ pattern: `^${EVENT_CURSOR}$`, minLength: 64 }))),
  limit: v.optional(wholeNumber(100), '20'),
});

/** GET /ext/api/v1/webhooks/{id}/deliveries. */
async function list({ acquirer, pathParameters, query }: Call<'id', unknown, v.InferOutput<typeof Query>>) {
  const { deliveries, next } = await listDeliveries(acquirer, pathParameters.id, query);
  return ok(deliveries, { meta: { next } });
}

export const handler = endpoint(list, {
  needs: 'read',
  query: Query,
  // The webhooks, and attempts of up to half a kilobyte.
  cost: ({ query }) => ({ read: 3 + 0.13 * query.limit }),
});

export const contract = {
  tag: 'Webhooks',
  summary: 'List the deliveries of a webhook',
  description: `Returns every attempt of the last seven days to deliver a page, the newest first. Tests are not among \
them.`,
  path: WEBHOOK_PATH,
  success: {
    status: 200,
    description: 'A page of deliveries.',
    data: { listOf: 'Delivery', most: 100 },
    meta: 'NextPageMeta',
  },
} satisfies Contract;
