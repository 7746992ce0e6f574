import { setTimeout as sleep } from 'node:timers/promises';
import { getLocal } from 'mockttp';
import { freePort } from '../../../infra/local/engine.ts';
import { apiKeyKey, branchListKey } from '../../../lib/table/keys.ts';
import { type ApiResponse, FAILURES, type Failure, type FailureName, reply, type TableRequest } from './failures.ts';

/** Which of an operation's requests a failure hits. Of several batches it hits only the first. */
export type Target = 'all' | 'key' | 'reads' | 'batch' | 'index' | 'write' | 'look' | 'seal';

/** A request that reached the wire. */
export interface Sent {
  /** The API's operation, such as `GetItem`. */
  operation: string;
  /** Whether it reads an API key. */
  isKey: boolean;
  index?: string;
  /** ClientRequestToken of a write. */
  token?: string;
  /** Whether it ranks branches of a list. A seal is not the operation's own write. */
  isSeal?: true;
  /** No failure hit it, but its sender timed out because the machine is too busy. The retry is not counted. */
  isTooSlow?: true;
}

export const TARGETS: Record<Target, (sent: Sent) => boolean> = {
  all: () => true,
  key: ({ isKey }) => isKey,
  reads: ({ operation, isKey }) => operation !== 'TransactWriteItems' && !isKey,
  batch: ({ operation }) => operation === 'BatchGetItem',
  index: ({ index }) => index !== undefined,
  write: ({ operation, isSeal }) => operation === 'TransactWriteItems' && !isSeal,
  look: ({ operation, index }) => operation === 'Query' && index === undefined,
  seal: ({ isSeal }) => isSeal === true,
};

/** The failures to inject: one for each attempt of the same request. If `forever`, the last one repeats. */
export interface Plan {
  target: Target;
  failures: FailureName[];
  forever?: boolean;
  /** Delays each failure by so many milliseconds. */
  slowMs?: number;
  /** Name of earlier traffic, from which `response as before` takes its responses. */
  since?: string;
}

/** All requests to the table for one request of a partner. */
interface Traffic {
  plan: Plan | undefined;
  sent: Sent[];
  /** Number of attempts of each request. */
  times: Map<string, number>;
  /** The first batch. */
  batch?: string;
  /** The last response of each index. */
  pages: Map<string, ApiResponse>;
  /** Requests that are held back although their sender is done. */
  held: (() => Promise<unknown>)[];
  meanwhile: () => Promise<unknown>;
  /** The other request that is made between a request and its retry, once it has begun. */
  between?: Promise<unknown>;
  firstHit: PromiseWithResolvers<void>;
}

/** Headers with the name of the traffic, and with an id that is unique for each attempt. */
export const TRAFFIC = 'x-traffic';
export const SENDING = 'x-sending';

/** A proxy in front of the table, at `url`, that injects failures. */
export interface Wire {
  url: string;
  /** Injects the failures of a plan, if there is one, into requests of this name from now on. */
  open: (name: string, plan: Plan | undefined, meanwhile: () => Promise<unknown>) => void;
  /** Forwards the requests of this name that were held back. */
  flush: (name: string) => Promise<void>;
  /** Marks a request that its sender gave up. */
  giveUp: (sending: string) => void;
  /** Resolves when a failure has hit a request of this name. */
  hit: (name: string) => Promise<void>;
  /** The requests of this name so far. */
  sent: (name: string) => Sent[];
}

const API_KEYS = apiKeyKey('').pk;
const LIST_HEAD = branchListKey('').sk;

function sentOf(
  operation: string,
  { Key, IndexName, ClientRequestToken, TransactItems = [] }: TableRequest['content'],
): Sent {
  return {
    operation,
    isKey: Key?.pk.S.startsWith(API_KEYS) === true,
    ...(IndexName !== undefined && { index: IndexName }),
    ...(ClientRequestToken !== undefined && { token: ClientRequestToken }),
    ...(TransactItems.some(({ Update }) => Update?.Key.sk.S === LIST_HEAD) && { isSeal: true }),
  };
}

/** Starts a proxy in front of the table at this endpoint. */
export async function startWire(table: string): Promise<Wire> {
  const traffics = new Map<string, Traffic>();
  const forwarded = new Map<string, Sent>();
  const proxy = getLocal();
  await proxy.start(await freePort());

  await proxy.forAnyRequest().thenCallback(async ({ headers, body }) => {
    const text = (await body.getText()) ?? '';
    const { host, connection, 'content-length': length, ...others } = headers as Record<string, string>;
    const forward = async () => {
      const response = await fetch(table, { method: 'POST', headers: others, body: text });
      return reply(response.status, response.headers.get('content-type') ?? '', await response.text());
    };
    const traffic = traffics.get(others[TRAFFIC] ?? '');
    if (!traffic) return forward();

    const operation = others['x-amz-target']?.split('.')[1] ?? '';
    const content: TableRequest['content'] = JSON.parse(text);
    const sent = sentOf(operation, content);
    traffic.sent.push(sent);
    // A transaction that is built anew has another text but is still the operation's one write.
    const request = operation === 'TransactWriteItems' ? `${operation} ${sent.isSeal}` : text;
    const time = traffic.times.get(request) ?? 0;
    traffic.times.set(request, time + 1);

    const { target = 'all', failures = [], forever = false, slowMs = 0, since = '' } = traffic.plan ?? {};
    if (TARGETS.batch(sent)) traffic.batch ??= request;
    const isHit = TARGETS[target](sent) && (target !== 'batch' || request === traffic.batch);
    const name = isHit ? failures[forever ? Math.min(time, failures.length - 1) : time] : undefined;
    const { index = '' } = sent;
    if (!name) {
      forwarded.set(others[SENDING] ?? '', sent);
      await traffic.between;
      const response = await forward();
      traffic.pages.set(index, response);
      return response;
    }
    traffic.firstHit.resolve();
    await sleep(slowMs);
    const failure: Failure = FAILURES[name];
    return failure({
      content,
      forward,
      hold: () => traffic.held.push(forward),
      meanwhile: () => {
        traffic.between = traffic.meanwhile();
        return traffic.between;
      },
      before: () => traffics.get(since)?.pages.get(index) as ApiResponse,
    });
  });

  return {
    url: `http://127.0.0.1:${proxy.port}`,
    open: (name, plan, meanwhile) => {
      const firstHit = Promise.withResolvers<void>();
      traffics.set(name, { plan, sent: [], times: new Map(), pages: new Map(), held: [], meanwhile, firstHit });
    },
    flush: async (name) => {
      for (const forward of traffics.get(name)?.held.splice(0) ?? []) await forward();
    },
    giveUp: (sending) => {
      const sent = forwarded.get(sending);
      if (sent) sent.isTooSlow = true;
    },
    hit: async (name) => traffics.get(name)?.firstHit.promise,
    sent: (name) => traffics.get(name)?.sent.filter(({ isTooSlow }) => !isTooSlow) ?? [],
  };
}
