import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { expect, jest } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { table } from '../../../lib/table/client.ts';
import { type ApiResponse, invoke, type Operation } from '../../support/api.ts';
import { captureLog } from '../../support/log.ts';
import '../../../infra/local/patient.ts';
import { storedBy } from '../../support/stored.ts';

/** The most table requests of one API request, including the caller's key. */
const MOST_TABLE_REQUESTS = 5;
/** A search also reads samples of its words, and eight shards of one: see docs/decisions/0028-search.md. */
const MOST_OF_A_SEARCH = 22;
/** A page of all terminals takes a query of each of its 100 branches. */
const MOST_OF_ALL_TERMINALS = 120;
/** The most characters of a problem, however large the request was. */
const LONGEST_PROBLEM = 2_000;
/** The most characters of all warnings: a hundred of them, and one for the rest. */
const LONGEST_WARNINGS = 20_000;

/** The largest operand of a query that AWS accepts for any key. DynamoDB Local accepts larger ones. */
const LARGEST_OPERAND = 1_024;
table.middlewareStack.add(
  (next) => (args) => {
    const { KeyConditionExpression, ExpressionAttributeValues = {} } = args.input as QueryCommandInput;
    const sizes = Object.values(ExpressionAttributeValues).map((value) => Buffer.byteLength(String(value)));
    if (KeyConditionExpression && Math.max(...sizes) > LARGEST_OPERAND) throw new Error('AWS would reject this query.');
    return next(args);
  },
  { step: 'initialize', name: 'operands' },
);

/** Operations that accept an Idempotency-Key. */
export const ONCE: Operation[] = ['createBranch', 'createTerminals', 'reassignTerminal', 'createWebhook'];

/** An event as Lambda passes it on: parsed from JSON, so `__proto__` is a name like any other. */
const parsed = (event: APIGatewayProxyEventV2): APIGatewayProxyEventV2 => JSON.parse(JSON.stringify(event));

/** Whether a response is short, however large its request was, and a problem is about this request. */
function isRight({ status, headers, body }: ApiResponse): boolean {
  if (status < 300) return JSON.stringify(body.warnings ?? []).length < LONGEST_WARNINGS;
  const { type, code, request_id, errors = [] } = body;
  return (
    type === `https://api.example.com/docs/errors/${code}` &&
    body.status === status &&
    request_id === headers['x-request-id'] &&
    errors.every(({ pointer }: { pointer: string }) => /^(\/\w+)*$/.test(pointer)) &&
    JSON.stringify(body).length < LONGEST_PROBLEM
  );
}

/**
 * Sends events one after another and checks what holds for every request: a short response of the contract, no server
 * error, few table requests, one log line, and unchanged JavaScript objects.
 */
export async function send(operation: Operation, events: APIGatewayProxyEventV2[]): Promise<ApiResponse[]> {
  const { LOG_LEVEL } = process.env;
  process.env['LOG_LEVEL'] = 'INFO';
  const lines = captureLog();
  try {
    const responses: ApiResponse[] = [];
    for (const event of events) responses.push(await invoke(operation, parsed(event)));
    expect(responses.length).toBeGreaterThan(0);
    expect(responses.filter((response) => !isRight(response))).toEqual([]);
    expect(lines()).toHaveLength(events.length);
    const mostOf = (event?: APIGatewayProxyEventV2): number => {
      if (operation === 'listAllTerminals') return MOST_OF_ALL_TERMINALS;
      return operation === 'listBranches' && event?.queryStringParameters?.['search']
        ? MOST_OF_A_SEARCH
        : MOST_TABLE_REQUESTS;
    };
    // The level is ERROR exactly if the log line has a failure.
    expect(
      lines().filter(({ level, table_requests }, at) => level === 'ERROR' || table_requests > mostOf(events[at])),
    ).toEqual([]);
    expect(Object.keys(Object.getOwnPropertyDescriptors(Object.prototype)).sort()).toEqual(OF_EVERY_OBJECT);
    return responses;
  } finally {
    process.env['LOG_LEVEL'] = LOG_LEVEL;
    jest.restoreAllMocks();
  }
}

const OF_EVERY_OBJECT = Object.keys(Object.getOwnPropertyDescriptors(Object.prototype)).sort();

/** Sends events that must store nothing, and returns the responses. */
export async function rejected(operation: Operation, events: APIGatewayProxyEventV2[]): Promise<ApiResponse[]> {
  const { response: responses, changed } = await storedBy(() => send(operation, events));
  expect(changed).toEqual({});
  return responses;
}
