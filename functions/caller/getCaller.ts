import { shownCaller, toShownCaller } from '../../lib/acquirers/caller.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** GET /ext/api/v1/caller. */
const get = async ({ acquirer, author, caller: { role } }: Call) => ok(toShownCaller(acquirer, { ...author, role }));

export const handler = endpoint(get, { needs: undefined });

export const contract = {
  tag: 'Caller',
  summary: 'Get the caller',
  description: 'Returns whose API key sends the request, and its role. Any valid key may ask.',
  success: { status: 200, description: 'The caller.', data: shownCaller },
} satisfies Contract;
