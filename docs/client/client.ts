import createFetchClient, { type MaybeOptionalInit, type Middleware } from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

export type { components, paths };

/** The body of an error response (RFC 9457). Handle it by its `code`. A 422 lists its field errors in `errors`. */
export type Problem = components['schemas']['Problem'];

export interface Settings {
  /** Your base URL. */
  baseUrl: string;
  /** Your API key. Keep it on your servers. */
  apiKey: string;
  /** Maximum number of attempts of a request. Default 5. */
  attempts?: number;
  /** Timeout of each attempt in milliseconds. Default 30,000. */
  timeoutMs?: number;
}

type Method = 'get' | 'post' | 'patch' | 'delete';
type PathWith<M extends Method> = { [P in keyof paths]: undefined extends paths[P][M] ? never : P }[keyof paths];
type Init<P extends keyof paths, M extends Method> = MaybeOptionalInit<paths[P], M>;
type BodyOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never;
type Success<Operation> = Operation extends { responses: infer R } ? BodyOf<R[keyof R & (200 | 201)]> : never;

/**
 * Sends a request. The types of openapi-fetch would expand the string type of `code`. This type keeps it, and types
 * every error as a {@link Problem}.
 */
type Call<M extends Method> = <P extends PathWith<M>>(
  path: P,
  ...init: undefined extends Init<P, M> ? [Init<P, M>?] : [Init<P, M>]
) => Promise<
  | { data: Success<paths[P][M]>; error?: never; response: Response }
  | { data?: never; error: Problem; response: Response }
>;

/** One function for each HTTP method. */
export type Client = { GET: Call<'get'>; POST: Call<'post'>; PATCH: Call<'patch'>; DELETE: Call<'delete'> };

const MOST_SECONDS = 30;

/** Whether a response comes from the service. Any error that is not a problem comes from a gateway or proxy. */
const isOfService = ({ ok, headers }: Response): boolean =>
  ok || headers.get('content-type')?.startsWith('application/problem+json') === true;

const isResponse = (outcome: Response | Error): outcome is Response => 'headers' in outcome;

/** Whether a retry can succeed after this response or failure. */
const isPassing = (outcome: Response | Error): boolean =>
  !isResponse(outcome) || outcome.headers.has('Retry-After') || outcome.status === 429 || outcome.status >= 500;

/** Milliseconds to wait before the next attempt: as `Retry-After` says, else exponential backoff with full jitter. */
function pauseAfter(outcome: Response | Error, attempt: number): number {
  const stated = isResponse(outcome) ? Number(outcome.headers.get('Retry-After')) : 0;
  return 1000 * (stated > 0 ? stated : Math.random() * Math.min(MOST_SECONDS, 2 ** attempt));
}

/** Sends a request once and reads the whole response. A redirect is a response. */
async function exchange(request: Request, timeoutMs: number): Promise<Response> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
  const response = await fetch(request.clone(), { signal });
  return new Response(await response.arrayBuffer(), response);
}

const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Follows no redirect, also with the options and `fetch` of a call: the API key, which is a header, would go along to
 * another host, and a POST could become a GET. The service never redirects.
 */
const withoutRedirects: Middleware = {
  onRequest: ({ request }) => new Request(request, { redirect: 'manual' }),
  onResponse({ request, response }) {
    const { status, headers } = response;
    if (REDIRECTS.includes(status)) {
      const [from, to] = [request.url, new URL(headers.get('Location') ?? '', request.url)].map(withoutQuery);
      throw new Error(
        `HTTP ${status}: ${from} redirects to ${to}, where nothing was sent. Set baseUrl to your base URL.`,
      );
    }
    if (!isOfService(response)) throw new Error(`HTTP ${status} from a gateway before the service`);
  },
};

const withoutQuery = (url: string | URL): string => String(url).replace(/[?#].*/, '');

/**
 * Creates a client whose paths, parameters, bodies and responses are typed as in the API's contract. See
 * https://openapi-ts.dev/openapi-fetch for how to call it. A call resolves to `data`, or to an `error` that is a
 * {@link Problem}. It rejects if its last attempt gets no response from the service, or a redirect, which it never follows.
 *
 * The client retries after a broken connection, a timeout, a 429, a 5xx and any response with `Retry-After`. Every POST
 * has an `Idempotency-Key`, a random one unless you set it, so a retry does not execute it twice. A retried archive,
 * restore or DELETE can return `already_archived`, `not_archived` or `not_found` because its first attempt succeeded.
 */
export function createClient({ baseUrl, apiKey, attempts = 5, timeoutMs = 30_000 }: Settings): Client {
  async function send(request: Request): Promise<Response> {
    if (request.method === 'POST' && !request.headers.has('Idempotency-Key'))
      request.headers.set('Idempotency-Key', crypto.randomUUID());
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await exchange(request, timeoutMs).catch((error: Error) => error);
      if (attempt >= attempts || request.signal.aborted || !isPassing(outcome)) {
        if (!isResponse(outcome)) throw outcome;
        return outcome;
      }
      await new Promise((done) => setTimeout(done, pauseAfter(outcome, attempt)));
    }
  }
  const client = createFetchClient<paths>({ baseUrl, headers: { 'API-KEY': apiKey }, fetch: send });
  client.use(withoutRedirects);
  return client as Client;
}
