import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { parse } from 'yaml';

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

const FUNCTIONS: Record<string, { handler: string; events: [{ httpApi: string }] }> = parse(
  readFileSync(new URL('../../infra/functions.yml', import.meta.url), 'utf8'),
);

/** The statuses that the interface lists for each operation (§4), which no answer may leave; 400 is also §7's. */
export const STATUSES = {
  listBranches: [200, 400, 401],
  createBranch: [201, 400, 401, 422],
  getBranch: [200, 400, 401, 404],
  archiveBranch: [200, 400, 401, 404],
  listTerminals: [200, 400, 401, 404],
  createTerminals: [201, 400, 401, 404, 422],
  updateTerminal: [200, 400, 401, 404, 422],
  deleteTerminal: [200, 400, 401, 404],
  archiveTerminal: [200, 400, 401, 404, 422],
  restoreTerminal: [200, 400, 401, 404],
  reassignTerminal: [200, 400, 401, 404, 422],
  lookup: [200, 400, 401, 404],
  memberCheck: [200, 400, 401, 422],
} as const;
export type Operation = keyof typeof STATUSES;
export const OPERATIONS = Object.keys(STATUSES) as Operation[];

export interface Request {
  /** API key; without one, the header is not sent. */
  key?: string | undefined;
  /** Path parameters by name. */
  path?: Record<string, string>;
  query?: Record<string, string>;
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the body's shape, they do not rely on it
  body: any;
}

/** The API Gateway event (payload 2.0) of a call. */
export function eventOf(operation: Operation, { key, path = {}, query = {}, body }: Request): APIGatewayProxyEventV2 {
  const routeKey = FUNCTIONS[operation]?.events[0].httpApi ?? '';
  const [method = '', route = ''] = routeKey.split(' ');
  const rawPath = route.replace(/\{(\w+)\}/g, (_, name) => path[name] ?? '');
  const rawQueryString = new URLSearchParams(query).toString();
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString,
    headers: { ...(key !== undefined && { 'api-key': key }), 'content-type': 'application/json' },
    ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
    ...(Object.keys(path).length > 0 && { pathParameters: path }),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    isBase64Encoded: false,
    requestContext: { http: { method, path: rawPath } } as APIGatewayProxyEventV2['requestContext'],
  };
}

/**
 * Calls the whole wrapped handler of an operation, as API Gateway would, and checks what holds for every answer:
 * a status of the interface, the request's id, the content type.
 */
export async function call(operation: Operation, request: Request): Promise<Answer> {
  return invoke(operation, eventOf(operation, request));
}

/** The same with an event of one's own. */
export async function invoke(operation: Operation, event: APIGatewayProxyEventV2): Promise<Answer> {
  const [file = '', name = ''] = FUNCTIONS[operation]?.handler.split('.') ?? [];
  const handler: Handler = (await import(`../../${file}.ts`))[name];
  const awsRequestId = randomUUID();
  const response = await handler(event, { awsRequestId } as Context);
  const status = response.statusCode ?? 0;
  const headers = response.headers as Record<string, string>;
  expect(STATUSES[operation]).toContain(status);
  expect(headers).toMatchObject({
    'content-type': status < 300 ? 'application/json' : 'application/problem+json',
    'cache-control': 'no-store',
    'x-request-id': awsRequestId,
  });
  return { status, headers, body: JSON.parse(response.body ?? '') };
}

const TITLES = {
  invalid_api_key: [401, 'Missing or invalid API key'],
  invalid_query: [400, 'Invalid query parameter'],
  malformed_json: [400, 'Malformed JSON'],
  validation_failed: [422, 'Validation failed'],
  not_found: [404, 'Not found'],
  not_under_requesting_psp: [400, 'Not under the requesting PSP'],
  already_archived: [400, 'Already archived'],
  not_archived: [400, 'Not archived'],
  branch_archived: [400, 'Branch archived'],
  already_under_target_mid: [400, 'Already under the target MID'],
  server_error: [400, 'Server error'],
} as const;

/** Asserts that an answer is a refusal, with its whole body: a `string` detail, or the faults of a 422. */
export function expectProblem(
  { status, headers, body }: Answer,
  code: keyof typeof TITLES,
  explanation: string | [pointer: string, code: string, detail: string][],
): void {
  const faults = typeof explanation === 'string' ? undefined : explanation;
  expect(body).toEqual({
    type: `urn:acquirer-partner-api:problem:${code}`,
    title: TITLES[code][1],
    status: TITLES[code][0],
    detail:
      faults === undefined
        ? explanation
        : `The request body has ${faults.length === 1 ? '1 fault' : `${faults.length} faults`}; see errors.`,
    code,
    request_id: headers['x-request-id'],
    ...(faults && { errors: faults.map(([pointer, fault, detail]) => ({ pointer, code: fault, detail })) }),
  });
  expect(status).toBe(TITLES[code][0]);
}
