import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiKeyKey } from '../../../lib/table/keys.ts';
import { type FailureName, fail, type Reply, reply, type TableRequestBody } from './failures.ts';

/** Which of an operation's requests a failure hits. Of several batches it hits only the first. */
export type Target = 'all' | 'key' | 'reads' | 'batch' | 'write';

const isWrite = (operation: string) => operation === 'TransactWriteItems';
const isOfKey = ({ Key }: TableRequestBody) => Key?.pk.S.startsWith(apiKeyKey('').pk) === true;

const TARGETS: Record<Target, (operation: string, content: TableRequestBody) => boolean> = {
  all: () => true,
  key: (_, content) => isOfKey(content),
  reads: (operation, content) => !isWrite(operation) && !isOfKey(content),
  batch: (operation) => operation === 'BatchGetItem',
  write: isWrite,
};

/** The failures to inject: one for each attempt of the same request. If `forever`, the last one repeats. */
export interface Plan {
  target: Target;
  failures: FailureName[];
  forever?: boolean;
}

/** All requests to the table for one request of a partner. */
interface Traffic {
  plan: Plan | undefined;
  /** Their operations, such as `GetItem`. */
  sent: string[];
  /** Number of attempts of each request. */
  times: Map<string, number>;
  /** The first batch. */
  batch?: string;
  /** Requests that are held back although their sender is done. */
  held: (() => Promise<unknown>)[];
  meanwhile: () => Promise<unknown>;
  /** The other request that is made between a request and its retry, once it has begun. */
  between?: Promise<unknown>;
}

/** Header with the name of the traffic. */
export const TRAFFIC = 'x-traffic';

/** The traffic so far, by name. */
export const traffics = new Map<string, Traffic>();

/** From now on, requests of this name fail by a plan, if there is one. */
export function openTraffic(name: string, plan: Plan | undefined, meanwhile: () => Promise<unknown>): Traffic {
  const traffic = { plan, sent: [], times: new Map(), held: [], meanwhile };
  traffics.set(name, traffic);
  return traffic;
}

/**
 * Starts a proxy in front of the table at this endpoint, and returns its URL.
 *
 * @param expire Lets the sender's socket with this port time out.
 */
export async function startWire(table: string, expire: (port: number | undefined) => void): Promise<string> {
  async function replyTo(headers: IncomingHttpHeaders, body: string): Promise<Reply> {
    const { host, connection, 'content-length': length, ...others } = headers as Record<string, string>;
    const forward = async () => {
      const response = await fetch(table, { method: 'POST', headers: others, body });
      return reply(response.status, response.headers.get('content-type') ?? '', await response.text());
    };
    const traffic = traffics.get(others[TRAFFIC] ?? '');
    if (!traffic) return forward();

    const operation = others['x-amz-target']?.split('.')[1] ?? '';
    const content: TableRequestBody = JSON.parse(body);
    traffic.sent.push(operation);
    // A transaction that is built anew has another text but is still the operation's one write.
    const request = isWrite(operation) ? operation : body;
    const time = traffic.times.get(request) ?? 0;
    traffic.times.set(request, time + 1);

    const { target = 'all', failures = [], forever = false } = traffic.plan ?? {};
    if (TARGETS.batch(operation, content)) traffic.batch ??= request;
    const isHit = TARGETS[target](operation, content) && (target !== 'batch' || request === traffic.batch);
    const name = isHit ? failures[forever ? Math.min(time, failures.length - 1) : time] : undefined;
    if (!name) {
      await traffic.between;
      return forward();
    }
    const meanwhile = () => {
      traffic.between = traffic.meanwhile();
      return traffic.between;
    };
    return fail(name, { content, forward, hold: () => traffic.held.push(forward), meanwhile });
  }

  const proxy = createServer(async (request, response) => {
    const reply = await replyTo(request.headers, await text(request));
    const { socket } = request;
    if (reply === 'silence') expire(socket.remotePort);
    else if (reply === 'close') socket.destroy();
    else if (reply === 'reset') socket.resetAndDestroy();
    else {
      response.writeHead(reply.status, reply.headers).end(reply.body);
      if (Number(reply.headers['content-length']) === Buffer.byteLength(reply.body)) return;
      // By then, the sender has received what there is.
      await sleep(20);
      expire(socket.remotePort);
    }
  });
  // Never closes an idle connection.
  proxy.keepAliveTimeout = 0;
  await once(proxy.listen(0, '127.0.0.1'), 'listening');

  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
