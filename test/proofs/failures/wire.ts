import { setTimeout as sleep } from 'node:timers/promises';
import { getLocal } from 'mockttp';
import { freePort } from '../../../infra/local/engine.ts';
import { apiKeyKey, branchListKey } from '../../../lib/table/keys.ts';
import { type ApiResponse, FAILURES, type Failure, type FailureName, reply, type TableRequest } from './failures.ts';

/** Which of an operation's requests a fault hits; of its batches only the first. */
export type Target = 'all' | 'key' | 'reads' | 'batch' | 'index' | 'write' | 'look' | 'seal';

/** A request that reached the wire. */
export interface Sent {
  /** The API's operation, such as `GetItem`. */
  operation: string;
  /** Whether it looks an API key up. */
  isKey: boolean;
  index?: string;
  /** ClientRequestToken of a write. */
  token?: string;
  /** It ranks branches of a list, which is no operation's own write. */
  isSeal?: true;
  /** No fault hit it, and yet its sender gave it up: the machine is too busy. That it is sent again is no news. */
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

/** What goes wrong on the wire: a fault for each time that the same request is sent, the last one for ever if `forever`. */
export interface Plan {
  target: Target;
  failures: FailureName[];
  forever?: boolean;
  /** Each fault takes so many milliseconds longer. */
  slowMs?: number;
  /** Name of earlier traffic, whose answers of an index are given again where a fault does so. */
  since?: string;
}

/** All that is sent for one request of a partner. */
interface Traffic {
  plan: Plan | undefined;
  sent: Sent[];
  /** How often each request was sent. */
  times: Map<string, number>;
  /** The first batch. */
  batch?: string;
  /** The last answer of each index. */
  pages: Map<string, ApiResponse>;
  /** Requests that have not yet arrived although their sender is done with them. */
  held: (() => Promise<unknown>)[];
  meanwhile: () => Promise<unknown>;
  /** What somebody else does between a request and its repetition, once it has begun. */
  between?: Promise<unknown>;
  firstHit: PromiseWithResolvers<void>;
}

/** Headers that tell whose traffic a request is, and of which no two that are sent have the same. */
export const TRAFFIC = 'x-traffic';
export const SENDING = 'x-sending';

/** A proxy before the table, at `url`, in which anything can go wrong. */
export interface Wire {
  url: string;
  /** From now on what is sent under a name goes wrong by a plan, if it has one. */
  open: (name: string, plan: Plan | undefined, meanwhile: () => Promise<unknown>) => void;
  /** Lets what was held back under a name arrive. */
  flush: (name: string) => Promise<void>;
  /** Notes that a sender has given up what it sent. */
  giveUp: (sending: string) => void;
  /** Resolves when something has gone wrong under a name. */
  hit: (name: string) => Promise<void>;
  /** What was sent under a name so far. */
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

/** Starts a proxy before the table at an endpoint. */
export async function startWire(table: string): Promise<Wire> {
  const traffics = new Map<string, Traffic>();
  const unharmed = new Map<string, Sent>();
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
    // A write that is decided anew says something else, and is still the operation's one write.
    const request = operation === 'TransactWriteItems' ? `${operation} ${sent.isSeal}` : text;
    const time = traffic.times.get(request) ?? 0;
    traffic.times.set(request, time + 1);

    const { target = 'all', failures = [], forever = false, slowMs = 0, since = '' } = traffic.plan ?? {};
    if (TARGETS.batch(sent)) traffic.batch ??= request;
    const isHit = TARGETS[target](sent) && (target !== 'batch' || request === traffic.batch);
    const name = isHit ? failures[forever ? Math.min(time, failures.length - 1) : time] : undefined;
    const { index = '' } = sent;
    if (!name) {
      unharmed.set(others[SENDING] ?? '', sent);
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
      const sent = unharmed.get(sending);
      if (sent) sent.isTooSlow = true;
    },
    hit: async (name) => traffics.get(name)?.firstHit.promise,
    sent: (name) => traffics.get(name)?.sent.filter(({ isTooSlow }) => !isTooSlow) ?? [],
  };
}
