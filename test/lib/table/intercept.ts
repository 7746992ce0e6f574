import { afterEach } from '@jest/globals';
import { table } from '../../../lib/table/client.ts';

/** A request to the table. */
export interface Sent {
  /** The DynamoDB operation, such as `GetItem`. */
  operation: string;
  input: Record<string, unknown>;
}

export type Send = () => Promise<{ output: Record<string, unknown> }>;

/** `deserialize` is each attempt to send a request, which the client may retry; `initialize` is the whole request. */
type Step = 'deserialize' | 'initialize';

/** From now on until the test ends, requests to the table are sent by `act`. It replaces any earlier one. */
export function intercept(act: (send: Send, request: Sent) => Promise<unknown>, step: Step = 'initialize'): void {
  table.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) =>
        act(() => next(args) as never, {
          operation: commandName.replace('Command', ''),
          input: args.input as never,
        }) as never,
    {
      step: step as 'initialize',
      // Within metering and the middleware of test/support, but around parsing a response.
      priority: step === 'initialize' ? 'low' : 'high',
      name: 'intercepted',
      override: true,
    },
  );
}

/** Ends an {@link intercept} before the test ends. */
export const release = (): boolean => table.middlewareStack.remove('intercepted');
afterEach(() => {
  release();
});

/** Does some work just before the next request to the table that `matches`. */
export const beforeNext = (matches: (request: Sent) => boolean, work: () => Promise<unknown>): void =>
  intercept(async (send, request) => {
    if (matches(request)) {
      release();
      await work();
    }
    return send();
  });

/** Does some work just before the next transaction. */
export const beforeNextWrite = (work: () => Promise<unknown>): void =>
  beforeNext(({ operation }) => operation === 'TransactWriteItems', work);

interface Failure {
  /** The operations that fail; by default all. */
  operations?: string[];
  /** How many of these requests fail. */
  times?: number;
  step?: Step;
}

/** From now on until the test ends, requests to the table fail with an error. Returns those that are sent. */
export function failTable(
  error: () => unknown,
  { operations, times = Number.POSITIVE_INFINITY, step = 'deserialize' }: Failure = {},
): Sent[] {
  const sent: Sent[] = [];
  intercept((send, request) => {
    if (operations && !operations.includes(request.operation)) return send();
    sent.push(request);
    return sent.length <= times ? Promise.reject(error()) : send();
  }, step);
  return sent;
}

/** Makes each page of a query say that there are more, until the end of the test. */
export const truncateQueries = (): void =>
  intercept(async (send, { operation, input }) => {
    const result = await send();
    const [last = input['ExclusiveStartKey']] = (result.output as { Items?: object[] }).Items?.slice(-1) ?? [];
    const { pk, sk } = (last ?? {}) as Record<string, string>;
    if (operation === 'Query' && pk) Object.assign(result.output, { LastEvaluatedKey: { pk, sk } });
    return result;
  });
