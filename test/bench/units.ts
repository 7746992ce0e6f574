import { isDeepStrictEqual } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { SCHEMA } from '../../infra/local/table.ts';
import { tableName } from '../../lib/table/client.ts';
import type { Key } from '../../lib/table/keys.ts';

/*
 * DynamoDB Local understates what transactions and missing items cost (github.com/awslabs/amazon-dynamodb-local-samples,
 * issues 31 and 7): ten puts in one transaction are reported as two units. So the write units of a transaction are
 * counted here from the images of its items before and after it, by the rules that AWS documents for item sizes,
 * transactions and indexes:
 * - each item of a transaction, one that is only checked included, costs 2 units for each begun KB of its larger image;
 * - an index entry that comes, goes or changes costs 1 unit for each begun KB, and one whose key changes costs both.
 */

type Image = Record<string, unknown> | undefined;
type TransactItems = NonNullable<TransactWriteCommandInput['TransactItems']>;

const KB = 1024;
/** A client that the meter does not see. */
const client = DynamoDBDocumentClient.from(new DynamoDBClient());

const keysOf = (items: TransactItems): Key[] =>
  items.map(({ Put, Update, Delete, ConditionCheck }) => {
    const { pk, sk } = (Put?.Item ?? Update?.Key ?? Delete?.Key ?? ConditionCheck?.Key ?? {}) as unknown as Key;
    return { pk, sk };
  });

/** The current items of a transaction. */
export async function imagesOf(items: TransactItems): Promise<Map<string, Image>> {
  const Keys = keysOf(items);
  const input = { RequestItems: { [tableName()]: { Keys, ConsistentRead: true } } };
  const { Responses } = await client.send(new BatchGetCommand(input));
  const found = new Map(Responses?.[tableName()]?.map((item) => [`${item['pk']} ${item['sk']}`, item]));
  return new Map(Keys.map(({ pk, sk }) => [`${pk} ${sk}`, found.get(`${pk} ${sk}`)]));
}

/** The write units of a transaction, and those of them that are for its events. */
export interface Written {
  units: number;
  eventUnits: number;
}

/** The items of an event: see lib/events/event.ts. */
const EVENT = /^(EVENTS|REASSIGNMENT)#/;

/** The units of a transaction that turned the images `before` into those `after`. */
export function written(before: Map<string, Image>, after: Map<string, Image>): Written {
  const unitsOf = (key: string): number => {
    const [was, is] = [before.get(key), after.get(key)];
    return 2 * Math.max(begun(was), begun(is), 1) + indexUnitsOf(was, is);
  };
  const keys = [...before.keys()];
  return {
    units: sum(keys.map(unitsOf)),
    eventUnits: sum(keys.filter((key) => EVENT.test(key)).map(unitsOf)),
  };
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

/** The most that AWS charges for a failed transaction: its items before or after it, whichever is larger. */
export const failedUnits = (items: TransactItems, before: Map<string, Image>): number => {
  const wanted = new Map(items.map(({ Put }) => [`${Put?.Item?.['pk']} ${Put?.Item?.['sk']}`, Put?.Item]));
  return [...before].reduce((sum, [key, image]) => sum + 2 * Math.max(begun(image), begun(wanted.get(key)), 1), 0);
};

const indexUnitsOf = (before: Image, after: Image): number =>
  (SCHEMA.GlobalSecondaryIndexes ?? []).reduce((units, { KeySchema = [], Projection }) => {
    const indexKey = KeySchema.map(({ AttributeName = '' }) => AttributeName);
    const shown = [...indexKey, 'pk', 'sk', ...(Projection?.NonKeyAttributes ?? [])];
    const entryOf = (image: Image): Image =>
      image && indexKey.every((name) => name in image)
        ? Object.fromEntries(
            Object.entries(image).filter(([name]) => Projection?.ProjectionType === 'ALL' || shown.includes(name)),
          )
        : undefined;
    const [was, is] = [entryOf(before), entryOf(after)];
    // A write may change the order of an item's attributes.
    if (isDeepStrictEqual(was, is)) return units;
    const sameKey = was && is && indexKey.every((name) => was[name] === is[name]);
    return units + (sameKey ? Math.max(begun(was), begun(is)) : begun(was) + begun(is));
  }, 0);

const begun = (image: Image): number => Math.ceil(sizeOf(image) / KB);

/** Bytes of an item: names and values in UTF-8, a number by its digits; a list or map takes 3, and 1 for each value. */
const sizeOf = (image: object = {}): number =>
  Object.entries(image).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOfValue(value), 0);

function sizeOfValue(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return String(value).length + 1;
  if (value instanceof Set) return sum([...value].map(sizeOfValue));
  const count = Object.keys(value).length;
  return 3 + count + (Array.isArray(value) ? value.reduce((sum, each) => sum + sizeOfValue(each), 0) : sizeOf(value));
}
