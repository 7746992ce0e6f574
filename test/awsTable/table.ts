import { Agent, createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { FollowingIndexes, type Send } from './index.ts';
import { type IndexQuery, itemsOf, kindOf, NotUnderstood, nameOf, SINGLE_WRITES, type Touched } from './requests.ts';

/** The behaviour of the table. Times are in milliseconds. */
export interface Aws {
  /**
   * Average latency that GetItem, BatchGetItem and Query have in addition to DynamoDB Local's. It varies from half to
   * one and a half times.
   */
  read: number;
  /** The same for TransactWriteItems. */
  write: number;
  /** The smallest and the largest lag of an index entry after its write. */
  lag: readonly [from: number, to: number];
  /** Throttles every request. */
  throttles: boolean;
}

/** The requests since the last `reset`. */
interface Counts {
  /** By operation. */
  requests: Record<string, number>;
  /** TransactWriteItems requests, including failed ones. */
  transactions: number;
  /** Writes that failed because of another transaction that was in progress. */
  conflicts: number;
  /** The items of the conflicts by kind: the first parts of pk and sk, such as `ACQUIRER BRANCH_LIST`. */
  conflictsByKind: Record<string, number>;
  /** Queries of an index. */
  indexQueries: number;
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

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer | string;
}

interface Incoming {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const DYNAMODB = 'com.amazonaws.dynamodb.v20120810';
const READS = new Set(['GetItem', 'BatchGetItem', 'Query']);

const json = (status: number, content: object): Reply => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify(content),
});
const problem = (type: string, message: string, more = {}) =>
  json(400, { __type: type, message, Message: message, ...more });
const invalid = (message: string) => problem('com.amazon.coral.validate#ValidationException', message);

/**
 * Starts a proxy in front of DynamoDB Local that adds AWS's behaviour: latency, failed writes if a transaction with the
 * same item is in progress, and lagging indexes. It does not add conflicts to TransactGetItems and BatchWriteItem.
 *
 * The indexes show earlier items at once. From then on, every write to the table must go through the proxy.
 */
export async function startAwsTable(engine: string, settings: Partial<Aws> = {}): Promise<AwsTable> {
  const aws: Aws = { read: 5, write: 20, lag: [15, 45], throttles: false, ...settings };
  const counts = {} as Counts;
  const reset = () =>
    Object.assign(counts, { requests: {}, transactions: 0, conflicts: 0, conflictsByKind: {}, indexQueries: 0 });
  reset();
  // DynamoDB Local closes connections that are idle for longer, and a request sent at that moment would be lost.
  const agent = new Agent({ keepAlive: true, timeout: 10_000 });
  const tables = new Map<string, Promise<FollowingIndexes>>();
  /** Items of transactions in progress, and the tokens of these transactions. */
  const held = new Set<string>();
  const tokens = new Set<string>();

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
  function indexesOf(table: string, { headers }: Incoming): Promise<FollowingIndexes> {
    const known = tables.get(table);
    if (known) return known;
    const indexes = FollowingIndexes.of(table, sendAs(headers));
    tables.set(table, indexes);
    indexes.catch(() => tables.delete(table));
    return indexes;
  }

  /** Applies writes to the indexes, with a lag for each entry. */
  function follow(table: string, indexes: FollowingIndexes, written: Touched[]): void {
    const now = performance.now();
    const [from, to] = aws.lag;
    // Indexes that may have missed a write are loaded again.
    indexes.follow(written, () => now + from + Math.random() * (to - from)).catch(() => tables.delete(table));
  }

  const conflict = (items: Touched[], isHeld: (item: Touched) => boolean) => {
    counts.conflicts += 1;
    for (const item of items.filter(isHeld))
      counts.conflictsByKind[kindOf(item)] = (counts.conflictsByKind[kindOf(item)] ?? 0) + 1;
  };

  const cancelled = (inConflict: boolean[]): Reply => {
    const CancellationReasons = inConflict.map((each) =>
      each ? { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' } : { Code: 'None' },
    );
    const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
    const Message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
    return json(400, { __type: `${DYNAMODB}#TransactionCanceledException`, Message, CancellationReasons });
  };

  async function query(incoming: Incoming): Promise<Reply> {
    const input: IndexQuery = JSON.parse(`${incoming.body}`);
    if (input.IndexName === undefined) return forward(incoming);
    counts.indexQueries += 1;
    return json(200, (await indexesOf(input.TableName, incoming)).query(input));
  }

  async function write(incoming: Incoming, items: Touched[]): Promise<Reply> {
    const written = Map.groupBy(items, ({ table }) => table);
    const indexes = await Promise.all([...written.keys()].map((table) => indexesOf(table, incoming)));
    const reply = await forward(incoming);
    // After a failure of the engine, the items are unknown, so they are read.
    if (reply.status !== 400)
      for (const [at, [table, touched]] of [...written].entries())
        follow(
          table,
          indexes[at] as FollowingIndexes,
          touched.filter(({ isCheck }) => !isCheck),
        );
    return reply;
  }

  async function response(operation: string, incoming: Incoming): Promise<Reply> {
    counts.requests[operation] = (counts.requests[operation] ?? 0) + 1;
    const isTransaction = operation === 'TransactWriteItems';
    if (isTransaction) counts.transactions += 1;
    const latency = isTransaction ? aws.write : READS.has(operation) ? aws.read : 0;
    const latencyHasPassed = () => (latency > 0 ? sleep(latency * (0.5 + Math.random())) : undefined);
    if (aws.throttles) {
      await latencyHasPassed();
      return problem(`${DYNAMODB}#ProvisionedThroughputExceededException`, 'The table is throttled.');
    }
    if (operation.includes('Execute')) return invalid('Statements are not followed: write and read without PartiQL.');
    const { items, token } = itemsOf(operation, incoming.body);
    const isHeld = (item: Touched) => held.has(nameOf(item));
    if (SINGLE_WRITES.has(operation) && items.some(isHeld)) {
      conflict(items, isHeld);
      return problem(`${DYNAMODB}#TransactionConflictException`, 'Transaction is ongoing for the item');
    }
    if (!isTransaction) {
      await latencyHasPassed();
      if (operation === 'Query' && incoming.body.includes('"IndexName"')) return query(incoming);
      if (operation === 'DeleteTable') tables.delete(JSON.parse(`${incoming.body}`).TableName);
      return items.length > 0 ? write(incoming, items) : forward(incoming);
    }
    if (token !== undefined && tokens.has(token)) {
      await latencyHasPassed();
      const message = 'The transaction with the given request token is already in progress.';
      return problem(`${DYNAMODB}#TransactionInProgressException`, message);
    }
    // The first transaction continues, and a rejected one holds no items.
    const inConflict = items.map(isHeld);
    if (inConflict.includes(true)) {
      conflict(items, isHeld);
      await latencyHasPassed();
      return cancelled(inConflict);
    }
    const names = items.map(nameOf);
    for (const name of names) held.add(name);
    if (token !== undefined) tokens.add(token);
    try {
      await latencyHasPassed();
      return await write(incoming, items);
    } finally {
      for (const name of names) held.delete(name);
      if (token !== undefined) tokens.delete(token);
    }
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

  async function settled(): Promise<void> {
    for (const table of tables.values()) {
      const indexes = await table;
      while (indexes.isReading || indexes.pendingMs() > 0) await sleep(indexes.isReading ? 1 : indexes.pendingMs());
    }
  }

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    settings: aws,
    counts,
    reset,
    settled,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      for (const table of tables.values()) while ((await table).isReading) await sleep(1);
      agent.destroy();
    },
  };
}

/** The response if DynamoDB Local rejects a request of the proxy itself. */
class Rejected extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super(`DynamoDB Local rejected: ${reply.body}`);
    this.reply = reply;
  }
}
