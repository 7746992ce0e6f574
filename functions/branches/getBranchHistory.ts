import { branchHistory } from '../../lib/events/history.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { HistoryQuery, history } from '../../lib/http/history.ts';
import type { Call } from '../../lib/http/middleware.ts';

/** GET /ext/api/v1/merchants/{mid}/history (docs/decisions/0025-events.md). */
const get = async ({ acquirer, pathParameters: { mid }, query }: Call<'mid', unknown, HistoryQuery>) =>
  history(await branchHistory(acquirer, mid, query));

export const handler = endpoint(get, { query: HistoryQuery });
