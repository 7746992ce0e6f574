import { AsyncLocalStorage } from 'node:async_hooks';
import { table } from '../../lib/table/client.ts';

/** The requests that a piece of work sent to the table. */
export interface Sent {
  /** Each request in the order sent: the DynamoDB operation, such as `Query`, and its input. */
  requests: { operation: string; input: Record<string, unknown> }[];
  /** The most requests that were in flight at the same time. */
  atOnce: number;
}

const current = new AsyncLocalStorage<Sent & { inFlight: number }>();

table.middlewareStack.add(
  (next, { commandName = '' }) =>
    async (args) => {
      const sent = current.getStore();
      if (!sent) return next(args);
      sent.requests.push({ operation: commandName.replace('Command', ''), input: args.input as never });
      sent.inFlight += 1;
      sent.atOnce = Math.max(sent.atOnce, sent.inFlight);
      try {
        return await next(args);
      } finally {
        sent.inFlight -= 1;
      }
    },
  { step: 'initialize', name: 'sent' },
);

/** Runs some work and returns the table requests that it sent itself, not those of concurrent work. */
export async function tableRequestsBy<T>(work: () => Promise<T>): Promise<Sent & { response: T }> {
  const sent = { requests: [], atOnce: 0, inFlight: 0 };
  const response = await current.run(sent, work);
  return { response, requests: sent.requests, atOnce: sent.atOnce };
}

/** The DynamoDB operations of the requests, joined by spaces. */
export const operationsOf = ({ requests }: Sent): string => requests.map(({ operation }) => operation).join(' ');
