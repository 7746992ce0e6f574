import { expect, jest } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type ApiResponse, invoke, type Operation, STATUSES } from '../../support/api.ts';
import { captureLog } from '../../support/log.ts';

/** What an operation may ask of the table for one request, the caller's key included. */
const MOST_TABLE_REQUESTS = 5;
/** Characters of a refusal, however large the request was. */
const LONGEST_REFUSAL = 2_000;

/** Characters of all warnings, however many fields and parameters are unknown: a hundred of 40 characters, and a rest. */
const LONGEST_WARNINGS = 20_000;

/** Operations with a body are those that can find faults in it. */
export const takesBody = (operation: Operation): boolean => STATUSES[operation].some((status) => status === 422);

/** Operations that an Idempotency-Key makes safe to repeat. */
export const ONCE: Operation[] = ['createBranch', 'createTerminals', 'reassignTerminal'];

/** An event as Lambda hands it over: parsed from JSON, so that `__proto__` is a name like any other. */
const handedOver = (event: APIGatewayProxyEventV2): APIGatewayProxyEventV2 => JSON.parse(JSON.stringify(event));

/** What is wrong with an answer as such, if anything is. */
function wrongIn({ status, headers, body }: ApiResponse): unknown {
  if (status < 300) {
    const { data: _, links: __, meta: ___, type: ____, warnings = [], ...more } = body;
    const isRight = Object.keys(more).length === 0 && warnings.every(isWarning);
    return !(isRight && JSON.stringify(warnings).length < LONGEST_WARNINGS) && body;
  }
  const { type, title, status: told, detail, code, request_id, errors, ...more } = body;
  const faults: unknown[] = status === 422 ? errors : [];
  const isRight =
    [type, title, detail, code].every((text) => typeof text === 'string') &&
    type === `https://api.example.com/docs/errors/${code}` &&
    told === status &&
    request_id === headers['x-request-id'] &&
    Object.keys(more).length === 0 &&
    JSON.stringify(body).length < LONGEST_REFUSAL &&
    (status === 422 ? faults.length > 0 && faults.every(isFault) : errors === undefined);
  return !isRight && body;
}

const isFault = (fault: unknown): boolean => {
  const { pointer, code, detail, ...more } = fault as Record<string, unknown>;
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
 * Sends events one after another, and checks what holds for whatever is sent: an answer of the interface, no fault of
 * ours, little asked of the table, one line of the log, and JavaScript's own objects as they were.
 */
export async function send(operation: Operation, events: APIGatewayProxyEventV2[]): Promise<ApiResponse[]> {
  const { LOG_LEVEL } = process.env;
  process.env['LOG_LEVEL'] = 'INFO';
  const lines = captureLog();
  try {
    const responses: ApiResponse[] = [];
    for (const event of events) responses.push(await invoke(operation, handedOver(event)));
    expect(responses.map(wrongIn).filter(Boolean)).toEqual([]);
    expect(lines()).toHaveLength(events.length);
    expect(lines().filter(({ faults, table_requests }) => faults > 0 || table_requests > MOST_TABLE_REQUESTS)).toEqual(
      [],
    );
    expect(Object.keys(Object.getOwnPropertyDescriptors(Object.prototype)).sort()).toEqual(OF_EVERY_OBJECT);
    return responses;
  } finally {
    process.env['LOG_LEVEL'] = LOG_LEVEL;
    jest.restoreAllMocks();
  }
}

const OF_EVERY_OBJECT = Object.keys(Object.getOwnPropertyDescriptors(Object.prototype)).sort();
