import type { LaggingIndexes } from './index.ts';
import { type Incoming, json, type Reply, throttled, withContent } from './replies.ts';
import {
  bytesOf,
  conditionOf,
  type Image,
  idOf,
  partitionOf,
  type Query,
  rejectUnsupported,
  TABLE,
} from './requests.ts';
import { readUnits, type Throughput } from './throughput.ts';

/**
 * BatchGetItem returns at most this of one partition, and the rest as unprocessed keys (DynamoDB API reference,
 * BatchGetItem: "more than 1MB per partition is requested"). An item is smaller, so each partition returns one.
 */
const BATCH_BYTES = 1024 * 1024;

/** What reads use. */
export interface Reading {
  forward: (incoming: Incoming) => Promise<Reply>;
  indexesOf: (table: string, incoming: Incoming) => Promise<LaggingIndexes>;
  throughput: Throughput;
}

interface Batch {
  Keys: Image[];
  ConsistentRead?: boolean;
}

/** GetItem, BatchGetItem of one table, and Query. || @throws NotUnderstood */
export const READS = {
  async GetItem(incoming: Incoming, { forward, throughput }: Reading): Promise<Reply> {
    const input = JSON.parse(`${incoming.body}`);
    rejectUnsupported(input);
    const { TableName, Key, ConsistentRead } = input;
    const partition = partitionOf(TableName, Key);
    if (throughput.isEmpty('read', partition)) return throttled();
    const reply = await forward(incoming);
    if (reply.status !== 200) return reply;
    const { Item } = JSON.parse(`${reply.body}`);
    throughput.charge('read', partition, readUnits(bytesOf(Item ?? {}), ConsistentRead));
    return reply;
  },

  /** Returns a partial result if a partition throttles or has too much (DynamoDB API reference, BatchGetItem). */
  async BatchGetItem(incoming: Incoming, { forward, throughput }: Reading): Promise<Reply> {
    const { RequestItems, ...options }: { RequestItems: Record<string, Batch> } = JSON.parse(`${incoming.body}`);
    const [table, batch] = Object.entries(RequestItems)[0] as [string, Batch];
    rejectUnsupported(batch);
    const isOpen = (key: Image) => !throughput.isEmpty('read', partitionOf(table, key));
    const open = batch.Keys.filter(isOpen);
    if (open.length === 0) return throttled();
    const asked = { ...options, RequestItems: { [table]: { ...batch, Keys: open } } };
    const reply = await forward(withContent(incoming, asked));
    if (reply.status !== 200) return reply;

    const { Responses, UnprocessedKeys, ...others } = JSON.parse(`${reply.body}`);
    const found = new Map<string, Image>(Responses[table].map((image: Image) => [idOf(image), image]));
    const isLeft = new Set<string>(UnprocessedKeys[table]?.Keys.map(idOf));
    const shown: Image[] = [];
    const bytes = new Map<string, number>();
    const isProcessed = (key: Image) => {
      if (!open.includes(key) || isLeft.has(idOf(key))) return false;
      const image = found.get(idOf(key));
      const partition = partitionOf(table, key);
      const size = bytesOf(image ?? {});
      const sum = (bytes.get(partition) ?? 0) + size;
      if (sum > BATCH_BYTES) return false;
      bytes.set(partition, sum);
      throughput.charge('read', partition, readUnits(size, batch.ConsistentRead));
      if (image) shown.push(image);
      return true;
    };
    const Keys = batch.Keys.filter((key) => !isProcessed(key));
    const unprocessed = Keys.length > 0 ? { [table]: { ...batch, Keys } } : {};
    return json(200, { ...others, Responses: { [table]: shown }, UnprocessedKeys: unprocessed });
  },

  async Query(incoming: Incoming, { forward, indexesOf, throughput }: Reading): Promise<Reply> {
    const input: Query = JSON.parse(`${incoming.body}`);
    rejectUnsupported(input);
    if (input.IndexName !== undefined) {
      const query = (await indexesOf(input.TableName, incoming)).query(input);
      const partition = `${input.TableName}\n${input.IndexName}\n${query.partition}`;
      if (throughput.isEmpty('read', partition)) return throttled();
      throughput.charge('read', partition, readUnits(query.bytes));
      return json(200, query.page);
    }

    const partition = `${input.TableName}\n${conditionOf(input, TABLE).partition}`;
    if (throughput.isEmpty('read', partition)) return throttled();
    const reply = await forward(incoming);
    if (reply.status !== 200) return reply;
    const { Items } = JSON.parse(`${reply.body}`);
    const bytes = Items.reduce((sum: number, image: Image) => sum + bytesOf(image), 0);
    throughput.charge('read', partition, readUnits(bytes, input.ConsistentRead));
    return reply;
  },
};
