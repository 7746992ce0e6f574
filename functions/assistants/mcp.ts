import middy from '@middy/core';
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { tools, version } from '#tools';
import type { ShownCaller } from '../../lib/acquirers/caller.ts';
import { callerOf } from '../../lib/assistants/caller.ts';
import { serverFor } from '../../lib/assistants/server.ts';
import { inRequest } from '../../lib/aws/requestContext.ts';
import { setting } from '../../lib/base/config.ts';
import { Problem } from '../../lib/base/problem.ts';
import { errorMapper } from '../../lib/http/errorMapper.ts';
import { jsonBody } from '../../lib/http/jsonBody.ts';
import { limitedBody } from '../../lib/http/limitedBody.ts';
import { log } from '../../lib/http/log.ts';
import { type Response as ApiResponse, EARLY, type Incoming, type Middleware } from '../../lib/http/middleware.ts';
import { requestId } from '../../lib/http/requestId.ts';
import { urlOf } from '../../lib/http/response.ts';

/** The event of a request with a valid API key. */
interface Call extends Incoming {
  apiKey: string;
  asked: ShownCaller;
  body: object;
}

/** The API key of a request. An assistant sends it as it sends tokens. */
const apiKeyOf = ({ headers }: Incoming): string =>
  headers['api-key'] ?? /^Bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1] ?? '';

const authenticate = (): Middleware => ({
  before: async function authenticate({ event, context }) {
    const apiKey = apiKeyOf(event);
    const asked = await callerOf(apiKey);
    const { acquirer: id, acquirer_type: type, acquirer_name: name, key_id, key_label } = asked;
    const acquirer = { id, type, name };
    const author = { acquirer, key_id: key_id as string, label: key_label as string, request_id: context.awsRequestId };
    Object.assign(event, { apiKey, asked, acquirer, author });
  },
});

/** How to authenticate, in a response that it is missing (RFC 9110 §11.6.1). */
const challenge = (): Middleware => ({
  onError: function challenge({ response }) {
    const { statusCode, headers } = response as ApiResponse;
    if (statusCode === 401) headers['www-authenticate'] = 'Bearer';
  },
});

/** What the protocol has in headers. Nothing else is passed on, such as a key or a cookie. */
const OF_PROTOCOL = /^(?:accept|content-type|mcp-[a-z-]+)$/;

/** Responds to a message of the protocol, without a session: each request has a server of its own. */
async function respond({ headers, body, apiKey, asked }: Call): Promise<ApiResponse> {
  if (Array.isArray(body)) throw new Problem('malformed_json', 'Send one message, not a batch.');
  const passed = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value !== undefined && OF_PROTOCOL.test(name) ? [[name, value]] : [],
  );
  const request = new Request(urlOf('/mcp'), { method: 'POST', headers: passed, body: JSON.stringify(body) });
  const response = await served(request, body, serverFor(asked, apiKey, tools, version));
  return {
    statusCode: response.status,
    headers: { ...Object.fromEntries(response.headers), 'cache-control': 'no-store' },
    body: await response.text(),
  };
}

/** Serves a message of any revision of the protocol. No stream stays open, because Lambda responds once. */
async function served(request: Request, parsedBody: object, server: Server): Promise<Response> {
  if (!(await isLegacyRequest(request, parsedBody)))
    return createMcpHandler(() => server, { legacy: 'reject', maxSubscriptions: 0 }).fetch(request, { parsedBody });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  return transport.handleRequest(request, { parsedBody });
}

const chain = middy(EARLY)
  .use(log())
  .use(requestId())
  .use(challenge())
  .use(errorMapper())
  .use(authenticate())
  .use(limitedBody())
  .use(jsonBody())
  .handler(respond as never);

/** A page of another site may not use what a browser of a user can reach (DNS rebinding). */
const isForeign = ({ origin }: Record<string, string | undefined>): boolean =>
  origin !== undefined && origin !== new URL(setting('BASE_URL')).origin;

/**
 * POST /mcp: the Model Context Protocol, for assistants (docs/decisions/0050-assistants.md). Other methods would open or end
 * a session, and there is none.
 */
export const handler = async (event: APIGatewayProxyEventV2, context: Context) => {
  const headers = { 'cache-control': 'no-store', 'x-request-id': context.awsRequestId };
  if (event.requestContext.http.method !== 'POST') return { statusCode: 405, headers: { ...headers, allow: 'POST' } };
  if (isForeign(event.headers)) return { statusCode: 403, headers };
  return inRequest(() => chain(event as never, context));
};
