import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { SEALING } from '../../lib/branchRanks.ts';
import { referenceCache } from '../../lib/reference.ts';
import { contractViolations } from './contract.ts';
import { type ApiResponse, eventOf, invoke as invokeHandler, type Operation, type Request } from './invoke.ts';
import { type Code, STATUSES, TITLES } from './promised.ts';

export { type ApiResponse, eventOf, type Operation, type Request } from './invoke.ts';

export { STATUSES } from './promised.ts';

// Which creates look after a list is left to chance; a test that is about that sets it.
SEALING.share = 0;

/** The operations of the interface. */
export const OPERATIONS = Object.keys(STATUSES).filter((name) => name !== 'unknownRoute') as Exclude<
  Operation,
  'unknownRoute'
>[];

/**
 * Calls the whole wrapped handler of an operation, as API Gateway would, and checks what holds for every answer:
 * a status of the interface, the request's id, the content type, and all that docs/openapi.json says.
 */
export const call = (operation: Operation, request: Request): Promise<ApiResponse> =>
  invoke(operation, eventOf(operation, request));

/** The same with an event of one's own. */
export async function invoke(operation: Operation, event: APIGatewayProxyEventV2): Promise<ApiResponse> {
  // Each is answered as by a new process: what it keeps is for the tests that are about that.
  referenceCache.clear();
  const awsRequestId = randomUUID();
  const response = await invokeHandler(operation, event, awsRequestId);
  expect(STATUSES[operation]).toContain(response.status);
  // What is no operation is not in the contract.
  if (operation !== 'unknownRoute') expect(contractViolations(operation, response)).toEqual([]);
  expect(response.headers).toMatchObject({
    'content-type': response.status < 300 ? 'application/json' : 'application/problem+json',
    'cache-control': 'no-store',
    'x-request-id': awsRequestId,
  });
  return response;
}

/** Asserts that an answer is a refusal, with its whole body: a `string` detail, or the faults of a 422. */
export function expectProblem(
  { status, headers, body }: ApiResponse,
  code: Code,
  explanation: string | [pointer: string, code: string, detail: string][],
): void {
  const faults = typeof explanation === 'string' ? undefined : explanation;
  expect(body).toEqual({
    type: `https://api.example.com/docs/errors/${code}`,
    title: TITLES[code][1],
    status: TITLES[code][0],
    detail:
      faults === undefined
        ? explanation
        : `The request body has ${faults.length === 1 ? '1 field error' : `${faults.length} field errors`}; see errors.`,
    code,
    request_id: headers['x-request-id'],
    ...(faults && { errors: faults.map(([pointer, fault, detail]) => ({ pointer, code: fault, detail })) }),
  });
  expect(status).toBe(TITLES[code][0]);
}
