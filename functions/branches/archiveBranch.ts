import { archiveBranch } from '../../lib/branches/archiveBranch.ts';
import { toBranch } from '../../lib/branches/branch.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** PATCH /ext/api/v1/merchants/{mid}/archive. */
async function archive({ author, pathParameters }: Call<'mid'>) {
  return ok(toBranch(await archiveBranch(author, pathParameters.mid)));
}

export const handler = endpoint(archive);
