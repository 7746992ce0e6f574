import { AsyncLocalStorage } from 'node:async_hooks';
import { table } from '../../lib/table/client.ts';

/** What a piece of work asked of the table. */
export interface Sent {
  /** Each request, in the order in which they were sent: the API's operation, such as `Query`, and its input. */
  requests: { operation: string; input: Record<string, unknown> }[];
  /** How many were under way at the same time at the most. */
  atOnce: number;
}

const current = new AsyncLocalStorage<Sent & { underWay: number }>();

table.middlewareStack.add(
  (next, { commandName = '' }) =>
    async (args) => {
      const sent = current.getStore();
      if (!sent) return next(args);
      sent.requests.push({ operation: commandName.replace('Command', ''), input: args.input as never });
      sent.underWay += 1;
      sent.atOnce = Math.max(sent.atOnce, sent.underWay);
      try {
        return await next(args);
      } finally {
        sent.underWay -= 1;
      }
    },
  { step: 'initialize', name: 'sent' },
);

/** Does some work, and tells what it asked of the table itself, whatever else is done at the same time. */
export async function tableRequestsBy<T>(work: () => Promise<T>): Promise<Sent & { response: T }> {
  const sent = { requests: [], atOnce: 0, underWay: 0 };
  const response = await current.run(sent, work);
  return { response, requests: sent.requests, atOnce: sent.atOnce };
}

/** The API's operations that were sent, in a line. */
export const told = ({ requests }: Sent): string => requests.map(({ operation }) => operation).join(' ');
