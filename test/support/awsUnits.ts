import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type {
  BatchGetCommandInput,
  BatchGetCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { table, tableName } from '../../lib/table/client.ts';
import { imagesOf, keysOf, written } from '../bench/units.ts';

/*
 * From now on, the table reports the units that AWS charges. DynamoDB Local understates those of transactions and of
 * missing items: see test/bench/units.ts.
 */

export const capacityOf = (output: object): number => {
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

table.middlewareStack.add(
  (next) => async (args) => {
    const { TransactItems } = args.input as Partial<TransactWriteCommandInput>;
    const keys = TransactItems?.some((item) => !('Get' in item)) ? keysOf(TransactItems) : [];
    const before = keys.length > 0 && (await imagesOf(keys));
    const result = await next(args);
    const { output } = result;
    const CapacityUnits = before
      ? written(before, await imagesOf(keys))
      : capacityOf(output) + missing(args.input, output);
    return { ...result, output: { ...output, ConsumedCapacity: [{ CapacityUnits }] } as never };
  },
  { step: 'initialize', priority: 'low', name: 'awsUnits' },
);
