import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { type Served, serve } from '../../infra/local/serve.ts';
import { ENDPOINTS } from '../../infra/template/definitions.ts';
import { asRole } from './access.ts';
import type { Operation } from './invoke.ts';

/** The routes, those without parameters first, as API Gateway chooses them. */
const ROUTES = Object.entries(ENDPOINTS)
  .filter(([name]) => name !== 'unknownRoute')
  .flatMap(([name, { events, handler }]) =>
    events.map(({ httpApi }) => {
      const [method = '', path = ''] = httpApi.split(' ');
      const parts = path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)').replace(/\{(\w+)\+\}/g, '(?<$1>.+)');
      return { name, method, path, pattern: new RegExp(`^${parts}$`), file: handler.replace(/\.\w+$/, '.ts') };
    }),
  )
  .sort((one, other) => generality(one.path) - generality(other.path));

/** Routes without parameters come first, those with a greedy one last. */
function generality(path: string): number {
  return path.includes('+}') ? 2 : Number(path.includes('{'));
}

/**
 * Serves all handlers over HTTP, each with only the permissions of its role, as API Gateway and Lambda do (payload 2.0).
 */
export const serveHandlers = (): Promise<Served> =>
  serve(async (request, response) => {
    const { pathname, search, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    const route = ROUTES.find(({ method, pattern }) => method === request.method && pattern.test(pathname));
    const name = route?.name ?? 'unknownRoute';
    const { cookie, ...headers } = request.headers;
    const sent = await text(request);
    const event = {
      version: '2.0',
      routeKey: route ? `${route.method} ${route.path}` : '$default',
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
    };
    const { handler } = await import(`../../${route?.file ?? 'functions/other/unknownRoute.ts'}`);
    const result: APIGatewayProxyStructuredResultV2 = await asRole(name as Operation, () =>
      handler(event, { awsRequestId: randomUUID() } as Context),
    );
    response.writeHead(result.statusCode ?? 200, {
      ...(result.headers as Record<string, string>),
      ...(result.cookies && { 'set-cookie': result.cookies }),
    });
    response.end(result.isBase64Encoded ? Buffer.from(result.body ?? '', 'base64') : result.body);
  });
