import { accessChanges } from '../../lib/history/accessChanges.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { HistoryQuery } from '../../lib/http/history.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** GET /console/api/access-changes. */
async function list({ acquirer, query }: Call<never, unknown, HistoryQuery>) {
  const { changes, next } = await accessChanges(acquirer, query);
  return ok(changes, { meta: { next } });
}

export const handler = endpoint(list, {
  needs: 'administer',
  query: HistoryQuery,
  cost: ({ query }) => ({ read: 2 + 0.3 * query.limit }),
});

export const contract = {
  tag: 'Events',
  summary: 'List changes of API keys, people and webhooks',
  description:
    'Returns who created, rotated or revoked an API key, who invited, removed or changed a person, and who created, ' +
    'changed or deleted a webhook, the newest first. For the next page, send `meta.next` as `before`; it is `null` ' +
    'at the end. A page can have fewer changes than `limit`, or none, although there are more.',
  success: {
    status: 200,
    description: 'A page of changes.',
    data: { listOf: 'AccessChange', most: 100 },
    meta: 'HistoryMeta',
  },
} satisfies Contract;
