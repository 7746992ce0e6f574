import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { Problem } from '../../lib/base/problem.ts';
import { endpoint } from '../../lib/http/endpoint.ts';

async function notFound(): Promise<never> {
  throw new Problem('not_found', 'No such operation. Check the method and the path.');
}

const respond = endpoint(notFound, { needs: undefined });

/** Whether this is a preflight: a browser asks if a page of the stage's docs site may send a request (CORS). */
const isPreflight = ({ headers, requestContext }: APIGatewayProxyEventV2): boolean =>
  headers['access-control-request-method'] !== undefined &&
  headers['origin'] !== undefined &&
  headers['origin'] === process.env['SITE_ORIGIN'] &&
  requestContext.http.method === 'OPTIONS';

/**
 * Any other method and path. Responds with 401 without a valid API key, otherwise 404. A preflight gets 204, should API
 * Gateway pass it on instead of responding itself (docs/decisions/0022-the-gateway-on-a-laptop.md). In both cases, API
 * Gateway adds the CORS headers.
 */
export const handler = async (event: APIGatewayProxyEventV2, context: Context) =>
  isPreflight(event) ? { statusCode: 204 } : respond(event, context);
