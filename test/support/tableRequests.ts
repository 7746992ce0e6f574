import { AsyncLocalStorage } from 'node:async_hooks';
import { requestContext } from '../../lib/aws/requestContext.ts';
import { setting } from '../../lib/base/config.ts';
import { table } from '../../lib/table/client.ts';

/** The requests that a piece of work sent to the table. */
export interface Sent {
  /**
   * Each request in the order sent: the DynamoDB operation, such as `Query`, its input, and the units it consumed. One
   * that is sent while others are under way does not wait for them, so it is of the same wave.
   */
  requests: { operation: string; input: Record<string, unknown>; units: number; wave: number }[];
  /** The most requests that were in flight at the same time. */
  atOnce: number;
}

const current = new AsyncLocalStorage<Sent & { inFlight: number; waves: number }>();

/** Whether a refused request is being kept, which has a budget of its own: see lib/refusedRequests/keep.ts. */
const isKeeping = (): boolean => requestContext().budget?.attemptMs === setting('KEEP_REFUSED_MS');

table.middlewareStack.add(
  (next, { commandName = '' }) =>
    async (args) => {
      const sent = current.getStore();
      if (!sent || isKeeping()) return next(args);
      if (sent.inFlight === 0) sent.waves += 1;
      const operation = commandName.replace('Command', '');
      const request = { operation, input: args.input as never, units: 0, wave: sent.waves };
      sent.requests.push(request);
      sent.inFlight += 1;
      sent.atOnce = Math.max(sent.atOnce, sent.inFlight);
      try {
        const result = await next(args);
        const { ConsumedCapacity = [] } = result.output as { ConsumedCapacity?: { CapacityUnits?: number } };
        request.units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
        return result;
      } finally {
        sent.inFlight -= 1;
      }
    },
  { step: 'initialize', name: 'sent' },
);

/**
 * Runs some work and returns the table requests that it sent itself, not those of concurrent work, and not those
 * that keep what is refused.
 */
export async function tableRequestsBy<T>(work: () => Promise<T>): Promise<Sent & { response: T }> {
  const sent = { requests: [], atOnce: 0, inFlight: 0, waves: 0 };
  const response = await current.run(sent, work);
  return { response, requests: sent.requests, atOnce: sent.atOnce };
}

/** The units that all requests consumed. */
export const unitsOf = ({ requests }: Sent): number => requests.reduce((sum, { units }) => sum + units, 0);

/** The DynamoDB operations of the requests, joined by spaces. */
export const operationsOf = ({ requests }: Sent): string => requests.map(({ operation }) => operation).join(' ');
