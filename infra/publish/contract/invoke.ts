import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Permission } from '../../../lib/acquirers/roles.ts';
import type { Contract } from '../../../lib/http/contract.ts';
import type { QuerySchema, RequestSchema } from '../../../lib/http/requestSchema.ts';
import { SESSION_COOKIE } from '../../../lib/people/session.ts';
import { ENDPOINTS, routeKey, routeKeys, sourceOf } from '../../stack/template/definitions.ts';
import type { ApiOperation, Request } from './calls.ts';
import type { ConsoleOperation } from './consoleCalls.ts';

/** The exported handler of an operation, with the schemas that its requests are validated with. */
interface Handler {
  (event: APIGatewayProxyEventV2, context: Context): Promise<APIGatewayProxyStructuredResultV2>;
  schemas: { query?: QuerySchema; body?: RequestSchema };
  needs: Permission | undefined;
  isIdempotent?: true | undefined;
}

export type { Request } from './calls.ts';
export type { ConsoleOperation } from './consoleCalls.ts';

/** The operations of the console: the functions for people but its page and the two of sign-in. */
export const CONSOLE_OPERATIONS = Object.keys(ENDPOINTS).filter((name) =>
  routeKeys(name).some((key) => key.includes('/console/api/')),
) as ConsoleOperation[];

/** The name of the function of an operation, or of unknown routes. */
export type Operation = ApiOperation | 'unknownRoute';

/** The name of any function that API Gateway invokes, but for the two of sign-in, which are no operations. */
export type AnyOperation = Operation | ConsoleOperation;

export interface ApiResponse {
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own shape
  body: any;
}

/** The API Gateway event (payload 2.0) of a request. */
export function eventOf(
  operation: AnyOperation,
  { key, session, path = {}, query = {}, headers, body }: Request,
): APIGatewayProxyEventV2 {
  const ownRoute = routeKey(operation);
  const [method = '', route = ''] = ownRoute.split(' ');
  const rawPath = route.replace(/\{(\w+)\}/g, (_, name) => path[name] ?? '');
  const rawQueryString = new URLSearchParams(query).toString();
  return {
    version: '2.0',
    routeKey: ownRoute,
    rawPath,
    rawQueryString,
    headers: {
      ...(key !== undefined && { 'api-key': key }),
      ...(session && { 'acting-as': session.actingAs }),
      'content-type': 'application/json',
      ...headers,
    },
    ...(session && { cookies: [`${SESSION_COOKIE}=${session.cookie}`] }),
    ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
    ...(Object.keys(path).length > 0 && { pathParameters: path }),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    isBase64Encoded: false,
    requestContext: { http: { method, path: rawPath } } as APIGatewayProxyEventV2['requestContext'],
  };
}

interface OperationModule {
  handler: Handler;
  contract: Contract;
}

/**
 * Imports the file of an operation. Its handler needs the functions' settings in the environment.
 *
 * @throws Error when infra/stack/functions.yml does not have the operation.
 */
export async function moduleOf(operation: AnyOperation): Promise<OperationModule> {
  if (!ENDPOINTS[operation]) throw new Error(`infra/stack/functions.yml has no function ${operation}.`);
  return import(`../../../${sourceOf(operation)}`);
}

/** Calls the exported handler of an operation, with all its middleware, as Lambda does. */
export async function invoke(
  operation: AnyOperation,
  event: APIGatewayProxyEventV2,
  awsRequestId: string = randomUUID(),
): Promise<ApiResponse> {
  const { handler } = await moduleOf(operation);
  const response = await handler(event, { awsRequestId, functionName: operation } as Context);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers as Record<string, string>,
    body: JSON.parse(response.body ?? ''),
  };
}
