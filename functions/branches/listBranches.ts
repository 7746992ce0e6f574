import type { PageRequest } from '../../lib/base/paging.ts';
import { toListedBranch } from '../../lib/branches/branch.ts';
import { listBranches } from '../../lib/branches/listBranches.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { PageQuery, page } from '../../lib/http/page.ts';

/** GET /ext/api/v1/merchants. */
async function list(call: Call<never, unknown, PageRequest>) {
  const { total, branches } = await listBranches(call.acquirer, call.query);
  return page(call, total, branches.map(toListedBranch));
}

export const handler = endpoint(list, { query: PageQuery });
