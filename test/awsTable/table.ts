import { Agent, createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { LaggingIndexes, type Send } from './index.ts';
import { READS } from './reads.ts';
import {
  CONFLICT,
  cancelled,
  type Incoming,
  inConflict,
  inProgress,
  invalid,
  json,
  type Reply,
  THROTTLED,
  throttled,
  withContent,
} from './replies.ts';
import { bytesOf, checkOf, itemsOf, kindOf, NotUnderstood, SINGLE_WRITES, type Touched } from './requests.ts';
import { readUnits, Throughput, type Units, writeUnits } from './throughput.ts';

/** The behaviour of the table. Times are in milliseconds. */
export interface Aws {
  /**
   * Average latency that GetItem, BatchGetItem, Query and TransactGetItems have in addition to DynamoDB Local's. It varies
   * from half to one and a half times.
   */
  read: number;
  /** The same for TransactWriteItems. */
  write: number;
  /** The smallest and the largest lag of an index entry after its write. */
  lag: readonly [from: number, to: number];
  /**
   * The shortest and the longest time until an item of a transaction is visible. The response comes after that, and
   * indexes lag from then on. [0, 0] shows all items at once.
   */
  visibility: readonly [from: number, to: number];
  /** The units a second of each partition; Infinity never throttles. */
  partitions: Units;
}

/** The requests since the last `reset`. */
interface Counts {
  /** By operation. */
  requests: Record<string, number>;
  /** TransactWriteItems requests, including failed ones. */
  transactions: number;
  /** Writes and TransactGetItems that failed because of another transaction that was in progress. */
  conflicts: number;
  /** The items of the conflicts by kind: the first parts of pk and sk, such as `ACQUIRER BRANCH_LIST`. */
  conflictsByKind: Record<string, number>;
}

export interface AwsTable {
  endpoint: string;
  /** Can be changed at any time. */
  settings: Aws;
  counts: Counts;
  /** Sets all counts to zero. */
  reset: () => void;
  /** Resolves when the indexes show every write. */
  settled: () => Promise<void>;
  stop: () => Promise<void>;
}

/**
 * Starts a proxy in front of DynamoDB Local that adds AWS's behaviour: latency, failed requests if a transaction with the
 * same item is in progress, lagging indexes, transactions that become visible item by item, throttled partitions, partial
 * batches and limits. It adds nothing to Scan, and no conflicts and throttling to BatchWriteItem.
 *
 * The indexes show earlier items at once. From then on, every write to the table must go through the proxy.
 */
export async function startAwsTable(engine: string, settings: Partial<Aws> = {}): Promise<AwsTable> {
  const aws: Aws = {
    read: 5,
    write: 20,
    lag: [15, 45],
    visibility: [0, 30],
    // See throughput.ts.
    partitions: { read: 3_000, write: 1_000 },
    ...settings,
  };
  const counts = {} as Counts;
  const reset = () => Object.assign(counts, { requests: {}, transactions: 0, conflicts: 0, conflictsByKind: {} });
  reset();
  // DynamoDB Local closes connections that are idle for longer, and a request sent at that moment would be lost.
  const agent = new Agent({ keepAlive: true, timeout: 10_000 });
  const tables = new Map<string, Promise<LaggingIndexes>>();
  /** The items of transactions in progress, and the tokens of these transactions. */
  const held = new Set<string>();
  /** The responses of transactions that were applied item by item, by their tokens. */
  const applied = new Map<string, Reply>();
  /** Writes in progress that are no transactions. */
  const plainWrites = new Set<Promise<Reply>>();
  const throughput = new Throughput(() => aws.partitions);

  const forward = ({ method, url, headers, body }: Incoming): Promise<Reply> =>
    new Promise((done, fail) => {
      const sent = request(new URL(url, engine), { method, headers, agent }, (response) => {
        const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...others } = response.headers;
        const status = response.statusCode ?? 0;
        buffer(response).then((received) => done({ status, headers: others, body: received }), fail);
      });
      sent.on('error', fail);
      sent.end(body);
    });

  /** Sends requests to DynamoDB Local with the credentials in these headers. */
  const sendAs =
    (headers: IncomingHttpHeaders): Send =>
    async (operation, content) => {
      const body = Buffer.from(JSON.stringify(content));
      const own = { 'x-amz-target': `DynamoDB_20120810.${operation}`, 'content-length': String(body.length) };
      const reply = await forward({ method: 'POST', url: '/', headers: { ...headers, ...own }, body });
      if (reply.status !== 200) throw new Rejected(reply);
      return JSON.parse(`${reply.body}`);
    };

  /** Writes and queries of indexes wait until the table is loaded, so no write comes in between. */
  function indexesOf(table: string, { headers }: Incoming): Promise<LaggingIndexes> {
    const known = tables.get(table);
    if (known) return known;
    const indexes = LaggingIndexes.of(table, sendAs(headers));
    tables.set(table, indexes);
    indexes.catch(() => tables.delete(table));
    return indexes;
  }

  /** Applies a write to the indexes, with a lag for each entry. */
  async function follow(item: Touched, incoming: Incoming): Promise<void> {
    const [lag, now] = [aws.lag, performance.now()];
    const indexes = await indexesOf(item.table, incoming);
    // Indexes that may have missed a write are loaded again.
    indexes.follow(item, () => momentIn(lag, now)).catch(() => tables.delete(item.table));
  }

  const isHeld = ({ name }: Touched) => held.has(name);

  /** Counts a conflict, if an item is held by a transaction in progress. */
  function isConflict(items: Touched[]): boolean {
    const conflicts = items.filter(isHeld);
    if (conflicts.length > 0) counts.conflicts += 1;
    for (const kind of conflicts.map(kindOf)) counts.conflictsByKind[kind] = (counts.conflictsByKind[kind] ?? 0) + 1;
    return conflicts.length > 0;
  }

  const isThrottled = (kind: keyof Units) => (item: Touched) => throughput.isEmpty(kind, item.partition);

  /** Cancels a transaction because of conflicts or throttled partitions. */
  function refusal(items: Touched[], kind: keyof Units): Reply | undefined {
    if (isConflict(items)) return cancelled(CONFLICT, items.map(isHeld));
    const throttles = items.map(isThrottled(kind));
    return throttles.includes(true) ? cancelled(THROTTLED, throttles) : undefined;
  }

  /** Forwards a write of items of one table, and applies it to the indexes. */
  async function write(incoming: Incoming, items: Touched[]): Promise<Reply> {
    await indexesOf(items[0]?.table ?? '', incoming);
    const reply = await forward(incoming);
    // After a failure of the engine, the items are unknown, so they are read.
    if (reply.status !== 400) await Promise.all(items.filter(isWritten).map((item) => follow(item, incoming)));
    return reply;
  }

  async function writePlainly(operation: string, incoming: Incoming, items: Touched[]): Promise<Reply> {
    const isSingle = SINGLE_WRITES.has(operation);
    if (isSingle && isConflict(items)) return inConflict();
    if (isSingle && items.some(isThrottled('write'))) return throttled();
    const writing = write(incoming, items);
    plainWrites.add(writing);
    try {
      return await writing;
    } finally {
      plainWrites.delete(writing);
      if (isSingle) charge(items);
    }
  }

  /** Charges writes. The size of an item that the request does not contain is not known. */
  function charge(items: Touched[]): void {
    for (const { partition, image = {}, isExclusive } of items)
      throughput.charge('write', partition, writeUnits(bytesOf(image)) * (isExclusive ? 2 : 1));
  }

  /**
   * Applies a transaction item by item, each at another time, once it is certain that all can be applied: others cannot
   * write items that are held.
   */
  async function applyEach(incoming: Incoming, items: Touched[]): Promise<Reply> {
    // These began before the items were held, and may write them.
    await Promise.allSettled(plainWrites);
    const TransactItems = items.map((item) => ({ ConditionCheck: checkOf(item) }));
    const checked = await forward(withContent(incoming, { TransactItems }));
    if (checked.status !== 200) return checked;
    await indexesOf(items[0]?.table ?? '', incoming);
    const send = sendAs(incoming.headers)<{ ConsumedCapacity: ConsumedCapacity }>;
    const units = items.map(async (item) => {
      await passed(momentIn(aws.visibility));
      if (!isWritten(item)) return 1;
      const content = { ...item.step, ReturnConsumedCapacity: 'INDEXES' };
      const { CapacityUnits = 0, Table } = (await send(`${item.kind}Item`, content)).ConsumedCapacity;
      throughput.charge('write', item.partition, 2 * (Table?.CapacityUnits ?? 0));
      await follow(item, incoming);
      return CapacityUnits;
    });
    const CapacityUnits = 2 * (await Promise.all(units)).reduce((sum, each) => sum + each, 0);
    return json(200, { ConsumedCapacity: [{ TableName: items[0]?.table, CapacityUnits }] });
  }

  async function transact(incoming: Incoming, items: Touched[], token: string, latency: () => Promise<void>) {
    // The first transaction continues, and a rejected one holds no items.
    const refused = held.has(token) ? inProgress() : (applied.get(token) ?? refusal(items, 'write'));
    const names = refused ? [] : [...items.map(({ name }) => name), token];
    for (const name of names) held.add(name);
    try {
      await latency();
      if (refused) return refused;
      if (aws.visibility[1] === 0) return await write(incoming, items).finally(() => charge(items));
      const reply = await applyEach(incoming, items);
      if (reply.status === 200) applied.set(token, reply);
      return reply;
    } finally {
      for (const name of names) held.delete(name);
    }
  }

  /** Fails if a transaction with one of its items is in progress (DynamoDB API reference, TransactGetItems). */
  async function transactGet(incoming: Incoming, items: Touched[], latency: () => Promise<void>): Promise<Reply> {
    const refused = refusal(items, 'read');
    await latency();
    if (refused) return refused;
    const reply = await forward(incoming);
    if (reply.status !== 200) return reply;
    const { Responses } = JSON.parse(`${reply.body}`);
    for (const [at, item] of items.entries())
      throughput.charge('read', item.partition, 2 * readUnits(bytesOf(Responses[at].Item ?? {}), true));
    // A transaction that has begun meanwhile may show its items here before plain reads do.
    return isConflict(items) ? cancelled(CONFLICT, items.map(isHeld)) : reply;
  }

  async function response(operation: string, incoming: Incoming): Promise<Reply> {
    counts.requests[operation] = (counts.requests[operation] ?? 0) + 1;
    if (operation === 'TransactWriteItems') counts.transactions += 1;
    const average = operation === 'TransactWriteItems' ? aws.write : READING.has(operation) ? aws.read : 0;
    const latency = async () => {
      if (average > 0) await sleep(average * (0.5 + Math.random()));
    };
    const { items, token } = itemsOf(operation, incoming.body);
    if (operation === 'TransactWriteItems') return transact(incoming, items, `token ${token}`, latency);
    if (operation === 'TransactGetItems') return transactGet(incoming, items, latency);
    if (items.length > 0) return writePlainly(operation, incoming, items);
    await latency();
    if (!isRead(operation)) return forward(incoming);
    return READS[operation](incoming, { forward, indexesOf, throughput });
  }

  async function take(received: IncomingMessage): Promise<Reply> {
    const { method = '', url = '', headers } = received;
    const operation = String(headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    try {
      return await response(operation, { method, url, headers, body: await buffer(received) });
    } catch (error) {
      if (error instanceof Rejected) return error.reply;
      if (error instanceof NotUnderstood) return invalid(error.message);
      throw error;
    }
  }

  const server = createServer((received, response) => {
    take(received).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      () => response.destroy(),
    );
  });
  // Clients also keep idle connections.
  server.keepAliveTimeout = 0;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    settings: aws,
    counts,
    reset,
    settled: async () => {
      for (const indexes of tables.values()) await (await indexes).settled();
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      for (const indexes of tables.values()) await (await indexes).followed();
      agent.destroy();
    },
  };
}

/** A random moment from now, by `performance.now()`. */
const momentIn = ([from, to]: readonly [from: number, to: number], now = performance.now()): number =>
  now + from + Math.random() * (to - from);

/** Resolves at a moment. Looks at the clock often, because tests advance it. */
async function passed(moment: number): Promise<void> {
  for (let left = moment - performance.now(); left > 0; left = moment - performance.now())
    await sleep(Math.min(left, 5));
}

const isWritten = ({ kind }: Touched): boolean => kind !== 'ConditionCheck';

const READING = new Set([...Object.keys(READS), 'TransactGetItems']);
const isRead = (operation: string): operation is keyof typeof READS => Object.hasOwn(READS, operation);

/** The response if DynamoDB Local rejects a request of the proxy itself. */
class Rejected extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super(`DynamoDB Local rejected: ${reply.body}`);
    this.reply = reply;
  }
}
