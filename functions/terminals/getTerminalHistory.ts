import { terminalHistory } from '../../lib/events/history.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { HistoryQuery, history } from '../../lib/http/history.ts';
import type { Call } from '../../lib/http/middleware.ts';

/** GET /ext/api/v1/terminals/{tid}/history (docs/decisions/0025-events.md). */
const get = async ({ acquirer, pathParameters: { id: tid }, query }: Call<'id', unknown, HistoryQuery>) =>
  history(await terminalHistory(acquirer, tid, query));

export const handler = endpoint(get, { query: HistoryQuery });
