import * as v from 'valibot';
import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import { allDone } from '../../lib/aws/retry.ts';
import { MID_KEYWORDS, published, UUID_KEYWORDS } from '../../lib/base/fields.ts';
import { lowerCaseUuid } from '../../lib/base/mid.ts';
import { branchesIn, MOST_EVENTS, newestEvents } from '../../lib/history/activity.ts';
import { branchHistory } from '../../lib/history/branchHistory.ts';
import { withNames } from '../../lib/history/names.ts';
import { terminalHistory } from '../../lib/history/terminalHistory.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { HistoryQuery } from '../../lib/http/history.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { time, wholeNumber } from '../../lib/http/page.ts';
import { ok } from '../../lib/http/response.ts';

/** Any text: one that cannot be such an identifier is not found. */
const identifier = (keywords: object) =>
  v.optional(
    v.pipe(v.string(), v.trim(), v.nonEmpty('Must not be empty.'), published(keywords), v.transform(lowerCaseUuid)),
  );

const Query = v.pipe(
  v.object({
    tid: identifier(UUID_KEYWORDS),
    mid: identifier(MID_KEYWORDS),
    since: v.optional(time),
    until: v.optional(time),
    before: HistoryQuery.entries.before,
    limit: v.optional(wholeNumber(MOST_EVENTS), '20'),
  }),
  v.check(({ tid, mid }) => tid === undefined || mid === undefined, 'Send tid or mid, not both.'),
);
type Query = v.InferOutput<typeof Query>;

function pageOf(acquirer: Acquirer, { tid, mid, ...request }: Query) {
  if (tid !== undefined) return terminalHistory(acquirer, tid, request);
  return mid === undefined ? newestEvents(acquirer, request) : branchHistory(acquirer, mid, request);
}

/** GET /console/api/activity. */
async function list({ acquirer, query }: Call<never, unknown, Query>) {
  const page = await pageOf(acquirer, query);
  const wanted = page.events.filter(({ at }) => Date.parse(at) >= (query.since ?? 0));
  const [events, branches] = await allDone([withNames(acquirer.id, wanted), branchesIn(acquirer, wanted)]);
  return ok({ events, branches }, { meta: { next: wanted.length < page.events.length ? null : page.next } });
}

export const handler = endpoint(list, { needs: 'read', isForPeople: true, query: Query });

export const contract = {
  tag: 'Events',
  summary: 'List activity',
  description:
    'Returns events, the newest first: of all branches and terminals that are accessible to you or, with `mid` or `tid`, those of the history of a branch or terminal; with `since` and `until`, those from one time to before another. An event of the last 25 seconds is included at once, and an earlier one can still appear after it. For the next page, send `meta.next` as `before`; it is `null` at the end. A page can have fewer events than `limit`, or none, although there are more.',
  success: {
    status: 200,
    description: 'A page of events, and the branches that they mention.',
    data: 'Activity',
    meta: 'HistoryMeta',
  },
} satisfies Contract;
