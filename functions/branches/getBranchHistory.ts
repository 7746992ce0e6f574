import { branchHistory } from '../../lib/history/branchHistory.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { HistoryQuery, history } from '../../lib/http/history.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { historyCost } from '../../lib/limits/cost.ts';

/** GET /ext/api/v1/merchants/{mid}/history (docs/decisions/0025-events.md). */
const get = async ({ acquirer, pathParameters: { mid }, query }: Call<'mid', unknown, HistoryQuery>) =>
  history(acquirer, await branchHistory(acquirer, mid, query));

export const handler = endpoint(get, {
  needs: 'read',
  query: HistoryQuery,
  cost: ({ query }) => historyCost(query.limit),
});

export const contract = {
  tag: 'Branches',
  summary: 'Get the history of a branch',
  description:
    'Returns the events of a branch and its terminals, the newest first: who changed what, and when. For the next ' +
    'page, send `meta.next` as `before`; it is `null` at the end. A change can take some milliseconds to appear.',
  path: { mid: 'mid' },
  success: { status: 200, description: 'A page of events.', data: { listOf: 'Event', most: 100 }, meta: 'HistoryMeta' },
} satisfies Contract;
