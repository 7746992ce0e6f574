import * as v from 'valibot';
import { MID_KEYWORDS, soughtId } from '../../lib/base/fields.ts';
import { listLastSeen, listLastSeenIn, MOST_SEEN } from '../../lib/branches/listLastSeen.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { listCursor, time } from '../../lib/http/page.ts';
import { ok } from '../../lib/http/response.ts';

const Query = v.pipe(
  v.object({
    since: v.optional(time, '1970-01-01T00:00:00Z'),
    mid: soughtId(MID_KEYWORDS),
    after: v.optional(listCursor),
  }),
  v.check(({ mid, after }) => mid === undefined || after === undefined, 'Send mid or after, not both.'),
);

/** GET /console/api/last-seen. */
async function list({ acquirer, query }: Call<never, unknown, v.InferOutput<typeof Query>>) {
  if (query.mid !== undefined)
    return ok(await listLastSeenIn(acquirer, query.mid, query.since), { meta: { next: null } });
  const { seen, next } = await listLastSeen(acquirer, query.since, query.after);
  return ok(seen, { meta: { next } });
}

// Up to 1,000 entries of 200 bytes, and a branch.
export const handler = endpoint(list, { needs: 'read', isForPeople: true, query: Query, cost: { read: 36 } });

export const contract = {
  tag: 'Terminals',
  summary: 'List when terminals were last seen',
  description:
    'Returns the terminals that are accessible to you and had a member check since an hour, each with the hour of ' +
    'its last one: the latest first. By default, all that ever had one. It reads from an index, so a check of ' +
    'milliseconds ago can be missing. For the next page, send `meta.next` as `after`, with the same `since`; it is ' +
    '`null` on the last page. With `mid`, it returns all of one branch, in no order.',
  success: {
    status: 200,
    description: 'A page of terminals.',
    data: { listOf: 'LastSeen', most: MOST_SEEN },
    meta: 'NextPageMeta',
  },
} satisfies Contract;
