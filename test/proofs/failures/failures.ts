import { setTimeout as sleep } from 'node:timers/promises';

/** A request on its way to the table. */
export interface TableRequest {
  content: {
    Key?: { pk: { S: string } };
    IndexName?: string;
    ClientRequestToken?: string;
    RequestItems?: Record<string, { Keys: unknown[] }>;
    TransactItems?: { Update?: { Key: { sk: { S: string } } } }[];
  };
  /** Forwards the request to the table and returns the response. */
  forward: () => Promise<ApiResponse>;
  /** Holds this copy of the request back until its sender is done. */
  hold: () => void;
  /** Another request of the test, made in between. */
  meanwhile: () => Promise<unknown>;
  /** The last response of the same index. */
  before: () => ApiResponse;
}

export interface ApiResponse {
  statusCode: number;
  headers: { 'content-type': string; 'content-length': string; connection?: string };
  body: string;
}

/** What the sender gets: a response or the end of the connection. */
export type Reply = ApiResponse | 'close' | 'reset';

/** Longer than the service waits for a response (see lib/table/sdk.ts). */
const TOO_LATE_MS = 2_500;

/** A response. If `length` is more than its body's, it never ends. */
export const reply = (
  statusCode: number,
  type: string,
  body: string,
  length = Buffer.byteLength(body),
): ApiResponse => ({
  statusCode,
  headers: { 'content-type': type, 'content-length': String(length) },
  body,
});
const json = (statusCode: number, content: object) =>
  reply(statusCode, 'application/x-amz-json-1.0', JSON.stringify(content));
const page = (statusCode: number) => reply(statusCode, 'text/html', `<html><body><h1>${statusCode}</h1></body></html>`);

/** An error in the form of DynamoDB's JSON 1.0 protocol. */
const error = (statusCode: number, type: string, message = '', more = {}) =>
  json(statusCode, { __type: type, message, ...more });
const DYNAMODB = 'com.amazonaws.dynamodb.v20120810';

/** A transaction that is cancelled because of its last step. */
function cancelled({ content: { TransactItems = [] } }: TableRequest, Code: string, Message: string): Reply {
  const CancellationReasons = TransactItems.map((_, at) =>
    at === TransactItems.length - 1 ? { Code, Message } : { Code: 'None' },
  );
  const codes = CancellationReasons.map((reason) => reason.Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return error(400, `${DYNAMODB}#TransactionCanceledException`, message, { CancellationReasons });
}

const never = new Promise<never>(() => {});

const afterwards = async (done: Promise<unknown>, reply: Reply): Promise<Reply> => {
  await done;
  return reply;
};

/** The first half of the table's response, with the length of this half or of the whole. */
async function half(forward: () => Promise<ApiResponse>, saysWhole: boolean): Promise<ApiResponse> {
  const { statusCode, headers, body } = await forward();
  const part = body.slice(0, body.length / 2);
  return reply(statusCode, headers['content-type'], part, Buffer.byteLength(saysWhole ? part : body));
}

async function cutWithin(forward: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const response = await half(forward, false);
  return { ...response, headers: { ...response.headers, connection: 'close' } };
}

async function tooLate(forward: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const response = await forward();
  await sleep(TOO_LATE_MS);
  return response;
}

export type Failure = (request: TableRequest) => Reply | Promise<Reply>;

/**
 * Failures of one request by name. "Lost" failures come after the table has applied the request, "cut off" ones before.
 */
export const FAILURES = {
  throttled: () => error(400, 'com.amazon.coral.availability#ThrottlingException', 'Rate exceeded'),
  'throughput exceeded': () => error(400, `${DYNAMODB}#ProvisionedThroughputExceededException`),
  'request limit exceeded': () => error(400, `${DYNAMODB}#RequestLimitExceeded`),
  'internal server error': () => error(500, `${DYNAMODB}#InternalServerError`, 'Internal server error'),
  unavailable: () => error(503, 'com.amazon.coral.service#ServiceUnavailableException'),
  'in progress': () => error(400, `${DYNAMODB}#TransactionInProgressException`),
  'in conflict': (request) => cancelled(request, 'TransactionConflict', 'Transaction is ongoing for the item'),
  'cancelled as throttled': (request) =>
    cancelled(request, 'ThrottlingError', 'Throughput exceeds the current capacity'),
  'cancelled as throughput exceeded': (request) =>
    cancelled(request, 'ProvisionedThroughputExceeded', 'The level of configured provisioned throughput was exceeded'),
  'left unprocessed': ({ content: { RequestItems: UnprocessedKeys } }) => json(200, { Responses: {}, UnprocessedKeys }),
  'cut off': () => 'close',
  'cut off by a reset': () => 'reset',
  'no response': () => never,
  'error of a gateway': () => page(502),
  lost: ({ forward }) => afterwards(forward(), 'close'),
  'lost by a reset': ({ forward }) => afterwards(forward(), 'reset'),
  'lost within the response': ({ forward }) => cutWithin(forward),
  'late response': ({ forward }) => tooLate(forward),
  'half a response': ({ forward }) => half(forward, true),
  'half a response, never completed': ({ forward }) => half(forward, false),
  'page of another server': ({ forward }) => afterwards(forward(), page(200)),
  'response as before': ({ before }) => before(),
  overtaken({ hold }) {
    hold();
    return never;
  },
  'overtaken, while another request writes'({ hold, meanwhile }) {
    hold();
    return meanwhile().then(() => never);
  },
  'cut off, while another request writes': ({ meanwhile }) => afterwards(meanwhile(), 'close'),
  'lost, while another request writes': ({ forward, meanwhile }) => afterwards(forward().then(meanwhile), 'close'),
} satisfies Record<string, Failure>;

export type FailureName = keyof typeof FAILURES;
