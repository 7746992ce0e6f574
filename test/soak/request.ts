import { ENDPOINTS } from '../../infra/template/definitions.ts';
import type { Call } from './call.ts';
import type { Acquirer } from './world.ts';

/** A request over HTTP. */
export interface Request {
  method: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** The request for a call of an acquirer. */
export function requestOf(
  { operation, route = ENDPOINTS[operation]?.events[0].httpApi ?? '', path = {}, query = {}, ...call }: Call,
  acquirer: Acquirer,
): Request {
  const [method = '', template = ''] = route.split(' ');
  const parameters = new URLSearchParams(query).toString();
  const { body, idempotencyKey, apiKey = acquirer.api_key } = call;
  return {
    method,
    path:
      template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? '')) +
      (parameters && `?${parameters}`),
    headers: {
      ...(apiKey && { 'API-KEY': apiKey }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  };
}
