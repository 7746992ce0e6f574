import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type Answer, eventOf, invoke as invokeHandler, type Operation, type Request } from './invoke.ts';

export { type Answer, eventOf, type Operation, type Request } from './invoke.ts';

/** The statuses that the interface lists for each operation (§4), which no answer may leave, its success first; 400 is also §7's. */
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
  // No operation: what answers every method and path that is none of the above.
  unknownRoute: [404, 400, 401],
} as const satisfies Record<Operation, number[]>;
/** The operations of the interface. */
export const OPERATIONS = Object.keys(STATUSES).filter((name) => name !== 'unknownRoute') as Exclude<
  Operation,
  'unknownRoute'
>[];

/**
 * Calls the whole wrapped handler of an operation, as API Gateway would, and checks what holds for every answer:
 * a status of the interface, the request's id, the content type.
 */
export const call = (operation: Operation, request: Request): Promise<Answer> =>
  invoke(operation, eventOf(operation, request));

/** The same with an event of one's own. */
export async function invoke(operation: Operation, event: APIGatewayProxyEventV2): Promise<Answer> {
  const awsRequestId = randomUUID();
  const answer = await invokeHandler(operation, event, awsRequestId);
  expect(STATUSES[operation]).toContain(answer.status);
  expect(answer.headers).toMatchObject({
    'content-type': answer.status < 300 ? 'application/json' : 'application/problem+json',
    'cache-control': 'no-store',
    'x-request-id': awsRequestId,
  });
  return answer;
}

/** Said again, not imported: a code, its status and its title are promised to partners. */
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
    type: `https://api.example.com/docs/errors#${code}`,
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
