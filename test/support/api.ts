import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { referenceCache } from '../../lib/acquirers/reference.ts';
import { partnershipCache } from '../../lib/branches/partnership.ts';
import { SEALING } from '../../lib/branches/ranks.ts';
import { contractViolations } from './contract.ts';
import { type AnyOperation, type ApiResponse, eventOf, invoke as invokeHandler, type Request } from './invoke.ts';
import { type Code, STATUSES, TITLES } from './promised.ts';

export { type ApiResponse, eventOf, type Operation, type Request } from './invoke.ts';

export { STATUSES } from './promised.ts';

// Creates never seal lists here; tests of sealing set this.
SEALING.probability = 0;

/** All operations of the API. */
export { API_OPERATIONS as OPERATIONS } from '../../infra/publish/contract/calls.ts';

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
  code: Code,
  explanation: string | [pointer: string, code: string, detail: string][],
): void {
  const fieldErrors = typeof explanation === 'string' ? undefined : explanation;
  const count = fieldErrors?.length === 1 ? '1 field error' : `${fieldErrors?.length} field errors`;
  expect(body).toEqual({
    type: `https://api.example.com/docs/errors/${code}`,
    title: TITLES[code][1],
    status: TITLES[code][0],
    detail: fieldErrors === undefined ? explanation : `The request body has ${count}; see errors.`,
    code,
    request_id: headers['x-request-id'],
    ...(fieldErrors && {
      errors: fieldErrors.map(([pointer, fieldCode, detail]) => ({ pointer, code: fieldCode, detail })),
    }),
  });
  expect(status).toBe(TITLES[code][0]);
}
