import { type ConsumedCapacity, type ServiceOutputTypes, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type {
  BatchGetCommandInput,
  BatchGetCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { table, tableName } from '../../lib/table/client.ts';
import { failedUnits, imagesOf, keysOf, written } from './units.ts';

/** The table usage of some work. */
export interface Usage {
  /** Requests in sequence: the longest chain in which each began when the one before had ended. */
  inSequence: number;
  requests: number;
  readUnits: number;
  writeUnits: number;
  /** The write units that are for events. */
  eventUnits: number;
}

/** What is being metered, with the beginning and end of each request. */
let metering: { usage: Usage; spans: { from: number; to: number }[]; countsWrites: boolean } | undefined;

table.middlewareStack.add(
  (next, { commandName }) =>
    async (args) => {
      if (!metering) return next(args);
      const { usage, spans, countsWrites } = metering;
      const isWrite = commandName === 'TransactWriteItemsCommand';
      const { TransactItems } = isWrite ? (args.input as Partial<TransactWriteCommandInput>) : {};
      const before = countsWrites && TransactItems && (await imagesOf(keysOf(TransactItems)));
      const span = { from: performance.now(), to: 0 };
      spans.push(span);
      try {
        const result = await next(args);
        span.to = performance.now();
        const output = result.output as ServiceOutputTypes;
        if (commandName === 'UpdateItemCommand') usage.writeUnits += capacityOf(output);
        else if (!TransactItems) usage.readUnits += capacityOf(output) + missing(args.input, output);
        if (before) {
          const { units, eventUnits } = written(before, await imagesOf(keysOf(TransactItems)));
          usage.writeUnits += units;
          usage.eventUnits += eventUnits;
        }
        return result;
      } catch (error) {
        if (before && TransactItems && error instanceof TransactionCanceledException)
          usage.writeUnits += failedUnits(TransactItems, before);
        throw error;
      } finally {
        span.to ||= performance.now();
      }
    },
  { step: 'initialize', name: 'meter' },
);

export const capacityOf = (output: object): number => {
  const { ConsumedCapacity = [] } = output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] };
  return [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
};

/**
 * Read units that AWS charges and DynamoDB Local does not: for keys of a batch without an item, and for an empty query.
 */
export function missing(input: object, output: object): number {
  const { RequestItems, KeyConditionExpression, ConsistentRead } = input as BatchGetCommandInput & QueryCommandInput;
  const { Responses, ScannedCount } = output as BatchGetCommandOutput & QueryCommandOutput;
  // Each key is one strongly consistent read.
  const keys = (RequestItems?.[tableName()]?.Keys?.length ?? 0) - (Responses?.[tableName()]?.length ?? 0);
  const isEmpty = KeyConditionExpression !== undefined && ScannedCount === 0;
  return keys + (isEmpty ? (ConsistentRead ? 1 : 0.5) : 0);
}

/**
 * Runs some work and returns its table usage. Not to be nested or run concurrently.
 *
 * @param options.countsWrites Whether write units are counted, which takes reads of its own before and after each
 *   write.
 */
export async function metered<T>(
  work: () => Promise<T>,
  { countsWrites } = { countsWrites: false },
): Promise<{ result: T; usage: Usage }> {
  const usage: Usage = { inSequence: 0, requests: 0, readUnits: 0, writeUnits: 0, eventUnits: 0 };
  const spans: { from: number; to: number }[] = [];
  metering = { usage, spans, countsWrites };
  try {
    const result = await work();
    let end = Number.NEGATIVE_INFINITY;
    for (const { from, to } of spans.toSorted((a, b) => a.to - b.to)) {
      if (from < end) continue;
      usage.inSequence += 1;
      end = to;
    }
    return { result, usage: { ...usage, requests: spans.length } };
  } finally {
    metering = undefined;
  }
}
