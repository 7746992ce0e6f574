import { type ConsumedCapacity, type ServiceOutputTypes, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type {
  BatchGetCommandInput,
  BatchGetCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { table, tableName } from '../../lib/table/client.ts';
import { failedUnits, imagesOf, type Writes, written } from './units.ts';

/** The table usage of some work. */
export interface Usage {
  /** Requests in sequence: the longest chain in which each began when the one before had ended. */
  inSequence: number;
  requests: number;
  readUnits: number;
  writeUnits: number;
  /** The last write, if writes are counted. */
  writes?: Writes | undefined;
  itemsRead: number;
  /** Write transactions that were sent, including failed ones. */
  transactions: number;
  /** Items of the largest transaction. */
  transactionItems: number;
}

interface Sent {
  from: number;
  to: number;
  reads: number;
  writes: number;
  written?: Writes;
  items: number;
  /** Items of a write transaction; 0 for any other request. */
  transactionItems: number;
}

let log: Sent[] | undefined;
/** Whether write units are counted, which takes reads of its own before and after each write. */
let countsWrites = false;

table.middlewareStack.add(
  (next, { commandName }) =>
    async (args) => {
      const isWrite = commandName === 'TransactWriteItemsCommand';
      const { TransactItems } = isWrite ? (args.input as Partial<TransactWriteCommandInput>) : {};
      const before = log && countsWrites && TransactItems && (await imagesOf(TransactItems));
      const sent: Sent = {
        from: performance.now(),
        to: 0,
        reads: 0,
        writes: 0,
        items: 0,
        transactionItems: TransactItems?.length ?? 0,
      };
      log?.push(sent);
      try {
        const result = await next(args);
        sent.to = performance.now();
        const output = result.output as ServiceOutputTypes;
        if (!TransactItems) sent.reads = capacityOf(output) + missing(args.input, output);
        if (before) {
          sent.written = written(before, await imagesOf(TransactItems));
          const { changes, events } = sent.written;
          sent.writes = changes.table + changes.indexes + events.table + events.indexes;
        }
        sent.items = (output as { ScannedCount?: number }).ScannedCount ?? 0;
        return result;
      } catch (error) {
        if (before && TransactItems && error instanceof TransactionCanceledException)
          sent.writes = failedUnits(TransactItems, before);
        throw error;
      } finally {
        sent.to ||= performance.now();
      }
    },
  { step: 'initialize', name: 'meter' },
);

const capacityOf = (output: object): number => {
  const { ConsumedCapacity = [] } = output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] };
  return [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
};

/**
 * Read units that AWS charges and DynamoDB Local does not: for keys of a batch without an item, and for an empty query.
 */
function missing(input: object, output: object): number {
  const { RequestItems, KeyConditionExpression, ConsistentRead } = input as BatchGetCommandInput & QueryCommandInput;
  const { Responses, ScannedCount } = output as BatchGetCommandOutput & QueryCommandOutput;
  // Each key is one strongly consistent read.
  const keys = (RequestItems?.[tableName()]?.Keys?.length ?? 0) - (Responses?.[tableName()]?.length ?? 0);
  const isEmpty = KeyConditionExpression !== undefined && ScannedCount === 0;
  return keys + (isEmpty ? (ConsistentRead ? 1 : 0.5) : 0);
}

/** Runs some work and returns its table usage. Not to be nested or run concurrently. */
export async function metered<T>(
  work: () => Promise<T>,
  options = { countsWrites: false },
): Promise<{ result: T; usage: Usage }> {
  const sent: Sent[] = [];
  log = sent;
  countsWrites = options.countsWrites;
  try {
    const result = await work();
    return { result, usage: usageOf(sent) };
  } finally {
    log = undefined;
  }
}

function usageOf(sent: Sent[]): Usage {
  let inSequence = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const { from, to } of sent.toSorted((a, b) => a.to - b.to)) {
    if (from < end) continue;
    inSequence += 1;
    end = to;
  }
  const sum = (value: (each: Sent) => number) => sent.reduce((total, each) => total + value(each), 0);
  return {
    inSequence,
    requests: sent.length,
    readUnits: sum(({ reads }) => reads),
    writeUnits: sum(({ writes }) => writes),
    itemsRead: sum(({ items }) => items),
    writes: sent.findLast((each) => each.written)?.written,
    transactions: sum(({ transactionItems }) => Number(transactionItems > 0)),
    transactionItems: Math.max(0, ...sent.map((each) => each.transactionItems)),
  };
}
