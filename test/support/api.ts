import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { API_OPERATIONS } from '../../infra/publish/contract/calls.ts';
import { referenceCache } from '../../lib/acquirers/reference.ts';
import { CATALOGUE, type ProblemCode } from '../../lib/base/problem.ts';
import { partnershipCache } from '../../lib/branches/partnership.ts';
import { SEALING } from '../../lib/branches/ranks.ts';
import { contractViolations, DESCRIBED } from './contract.ts';
import {
  type AnyOperation,
  type ApiResponse,
  eventOf,
  invoke as invokeHandler,
  type Operation,
  type Request,
} from './invoke.ts';

export { type ApiResponse, eventOf, type Operation, type Request } from './invoke.ts';

// Creates never seal lists here; tests of sealing set this.
SEALING.probability = 0;

/** All operations of the API. */
export const OPERATIONS = API_OPERATIONS;

const documented = (operation: Operation) =>
  Object.keys(DESCRIBED.get(operation)?.responses ?? {})
    .map(Number)
    // A 200 of a create is that of a validation.
    .sort((a, b) => Number(b === 201) - Number(a === 201));

/**
 * The documented statuses of each operation, success first. 400 covers failures of the service; 429 is the rate limit.
 */
export const STATUSES = {
  ...Object.fromEntries(API_OPERATIONS.map((operation) => [operation, documented(operation)])),
  // Not an operation: handles every other method and path.
  unknownRoute: [404, 400, 401, 429],
} as unknown as Record<Operation, [success: number, ...problems: number[]]>;

/**
 * Calls the complete handler of an operation, as API Gateway would, and checks what applies to every response: a
 * documented status, the request id, the content type and everything in docs/openapi.json or docs/console.openapi.json.
 */
export const call = (operation: AnyOperation, request: Request): Promise<ApiResponse> =>
  invoke(operation, eventOf(operation, request));

/** Calls an operation with a custom event. */
export async function invoke(operation: AnyOperation, event: APIGatewayProxyEventV2): Promise<ApiResponse> {
  // Each request runs as in a new process; tests of the cache call the handler themselves.
  referenceCache.clear();
  partnershipCache.clear();
  const awsRequestId = randomUUID();
  const response = await invokeHandler(operation, event, awsRequestId);
  // Unknown routes are not in the contract.
  if (operation === 'unknownRoute') expect(STATUSES[operation]).toContain(response.status);
  else expect(contractViolations(operation, response)).toEqual([]);
  expect(response.headers).toMatchObject({
    'content-type': response.status < 300 ? 'application/json' : 'application/problem+json',
    'cache-control': 'no-store',
    'x-request-id': awsRequestId,
  });
  return response;
}

/**
 * Asserts that a response is a problem with exactly this body: `explanation` is its detail, or the field errors of a
 * 422.
 */
export function expectProblem(
  { status, headers, body }: ApiResponse,
  code: ProblemCode,
  explanation: string | [pointer: string, code: string, detail: string][],
): void {
  const fieldErrors = typeof explanation === 'string' ? undefined : explanation;
  const count = fieldErrors?.length === 1 ? '1 field error' : `${fieldErrors?.length} field errors`;
  expect(body).toEqual({
    type: `https://api.example.com/docs/errors/${code}`,
    title: CATALOGUE[code][1],
    status: CATALOGUE[code][0],
    detail: fieldErrors === undefined ? explanation : `The request body has ${count}; see errors.`,
    code,
    request_id: headers['x-request-id'],
    ...(fieldErrors && {
      errors: fieldErrors.map(([pointer, fieldCode, detail]) => ({ pointer, code: fieldCode, detail })),
    }),
  });
  expect(status).toBe(CATALOGUE[code][0]);
}
