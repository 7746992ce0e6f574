import { ENDPOINTS } from '../../infra/template/definitions.ts';
import { SESSION_COOKIE } from '../../lib/people/session.ts';
import { BASE_URL } from '../proofs/model/responses.ts';
import type { Send } from '../proofs/model/world.ts';
import { CONTRACT, contractViolations } from '../support/contract.ts';

/** Longer than a function may take. */
const TIMEOUT_MS = 30_000;

/** The headers of responses that are checked. */
const HEADERS = ['Content-Type', 'Cache-Control', ...Object.keys(CONTRACT.components.headers)];

const HEADERS_OF_ALL = { 'content-type': 'application/json', connection: 'close' };

/** For requests with an unknown route. */
const UNKNOWN_ROUTE = 'DELETE /ext/api/v1/unknown';

/**
 * Sends requests to a server over HTTP, and checks what applies to every response: docs/openapi.json, its headers, and
 * that it has no API key.
 */
export const sender =
  (baseUrl: string): Send =>
  async (operation, { key, session, path = {}, query = {}, headers = {}, body }) => {
    const route = (ENDPOINTS[operation]?.events[0].httpApi ?? '').replace('*', UNKNOWN_ROUTE);
    const [method = '', template = ''] = route.split(' ');
    const place = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''));
    const response = await fetch(`${baseUrl}${place}?${new URLSearchParams(query)}`, {
      method,
      // The server closes idle connections, which a request can be too late to see.
      headers: {
        ...headers,
        ...(key !== undefined && { 'api-key': key }),
        ...(session && { cookie: `${SESSION_COOKIE}=${session.cookie}`, 'acting-as': session.actingAs }),
        ...HEADERS_OF_ALL,
      },
      body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = (await response.text()).replaceAll(baseUrl, BASE_URL);
    const { status } = response;
    const received = HEADERS.flatMap((name) => {
      const value = response.headers.get(name)?.replace(baseUrl, BASE_URL);
      // A parameter, such as the charset of the local server, does not change the type.
      return value === undefined ? [] : [[name.toLowerCase(), value.replace(/;.*/, '')]];
    });
    const sent = { status, headers: Object.fromEntries(received), body: JSON.parse(text) };
    const violations = [
      ...(operation === 'unknownRoute' ? [] : contractViolations(operation, sent)),
      ...(sent.headers['cache-control'] === 'no-store' ? [] : ['it can be cached']),
      ...(/^[\da-f-]{36}$/.test(sent.headers['x-request-id']) ? [] : ['it has no request id']),
      ...(text.includes('apk_') ? ['it has an API key'] : []),
    ];
    if (violations.length === 0) return sent;
    throw new Error(`${method} ${place}: ${violations.join('; ')}\n${status} ${text}`);
  };
