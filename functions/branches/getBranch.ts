import { getBranch, toBranch } from '../../lib/branches/branch.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** GET /ext/api/v1/merchants/{mid}. */
const get = async ({ acquirer, pathParameters }: Call<'mid'>) =>
  ok(toBranch(await getBranch(acquirer, pathParameters.mid)));

export const handler = endpoint(get, { needs: 'read' });

export const contract = {
  tag: 'Branches',
  summary: 'Get a branch',
  description: 'Returns a branch that is accessible to you, even if it is archived.',
  path: { mid: 'mid' },
  success: { status: 200, description: 'The branch.', data: 'Branch' },
} satisfies Contract;
