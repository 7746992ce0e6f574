import * as v from 'valibot';
import { soughtId, UUID_KEYWORDS } from '../../lib/base/fields.ts';
import { ACCESS_TYPES, accessChanges } from '../../lib/history/accessChanges.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { HistoryQuery } from '../../lib/http/history.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { time } from '../../lib/http/page.ts';
import { ok } from '../../lib/http/response.ts';

const Query = v.object({
  ...HistoryQuery.entries,
  type: v.optional(v.picklist(ACCESS_TYPES, 'Must be the type of a change.')),
  person: soughtId(UUID_KEYWORDS),
  key: soughtId({ pattern: '^[0-9a-f]{12}$', maxLength: 12 }),
  since: v.optional(time),
  until: v.optional(time),
});
type Query = v.InferOutput<typeof Query>;

/** GET /console/api/access-changes. */
async function list({ acquirer, query }: Call<never, unknown, Query>) {
  const { changes, next, read_to } = await accessChanges(acquirer, query);
  return ok(changes, { meta: { next, read_to } });
}

export const handler = endpoint(list, {
  needs: 'administer',
  query: Query,
  // Each change, and a name of it.
  cost: ({ query }) => ({ read: 2 + 1.3 * query.limit }),
});

export const contract = {
  tag: 'Events',
  summary: 'List changes of API keys, people and webhooks',
  description:
    'Returns who created, rotated or revoked an API key, who invited, removed or changed a person, and who created, ' +
    'changed or deleted a webhook, the newest first; with `since` and `until`, from one time to before another; with ' +
    '`type`, `person` or `key`, the changes of a type, and those that a person or an API key made. For the next page, ' +
    'send `meta.next` as `before`; it is `null` at the end. A page can have fewer changes than `limit`, or none, ' +
    'although there are more.',
  success: {
    status: 200,
    description: 'A page of changes.',
    data: { listOf: 'AccessChange', most: 100 },
    meta: 'AccessChangesMeta',
  },
} satisfies Contract;
