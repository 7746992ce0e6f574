import { type ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { setting } from '../base/config.ts';
import type { Key } from './keys.ts';
import { allDone, WRITE } from './retry.ts';
import { LIMITS } from './sdk.ts';
import { isTombstone, type Tombstone } from './tombstone.ts';
import { usage } from './usageMeter.ts';

/** Name of the one table. */
export const tableName = (): string => setting('TABLE_NAME');

/** The one client of the process. `AWS_ENDPOINT_URL_DYNAMODB` points it elsewhere. */
export const table = DynamoDBDocumentClient.from(new DynamoDBClient(LIMITS), {
  marshallOptions: { removeUndefinedValues: true },
});

const WRITES = new Set(['TransactWriteItems', 'UpdateItem']);

table.middlewareStack.add(
  (next, context) => async (args) => {
    const operation = (context.commandName ?? '').replace(/Command$/, '');
    // The SDK hands this to the retry strategy.
    if (operation === 'TransactWriteItems') context['partition_id'] = WRITE;
    const request = { operation, duration_ms: 0, attempts: 1, read_units: 0, write_units: 0 };
    usage().requests.push(request);
    const started = performance.now();
    try {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } as never });
      const { $metadata, ConsumedCapacity = [] } = result.output as Accounted;
      const units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
      request[WRITES.has(operation) ? 'write_units' : 'read_units'] = units;
      request.attempts = $metadata?.attempts ?? 1;
      return result;
    } catch (error) {
      request.attempts = (error as Accounted | undefined)?.$metadata?.attempts ?? 1;
      throw error;
    } finally {
      request.duration_ms = performance.now() - started;
    }
  },
  { step: 'initialize', name: 'usage' },
);

/** A batch that the table was too busy to read in full is throttled: the SDK sends it again as it does others. */
table.middlewareStack.add(
  (next) => async (args) => {
    const result = await next(args);
    const { UnprocessedKeys = {} } = result.output as { UnprocessedKeys?: object };
    if (Object.keys(UnprocessedKeys).length === 0) return result;
    throw Object.assign(new Error('BatchGetItem left keys unprocessed'), { name: 'ThrottlingException' });
  },
  // Within the SDK's retries.
  { step: 'finalizeRequest', priority: 'low', name: 'unprocessed' },
);

/** What an answer or an error tells of its request: it went out so many times, and was charged so much of each table. */
interface Accounted {
  $metadata?: { attempts?: number };
  ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[];
}

/** An item as it is stored, key included. */
export type Item<T> = T & Key;

/** One item, strongly consistent: what a partner was just told is stored is seen. */
export async function getItem<T>(key: Key): Promise<Item<T> | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName: tableName(), Key: key, ConsistentRead: true }));
  return isTombstone(Item) ? undefined : (Item as Item<T> | undefined);
}

/** The most keys of one BatchGetItem (its API reference). */
const MOST_KEYS = 100;

/**
 * Items, strongly consistent, in the order of their keys; `undefined` where there is no item, or no key. A key may be
 * given twice. Each 100 are one request, and all are sent at once.
 */
export const getItems = async <T extends unknown[]>(keys: Keys<T>): Promise<Found<T>> =>
  (await getItemsAndTombstones<T>(keys)).items;

type Keys<T> = { [K in keyof T]: Key | undefined };
type Found<T> = { [K in keyof T]: T[K] | undefined };

/** The same, and the tombstones that are in place of items. */
export async function getItemsAndTombstones<T extends unknown[]>(
  keys: Keys<T>,
): Promise<{ items: Found<T>; tombstones: Tombstone[] }> {
  const wanted = [...new Map(keys.flatMap((key) => (key ? [[nameOf(key), key]] : []))).values()];
  const batches = Array.from({ length: Math.ceil(wanted.length / MOST_KEYS) }, (_, at) =>
    getBatch(wanted.slice(at * MOST_KEYS, (at + 1) * MOST_KEYS)),
  );
  const all = (await allDone(batches)).flat();
  const items = new Map(all.flatMap((item) => (isTombstone(item) ? [] : [[nameOf(item as Key), item]])));
  return {
    items: keys.map((key) => key && items.get(nameOf(key))) as Found<T>,
    tombstones: all.filter(isTombstone),
  };
}

async function getBatch(Keys: Key[]): Promise<object[]> {
  const { Responses } = await table.send(
    new BatchGetCommand({ RequestItems: { [tableName()]: { Keys, ConsistentRead: true } } }),
  );
  return Responses?.[tableName()] ?? [];
}

/** No pk holds a line break, so the two parts joined by one name an item. */
const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

type Range = Omit<QueryCommandInput, 'TableName' | 'Limit' | 'ExclusiveStartKey'>;

/** All items of a key range, or its first `limit`, over as many requests as 1 MB pages make of them. */
export async function queryItems<T>(range: Range, limit?: number): Promise<T[]> {
  const found: T[] = [];
  let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
  do {
    // Of each page no more than is still needed: all that is read is paid for.
    const Limit = limit && limit - found.length;
    const input = { ...range, TableName: tableName(), Limit, ExclusiveStartKey };
    const { Items = [], LastEvaluatedKey } = await table.send(new QueryCommand(input));
    found.push(...(Items as T[]));
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey && found.length !== limit);
  return found;
}

/** All items of one partition whose sort key begins with a prefix, strongly consistent unless told otherwise. */
export const queryPrefix = <T>(
  { pk, prefix }: { pk: string; prefix: string },
  { limit, ...more }: Pick<Range, 'ConsistentRead' | 'ScanIndexForward'> & { limit?: number } = {},
): Promise<Item<T>[]> =>
  queryItems<Item<T>>(
    {
      KeyConditionExpression: prefix ? 'pk = :pk AND begins_with(sk, :prefix)' : 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk, ...(prefix && { ':prefix': prefix }) },
      ConsistentRead: true,
      ...more,
    },
    limit,
  );
