import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { serve } from '../../infra/local/serve.ts';

/** What happens to a POST on its way to the API. */
type Fault = 'cut before it arrives' | 'cut before its response' | 'cut within its response' | Refusal;
type Refusal = 'rate limit' | 'server error' | 'gateway error';

/** A request and the API's own response to it, which the client may not have received. */
export interface Passed {
  method: string;
  path: string;
  body: string;
  status: number;
  /** The response is that of an earlier request with the same Idempotency-Key. */
  isReplayed: boolean;
}

/** What is done to requests from now on. */
export interface Plan {
  /** Faults by the number of the POST that they hit, from 1. */
  faults?: Record<number, Fault>;
  /** Leaves out the header Idempotency-Key, as if it were forgotten by now. */
  forgetsKeys?: boolean;
  /** Called after the API has responded to the POST of this number; its client gets no response. */
  stop?: { at: number; act: () => void };
}

/** A proxy between a client and the API. */
export interface Way {
  url: string;
  /** Starts to do something else, and to note what passes anew. Returns what it notes. */
  open: (plan: Plan) => Passed[];
}

const problem = (status: number, code: string) => ({
  status,
  headers: { 'content-type': 'application/problem+json', 'retry-after': '1' },
  body: JSON.stringify({ type: 'about:blank', title: code, status, detail: code, code, request_id: 'none' }),
});
const REFUSALS: Record<Refusal, { status: number; headers: Record<string, string>; body: string }> = {
  'rate limit': problem(429, 'rate_limited'),
  'server error': problem(400, 'server_error'),
  'gateway error': { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' },
};
const isRefusal = (fault: Fault): fault is Refusal => Object.hasOwn(REFUSALS, fault);

const headersOf = ({ headers }: IncomingMessage, names: string[]): [string, string][] =>
  names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : []));

/** Starts a proxy before an API. */
export async function startWay(baseUrl: string, stops: (() => Promise<void>)[]): Promise<Way> {
  let plan: Plan = {};
  let passed: Passed[] = [];
  let posts = 0;
  const { url, stop } = await serve(async (request, response) => {
    const { method = '', url: path = '', socket } = request;
    const noted = passed;
    const { faults = {}, forgetsKeys, stop } = plan;
    const number = method === 'POST' ? ++posts : 0;
    const body = await text(request);
    const fault = faults[number];
    if (fault === 'cut before it arrives') return socket.destroy();
    if (fault && isRefusal(fault)) {
      const refusal = REFUSALS[fault];
      return response.writeHead(refusal.status, refusal.headers).end(refusal.body);
    }
    const headers = headersOf(request, ['api-key', 'content-type', ...(forgetsKeys ? [] : ['idempotency-key'])]);
    const upstream = await fetch(baseUrl + path, { method, headers, ...(method === 'POST' && { body }) });
    const content = Buffer.from(await upstream.arrayBuffer());
    noted.push({
      method,
      path,
      body,
      status: upstream.status,
      isReplayed: upstream.headers.has('idempotent-replayed'),
    });
    if (number === stop?.at) return stop.act();
    if (fault === 'cut before its response') return socket.destroy();
    const shown = ['content-type', 'retry-after', 'idempotent-replayed'].flatMap((name) => {
      const value = upstream.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    response.writeHead(upstream.status, { ...Object.fromEntries(shown), 'content-length': content.length });
    if (fault === 'cut within its response') return response.write(content.subarray(0, 20), () => socket.destroy());
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
