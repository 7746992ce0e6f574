import type { PageRequest } from '../../lib/base/paging.ts';
import { listTerminals } from '../../lib/branches/listTerminals.ts';
import { toTerminal } from '../../lib/branches/terminal.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { PageQuery, page } from '../../lib/http/page.ts';
import { pageCost } from '../../lib/limits/cost.ts';

/** GET /ext/api/v1/terminals/{mid}. TIDs share the path level, so the parameter is named `id`. */
async function list(call: Call<'id', unknown, PageRequest>) {
  const { total, terminals } = await listTerminals(call.acquirer, call.pathParameters.id, call.query);
  return page(call, total, terminals.map(toTerminal));
}

export const handler = endpoint(list, {
  needs: 'read',
  query: PageQuery,
  cost: ({ query }) => pageCost(query.per_page),
});

export const contract = {
  tag: 'Terminals',
  summary: 'List the terminals of a branch',
  description:
    'Returns the terminals of a branch, sorted by time of creation. Terminals created by the same request keep its ' +
    'order. `total` and membership include terminals that were just created, deleted or reassigned; a field that ' +
    'changed milliseconds ago may be outdated.',
  path: { id: 'mid' },
  success: {
    status: 200,
    description: 'A page of terminals.',
    data: { listOf: 'Terminal', most: 100 },
    isPage: true,
  },
} satisfies Contract;
