import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { SCHEMA } from '../../infra/local/table.ts';

/** An item in DynamoDB's JSON. */
export type Image = Record<string, AttributeValue>;

/** A Query in DynamoDB's JSON. */
export interface IndexQuery {
  TableName: string;
  IndexName: string;
  KeyConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Image;
  ExclusiveStartKey?: Image;
  [other: string]: unknown;
}

/** A query whose result on AWS the copy cannot compute. */
export class NotUnderstood extends Error {}

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
export const textOf = (value: AttributeValue | undefined) => value?.S ?? value?.N ?? value?.B;

/** Identifies an item within its table. */
export const idOf = (image: Image = {}): string => TABLE_KEY.map((name) => textOf(image[name])).join('\n');

/** Identifies a partition: the items with one partition key. */
export const partitionOf = (table: string, image: Image = {}): string => `${table}\n${textOf(image[TABLE.hash])}`;

/** The primary key of an item. */
export const keyOf = (image: Image = {}): Image =>
  Object.fromEntries(TABLE_KEY.flatMap((name) => (image[name] ? [[name, image[name]]] : [])));

/** Whether an item has the key of an index. */
export const isIndexed = (image: Image): boolean =>
  INDEXES.values().some(({ hash, range }) => image[hash] && image[range]);

/** An item that a request writes or, by a ConditionCheck or TransactGetItems, depends on. */
export interface Touched {
  table: string;
  id: string;
  key: Image;
  /** The whole item, if the request contains it. */
  image?: Image | undefined;
  isCheck: boolean;
  /** Whether the request is a transaction, during which other writes of the item fail. */
  isExclusive: boolean;
}

/** Operations that write one item. */
export const SINGLE_WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

interface Step {
  TableName: string;
  Item?: Image;
  Key?: Image;
}

const touchedBy = (kind: string, { TableName, Item, Key }: Step, isExclusive = false): Touched => {
  const key = keyOf(Item ?? Key);
  return { table: TableName, id: idOf(key), key, image: Item, isCheck: kind === 'ConditionCheck', isExclusive };
};

const TRANSACTIONS = new Set(['TransactWriteItems', 'TransactGetItems']);

/** The items that a request writes or checks, or reads in a transaction; none for other requests. */
export function itemsOf(operation: string, body: Buffer): { items: Touched[]; token?: string } {
  if (SINGLE_WRITES.has(operation)) return { items: [touchedBy(operation, JSON.parse(`${body}`))] };
  if (TRANSACTIONS.has(operation)) {
    const { TransactItems = [], ClientRequestToken: token } = JSON.parse(`${body}`);
    const steps: Record<string, Step>[] = TransactItems;
    return {
      items: steps.flatMap((step) => Object.entries(step).map(([kind, what]) => touchedBy(kind, what, true))),
      token,
    };
  }
  if (operation !== 'BatchWriteItem') return { items: [] };
  const requests: [string, Record<string, Omit<Step, 'TableName'>>[]][] = Object.entries(
    JSON.parse(`${body}`).RequestItems,
  );
  return {
    items: requests.flatMap(([TableName, all]) =>
      all.flatMap((each) => Object.entries(each).map(([kind, what]) => touchedBy(kind, { TableName, ...what }))),
    ),
  };
}

/** The kind of an item: the constant parts of its keys. */
export const kindOf = ({ key }: Touched): string =>
  Object.values(key)
    .map((value) => value.S?.split('#')[0] ?? '')
    .filter((part) => /^[A-Z_]+$/.test(part))
    .join(' ');

/** Identifies an item. */
export const nameOf = ({ table, id }: Pick<Touched, 'table' | 'id'>): string => `${table}\n${id}`;

/** A sort key: a number, or the bytes of a string in UTF-8 or of a binary value. */
export type Sort = number | Buffer;

/** @throws NotUnderstood if the value has another type than the key, or is a number that would be rounded. */
export function sortOf(name: string, value: AttributeValue | undefined): Sort {
  const type = TYPES.get(name);
  if (type === 'S' && value?.S !== undefined) return Buffer.from(value.S);
  // In JSON, binary values are Base64.
  if (type === 'B' && value?.B !== undefined) return Buffer.from(String(value.B), 'base64');
  const number = Number(value?.N);
  if (type === 'N' && String(number) === value?.N) return number;
  throw new NotUnderstood(`${JSON.stringify(value)} cannot be compared with the key attribute ${name} (${type}).`);
}

export const compareSorts = (a: Sort, b: Sort): number =>
  typeof a === 'number' ? a - (b as number) : Buffer.compare(a, b as Buffer);

const SUPPORTED = new Set([
  ...['TableName', 'IndexName', 'KeyConditionExpression', 'ExpressionAttributeNames', 'ExpressionAttributeValues'],
  ...['ExclusiveStartKey', 'Limit', 'ScanIndexForward', 'Select', 'ReturnConsumedCapacity', 'ConsistentRead'],
]);

/** The options of a query. */
export function optionsOf(input: IndexQuery, { hasAll }: Index) {
  const unsupported = Object.keys(input).filter((name) => !SUPPORTED.has(name));
  if (unsupported.length > 0) throw new NotUnderstood(`Queries of a lagging index take no ${unsupported.join(', ')}.`);
  if (input['ConsistentRead'])
    throw new NotUnderstood('Consistent reads are not supported on global secondary indexes');
  const { Limit = Number.POSITIVE_INFINITY, Select = 'ALL_PROJECTED_ATTRIBUTES', ScanIndexForward = true } = input;
  if (!(Number(Limit) >= 1)) throw new NotUnderstood('Limit must be greater than or equal to 1');
  if (!['ALL_PROJECTED_ATTRIBUTES', 'COUNT', ...(hasAll ? ['ALL_ATTRIBUTES'] : [])].includes(String(Select)))
    throw new NotUnderstood(`Select cannot be ${Select}.`);
  return {
    limit: Number(Limit),
    isForward: ScanIndexForward === true,
    countsOnly: Select === 'COUNT',
    capacity: input['ReturnConsumedCapacity'] ?? 'NONE',
  };
}

const CONDITION = /^\s*(?<hash>[#\w]+)\s*=\s*(?<is>:\w+)(?:\s+AND\s+(?<rest>.+?))?\s*$/is;
const COMPARISON = /^(?<name>[#\w]+)\s*(?<operator>=|<=?|>=?)\s*(?<value>:\w+)$/;
const BETWEEN = /^(?<name>[#\w]+)\s+BETWEEN\s+(?<value>:\w+)\s+AND\s+(?<upper>:\w+)$/i;
const BEGINS_WITH = /^(?<operator>begins_with)\s*\(\s*(?<name>[#\w]+)\s*,\s*(?<value>:\w+)\s*\)$/;

/** Which sort keys are before or after those that match a condition, by their order relative to the operand. */
const OUTSIDE: Record<string, { isBelow?: (order: number) => boolean; isAbove?: (order: number) => boolean }> = {
  '=': { isBelow: (order) => order < 0, isAbove: (order) => order > 0 },
  '<': { isAbove: (order) => order >= 0 },
  '<=': { isAbove: (order) => order > 0 },
  '>': { isBelow: (order) => order <= 0 },
  '>=': { isBelow: (order) => order < 0 },
};

/** The part of a table or index that a query reads: its partition, and what is before and after its sort keys. */
export interface Range {
  partition: string;
  isBelow: (sort: Sort) => boolean;
  isAbove: (sort: Sort) => boolean;
}

/** @throws NotUnderstood */
export function conditionOf(input: Partial<IndexQuery>, { hash, range }: Index): Range {
  const { KeyConditionExpression = '', ExpressionAttributeNames = {}, ExpressionAttributeValues = {} } = input;
  const notUnderstood = () => new NotUnderstood(`"${KeyConditionExpression}" is none of the conditions known here.`);
  const isNamed = (name = '', wanted: string) =>
    (name.startsWith('#') ? ExpressionAttributeNames[name] : name) === wanted;
  const partitionOnly = CONDITION.exec(KeyConditionExpression)?.groups;
  const partition = ExpressionAttributeValues[partitionOnly?.['is'] ?? '']?.S;
  if (partition === undefined || !isNamed(partitionOnly?.['hash'], hash)) throw notUnderstood();
  const rest = partitionOnly?.['rest'];
  if (rest === undefined) return { partition, isBelow: () => false, isAbove: () => false };

  const groups = (COMPARISON.exec(rest) ?? BETWEEN.exec(rest) ?? BEGINS_WITH.exec(rest))?.groups;
  if (!groups || !isNamed(groups['name'], range)) throw notUnderstood();
  const operand = (name = '') => sortOf(range, ExpressionAttributeValues[name]);
  const value = operand(groups['value']);
  const { isBelow = () => false, isAbove = () => false } = OUTSIDE[groups['operator'] ?? ''] ?? {};
  const orderOf = (sort: Sort, other: Sort = value) => compareSorts(sort, other);
  if (groups['upper']) {
    const upper = operand(groups['upper']);
    if (orderOf(upper) < 0) throw new NotUnderstood('The upper bound of BETWEEN is below the lower bound.');
    return { partition, isBelow: (sort: Sort) => orderOf(sort) < 0, isAbove: (sort: Sort) => orderOf(sort, upper) > 0 };
  }
  if (groups['operator'] === 'begins_with') {
    if (typeof value === 'number') throw notUnderstood();
    const begins = (sort: Sort) => value.equals((sort as Buffer).subarray(0, value.length));
    return {
      partition,
      isBelow: (sort: Sort) => orderOf(sort) < 0,
      isAbove: (sort: Sort) => orderOf(sort) > 0 && !begins(sort),
    };
  }
  return {
    partition,
    isBelow: (sort: Sort) => isBelow(orderOf(sort)),
    isAbove: (sort: Sort) => isAbove(orderOf(sort)),
  };
}

/** Bytes of an item as AWS counts them (DynamoDB Developer Guide, "Item sizes and formats"). */
export const bytesOf = (image: Image): number =>
  Object.entries(image).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + bytesOfValue(value), 0);

function bytesOfValue(value: AttributeValue): number {
  const { S, N, L, M, SS, NS } = value;
  const sum = <T>(values: T[], bytes: (each: T) => number) => values.reduce((total, each) => total + bytes(each), 0);
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return bytesOfNumber(N);
  // One more byte for each element of a list or map.
  if (L) return 3 + sum(L, (each) => 1 + bytesOfValue(each));
  if (M) return 3 + Object.keys(M).length + bytesOf(M);
  if (SS) return sum(SS, Buffer.byteLength);
  if (NS) return sum(NS, bytesOfNumber);
  // In JSON, binary values are Base64.
  if (value.B) return Buffer.byteLength(String(value.B), 'base64');
  if (value.BS) return sum(value.BS, (each) => Buffer.byteLength(String(each), 'base64'));
  return 1;
}

/** One byte for every two significant digits, one for the exponent and one for a minus. */
function bytesOfNumber(text: string): number {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const even = ({ length }: string) => length + (length % 2);
  const pairs = whole.padStart(even(whole), '0') + fraction.padEnd(even(fraction), '0');
  const counted = pairs.replace(/^(?:00)+/, '').replace(/(?:00)+$/, '');
  return 1 + counted.length / 2 + Number(text.startsWith('-'));
}
