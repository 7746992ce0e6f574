import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { setting } from '../../lib/base/config.ts';
import { CATALOGUE, Problem, type ProblemCode } from '../../lib/base/problem.ts';
import { urlUnder } from '../../lib/base/url.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { publicFile } from '../../lib/http/publicFile.ts';

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

/** A page of the docs site: a guide, to which the console links, or that of a problem, to which its `type` leads. */
const PAGE = /^\/docs(?:\/[a-z_-]+)*(?=\/?$)/;

const pageIn = ({ rawPath, requestContext }: Pick<APIGatewayProxyEventV2, 'rawPath' | 'requestContext'>) =>
  requestContext.http.method === 'GET' ? PAGE.exec(rawPath)?.[0] : undefined;

/**
 * Leads to a page of the docs site, which has a host of its own: its scripts could otherwise act as the people of the
 * console. Without a site, the `type` of a problem leads to its title.
 *
 * @throws Problem `not_found`, without a site, for all others.
 */
const openPage = publicFile(async (event) => {
  const page = pageIn(event) ?? '';
  // Empty in a stage without one.
  const site = process.env['SITE_URL'] && setting('SITE_URL');
  const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  if (site) return { statusCode: 308, headers: { ...headers, location: urlUnder(site, `${page}/`) }, body: '' };
  const code = page.replace('/docs/errors/', '');
  if (!Object.hasOwn(CATALOGUE, code)) throw new Problem('not_found', 'This stage has no docs site.');
  const [status, title] = CATALOGUE[code as ProblemCode];
  return {
    statusCode: 200,
    headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
    body: `${code} (HTTP ${status}): ${title}. The "detail" of the response says what to change.\n`,
  };
});

/**
 * Any other method and path. Responds with 401 without a valid API key, otherwise 404. A preflight gets 204, should API
 * Gateway pass it on instead of responding itself (docs/decisions/0022-the-gateway-on-a-laptop.md). In both cases, API
 * Gateway adds the CORS headers. Pages of the docs site need no key: {@link openPage}.
 */
export const handler = async (event: APIGatewayProxyEventV2, context: Context) => {
  if (isPreflight(event)) return { statusCode: 204 };
  return pageIn(event) === undefined ? respond(event, context) : openPage(event, context);
};
