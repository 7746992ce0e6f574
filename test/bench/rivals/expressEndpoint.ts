import { randomUUID } from 'node:crypto';
import express from 'express';
import serverless from 'serverless-http';
import * as v from 'valibot';
import { resolveApiKey } from '../../../lib/acquirers/apiKey.ts';
import type { Call, HandlerResult } from '../../../lib/http/middleware.ts';
import { type RequestSchema, schemaFor } from '../../../lib/http/requestSchema.ts';

/*
 * Replaces lib/http/endpoint.ts: the same operations as an Express app behind serverless-http. It does what ours does
 * without errors: it reads the API key, parses and validates, executes, and responds in JSON.
 */

/** Method and path of the operation, with its parameters in braces. Set by the bundler. */
declare const ROUTE: string;

export const endpoint = <C extends Call>(
  handler: (call: C) => Promise<HandlerResult>,
  { query, body }: { query?: RequestSchema; body?: RequestSchema } = {},
) => {
  const app = express();
  app.use(express.json());
  const [method = '', path = '*'] = ROUTE.split(' ');
  const route = path === '*' ? /.*/ : path.replace(/\{(\w+)\}/g, ':$1');
  app.all(route, async (request, response) => {
    const apiKey = await resolveApiKey(request.get('api-key') ?? '');
    if (!apiKey || (method !== '*' && method !== request.method)) {
      response.status(401).json({});
      return;
    }
    const { acquirer } = apiKey;
    const { status, body: result } = await handler({
      acquirer,
      author: { ...apiKey, request_id: randomUUID() },
      headers: request.headers,
      routeKey: ROUTE,
      pathParameters: request.params,
      rawQueryString: new URL(request.url, 'http://localhost').search.slice(1),
      query: query && v.parse(schemaFor(acquirer, query), request.query),
      body: body && v.parse(schemaFor(acquirer, body), request.body),
    } as unknown as C);
    response.status(status).json(result);
  });
  return serverless(app);
};

export const change = <C extends Call>(
  handler: (call: C) => Promise<HandlerResult>,
  schemas: { body?: RequestSchema } = {},
) => endpoint(handler, schemas);
