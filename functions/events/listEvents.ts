import * as v from 'valibot';
import { readEvents } from '../../lib/events/feed.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { cursor, wholeNumber } from '../../lib/http/page.ts';
import { ok } from '../../lib/http/response.ts';

const Query = v.object({ after: v.optional(cursor), limit: v.optional(wholeNumber(100), '100') });
type Query = v.InferOutput<typeof Query>;

/** GET /ext/api/v1/events (docs/decisions/0025-events.md). */
async function list({ acquirer, query: { after, limit } }: Call<never, unknown, Query>) {
  const { events, ...meta } = await readEvents(acquirer, after, limit);
  return ok(events, { meta });
}

export const handler = endpoint(list, { query: Query });
