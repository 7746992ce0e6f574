import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Served, serve } from '../../infra/local/serve.ts';

/** A service that works, until it fails. */
export interface Failing extends Served {
  /** Fails from now on, until the next call. `undefined`: works again. A service that refuses connections never works again. */
  fail: (how: Failure | undefined) => Promise<void>;
  /** Requests that reached the service so far. */
  requests: () => number;
}

const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.0' };
/** How long a slow service takes, in milliseconds: more than the 2 s that general requests wait, so that the two never race. */
const SLOW_MS = 2_300;

/** What a service does with a request. It is forwarded if this returns `true`. */
const FAILURES = {
  'never responds': () => false,
  'stalls after the headers': (response: ServerResponse) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': 99 }).write('{');
    return false;
  },
  'responds after more than 2 s': async (response: ServerResponse) => {
    await sleep(SLOW_MS);
    // Nobody waits any more.
    return !response.destroyed;
  },
  'throttles every request': (response: ServerResponse) => {
    response.writeHead(400, JSON_TYPE).end('{"__type":"com.amazon.coral.availability#ThrottlingException"}');
    return false;
  },
  // No request arrives.
  'refuses connections': () => false,
} satisfies Record<string, (response: ServerResponse) => boolean | Promise<boolean>>;

export type Failure = keyof typeof FAILURES;
export const FAILURE_NAMES = Object.keys(FAILURES) as Failure[];

/**
 * Starts a proxy in front of a service on this machine, such as a table.
 *
 * @param target URL of the service.
 */
export async function startFailing(target: string): Promise<Failing> {
  let requests = 0;
  let failure: Failure | undefined;
  const { url, stop } = await serve(async (request, response) => {
    requests += 1;
    const { host, connection, 'content-length': length, ...headers } = request.headers as Record<string, string>;
    const body = await text(request);
    if (failure && !(await FAILURES[failure](response))) return;
    const forwarded = await fetch(target, { method: 'POST', headers, body });
    const type = forwarded.headers.get('content-type') ?? '';
    response.writeHead(forwarded.status, { 'content-type': type }).end(await forwarded.text());
  });
  let isStopped = false;
  const stopOnce = async () => {
    if (!isStopped) await stop();
    isStopped = true;
  };
  return {
    url,
    stop: stopOnce,
    requests: () => requests,
    async fail(how) {
      failure = how;
      if (how === 'refuses connections') await stopOnce();
    },
  };
}
