import { text } from 'node:stream/consumers';
import { serve } from '../../infra/local/serve.ts';

/** A request that reached the API and the API's response to it, which the client may not have received. */
export interface Passed {
  method: string;
  status: number;
  /** Whether the response was replayed for the same Idempotency-Key. */
  isReplayed: boolean;
}

/** What the proxy does from now on. */
interface Plan {
  /** Drops the header Idempotency-Key, as if the key had expired. */
  dropsIdempotencyKeys: boolean;
  /** Calls `stop` once the API has responded to so many POSTs. The client does not get the last response. */
  stopAt: number;
  stop: () => void;
}

/** A proxy between a client and the API. */
export interface StartedProxy {
  url: string;
  /** Changes the plan and starts a new log of the requests that pass, which is returned. */
  open: (plan: Plan) => Passed[];
}

/** Those of some headers that there are. */
const picked = (headers: Record<string, unknown>, names: string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])));

/** Starts a proxy in front of an API. */
export async function startProxy(baseUrl: string, stops: (() => unknown)[]): Promise<StartedProxy> {
  let plan: Plan;
  let passed: Passed[];
  const { url, stop } = await serve(async (request, response) => {
    const log = passed;
    const { method = '', url: path = '' } = request;
    const sent = ['api-key', 'content-type', ...(plan.dropsIdempotencyKeys ? [] : ['idempotency-key'])];
    const body = await text(request);
    const headers = picked(request.headers, sent);
    const upstream = await fetch(baseUrl + path, { method, headers, ...(body && { body }) });
    const { status } = upstream;
    log.push({ method, status, isReplayed: upstream.headers.has('idempotent-replayed') });
    if (method === 'POST' && log.filter((each) => each.method === 'POST').length === plan.stopAt) return plan.stop();
    const shown = picked(Object.fromEntries(upstream.headers), ['content-type', 'retry-after', 'idempotent-replayed']);
    return response.writeHead(status, shown).end(await upstream.text());
  });
  stops.push(stop);
  return {
    url,
    open: (next) => {
      plan = next;
      passed = [];
      return passed;
    },
  };
}
