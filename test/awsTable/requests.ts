import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { SCHEMA } from '../../infra/local/table.ts';

/** An item in DynamoDB's JSON. */
export type Image = Record<string, AttributeValue>;

/** A Query in DynamoDB's JSON, with the parameters that the service sends. */
export interface Query {
  TableName: string;
  IndexName?: string;
  KeyConditionExpression?: string;
  ExpressionAttributeValues?: Image;
  ExclusiveStartKey?: Image;
  Limit?: number;
  ScanIndexForward?: boolean;
  ReturnConsumedCapacity?: 'TOTAL';
}

const nameAt = (schema: { AttributeName?: string | undefined }[] = [], at: number) => schema[at]?.AttributeName ?? '';
export const TABLE_KEY = [nameAt(SCHEMA.KeySchema, 0), nameAt(SCHEMA.KeySchema, 1)] as const;

export interface Index {
  hash: string;
  range: string;
  hasAll: boolean;
  shown: Set<string>;
}

export const INDEXES = new Map(
  SCHEMA.GlobalSecondaryIndexes?.map(({ IndexName = '', KeySchema, Projection }): [string, Index] => {
    const [hash, range] = [nameAt(KeySchema, 0), nameAt(KeySchema, 1)];
    const shown = new Set([...TABLE_KEY, hash, range, ...(Projection?.NonKeyAttributes ?? [])]);
    return [IndexName, { hash, range, hasAll: Projection?.ProjectionType === 'ALL', shown }];
  }),
);

/** A key attribute in DynamoDB's JSON, without its type. */
export const textOf = (value: AttributeValue | undefined) => value?.S ?? value?.N;

/** Identifies an item within its table. */
export const idOf = (image: Image = {}): string => TABLE_KEY.map((name) => textOf(image[name])).join('\n');

/** An item that a request writes or, by a ConditionCheck or TransactGetItems, depends on. */
export interface Touched {
  table: string;
  /** Identifies it within its table, and among those of all tables. */
  id: string;
  name: string;
  key: Image;
  /** The whole item, if the request contains it. */
  image?: Image | undefined;
  /** `Put`, `Update`, `Delete`, `ConditionCheck` or `Get`, and its parameters in a transaction. */
  kind: string;
  step: Step;
  /** Whether the request is a transaction, during which other writes of the item fail. */
  isExclusive: boolean;
}

/** Operations that write one item. */
export const SINGLE_WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

interface Step {
  TableName: string;
  Item?: Image;
  Key?: Image;
  ConditionExpression?: string;
  ReturnValuesOnConditionCheckFailure?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Image;
}

const touchedBy = (kind: string, step: Step, isExclusive = false): Touched => {
  const { TableName: table, Item, Key = Item ?? {} } = step;
  const key = Object.fromEntries(TABLE_KEY.flatMap((name) => (Key[name] ? [[name, Key[name]]] : [])));
  return { table, id: idOf(key), name: `${table}\n${idOf(key)}`, key, image: Item, kind, step, isExclusive };
};

/** What checks the condition of a step, in a transaction that writes nothing. */
export function checkOf({ key, step }: Touched): object {
  const { ConditionExpression = 'attribute_exists(pk) OR attribute_not_exists(pk)', ...others } = step;
  const { TableName, ReturnValuesOnConditionCheckFailure, ExpressionAttributeNames, ExpressionAttributeValues } =
    others;
  // DynamoDB rejects names and values that are not used, and empty maps.
  const used = Object.entries({ ExpressionAttributeNames, ExpressionAttributeValues }).flatMap(([map, all = {}]) => {
    const entries = Object.entries(all).filter(([name]) => new RegExp(`${name}\\b`).test(ConditionExpression));
    return entries.length > 0 ? [[map, Object.fromEntries(entries)]] : [];
  });
  return { TableName, Key: key, ConditionExpression, ReturnValuesOnConditionCheckFailure, ...Object.fromEntries(used) };
}

/** The items that a request writes or checks, or reads in a transaction; none for other requests. */
export function itemsOf(operation: string, body: Buffer): { items: Touched[]; token?: string } {
  if (SINGLE_WRITES.has(operation)) return { items: [touchedBy(operation, JSON.parse(`${body}`))] };
  if (operation === 'TransactWriteItems' || operation === 'TransactGetItems') {
    const { TransactItems = [], ClientRequestToken: token } = JSON.parse(`${body}`);
    const steps: [kind: string, Step][] = TransactItems.flatMap(Object.entries<Step>);
    return { items: steps.map(([kind, step]) => touchedBy(kind, step, true)), token };
  }
  if (operation !== 'BatchWriteItem') return { items: [] };
  const requests = Object.entries<Record<string, Omit<Step, 'TableName'>>[]>(JSON.parse(`${body}`).RequestItems);
  return {
    items: requests.flatMap(([TableName, all]) =>
      all
        .flatMap(Object.entries<Omit<Step, 'TableName'>>)
        .map(([kind, step]) => touchedBy(kind, { TableName, ...step })),
    ),
  };
}

/** A sort key: a number, or a string with a character for each byte in UTF-8, so that `<` compares as DynamoDB does. */
export type Sort = number | string;

export const sortOf = (value: AttributeValue | undefined): Sort =>
  value?.N === undefined ? Buffer.from(value?.S ?? '').toString('latin1') : Number(value.N);

const CONDITION = /^\w+ = (?<is>:\w+)(?: AND (?<rest>.+))?$/;
const OF_SORT_KEY = [
  /^\w+ < (?<below>:\w+)$/,
  /^\w+ >= (?<from>:\w+)$/,
  /^\w+ BETWEEN (?<from>:\w+) AND (?<to>:\w+)$/,
  /^begins_with\(\w+, (?<prefix>:\w+)\)$/,
];

/** The part of an index that a query reads: its partition, and of that which sort keys. */
interface Range {
  partition: string;
  has: (sort: Sort) => boolean;
}

/** @throws Error for conditions that the service does not send. */
export function conditionOf({ KeyConditionExpression = '', ExpressionAttributeValues: values = {} }: Query): Range {
  const { is = '', rest } = CONDITION.exec(KeyConditionExpression)?.groups ?? {};
  const groups = OF_SORT_KEY.map((each) => each.exec(rest ?? '')?.groups).find((each) => each !== undefined);
  const partition = values[is]?.S;
  if (partition === undefined || (rest !== undefined && !groups))
    throw new Error(`"${KeyConditionExpression}" is none of the conditions known here.`);
  const [below, from, to, prefix] = ['below', 'from', 'to', 'prefix'].map((name) =>
    groups?.[name] === undefined ? undefined : sortOf(values[groups[name]]),
  );
  return {
    partition,
    has: (sort) =>
      (below === undefined || sort < below) &&
      (from === undefined || sort >= from) &&
      (to === undefined || sort <= to) &&
      (prefix === undefined || String(sort).startsWith(String(prefix))),
  };
}

/** Bytes of an item as AWS counts them (DynamoDB Developer Guide, "Item sizes and formats"). */
export const bytesOf = (image: Image): number =>
  Object.entries(image).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + bytesOfValue(value), 0);

function bytesOfValue({ S, N, L, M, B, BS }: AttributeValue): number {
  const sum = <T>(values: T[], bytes: (each: T) => number) => values.reduce((total, each) => total + bytes(each), 0);
  // In JSON, binary values are Base64.
  const bytesOfBinary = (value: unknown) => Buffer.byteLength(String(value), 'base64');
  if (S !== undefined) return Buffer.byteLength(S);
  // One byte for every two significant digits, one for the exponent, and one for a minus.
  if (N !== undefined) return 1 + Math.ceil(N.replace(/[-.]/g, '').length / 2) + Number(N.startsWith('-'));
  // One more byte for each element of a list or map.
  if (L) return 3 + sum(L, (each) => 1 + bytesOfValue(each));
  if (M) return 3 + Object.keys(M).length + bytesOf(M);
  if (B) return bytesOfBinary(B);
  return BS ? sum(BS, bytesOfBinary) : 1;
}
