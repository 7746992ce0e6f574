import * as v from 'valibot';
import { readEvents } from '../../lib/events/feed.ts';
import { withNames } from '../../lib/history/withNames.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { cursorOrNow, wholeNumber } from '../../lib/http/page.ts';
import { ok } from '../../lib/http/response.ts';
import { eventsCost } from '../../lib/limits/cost.ts';

const Query = v.object({ after: v.optional(cursorOrNow), limit: v.optional(wholeNumber(100), '100') });

/** GET /ext/api/v1/events (docs/decisions/0025-events.md). */
async function list({ acquirer, query: { after, limit } }: Call<never, unknown, v.InferOutput<typeof Query>>) {
  const { events, ...meta } = await readEvents(acquirer, after, limit);
  return ok(await withNames(acquirer.id, events), { meta });
}

export const handler = endpoint(list, { needs: 'read', query: Query, cost: ({ query }) => eventsCost(query.limit) });

export const contract = {
  tag: 'Events',
  summary: 'List events',
  description: `Returns every change of the branches and terminals that are accessible to you, the oldest first. The \
feed is complete and in order, and never changes.

- Without \`after\`, it starts with the oldest retained event. For the next page, send \`meta.next\` as \`after\`.
- \`after=now\` returns only a cursor: get one before you read the lists for the first time.
- An event appears about 25 seconds after its change, when no earlier event can still arrive.`,
  success: { status: 200, description: 'A page of events.', data: { listOf: 'Event', most: 100 }, meta: 'EventsMeta' },
} satisfies Contract;
