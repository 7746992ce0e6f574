import { type ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { provableSkewMs } from '../aws/clockSkew.ts';
import { requestContext, type TableRequest } from '../aws/requestContext.ts';
import { allDone, noteOutcome, type Outcome } from '../aws/retry.ts';
import { LIMITS, withinBudget } from '../aws/sdk.ts';
import { type Connection, setting } from '../base/config.ts';
import type { Key } from './keys.ts';
import { isTombstone, type Tombstone } from './tombstone.ts';

export const tableName = (): string => setting('TABLE_NAME');

export let table = open({});

/** Directs this process's requests elsewhere, for programs that learn at run time where the table is. */
export function connect(connection: Connection): void {
  table = open(connection);
}

const WRITES = new Set(['TransactWriteItems', 'UpdateItem']);

/**
 * Has a request sent once, without retries, because no response depends on it. Its caller is not charged for it: what
 * caused it has paid.
 */
export function once<C extends { middlewareStack: object }>(command: C): C {
  const { middlewareStack } = command as unknown as Pick<DynamoDBDocumentClient, 'middlewareStack'>;
  middlewareStack.add(
    (next, context) => (args) => {
      context['outcome'] = { isSentOnce: true, isLost: false } satisfies Outcome;
      return next(args);
    },
    // The document client applies a command's middleware twice.
    { step: 'initialize', priority: 'high', name: 'once', override: true },
  );
  return command;
}

/** Opens a client. `AWS_ENDPOINT_URL_DYNAMODB` overrides the endpoint, unless one is given. */
function open(connection: Connection): DynamoDBDocumentClient {
  const opened = DynamoDBDocumentClient.from(withinBudget(new DynamoDBClient({ ...LIMITS, ...connection })), {
    marshallOptions: { removeUndefinedValues: true },
  });

  // It copies each response deeply before it looks whether there is a logger: a sixth of the CPU time of a query
  // (https://github.com/aws/aws-sdk-js-v3/issues/3846).
  opened.middlewareStack.remove('loggerMiddleware');

  opened.middlewareStack.add(
    (next, context) => async (args) => {
      const operation = (context.commandName ?? '').replace(/Command$/, '');
      context['outcome'] ??= { isLost: false } satisfies Outcome;
      const { isSentOnce } = context['outcome'] as Outcome;
      const request: TableRequest = {
        operation,
        duration_ms: 0,
        attempts: 1,
        read_units: 0,
        write_units: 0,
        ...(isSentOnce && { isSentOnce }),
      };
      requestContext().tableRequests.push(request);
      const started = performance.now();
      try {
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } as never });
        const { $metadata, ConsumedCapacity = [] } = result.output as Metered;
        request[WRITES.has(operation) ? 'write_units' : 'read_units'] = unitsOf(ConsumedCapacity);
        request.attempts = $metadata?.attempts ?? 1;
        return result;
      } catch (error) {
        request.attempts = (error as Metered | undefined)?.$metadata?.attempts ?? 1;
        request.isFailed = true;
        throw error;
      } finally {
        request.duration_ms = performance.now() - started;
      }
    },
    { step: 'initialize', name: 'usage' },
  );

  // Compares this process's clock with that of the table, at each response. A retried request has several.
  opened.middlewareStack.add(
    (next) => async (args) => {
      const sent = Date.now();
      const result = await next(args);
      const { headers } = result.response as { headers: Record<string, string> };
      const context = requestContext();
      context.clockSkewMs = Math.max(context.clockSkewMs, provableSkewMs(sent, Date.now(), headers['date']));
      return result;
    },
    // Around nothing but the HTTP request: a response that the SDK treats as an error counts too.
    { step: 'deserialize', priority: 'low', name: 'clockSkew' },
  );

  opened.middlewareStack.add(
    (next, context) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        noteOutcome(error as object, context['outcome'] as Outcome);
        throw error;
      }
    },
    // Within the SDK's retries: at each attempt.
    { step: 'finalizeRequest', priority: 'low', name: 'outcome' },
  );

  // Treats a batch of which nothing was processed as throttled, so that the SDK retries it.
  opened.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { Responses = {}, UnprocessedKeys = {} } = result.output as BatchGetCommandOutput;
      const isProcessed = Object.keys(UnprocessedKeys).length === 0 || Object.values(Responses).flat().length > 0;
      if (isProcessed) return result;
      throw Object.assign(new Error('BatchGetItem left all keys unprocessed'), { name: 'ThrottlingException' });
    },
    // Within the SDK's retries.
    { step: 'finalizeRequest', priority: 'low', name: 'unprocessed' },
  );
  return opened;
}

const unitsOf = (consumed: Metered['ConsumedCapacity'] = []): number =>
  [consumed].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);

interface Metered {
  $metadata?: { attempts?: number };
  ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] | undefined;
}

export type Item<T> = T & Key;

/** Reads one item, strongly consistent by default. */
export async function getItem<T>(key: Key, { ConsistentRead = true } = {}): Promise<Item<T> | undefined> {
  const get = new GetCommand({ TableName: tableName(), Key: key, ConsistentRead });
  const { Item } = await table.send(get);
  return isTombstone(Item) ? undefined : (Item as Item<T> | undefined);
}

/** Limit of BatchGetItem (its API reference). */
const MOST_KEYS = 100;

/** How to read items. A `ProjectionExpression` must include `pk` and `sk`. */
type BatchOptions = Omit<NonNullable<BatchGetCommandInput['RequestItems']>[string], 'Keys'>;

/**
 * Reads items, strongly consistent by default, in the order of their keys: `undefined` where there is no item, or no
 * key. Keys may repeat. Sends one request per 100 keys, concurrently.
 */
export const getItems = async <T extends unknown[]>(keys: Keys<T>, options?: BatchOptions): Promise<Found<T>> =>
  (await getItemsAndTombstones<T>(keys, options)).items;

export type Keys<T> = { [K in keyof T]: Key | undefined };
export type Found<T> = { [K in keyof T]: T[K] | undefined };

/** Like {@link getItems}, and returns the tombstones found instead of items. */
export async function getItemsAndTombstones<T extends unknown[]>(
  keys: Keys<T>,
  options: BatchOptions = { ConsistentRead: true },
): Promise<{ items: Found<T>; tombstones: Tombstone[] }> {
  const wanted = [...new Map(keys.flatMap((key) => (key ? [[nameOf(key), key]] : []))).values()];
  const batches = Array.from({ length: Math.ceil(wanted.length / MOST_KEYS) }, (_, at) =>
    getBatch(wanted.slice(at * MOST_KEYS, (at + 1) * MOST_KEYS), options),
  );
  const all = (await allDone(batches)).flat();
  const items = new Map(all.flatMap((item) => (isTombstone(item) ? [] : [[nameOf(item as Key), item]])));
  return {
    items: keys.map((key) => key && items.get(nameOf(key))) as Found<T>,
    tombstones: all.filter(isTombstone),
  };
}

/** Like {@link getItemsAndTombstones}, for named groups of keys. */
export async function getGroups<G extends Record<string, unknown[]>>(
  groups: { [N in keyof G]: Keys<G[N]> },
): Promise<{
  found: { [N in keyof G]: Found<G[N]> };
  tombstones: Tombstone[];
}> {
  const { items, tombstones } = await getItemsAndTombstones(Object.values(groups).flat());
  let start = 0;
  const found = Object.entries(groups).map(([name, { length }]) => {
    start += length;
    return [name, items.slice(start - length, start)];
  });
  return { found: Object.fromEntries(found), tombstones };
}

/** A response has at most 16 MB, and 1 MB of a partition (API reference of BatchGetItem). */
async function getBatch(Keys: Key[], options: BatchOptions): Promise<object[]> {
  const found: object[] = [];
  let RequestItems: BatchGetCommandInput['RequestItems'] = { [tableName()]: { Keys, ...options } };
  do {
    const get = new BatchGetCommand({ RequestItems });
    const result: BatchGetCommandOutput = await table.send(get);
    const { Responses = {}, UnprocessedKeys } = result;
    found.push(...(Responses[tableName()] ?? []));
    RequestItems = UnprocessedKeys;
  } while (Object.keys(RequestItems ?? {}).length > 0);
  return found;
}

/** Identifies an item: no pk contains a line break. */
const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

export type Range = Omit<QueryCommandInput, 'TableName' | 'Limit' | 'ExclusiveStartKey'>;

type StartKey = QueryCommandInput['ExclusiveStartKey'];

/**
 * Queries one page of a key range: at most 1 MB, and at most `Limit` items.
 *
 * @param options.from The key after which the page begins.
 * @param options.isSentOnce Whether it is sent once: see {@link once}.
 */
export async function queryPage<T>(
  range: Range,
  Limit?: number,
  options: { from?: StartKey; isSentOnce?: boolean } = {},
) {
  const query = new QueryCommand({ ...range, TableName: tableName(), Limit, ExclusiveStartKey: options.from });
  const { Items = [], LastEvaluatedKey: next } = await table.send(options.isSentOnce ? once(query) : query);
  return { items: Items as T[], next };
}

/**
 * Queries all items of a key range, or its first `limit`, page by page.
 *
 * @param first The most items of the first page. With fewer, less is read in vain if its reader ends after it.
 */
export async function* queryPages<T>(range: Range, limit?: number, first = limit): AsyncGenerator<T[]> {
  let count = 0;
  let start: StartKey;
  do {
    // Requests only what is still missing, because every item read is billed.
    const most = limit && (count === 0 ? Math.min(limit, first ?? limit) : limit - count);
    const { items, next } = await queryPage<T>(range, most, { from: start });
    yield items;
    count += items.length;
    start = next;
  } while (start && (limit === undefined || count < limit));
}

/** Queries all items of a key range, or its first `limit`. */
export async function queryItems<T>(range: Range, limit?: number): Promise<T[]> {
  const found: T[] = [];
  for await (const items of queryPages<T>(range, limit)) found.push(...items);
  return found;
}

/** The items of a partition whose sort key begins with `prefix`, strongly consistent by default. */
export const prefixRange = (
  { pk, prefix }: { pk: string; prefix: string },
  more: Pick<Range, 'ConsistentRead' | 'ScanIndexForward'> = {},
): Range => ({
  KeyConditionExpression: prefix ? 'pk = :pk AND begins_with(sk, :prefix)' : 'pk = :pk',
  ExpressionAttributeValues: { ':pk': pk, ...(prefix && { ':prefix': prefix }) },
  ConsistentRead: true,
  ...more,
});

export const queryPrefix = <T>(
  prefix: Parameters<typeof prefixRange>[0],
  { limit, ...more }: Parameters<typeof prefixRange>[1] & { limit?: number } = {},
): Promise<Item<T>[]> => queryItems<Item<T>>(prefixRange(prefix, more), limit);
