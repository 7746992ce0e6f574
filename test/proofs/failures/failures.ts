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
  /** Has the table do it, and returns its answer. */
  forward: () => Promise<ApiResponse>;
  /** Keeps this copy of the request on its way until its sender is done. */
  hold: () => void;
  /** What somebody else does in between. */
  meanwhile: () => Promise<unknown>;
  /** What the same index answered before. */
  before: () => ApiResponse;
}

export interface ApiResponse {
  statusCode: number;
  headers: { 'content-type': string; 'content-length': string; connection?: string };
  body: string;
}

/** What comes back: an answer, or the end of the connection. */
export type Reply = ApiResponse | 'close' | 'reset';

/** Longer than anybody waits for an answer (see lib/table/sdk.ts). */
const TOO_LATE_MS = 2_500;

/** An answer; one whose `length` is more than its body's never ends. */
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

/** An error as DynamoDB answers it (its JSON 1.0 protocol). */
const error = (statusCode: number, type: string, message = '', more = {}) =>
  json(statusCode, { __type: type, message, ...more });
const OWN = 'com.amazonaws.dynamodb.v20120810';

/** A transaction of which the last step gives a reason to cancel it. */
function cancelled({ content: { TransactItems = [] } }: TableRequest, Code: string, Message: string): Reply {
  const CancellationReasons = TransactItems.map((_, at) =>
    at === TransactItems.length - 1 ? { Code, Message } : { Code: 'None' },
  );
  const codes = CancellationReasons.map((reason) => reason.Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return error(400, `${OWN}#TransactionCanceledException`, message, { CancellationReasons });
}

const never = new Promise<never>(() => {});

const afterwards = async (done: Promise<unknown>, reply: Reply): Promise<Reply> => {
  await done;
  return reply;
};

/** The first half of what the table answers, which says that it is whole, or that there is more to come. */
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
 * What can go wrong with one request, by its name. "Lost" is what happens after the table has done what it was asked to,
 * "cut off" what happens before.
 */
export const FAILURES = {
  throttled: () => error(400, 'com.amazon.coral.availability#ThrottlingException', 'Rate exceeded'),
  'over its throughput': () => error(400, `${OWN}#ProvisionedThroughputExceededException`),
  'over its request limit': () => error(400, `${OWN}#RequestLimitExceeded`),
  'failed inside': () => error(500, `${OWN}#InternalServerError`, 'Internal server error'),
  unavailable: () => error(503, 'com.amazon.coral.service#ServiceUnavailableException'),
  'in progress': () => error(400, `${OWN}#TransactionInProgressException`),
  'in conflict': (request) => cancelled(request, 'TransactionConflict', 'Transaction is ongoing for the item'),
  'cancelled as throttled': (request) =>
    cancelled(request, 'ThrottlingError', 'Throughput exceeds the current capacity'),
  'cancelled as over its throughput': (request) =>
    cancelled(request, 'ProvisionedThroughputExceeded', 'The level of configured provisioned throughput was exceeded'),
  'left unprocessed': ({ content: { RequestItems: UnprocessedKeys } }) => json(200, { Responses: {}, UnprocessedKeys }),
  'cut off': () => 'close',
  'cut off by a reset': () => 'reset',
  'without an answer': () => never,
  'answered by a gateway': () => page(502),
  lost: ({ forward }) => afterwards(forward(), 'close'),
  'lost by a reset': ({ forward }) => afterwards(forward(), 'reset'),
  'lost within the answer': ({ forward }) => cutWithin(forward),
  'answered too late': ({ forward }) => tooLate(forward),
  'answered in half': ({ forward }) => half(forward, true),
  'answered in half, without an end': ({ forward }) => half(forward, false),
  'answered by a page': ({ forward }) => afterwards(forward(), page(200)),
  'answered as before': ({ before }) => before(),
  overtaken({ hold }) {
    hold();
    return never;
  },
  'overtaken, while somebody else writes'({ hold, meanwhile }) {
    hold();
    return meanwhile().then(() => never);
  },
  'cut off, while somebody else writes': ({ meanwhile }) => afterwards(meanwhile(), 'close'),
  'lost, while somebody else writes': ({ forward, meanwhile }) => afterwards(forward().then(meanwhile), 'close'),
} satisfies Record<string, Failure>;

export type FailureName = keyof typeof FAILURES;
