import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { setting } from '../config.ts';
import type { Key } from './keys.ts';
import { Contention } from './retry.ts';

/** Name of the one table. */
export const TABLE = setting('TABLE_NAME');

/**
 * The one client of the process. No request takes longer than three attempts of 3 s and the pauses between them, so that
 * a table out of reach ends in our own answer. `AWS_ENDPOINT_URL_DYNAMODB` points it elsewhere.
 */
export const table = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);

/** An item as it is stored, key included. */
export type Item<T> = T & Key;

/** One item, strongly consistent: what a partner was just told is stored is seen. */
export async function getItem<T>(key: Key): Promise<Item<T> | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName: TABLE, Key: key, ConsistentRead: true }));
  return Item as Item<T> | undefined;
}

/**
 * Up to 100 items in one request, strongly consistent, in the order of their keys; `undefined` where there is no item,
 * or no key. A key may be given twice.
 *
 * @throws Contention when the table was too busy to answer for all of them.
 */
export async function getItems<T extends unknown[]>(
  keys: { [K in keyof T]: Key | undefined },
): Promise<{
  [K in keyof T]: T[K] | undefined;
}> {
  const wanted = new Map(keys.flatMap((key) => (key ? [[nameOf(key), key]] : [])));
  const { Responses, UnprocessedKeys } = await table.send(
    new BatchGetCommand({ RequestItems: { [TABLE]: { Keys: [...wanted.values()], ConsistentRead: true } } }),
  );
  if (UnprocessedKeys?.[TABLE]) throw new Contention('BatchGetItem left keys unprocessed');
  const items = new Map(Responses?.[TABLE]?.map((item) => [nameOf(item as Key), item]));
  return keys.map((key) => key && items.get(nameOf(key))) as { [K in keyof T]: T[K] | undefined };
}

/** No pk holds a line break, so the two parts joined by one name an item. */
const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

type Range = Omit<QueryCommandInput, 'TableName' | 'Limit'>;

/** All items of a key range, or its first `limit`, over as many requests as 1 MB pages make of them. */
export async function queryItems<T>(range: Range, limit = Number.POSITIVE_INFINITY): Promise<T[]> {
  const found: T[] = [];
  const input = { ...range, TableName: TABLE, ...(Number.isFinite(limit) && { Limit: limit }) };
  for await (const { Items = [] } of paginateQuery({ client: table }, input)) {
    found.push(...(Items as T[]));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** All items of one partition whose sort key begins with a prefix, strongly consistent. */
export const queryMembers = <T>({ pk, prefix }: { pk: string; prefix: string }): Promise<T[]> =>
  queryItems<T>({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
    ConsistentRead: true,
  });
