import type { IncomingHttpHeaders } from 'node:http';

export interface Incoming {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer | string;
}

/** The same request with other content. */
export function withContent({ headers, ...incoming }: Incoming, content: object): Incoming {
  const body = Buffer.from(JSON.stringify(content));
  return { ...incoming, headers: { ...headers, 'content-length': String(body.length) }, body };
}

export const json = (status: number, content: object): Reply => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify(content),
});

const DYNAMODB = 'com.amazonaws.dynamodb.v20120810';
const problem = (type: string, message: string) => json(400, { __type: type, message, Message: message });

export const invalid = (message: string): Reply => problem('com.amazon.coral.validate#ValidationException', message);

export const throttled = (): Reply =>
  problem(
    `${DYNAMODB}#ProvisionedThroughputExceededException`,
    'The level of configured provisioned throughput was exceeded.',
  );

export const inConflict = (): Reply => problem(`${DYNAMODB}#TransactionConflictException`, CONFLICT.Message);

export const inProgress = (): Reply =>
  problem(
    `${DYNAMODB}#TransactionInProgressException`,
    'The transaction with the given request token is already in progress.',
  );

/** Reasons of a cancelled transaction (DynamoDB API reference, TransactWriteItems, "TransactionCanceledException"). */
export const CONFLICT = { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' };
export const THROTTLED = {
  Code: 'ThrottlingError',
  Message: 'Throughput exceeds the current capacity of your table or index.',
};

/** Cancels a transaction, for a reason of some of its items. */
export function cancelled(reason: typeof CONFLICT, isAffected: boolean[]): Reply {
  const CancellationReasons = isAffected.map((each) => (each ? reason : { Code: 'None' }));
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  const Message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return json(400, { __type: `${DYNAMODB}#TransactionCanceledException`, Message, CancellationReasons });
}
