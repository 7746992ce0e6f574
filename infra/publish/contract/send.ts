import { SESSION_COOKIE } from '../../../lib/people/session.ts';
import { routeKey } from '../../stack/template/definitions.ts';
import { CONTRACT, contractViolations } from './conformity.ts';
import type { AnyOperation, ApiResponse, Request } from './invoke.ts';

/** Longer than a function may take. */
const TIMEOUT_MS = 30_000;

const HEADERS = ['Content-Type', 'Cache-Control', ...Object.keys(CONTRACT.components.headers)];

/** For requests with an unknown route. */
const UNKNOWN_ROUTE = 'DELETE /ext/api/v1/unknown';

const SHOWS_KEY: readonly string[] = ['createKey', 'rotateKey'];

/** A response that this service never sends. */
export class BadResponse extends Error {
  readonly requestId: string | undefined;

  constructor(message: string, requestId: string | undefined) {
    super(message);
    this.requestId = requestId;
  }
}

/** Sends a request of an operation. */
export type Send = (operation: AnyOperation, request: Request) => Promise<ApiResponse>;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/**
 * Sends requests to a server over HTTP, and checks what applies to every response: the contract, its headers, and that it
 * has no API key.
 *
 * @param shownAs The base URL that responses are returned with, in place of the server's.
 * @returns A function that throws {@link BadResponse}.
 */
export const sender =
  (baseUrl: string, shownAs: string): Send =>
  async (operation, { key, session, path = {}, query = {}, headers = {}, body }) => {
    const route = routeKey(operation).replace('$default', UNKNOWN_ROUTE);
    const [method = '', template = ''] = route.split(' ');
    const sentPath = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''));
    const search = new URLSearchParams(query).toString();
    const response = await fetch(`${baseUrl}${sentPath}${search && `?${search}`}`, {
      method,
      headers: {
        ...headers,
        ...(key !== undefined && { 'api-key': key }),
        ...(session && { cookie: `${SESSION_COOKIE}=${session.cookie}`, 'acting-as': session.actingAs }),
        'content-type': 'application/json',
        // A local server closes idle connections, which a request can be too late to see.
        ...(baseUrl.startsWith('http:') && { connection: 'close' }),
      },
      body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
      // The key or session would go along.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = (await response.text()).replaceAll(baseUrl, shownAs);
    const { status } = response;
    const received = HEADERS.flatMap((name) => {
      const value = response.headers.get(name)?.replace(baseUrl, shownAs);
      if (value === undefined) return [];
      // A parameter, such as the charset of the local server, does not change the type.
      return [[name.toLowerCase(), name === 'Content-Type' ? value.replace(/;.*/, '') : value]];
    });
    const sent: ApiResponse = { status, headers: Object.fromEntries(received), body: parsed(text) };
    const requestId = sent.headers['x-request-id'];
    const violations = [
      ...(operation === 'unknownRoute' ? [] : contractViolations(operation, sent)),
      ...(sent.headers['cache-control'] === 'no-store' ? [] : ['it can be cached']),
      ...(/^[\da-f-]{36}$/.test(requestId ?? '') ? [] : ['it has no request id']),
      ...(text.includes('apk_') && !SHOWS_KEY.includes(operation) ? ['it has an API key'] : []),
    ];
    if (violations.length === 0) return sent;
    throw new BadResponse(`${method} ${template}: ${violations.join('; ')}\n${status} ${text}`, requestId);
  };
