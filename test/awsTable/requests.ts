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
  ConsistentRead?: boolean;
  ReturnConsumedCapacity?: 'TOTAL';
}

/** A request whose result on AWS the proxy cannot compute. */
export class NotUnderstood extends Error {}

const SUPPORTED = new Set([
  ...['TableName', 'IndexName', 'KeyConditionExpression', 'ExpressionAttributeValues', 'ExclusiveStartKey', 'Limit'],
  ...['ScanIndexForward', 'ConsistentRead', 'ReturnConsumedCapacity', 'Key', 'Keys'],
]);

/** @throws NotUnderstood if a read has other parameters than the service sends, such as a projection. */
export function rejectUnsupported(input: object): void {
  const unsupported = Object.keys(input).filter((name) => !SUPPORTED.has(name));
  if (unsupported.length > 0) throw new NotUnderstood(`Reads take no ${unsupported.join(', ')}.`);
}

const nameAt = (schema: { AttributeName?: string | undefined }[] = [], at: number) => schema[at]?.AttributeName ?? '';
const TYPES = new Map(SCHEMA.AttributeDefinitions?.map((each) => [each.AttributeName, each.AttributeType]));
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

/** The table itself. */
export const TABLE: Index = { hash: TABLE_KEY[0], range: TABLE_KEY[1], hasAll: true, shown: new Set() };

/** A key attribute in DynamoDB's JSON, without its type. */
export const textOf = (value: AttributeValue | undefined) => value?.S ?? value?.N;

/** Identifies an item within its table. */
export const idOf = (image: Image = {}): string => TABLE_KEY.map((name) => textOf(image[name])).join('\n');

/** Identifies an item. */
const nameOf = (table: string, image: Image = {}): string => `${table}\n${idOf(image)}`;

/** Identifies a partition: the items with one partition key. */
export const partitionOf = (table: string, image: Image = {}): string => `${table}\n${textOf(image[TABLE.hash])}`;

/** The primary key of an item. */
const keyOf = (image: Image = {}): Image =>
  Object.fromEntries(TABLE_KEY.flatMap((name) => (image[name] ? [[name, image[name]]] : [])));

/** An item that a request writes or, by a ConditionCheck or TransactGetItems, depends on. */
export interface Touched {
  table: string;
  /** Identifies it within its table. */
  id: string;
  /** Identifies it, and its partition, among those of all tables. */
  name: string;
  partition: string;
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
  const { TableName: table, Item, Key } = step;
  const key = keyOf(Item ?? Key);
  const names = { table, id: idOf(key), name: nameOf(table, key), partition: partitionOf(table, key) };
  return { ...names, key, image: Item, kind, step, isExclusive };
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

const TRANSACTIONS = new Set(['TransactWriteItems', 'TransactGetItems']);

/** The items that a request writes or checks, or reads in a transaction; none for other requests. */
export function itemsOf(operation: string, body: Buffer): { items: Touched[]; token?: string } {
  if (SINGLE_WRITES.has(operation)) return { items: [touchedBy(operation, JSON.parse(`${body}`))] };
  if (TRANSACTIONS.has(operation)) {
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

/** The kind of an item: the constant parts of its keys. */
export const kindOf = ({ key }: Touched): string =>
  Object.values(key)
    .map((value) => value.S?.split('#')[0] ?? '')
    .filter((part) => /^[A-Z_]+$/.test(part))
    .join(' ');

/** A sort key: a number, or a string with a character for each byte in UTF-8, so that `<` compares as DynamoDB does. */
export type Sort = number | string;

/** @throws NotUnderstood if the value has another type than the key, or is a number that would be rounded. */
export function sortOf(name: string, value: AttributeValue | undefined): Sort {
  const type = TYPES.get(name);
  if (type === 'S' && value?.S !== undefined) return Buffer.from(value.S).toString('latin1');
  const number = Number(value?.N);
  if (type === 'N' && String(number) === value?.N) return number;
  throw new NotUnderstood(`${JSON.stringify(value)} cannot be compared with the key attribute ${name} (${type}).`);
}

const CONDITION = /^(?<hash>\w+) = (?<is>:\w+)(?: AND (?<rest>.+))?$/;
const OF_SORT_KEY = [
  /^(?<name>\w+) < (?<below>:\w+)$/,
  /^(?<name>\w+) >= (?<from>:\w+)$/,
  /^(?<name>\w+) BETWEEN (?<from>:\w+) AND (?<to>:\w+)$/,
  /^begins_with\((?<name>\w+), (?<prefix>:\w+)\)$/,
];

/** The part of a table or index that a query reads: its partition, and of that which sort keys. */
interface Range {
  partition: string;
  has: (sort: Sort) => boolean;
}

/** @throws NotUnderstood for conditions that the service does not send. */
export function conditionOf(input: Partial<Query>, { hash, range }: Index): Range {
  const { KeyConditionExpression: condition = '', ExpressionAttributeValues: values = {} } = input;
  const { hash: owner, is = '', rest } = CONDITION.exec(condition)?.groups ?? {};
  const groups = OF_SORT_KEY.map((each) => each.exec(rest ?? '')?.groups).find((each) => each !== undefined);
  const partition = values[is]?.S;
  if (partition === undefined || owner !== hash || (rest !== undefined && groups?.['name'] !== range))
    throw new NotUnderstood(`"${condition}" is none of the conditions known here.`);

  const [below, from, to, prefix] = ['below', 'from', 'to', 'prefix'].map((name) =>
    groups?.[name] === undefined ? undefined : sortOf(range, values[groups[name]]),
  );
  if (from !== undefined && to !== undefined && from > to)
    throw new NotUnderstood('The upper bound of BETWEEN is below the lower bound.');
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
  if (N !== undefined) return bytesOfNumber(N);
  // One more byte for each element of a list or map.
  if (L) return 3 + sum(L, (each) => 1 + bytesOfValue(each));
  if (M) return 3 + Object.keys(M).length + bytesOf(M);
  if (B) return bytesOfBinary(B);
  return BS ? sum(BS, bytesOfBinary) : 1;
}

/** One byte for every two significant digits, one for the exponent and one for a minus. */
function bytesOfNumber(text: string): number {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const even = ({ length }: string) => length + (length % 2);
  const pairs = whole.padStart(even(whole), '0') + fraction.padEnd(even(fraction), '0');
  const counted = pairs.replace(/^(?:00)+/, '').replace(/(?:00)+$/, '');
  return 1 + counted.length / 2 + Number(text.startsWith('-'));
}
