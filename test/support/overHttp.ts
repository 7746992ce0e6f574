import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { type Served, serve } from '../../infra/local/serve.ts';
import { ENDPOINTS } from '../../infra/stack/template/definitions.ts';
import { asRole } from './access.ts';
import type { Operation } from './invoke.ts';

/** Route keys, such as `GET /console/{path+}` or `$default`, with the names of the functions to which they lead. */
type Routes = Record<string, string>;

/** Calls a function with an event. Without a response, it has crashed. */
export type Respond = (
  name: string,
  event: APIGatewayProxyEventV2,
) => Promise<APIGatewayProxyStructuredResultV2 | undefined>;

/** The routes but `$default`, those without parameters first, as API Gateway chooses them. */
const patternsOf = (routes: Routes) =>
  Object.entries(routes)
    .filter(([routeKey]) => routeKey !== '$default')
    .map(([routeKey, name]) => {
      const [method = '', path = ''] = routeKey.split(' ');
      const parts = path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)').replace(/\{(\w+)\+\}/g, '(?<$1>.+)');
      return { name, routeKey, method, path, pattern: new RegExp(`^${parts}$`) };
    })
    .sort((one, other) => generality(one.path) - generality(other.path));

/** Routes without parameters come first, those with a greedy one last. */
function generality(path: string): number {
  return path.includes('+}') ? 2 : Number(path.includes('{'));
}

/**
 * Serves functions over HTTP as API Gateway does (payload 2.0).
 *
 * @param routesOf Returns the routes of each request.
 */
export const serveRoutes = (routesOf: () => Routes, respond: Respond): Promise<Served> =>
  serve(async (request, response) => {
    const routes = routesOf();
    const { pathname, search, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    const route = patternsOf(routes).find(({ method, pattern }) => method === request.method && pattern.test(pathname));
    const name = route?.name ?? routes['$default'];
    const { cookie, ...headers } = request.headers;
    const sent = await text(request);
    const event = {
      version: '2.0',
      routeKey: route?.routeKey ?? '$default',
      rawPath: pathname,
      rawQueryString: search.slice(1),
      ...(cookie !== undefined && { cookies: cookie.split('; ') }),
      headers,
      ...(search && { queryStringParameters: Object.fromEntries(searchParams) }),
      pathParameters: Object.fromEntries(
        Object.entries(route?.pattern.exec(pathname)?.groups ?? {}).map(([key, value]) => [
          key,
          decodeURIComponent(value),
        ]),
      ),
      ...(sent && { body: sent }),
      isBase64Encoded: false,
      requestContext: { http: { method: request.method, path: pathname, sourceIp: '127.0.0.1' } },
    } as APIGatewayProxyEventV2;
    const result = name === undefined ? ownResponse(404, 'Not Found') : await respond(name, event);
    const {
      statusCode,
      headers: sentHeaders,
      cookies,
      body,
      isBase64Encoded,
    } = result ?? ownResponse(500, 'Internal Server Error');
    response.writeHead(statusCode ?? 200, {
      ...(sentHeaders as Record<string, string>),
      ...(cookies && { 'set-cookie': cookies }),
    });
    response.end(isBase64Encoded ? Buffer.from(body ?? '', 'base64') : body);
  });

/** A response of API Gateway itself. */
const ownResponse = (statusCode: number, message: string): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message }),
});

const ROUTES = Object.fromEntries(
  Object.entries(ENDPOINTS).flatMap(([name, { events }]) =>
    events.map(({ httpApi }) => [httpApi === '*' ? '$default' : httpApi, name]),
  ),
);

/** Serves all handlers over HTTP, each with only the permissions of its role, as API Gateway and Lambda do. */
export const serveHandlers = (): Promise<Served> =>
  serveRoutes(
    () => ROUTES,
    async (name, event) => {
      const file = ENDPOINTS[name]?.handler.replace(/\.\w+$/, '.ts');
      const { handler } = await import(`../../${file}`);
      return asRole(name as Operation, () => handler(event, { awsRequestId: randomUUID() } as Context));
    },
  );
