import { once } from 'node:events';
import { Agent, request as open, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { serve } from '../../infra/local/serve.ts';
import { createTable } from '../../infra/local/table.ts';
import type { Cloud } from '../../infra/operate/recovery/cloud.ts';

type Item = Record<string, unknown>;

/** A step of a transaction, as it is sent: one of its properties, with a request like that of the single action. */
export type SentStep = Record<string, Item>;

/**
 * Stands between the service and a DynamoDB engine, which can be exchanged for another, as another Region's is. It can hold
 * all requests back until those in progress have ended, so that a copy has all of an acknowledged write and none of another.
 */
export async function startDoor(target: string) {
  let endpoint = target;
  const agent = new Agent({ keepAlive: true });
  let isHeld: Promise<void> | undefined;
  let inProgress = 0;
  let idle = () => {};
  /** The transactions that were applied since the last copy, first ones only. */
  let recorded: SentStep[][] | undefined;
  const served = await serve(async (request, response) => {
    const body = await buffer(request);
    await isHeld;
    inProgress += 1;
    try {
      const isApplied = await forward(request.headers, body, response);
      if (isApplied && recorded && String(request.headers['x-amz-target']).endsWith('TransactWriteItems'))
        recorded.push(JSON.parse(body.toString()).TransactItems);
    } finally {
      inProgress -= 1;
      if (inProgress === 0) idle();
    }
  });

  /** Returns whether the engine accepted the request. Nobody answers for an engine that has ended. */
  async function forward(headers: NodeJS.Dict<string | string[]>, body: Buffer, response: ServerResponse) {
    const { host: _, ...others } = headers;
    const upstream = open(endpoint, { method: 'POST', headers: others, agent });
    upstream.end(body);
    try {
      const [answer] = await once(upstream, 'response');
      const content = await buffer(answer);
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      response.end(content);
      return answer.statusCode === 200;
    } catch {
      response.destroy();
      return false;
    }
  }

  return {
    url: served.url,
    async stop() {
      agent.destroy();
      await served.stop();
    },
    /** Runs `work` while no request is in progress, and records the transactions from then on. */
    async quiet<T>(work: () => Promise<T>): Promise<T> {
      let release = () => {};
      isHeld = new Promise((done) => (release = done));
      if (inProgress > 0) await new Promise<void>((done) => (idle = done));
      try {
        return await work();
      } finally {
        recorded = [];
        isHeld = undefined;
        release();
      }
    },
    recorded: () => recorded ?? [],
    goTo(other: string) {
      endpoint = other;
    },
  };
}

/** Reads a whole table. */
export async function itemsOf(client: DynamoDBDocumentClient, TableName: string): Promise<Item[]> {
  const items: Item[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
    items.push(...Items);
  return items;
}

const BATCH = 25;

/** What a rehearsal knows beside what a recovery sees of a Region. */
export interface LocalRegion {
  /** The points to which can be restored, by time or name. */
  points: Map<string, (into: string) => Promise<void>>;
  isClosed: boolean;
  pages: boolean;
  tableInUse: string;
}

/** A Region with a stage on an engine of its own. What no engine has is kept in `region`. */
export function localCloud(
  region: LocalRegion,
  client: DynamoDBDocumentClient,
  response: () => Promise<string>,
): Cloud {
  return {
    isClosed: async () => region.isClosed,
    close: async () => {
      region.isClosed = true;
    },
    open: async () => {
      region.isClosed = false;
    },
    setAlarmActions: async (isOn) => {
      region.pages = isOn;
    },
    async table(TableName) {
      const found = await client.send(new DescribeTableCommand({ TableName })).catch((error: Error) => {
        if (error.name === 'ResourceNotFoundException') return undefined;
        throw error;
      });
      return found && { isActive: found.Table?.TableStatus === 'ACTIVE' };
    },
    async restore(source, into) {
      const restore = region.points.get('at' in source ? source.at.toISOString() : source.recoveryPoint);
      if (!restore) throw new Error('There is no such point.');
      await createTable(into);
      await restore(into);
    },
    async configure(TableName) {
      const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
      if (TimeToLiveDescription?.TimeToLiveStatus === 'ENABLED') return [];
      const TimeToLiveSpecification = { AttributeName: 'ttl', Enabled: true };
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
      return ['time to live'];
    },
    tableInUse: async () => region.tableInUse,
    response,
  };
}

/** Writes a copy into a table. */
export async function write(client: DynamoDBDocumentClient, TableName: string, items: Item[]): Promise<void> {
  for (let at = 0; at < items.length; at += BATCH) {
    const requests = items.slice(at, at + BATCH).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
  }
}

export const clientOf = (endpoint: string): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }), { marshallOptions: { removeUndefinedValues: true } });
