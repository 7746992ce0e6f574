import { archiveBranch } from '../../lib/branches/archiveBranch.ts';
import { toBranch } from '../../lib/branches/branch.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** PATCH /ext/api/v1/merchants/{mid}/archive. */
async function archive({ author, pathParameters }: Call<'mid'>) {
  return ok(toBranch(await archiveBranch(author, pathParameters.mid)));
}

export const handler = endpoint(archive);

export const contract = {
  tag: 'Branches',
  summary: 'Archive a branch',
  description:
    'Archives a branch and all of its terminals. Archiving a branch is permanent, and terminals can no longer be added to it.',
  path: { mid: 'mid' },
  success: { status: 200, description: 'The archived branch.', data: 'Branch' },
} satisfies Contract;
