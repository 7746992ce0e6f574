import { terminalHistory } from '../../lib/history/terminalHistory.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { HistoryQuery, history } from '../../lib/http/history.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { historyCost } from '../../lib/limits/cost.ts';

/** GET /ext/api/v1/terminals/{tid}/history (docs/decisions/0025-events.md). */
const get = async ({ acquirer, pathParameters: { id: tid }, query }: Call<'id', unknown, HistoryQuery>) =>
  history(acquirer, await terminalHistory(acquirer, tid, query));

export const handler = endpoint(get, {
  needs: 'read',
  query: HistoryQuery,
  cost: ({ query }) => historyCost(query.limit),
});

export const contract = {
  tag: 'Terminals',
  summary: 'Get the history of a terminal',
  description: `Returns the events of a terminal from the time when it was accessible to you, the newest first, with \
those that archived or restored its branch while it was there.

- For the next page, send \`meta.next\` as \`before\`; it is \`null\` at the end. A change can take some milliseconds \
to appear.
- If a terminal is deleted, its history stays readable for the acquirers that could access it last.`,
  path: { id: 'tid' },
  success: { status: 200, description: 'A page of events.', data: { listOf: 'Event', most: 100 }, meta: 'HistoryMeta' },
} satisfies Contract;
