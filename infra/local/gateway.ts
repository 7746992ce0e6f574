import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

/*
 * An HTTP API of API Gateway with Lambda integrations: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html.
 * What it does not imitate is in docs/decisions/0022-the-gateway-on-a-laptop.md.
 */

/** The names of functions by route key, such as `GET /console/{path+}`, or `$default` for what no other route matches. */
export type Routes = Record<string, string>;

/** A request over HTTP. Repeated headers have several values. */
export interface Received {
  method: string;
  /** As it was received: a path with its query, or an absolute URL. */
  url: string;
  headers: NodeJS.Dict<string[]>;
  sourceIp: string;
  body: Buffer;
}

/** What a function returns (format 2.0). */
export type Result = APIGatewayProxyStructuredResultV2;

/** Calls a function. Returns `undefined` if it has failed. */
export type Invoke = (name: string, event: APIGatewayProxyEventV2) => Promise<Result | undefined>;

/** Most bytes of the request line and the values of all headers ("Quotas for HTTP APIs"). */
const MAX_HEADER_BYTES = 10_240;

/** Most bytes of a request to a function ("Lambda quotas"), which is less than the gateway's own 10 MB. */
const MAX_BODY_BYTES = 6 * 1024 ** 2;

/** Bodies of these types are passed as text, all others as base64. */
const TEXT = /^\s*(text\/|application\/(json|javascript|xml)\b)/i;

/** A response of the gateway itself. */
const ownResponse = (statusCode: number, message: string): Result => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message }),
});

/** The response if a function has failed. */
export const FAILED = ownResponse(500, 'Internal Server Error');

/** Routes a request to its function, and returns the response. */
export async function respond(routes: Routes, request: Received, invoke: Invoke): Promise<Result> {
  const { method, body } = request;
  const url = request.url.replace(/^https?:\/\/[^/?]*/i, '');
  const values = Object.values(request.headers).flat().join('');
  if (Buffer.byteLength(`${method} ${url} ${values}`) > MAX_HEADER_BYTES)
    return ownResponse(431, 'Request Header Fields Too Large');
  if (body.length > MAX_BODY_BYTES) return ownResponse(413, 'Request Entity Too Large');
  const [path = '', ...queries] = url.split('?');
  const route = routeOf(routes, method, path);
  const name = routes[route.key];
  if (name === undefined) return ownResponse(404, 'Not Found');
  const rawPath = decoded(path);
  if (rawPath === undefined) return ownResponse(400, 'Bad Request');
  const event = eventOf({ ...request, rawPath, rawQueryString: queries.join('?') }, route);
  return (await invoke(name, event)) ?? FAILED;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

interface Route {
  key: string;
  /** The parameters of the path, still encoded. */
  parameters: Record<string, string>;
}

/**
 * Chooses a route: one without parameters first, one with a greedy parameter last, and then `$default`. HEAD is not GET. No
 * path has routes for `ANY` method and for one.
 */
function routeOf(routes: Routes, method: string, path: string): Route {
  const generality = (key: string): number => (key.includes('+}') ? 2 : Number(key.includes('{')));
  const ofMethod = Object.keys(routes).filter((key) => key.startsWith(`${method} `) || key.startsWith('ANY '));
  for (const key of ofMethod.sort((one, other) => generality(one) - generality(other))) {
    const pattern = key
      .slice(key.indexOf(' ') + 1)
      .replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')
      .replace(/\{(\w+)\+\}/g, '(?<$1>.+)');
    const found = new RegExp(`^${pattern}$`).exec(path);
    if (found) return { key, parameters: { ...found.groups } };
  }
  return { key: '$default', parameters: {} };
}

/** The event of a request (payload 2.0). Repeated headers and query parameters are joined by commas. */
function eventOf(
  request: Received & { rawPath: string; rawQueryString: string },
  route: Route,
): APIGatewayProxyEventV2 {
  const { method, rawPath, rawQueryString, sourceIp, body } = request;
  const { cookie = [], ...headers } = request.headers;
  const single = Object.fromEntries(Object.entries(headers).map(([name, values = []]) => [name, values.join(',')]));
  const cookies = cookie.flatMap((each) => each.split(/; */)).filter((each) => each !== '');
  const searched = new URLSearchParams(rawQueryString);
  const queryStringParameters = Object.fromEntries(
    [...searched.keys()].map((name) => [name, searched.getAll(name).join(',')]),
  );
  const pathParameters = Object.entries(route.parameters).map(([name, value]) => [name, decodeURIComponent(value)]);
  const isText = TEXT.test(single['content-type'] ?? '') && single['content-encoding'] === undefined;
  const now = new Date();
  const [, day, month, year, time] = now.toUTCString().split(' ');
  const domainName = single['host'] ?? '';
  return {
    version: '2.0',
    routeKey: route.key,
    rawPath,
    rawQueryString,
    ...(cookies.length > 0 && { cookies }),
    headers: single,
    ...(rawQueryString !== '' && { queryStringParameters }),
    ...(pathParameters.length > 0 && { pathParameters: Object.fromEntries(pathParameters) }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName,
      domainPrefix: domainName.split('.')[0] ?? '',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp, userAgent: single['user-agent'] ?? '' },
      requestId: randomUUID(),
      routeKey: route.key,
      stage: '$default',
      time: `${day}/${month}/${year}:${time} +0000`,
      timeEpoch: now.getTime(),
    },
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** Serves over HTTP what `respond` returns. */
export const listener =
  (respond: (request: Received) => Promise<Result>): RequestListener =>
  async (from, response) => {
    try {
      const { method = '', url = '', headersDistinct: headers } = from;
      const sourceIp = from.socket.remoteAddress ?? '';
      const result = await respond({ method, url, headers, sourceIp, body: await bodyOf(from) });
      const { statusCode = 200, cookies, isBase64Encoded } = result;
      const body = Buffer.from(result.body ?? '', isBase64Encoded ? 'base64' : 'utf8');
      response.writeHead(statusCode, {
        ...(result.headers as Record<string, string>),
        ...(cookies && { 'set-cookie': cookies }),
        ...(statusCode !== 204 && { 'content-length': body.length }),
      });
      response.end(body);
    } catch {
      // The client has closed its connection.
      response.destroy();
    }
  };

/** Reads a body, and of one that is too large enough to show that it is. */
async function bodyOf(from: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of from) {
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks);
}
