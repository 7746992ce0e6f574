import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { createTable } from '../../infra/local/table.ts';
import type { Cloud } from '../../infra/operate/recovery/aws.ts';

type Item = Record<string, unknown>;

const BATCH = 25;

export const clientOf = (endpoint: string): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }), { marshallOptions: { removeUndefinedValues: true } });

/** Reads a whole table. */
export async function itemsOf(client: DynamoDBDocumentClient, TableName: string): Promise<Item[]> {
  const items: Item[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
    items.push(...Items);
  return items;
}

/** Writes a copy into a table. */
export async function write(client: DynamoDBDocumentClient, TableName: string, items: Item[]): Promise<void> {
  for (let at = 0; at < items.length; at += BATCH) {
    const requests = items.slice(at, at + BATCH).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
  }
}

/** What a rehearsal knows beside what a recovery sees of a Region. */
export interface LocalRegion {
  /** The points to which can be restored, by time or name. */
  points: Map<string, (into: string) => Promise<void>>;
  /** The tables that it has restored. */
  tables: Set<string>;
  isClosed: boolean;
  pages: boolean;
  tableInUse: string;
}

/** A Region with a stage, as a recovery sees it. */
export function localCloud(region: LocalRegion, response: () => Promise<string>): Cloud {
  return {
    faults: async () => [],
    isClosed: async () => region.isClosed,
    isMuted: async () => !region.pages,
    close: async () => {
      region.isClosed = true;
    },
    open: async () => {
      region.isClosed = false;
    },
    setAlarmActions: async (isOn) => {
      region.pages = isOn;
    },
    table: async (name) => (region.tables.has(name) ? { isActive: true } : undefined),
    async restore(source, into) {
      const restore = region.points.get('at' in source ? source.at.toISOString() : source.recoveryPoint);
      if (!restore) throw new Error('There is no such point.');
      await createTable(into);
      await restore(into);
      region.tables.add(into);
    },
    // A local table has all settings from the start.
    configure: async () => [],
    tableInUse: async () => region.tableInUse,
    response,
  };
}
