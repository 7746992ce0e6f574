/** A request on its way to the table. */
interface TableRequest {
  content: TableRequestBody;
  /** Forwards the request to the table and returns the response. */
  forward: () => Promise<TableResponse>;
  /** Holds this copy of the request back until its sender is done. */
  hold: () => void;
  /** Another request of the test, made in between. */
  meanwhile: () => Promise<unknown>;
}

export interface TableRequestBody {
  Key?: { pk: { S: string } };
  RequestItems?: Record<string, { Keys: unknown[] }>;
  TransactItems?: object[];
}

export interface TableResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** What the sender gets: a response, the end of the connection, or nothing until it times out. */
export type Reply = TableResponse | 'close' | 'reset' | 'silence';

const JSON_TYPE = 'application/x-amz-json-1.0';
/** A response. If `length` is more than its body's, it stalls, and the sender times out. */
export const reply = (status: number, type: string, body: string, length = Buffer.byteLength(body)): TableResponse => ({
  status,
  headers: { 'content-type': type, 'content-length': String(length) },
  body,
});
const page = (status: number) => reply(status, 'text/html', `<html><body><h1>${status}</h1></body></html>`);

/** An error in the form of DynamoDB's JSON 1.0 protocol. */
const error = (status: number, type: string, message = '', more = {}) =>
  reply(status, JSON_TYPE, JSON.stringify({ __type: type, message, ...more }));
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

/** The first half of the table's response, with the length of this half or of the whole. */
async function half({ forward }: TableRequest, saysWhole: boolean): Promise<TableResponse> {
  const { status, headers, body } = await forward();
  const part = body.slice(0, body.length / 2);
  return reply(status, headers['content-type'] ?? '', part, Buffer.byteLength(saysWhole ? part : body));
}

/**
 * Failures of one request by name. "Lost" failures come after the table has applied the request, "cut off" ones before.
 */
const FAILURES = {
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
  'left unprocessed': ({ content: { RequestItems: UnprocessedKeys } }) =>
    reply(200, JSON_TYPE, JSON.stringify({ Responses: {}, UnprocessedKeys })),
  'cut off': () => 'close',
  'cut off by a reset': () => 'reset',
  'no response': () => 'silence',
  'error of a gateway': () => page(502),
  lost: ({ forward }) => forward().then(() => 'close'),
  'lost by a reset': ({ forward }) => forward().then(() => 'reset'),
  async 'lost within the response'(request) {
    const response = await half(request, false);
    return { ...response, headers: { ...response.headers, connection: 'close' } };
  },
  'late response': ({ forward }) => forward().then(() => 'silence'),
  'half a response': (request) => half(request, true),
  'half a response, never completed': (request) => half(request, false),
  'page of another server': ({ forward }) => forward().then(() => page(200)),
  overtaken({ hold }) {
    hold();
    return 'silence';
  },
  'overtaken, while another request writes'({ hold, meanwhile }) {
    hold();
    return meanwhile().then(() => 'silence');
  },
  'cut off, while another request writes': ({ meanwhile }) => meanwhile().then(() => 'close'),
  'lost, while another request writes': ({ forward, meanwhile }) =>
    forward()
      .then(meanwhile)
      .then(() => 'close'),
} satisfies Record<string, (request: TableRequest) => Reply | Promise<Reply>>;

export type FailureName = keyof typeof FAILURES;

/** Makes a request fail. */
export const fail = (name: FailureName, request: TableRequest): Reply | Promise<Reply> => FAILURES[name](request);
