import { isDeepStrictEqual } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { SCHEMA } from '../../infra/local/table.ts';
import { tableName } from '../../lib/table/client.ts';
import type { Key } from '../../lib/table/keys.ts';

/*
 * DynamoDB Local understates what transactions and missing items cost
 * (github.com/awslabs/amazon-dynamodb-local-samples, issues 31 and 7): ten puts in one transaction are reported as two
 * units. So the write units of a transaction are counted here from the images of its items before and after it, by the
 * rules that AWS documents for item sizes, transactions and indexes:
 * - each item of a transaction, one that is only checked included, costs 2 units for each begun KB of its larger image;
 * - an index entry that comes, goes or changes costs 1 unit for each begun KB, and one whose key changes costs both.
 */

export type Image = Record<string, unknown> | undefined;
type TransactItems = NonNullable<TransactWriteCommandInput['TransactItems']>;

const KB = 1024;
/** A client whose requests are not counted. */
const client = DynamoDBDocumentClient.from(new DynamoDBClient());

export const keysOf = (items: TransactItems): Key[] =>
  items.map(({ Put, Update, Delete, ConditionCheck }) => {
    const { pk, sk } = (Put?.Item ?? Update?.Key ?? Delete?.Key ?? ConditionCheck?.Key ?? {}) as unknown as Key;
    return { pk, sk };
  });

/** The current items with these keys, `undefined` for those that do not exist. */
export async function imagesOf(Keys: Key[]): Promise<Map<string, Image>> {
  const input = { RequestItems: { [tableName()]: { Keys, ConsistentRead: true } } };
  const { Responses } = await client.send(new BatchGetCommand(input));
  const found = new Map(Responses?.[tableName()]?.map((item) => [`${item['pk']} ${item['sk']}`, item]));
  return new Map(Keys.map(({ pk, sk }) => [`${pk} ${sk}`, found.get(`${pk} ${sk}`)]));
}

/** The write units of a transaction that turned the images `before` into those `after`. */
export const written = (before: Map<string, Image>, after: Map<string, Image>): number =>
  sum(
    [...before].map(([key, was]) => {
      const is = after.get(key);
      return 2 * Math.max(begun(was), begun(is), 1) + indexUnitsOf(was, is);
    }),
  );

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

type Index = NonNullable<typeof SCHEMA.GlobalSecondaryIndexes>[number];
const INDEXES: Index[] = SCHEMA.GlobalSecondaryIndexes ?? [];
const keyOf = ({ KeySchema = [] }: Index) => KeySchema.map(({ AttributeName = '' }) => AttributeName);

/** The entry of an item in an index, if it has one. */
function entryOf(image: Image, index: Index): Image {
  const names = keyOf(index);
  if (!image || !names.every((name) => name in image)) return undefined;
  const shown = [...names, 'pk', 'sk', ...(index.Projection?.NonKeyAttributes ?? [])];
  const hasAll = index.Projection?.ProjectionType === 'ALL';
  return Object.fromEntries(Object.entries(image).filter(([name]) => hasAll || shown.includes(name)));
}

/** The entry of an item in the index of this name. */
export const entryIn = (name: string, image: Image): Image =>
  entryOf(image, INDEXES.find(({ IndexName }) => IndexName === name) as Index);

const indexUnitsOf = (before: Image, after: Image): number =>
  INDEXES.reduce((units, index) => {
    const [was, is] = [entryOf(before, index), entryOf(after, index)];
    // A write may change the order of an item's attributes.
    if (isDeepStrictEqual(was, is)) return units;
    const sameKey = was && is && keyOf(index).every((name) => was[name] === is[name]);
    return units + (sameKey ? Math.max(begun(was), begun(is)) : begun(was) + begun(is));
  }, 0);

const begun = (image: Image): number => Math.ceil(sizeOf(image) / KB);

/** Bytes of an item as AWS counts them (DynamoDB Developer Guide, "Item sizes and formats"). */
export const sizeOf = (image: object = {}): number =>
  sum(
    Object.entries(image).map(([name, value]) =>
      value === undefined ? 0 : Buffer.byteLength(name) + sizeOfValue(value),
    ),
  );

function sizeOfValue(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.byteLength(value);
  // One byte for every two significant digits, one for the exponent, and one for a minus.
  if (typeof value === 'number')
    return 1 + Math.ceil(String(value).replace(/[-.]/g, '').length / 2) + Number(value < 0);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof Set) return sum([...value].map(sizeOfValue));
  const values = Object.values(value);
  // One more byte for each element of a list or map.
  return 3 + values.length + (Array.isArray(value) ? sum(values.map(sizeOfValue)) : sizeOf(value));
}
