import type { FollowingIndexes } from './index.ts';
import { BATCH_BYTES, queryFault } from './limits.ts';
import { type Incoming, invalid, json, type Reply, throttled, withContent } from './replies.ts';
import { bytesOf, conditionOf, type Image, idOf, NotUnderstood, nameOf, partitionOf, TABLE } from './requests.ts';
import { readUnits, type Throughput } from './throughput.ts';
import { pageBefore, type Visibility } from './visibility.ts';

/** What reads use. */
export interface Reading {
  forward: (incoming: Incoming) => Promise<Reply>;
  indexesOf: (table: string, incoming: Incoming) => Promise<FollowingIndexes>;
  throughput: Throughput;
  visibility: Visibility;
  /** Whether items of transactions are hidden. */
  hides: () => boolean;
}

/** Parameters that change which attributes or items a read returns. What it hides or costs cannot be computed then. */
const PARTIAL = [
  'ProjectionExpression',
  'AttributesToGet',
  'FilterExpression',
  'QueryFilter',
  'KeyConditions',
  'Select',
];

type Requested = Record<string, { Keys: Image[]; ConsistentRead?: boolean }>;

/** Splits the keys of a BatchGetItem by whether a condition holds. */
function split(requested: Requested, holds: (table: string, key: Image) => boolean): { yes: Requested; no: Requested } {
  const [yes, no]: [Requested, Requested] = [{}, {}];
  for (const [table, { Keys, ...options }] of Object.entries(requested))
    for (const key of Keys) {
      const side = holds(table, key) ? yes : no;
      side[table] ??= { ...options, Keys: [] };
      side[table].Keys.push(key);
    }
  return { yes, no };
}

const nameIn = (table: string, image: Image) => nameOf({ table, id: idOf(image) });
const isNone = (requested: Requested) => Object.keys(requested).length === 0;

/** GetItem, BatchGetItem and Query. || @throws NotUnderstood */
export const READS = {
  async GetItem(incoming: Incoming, { forward, throughput, visibility, hides }: Reading): Promise<Reply> {
    const input = JSON.parse(`${incoming.body}`);
    rejectPartial(input, hides());
    const { TableName, Key, ConsistentRead } = input;
    const partition = partitionOf(TableName, Key);
    if (throughput.isEmpty('read', partition)) return throttled();
    const reply = await forward(incoming);
    if (reply.status !== 200) return reply;
    const { Item, ...others } = JSON.parse(`${reply.body}`);
    throughput.charge('read', partition, readUnits(bytesOf(Item ?? {}), ConsistentRead));
    const hidden = visibility.of(nameIn(TableName, Key));
    return hidden ? json(200, { ...others, ...(hidden.image && { Item: hidden.image }) }) : reply;
  },

  /** Returns a partial result if a partition throttles or has too much (DynamoDB API reference, BatchGetItem). */
  async BatchGetItem(incoming: Incoming, { forward, throughput, visibility, hides }: Reading): Promise<Reply> {
    const input: { RequestItems: Requested } = JSON.parse(`${incoming.body}`);
    const { RequestItems = {} } = input;
    const isPartial = Object.values(RequestItems).map((each) => rejectPartial(each, hides()));
    if (isPartial.includes(true)) return forward(incoming);
    const asked = split(RequestItems, (table, key) => !throughput.isEmpty('read', partitionOf(table, key)));
    if (isNone(asked.yes) && !isNone(asked.no)) return throttled();
    const reply = await forward(
      isNone(asked.no) ? incoming : withContent(incoming, { ...input, RequestItems: asked.yes }),
    );
    if (reply.status !== 200) return reply;

    const { Responses, UnprocessedKeys, ...others } = JSON.parse(`${reply.body}`);
    const found = new Map<string, Image>();
    for (const [table, images] of Object.entries<Image[]>(Responses))
      for (const image of images) found.set(nameIn(table, image), image);
    const isLeft = (table: string, key: Image) =>
      (UnprocessedKeys as Requested)[table]?.Keys.some((each) => idOf(each) === idOf(key));
    const shown: Record<string, Image[]> = Object.fromEntries(Object.keys(RequestItems).map((table) => [table, []]));
    const bytes = new Map<string, number>();
    let hasHidden = false;
    const { yes, no } = split(asked.yes, (table, key) => {
      if (isLeft(table, key)) return false;
      const name = nameIn(table, key);
      const hidden = visibility.of(name);
      const image = hidden ? hidden.image : found.get(name);
      const partition = partitionOf(table, key);
      const sum = (bytes.get(partition) ?? 0) + bytesOf(image ?? {});
      if (sum > BATCH_BYTES) return false;
      bytes.set(partition, sum);
      throughput.charge('read', partition, readUnits(bytesOf(image ?? {}), RequestItems[table]?.ConsistentRead));
      if (image) shown[table]?.push(image);
      hasHidden ||= hidden !== undefined;
      return true;
    });
    if (isNone(no) && isNone(asked.no) && !hasHidden) return reply;
    const isDone = (table: string, key: Image) => yes[table]?.Keys.includes(key) ?? false;
    return json(200, { ...others, Responses: shown, UnprocessedKeys: split(RequestItems, isDone).no });
  },

  async Query(incoming: Incoming, { forward, indexesOf, throughput, visibility, hides }: Reading): Promise<Reply> {
    const input = JSON.parse(`${incoming.body}`);
    if (input.IndexName !== undefined) {
      const query = (await indexesOf(input.TableName, incoming)).query(input);
      const partition = `${input.TableName}\n${input.IndexName}\n${query.partition}`;
      const fault = queryFault(input, query.partition);
      if (fault) return invalid(fault);
      if (throughput.isEmpty('read', partition)) return throttled();
      throughput.charge('read', partition, readUnits(query.bytes));
      return json(200, query.page);
    }

    if (rejectPartial(input, hides())) return forward(incoming);
    const range = rangeOf(input, hides());
    if (!range) return forward(incoming);
    const fault = queryFault(input, range.partition);
    if (fault) return invalid(fault);
    const partition = `${input.TableName}\n${range.partition}`;
    if (throughput.isEmpty('read', partition)) return throttled();
    // Hidden items take places of the page, so it is read with more.
    const more = input.Limit ? visibility.in(partition).size : 0;
    const reply = await forward(more > 0 ? withContent(incoming, { ...input, Limit: input.Limit + more }) : incoming);
    if (reply.status !== 200) return reply;
    const page = JSON.parse(`${reply.body}`);
    const bytes = page.Items.reduce((sum: number, image: Image) => sum + bytesOf(image), 0);
    throughput.charge('read', partition, readUnits(bytes, input.ConsistentRead));
    const hidden = visibility.in(partition);
    return more > 0 || hidden.size > 0 ? json(200, pageBefore(input, range, page, hidden)) : reply;
  },
};

/** Whether a read has parameters of {@link PARTIAL}. || @throws NotUnderstood if it has while items are hidden. */
function rejectPartial(input: object, isHiding: boolean): boolean {
  const partial = PARTIAL.filter((name) => name in input);
  if (partial.length > 0 && isHiding)
    throw new NotUnderstood(`Reads take no ${partial.join(', ')} unless visibility is [0, 0].`);
  return partial.length > 0;
}

/** The part of the table that a query reads, if known. || @throws NotUnderstood if it is not while items are hidden. */
function rangeOf(
  input: Parameters<typeof conditionOf>[0],
  isHiding: boolean,
): ReturnType<typeof conditionOf> | undefined {
  try {
    return conditionOf(input, TABLE);
  } catch (error) {
    if (error instanceof NotUnderstood && !isHiding) return undefined;
    throw error;
  }
}
