import { uuidValue } from '../../lib/base/values.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { getRefusedRequest } from '../../lib/refusedRequests/read.ts';

/** GET /ext/api/v1/refused-requests/{request_id}. */
const get = async ({ acquirer, pathParameters: { request_id } }: Call<'request_id'>) =>
  ok(await getRefusedRequest(acquirer, request_id));

export const handler = endpoint(get, { needs: 'read' });

export const contract = {
  tag: 'Refused requests',
  summary: 'Get a refused request',
  description:
    'Returns a refused request by the `X-Request-Id` of its response: why it was refused, and where in its body. It ' +
    'appears within a second of the response, and is kept for 30 days.',
  path: { request_id: { description: 'The `X-Request-Id` of the response.', id: uuidValue } },
  success: { status: 200, description: 'The refused request.', data: 'RefusedRequest' },
} satisfies Contract;
