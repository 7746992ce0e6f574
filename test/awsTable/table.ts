import { Agent, createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { type Clock, LaggingIndexes, type Send } from './index.ts';
import { checkOf, itemsOf, SINGLE_WRITES, type Touched } from './requests.ts';

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
}

/** The requests since the last `reset`. */
interface Counts {
  /** TransactWriteItems requests, including failed ones. */
  transactions: number;
  /** Writes and TransactGetItems that failed because of another transaction that was in progress. */
  conflicts: number;
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

interface Incoming {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer | string;
}

const json = (status: number, content: object): Reply => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify(content),
});
const problem = (type: string, message: string, more = {}) =>
  json(400, { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message, Message: message, ...more });

/** The reason of a cancelled transaction (DynamoDB API reference, TransactWriteItems, "TransactionCanceledException"). */
const CONFLICT = { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' };

/**
 * Starts a proxy in front of DynamoDB Local that adds AWS's behaviour: latency, failed requests if a transaction with the
 * same item is in progress, lagging indexes, and transactions that become visible item by item. It adds nothing to Scan,
 * and no conflicts to BatchWriteItem.
 *
 * The indexes show earlier items at once. From then on, every write to the table must go through the proxy.
 */
export async function startAwsTable(
  engine: string,
  settings: Partial<Aws> = {},
  { now, pause }: Clock = { now: () => performance.now(), pause: sleep },
): Promise<AwsTable> {
  const aws: Aws = { read: 5, write: 20, lag: [15, 45], visibility: [0, 30], ...settings };
  const counts = {} as Counts;
  const reset = () => Object.assign(counts, { transactions: 0, conflicts: 0 });
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

  /** Forwards a request of the proxy itself with the credentials in these headers. */
  const forwardAs = (headers: IncomingHttpHeaders, operation: string, content: object): Promise<Reply> => {
    const body = Buffer.from(JSON.stringify(content));
    const own = { 'x-amz-target': `DynamoDB_20120810.${operation}`, 'content-length': String(body.length) };
    return forward({ method: 'POST', url: '/', headers: { ...headers, ...own }, body });
  };
  const sendAs =
    (headers: IncomingHttpHeaders): Send =>
    async (operation, content) => {
      const reply = await forwardAs(headers, operation, content);
      if (reply.status !== 200) throw new Rejected(reply);
      return JSON.parse(`${reply.body}`);
    };

  /** Writes and queries of indexes wait until the table is loaded, so no write comes in between. */
  function indexesOf(table: string, { headers }: Incoming): Promise<LaggingIndexes> {
    const known = tables.get(table);
    if (known) return known;
    const indexes = LaggingIndexes.of(table, sendAs(headers), { now, pause });
    tables.set(table, indexes);
    indexes.catch(() => tables.delete(table));
    return indexes;
  }

  /** Applies a write to the indexes, with a lag for each entry. */
  async function follow(item: Touched, incoming: Incoming): Promise<void> {
    const [lag, written] = [aws.lag, now()];
    const indexes = await indexesOf(item.table, incoming);
    // Indexes that may have missed a write are loaded again.
    indexes.follow(item, () => written + someOf(lag)).catch(() => tables.delete(item.table));
  }

  const isHeld = ({ name }: Touched) => held.has(name);

  /** Counts a conflict, if an item is held by a transaction in progress. */
  function isConflict(items: Touched[]): boolean {
    const isOne = items.some(isHeld);
    if (isOne) counts.conflicts += 1;
    return isOne;
  }

  /** Cancels a transaction because of a conflict, if there is one. */
  function refusal(items: Touched[]): Reply | undefined {
    if (!isConflict(items)) return undefined;
    const CancellationReasons = items.map((item) => (isHeld(item) ? CONFLICT : { Code: 'None' }));
    const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
    const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
    return problem('TransactionCanceledException', message, { CancellationReasons });
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
    if (SINGLE_WRITES.has(operation) && isConflict(items))
      return problem('TransactionConflictException', CONFLICT.Message);
    const writing = write(incoming, items);
    plainWrites.add(writing);
    return writing.finally(() => plainWrites.delete(writing));
  }

  /**
   * Applies a transaction item by item, each at another time, once it is certain that all can be applied: others cannot
   * write items that are held.
   */
  async function applyEach(incoming: Incoming, items: Touched[]): Promise<Reply> {
    // These began before the items were held, and may write them.
    await Promise.allSettled(plainWrites);
    const TransactItems = items.map((item) => ({ ConditionCheck: checkOf(item) }));
    const checked = await forwardAs(incoming.headers, 'TransactWriteItems', { TransactItems });
    if (checked.status !== 200) return checked;
    await indexesOf(items[0]?.table ?? '', incoming);
    const send = sendAs(incoming.headers)<{ ConsumedCapacity: ConsumedCapacity }>;
    const units = items.map(async (item) => {
      await pause(someOf(aws.visibility));
      if (!isWritten(item)) return 1;
      const content = { ...item.step, ReturnConsumedCapacity: 'INDEXES' };
      const { CapacityUnits = 0 } = (await send(`${item.kind}Item`, content)).ConsumedCapacity;
      await follow(item, incoming);
      return CapacityUnits;
    });
    const CapacityUnits = 2 * (await Promise.all(units)).reduce((sum, each) => sum + each, 0);
    return json(200, { ConsumedCapacity: [{ TableName: items[0]?.table, CapacityUnits }] });
  }

  async function transact(incoming: Incoming, items: Touched[], token: string, latency: () => Promise<void>) {
    // The first transaction continues, and a rejected one holds no items.
    const refused = held.has(token) ? IN_PROGRESS : (applied.get(token) ?? refusal(items));
    const names = refused ? [] : [...items.map(({ name }) => name), token];
    for (const name of names) held.add(name);
    try {
      await latency();
      if (refused) return refused;
      if (aws.visibility[1] === 0) return await write(incoming, items);
      const reply = await applyEach(incoming, items);
      if (reply.status === 200) applied.set(token, reply);
      return reply;
    } finally {
      for (const name of names) held.delete(name);
    }
  }

  /** Fails if a transaction with one of its items is in progress (DynamoDB API reference, TransactGetItems). */
  async function transactGet(incoming: Incoming, items: Touched[], latency: () => Promise<void>): Promise<Reply> {
    const refused = refusal(items);
    await latency();
    const reply = refused ?? (await forward(incoming));
    // A transaction that has begun meanwhile may show its items here before plain reads do.
    return refused ?? refusal(items) ?? reply;
  }

  async function response(operation: string, incoming: Incoming): Promise<Reply> {
    if (operation === 'TransactWriteItems') counts.transactions += 1;
    const average = operation === 'TransactWriteItems' ? aws.write : READS.has(operation) ? aws.read : 0;
    const latency = async () => {
      if (average > 0) await pause(average * (0.5 + Math.random()));
    };
    const { items, token } = itemsOf(operation, incoming.body);
    if (operation === 'TransactWriteItems') return transact(incoming, items, `token ${token}`, latency);
    if (operation === 'TransactGetItems') return transactGet(incoming, items, latency);
    if (items.length > 0) return writePlainly(operation, incoming, items);
    await latency();
    const input = operation === 'Query' ? JSON.parse(`${incoming.body}`) : {};
    if (input.IndexName === undefined) return forward(incoming);
    return json(200, (await indexesOf(input.TableName, incoming)).query(input));
  }

  async function take(received: IncomingMessage): Promise<Reply> {
    const { method = '', url = '', headers } = received;
    const operation = String(headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    try {
      return await response(operation, { method, url, headers, body: await buffer(received) });
    } catch (error) {
      return error instanceof Rejected ? error.reply : problem('ValidationException', (error as Error).message);
    }
  }

  const server = createServer((received, response) => {
    take(received).then(({ status, headers, body }) => response.writeHead(status, headers).end(body));
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

const IN_PROGRESS = problem(
  'TransactionInProgressException',
  'The transaction with the given request token is already in progress.',
);

/** A random time between two. */
const someOf = ([from, to]: readonly [from: number, to: number]): number => from + Math.random() * (to - from);

const isWritten = ({ kind }: Touched): boolean => kind !== 'ConditionCheck';

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'TransactGetItems']);

/** The response if DynamoDB Local rejects a request of the proxy itself. */
class Rejected extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super(`DynamoDB Local rejected: ${reply.body}`);
    this.reply = reply;
  }
}
