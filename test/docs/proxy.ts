import { text } from 'node:stream/consumers';
import { serve } from '../../infra/local/serve.ts';

const problem = (status: number, code: string) => ({
  status,
  headers: { 'content-type': 'application/problem+json', 'retry-after': '1' },
  body: JSON.stringify({ type: 'about:blank', title: code, status, detail: code, code, request_id: 'none' }),
});
const ERROR_RESPONSES = {
  'rate limit': problem(429, 'rate_limited'),
  'server error': problem(400, 'server_error'),
  'gateway error': { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' },
};
type ErrorResponse = keyof typeof ERROR_RESPONSES;

/** What the proxy does to a POST. */
type InjectedFailure = 'cut before it arrives' | 'cut before its response' | 'cut within its response' | ErrorResponse;

/** A request that reached the API and the API's response to it, which the client may not have received. */
export interface Passed {
  method: string;
  status: number;
  /** Whether the response was replayed for the same Idempotency-Key. */
  isReplayed: boolean;
}

/** What the proxy does from now on. */
export interface Plan {
  /** Injected failures by the number of the POST they affect, from 1. */
  failures?: Record<number, InjectedFailure>;
  /** Drops the header Idempotency-Key, as if the key had expired. */
  dropsIdempotencyKeys?: boolean;
  /** Called after the API has responded to the POST of this number; the client gets no response. */
  stop?: { at: number; act: () => void };
}

/** A proxy between a client and the API that injects failures. */
export interface FailingProxy {
  url: string;
  /** Changes the plan and starts a new log of the requests that pass, which is returned. */
  open: (plan: Plan) => Passed[];
}

const isErrorResponse = (failure: InjectedFailure): failure is ErrorResponse => failure in ERROR_RESPONSES;

/** Those of some headers that there are. */
const picked = (headers: Record<string, unknown>, names: string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])));

/** Starts a proxy in front of an API. */
export async function startFailingProxy(baseUrl: string, stops: (() => unknown)[]): Promise<FailingProxy> {
  let plan: Plan = {};
  let passed: Passed[] = [];
  let posts = 0;
  const { url, stop } = await serve(async (request, response) => {
    const { method = '', url: path = '', socket } = request;
    const log = passed;
    const { failures = {}, dropsIdempotencyKeys, stop } = plan;
    const number = method === 'POST' ? ++posts : 0;
    const body = await text(request);
    const failure = failures[number];
    if (failure === 'cut before it arrives') return socket.destroy();
    if (failure && isErrorResponse(failure)) {
      const error = ERROR_RESPONSES[failure];
      return response.writeHead(error.status, error.headers).end(error.body);
    }
    const sent = ['api-key', 'content-type', ...(dropsIdempotencyKeys ? [] : ['idempotency-key'])];
    const headers = picked(request.headers, sent);
    const upstream = await fetch(baseUrl + path, { method, headers, ...(method === 'POST' && { body }) });
    const content = Buffer.from(await upstream.arrayBuffer());
    const { status } = upstream;
    log.push({ method, status, isReplayed: upstream.headers.has('idempotent-replayed') });
    if (number === stop?.at) return stop.act();
    if (failure === 'cut before its response') return socket.destroy();
    const shown = picked(Object.fromEntries(upstream.headers), ['content-type', 'retry-after', 'idempotent-replayed']);
    response.writeHead(status, { ...shown, 'content-length': content.length });
    if (failure === 'cut within its response') return response.write(content.subarray(0, 20), () => socket.destroy());
    return response.end(content);
  });
  stops.push(stop);
  return {
    url,
    open: (next) => {
      plan = next;
      passed = [];
      posts = 0;
      return passed;
    },
  };
}
