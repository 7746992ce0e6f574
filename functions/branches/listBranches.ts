import type { PageRequest } from '../../lib/base/paging.ts';
import { toListedBranch } from '../../lib/branches/branch.ts';
import { listBranches } from '../../lib/branches/listBranches.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { PageQuery, page } from '../../lib/http/page.ts';

/** GET /ext/api/v1/merchants. */
async function list(call: Call<never, unknown, PageRequest>) {
  const { total, branches } = await listBranches(call.acquirer, call.query);
  return page(call, total, branches.map(toListedBranch));
}

export const handler = endpoint(list, { query: PageQuery });

export const contract = {
  tag: 'Branches',
  summary: 'List branches',
  description:
    'Returns the branches that are accessible to you, sorted by time of creation. Every page takes about the same time, however long the list is. `total`, membership and order include branches that were just created; a status that changed milliseconds ago may be outdated. A page past the end is empty, and its `prev` is the last page.',
  success: {
    status: 200,
    description: 'A page of branches.',
    data: { listOf: 'ListedBranch', most: 100 },
    isPage: true,
    links: { mid: '/0/mid' },
  },
} satisfies Contract;
