import { expect, jest } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type ApiResponse, invoke, type Operation, STATUSES } from '../../support/api.ts';
import { captureLog } from '../../support/log.ts';

/** The most table requests of one API request, including the caller's key. */
const MOST_TABLE_REQUESTS = 5;
/** The most characters of a problem, however large the request was. */
const LONGEST_PROBLEM = 2_000;

/** The most characters of all warnings: a hundred of them, and one for the rest. */
const LONGEST_WARNINGS = 20_000;

/** Operations with a body are those that can return field errors. */
export const takesBody = (operation: Operation): boolean => STATUSES[operation].some((status) => status === 422);

/** Operations that accept an Idempotency-Key. */
export const ONCE: Operation[] = ['createBranch', 'createTerminals', 'reassignTerminal'];

/** An event as Lambda passes it on: parsed from JSON, so `__proto__` is a name like any other. */
const parsed = (event: APIGatewayProxyEventV2): APIGatewayProxyEventV2 => JSON.parse(JSON.stringify(event));

/** Returns the body of a response that has not the form of one, otherwise `false`. */
function wrongIn({ status, headers, body }: ApiResponse): unknown {
  if (status < 300) {
    const { data: _, links: __, meta: ___, type: ____, warnings = [], ...more } = body;
    const isRight = Object.keys(more).length === 0 && warnings.every(isWarning);
    return !(isRight && JSON.stringify(warnings).length < LONGEST_WARNINGS) && body;
  }
  const { type, title, status: bodyStatus, detail, code, request_id, errors, ...more } = body;
  const fieldErrors: unknown[] = status === 422 ? errors : [];
  const isRight =
    [type, title, detail, code].every((text) => typeof text === 'string') &&
    type === `https://api.example.com/docs/errors/${code}` &&
    bodyStatus === status &&
    request_id === headers['x-request-id'] &&
    Object.keys(more).length === 0 &&
    JSON.stringify(body).length < LONGEST_PROBLEM &&
    (status === 422 ? fieldErrors.length > 0 && fieldErrors.every(isFieldError) : errors === undefined);
  return !isRight && body;
}

const isFieldError = (fieldError: unknown): boolean => {
  const { pointer, code, detail, ...more } = fieldError as Record<string, unknown>;
  return (
    /^(\/\w+)*$/.test(String(pointer)) &&
    /^[a-z_]+$/.test(String(code)) &&
    typeof detail === 'string' &&
    Object.keys(more).length === 0
  );
};

const isWarning = (warning: object): boolean =>
  ['pointer,code,detail', 'parameter,code,detail'].includes(String(Object.keys(warning))) &&
  Object.values(warning).every((value) => typeof value === 'string');

/**
 * Sends events one after another and checks what holds for every request: a documented response, no server error, few
 * table requests, one log line, and unchanged JavaScript objects.
 */
export async function send(operation: Operation, events: APIGatewayProxyEventV2[]): Promise<ApiResponse[]> {
  const { LOG_LEVEL } = process.env;
  process.env['LOG_LEVEL'] = 'INFO';
  const lines = captureLog();
  try {
    const responses: ApiResponse[] = [];
    for (const event of events) responses.push(await invoke(operation, parsed(event)));
    expect(responses.length).toBeGreaterThan(0);
    expect(responses.map(wrongIn).filter(Boolean)).toEqual([]);
    expect(lines()).toHaveLength(events.length);
    // The level is ERROR exactly if the log line has a failure.
    expect(
      lines().filter(({ level, table_requests }) => level !== 'INFO' || table_requests > MOST_TABLE_REQUESTS),
    ).toEqual([]);
    expect(Object.keys(Object.getOwnPropertyDescriptors(Object.prototype)).sort()).toEqual(OF_EVERY_OBJECT);
    return responses;
  } finally {
    process.env['LOG_LEVEL'] = LOG_LEVEL;
    jest.restoreAllMocks();
  }
}

const OF_EVERY_OBJECT = Object.keys(Object.getOwnPropertyDescriptors(Object.prototype)).sort();
