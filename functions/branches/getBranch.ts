import { getBranch, toBranch } from '../../lib/branches/branch.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** GET /ext/api/v1/merchants/{mid}. */
async function get({ acquirer, pathParameters }: Call<'mid'>) {
  return ok(toBranch(await getBranch(acquirer, pathParameters.mid)));
}

export const handler = endpoint(get);
