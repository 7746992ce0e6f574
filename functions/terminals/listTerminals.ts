import type { PageRequest } from '../../lib/base/paging.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { PageQuery, page } from '../../lib/http/page.ts';
import { listTerminals } from '../../lib/terminals/listTerminals.ts';
import { toTerminal } from '../../lib/terminals/terminal.ts';

/** GET /ext/api/v1/terminals/{mid}. TIDs share the path level, so the parameter is named `id`. */
async function list(call: Call<'id', unknown, PageRequest>) {
  const { total, terminals } = await listTerminals(call.acquirer, call.pathParameters.id, call.query);
  return page(call, total, terminals.map(toTerminal));
}

export const handler = endpoint(list, { query: PageQuery });
