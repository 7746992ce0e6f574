import { setting } from '../base/config.ts';
import type { HandlerResult, Middleware, Response } from './middleware.ts';
import { warningsOf } from './warnings.ts';

/** The public URL of a path; a base URL may itself end in a path. */
export const urlOf = (path: string): string => setting('BASE_URL').replace(/\/+$/, '') + path;

/**
 * 200 with a resource, or what else was asked for.
 *
 * @param beside Members of the body beside `data`.
 */
export const ok = (data: unknown, beside: object = {}): HandlerResult => ({ status: 200, body: { data, ...beside } });

/** 201 with what was created, and where it can be read. */
export const created = (data: unknown, path: string): HandlerResult => ({
  status: 201,
  body: { data },
  location: urlOf(path),
});

/** A response that is never to be kept by a cache: it belongs to one acquirer and changes without notice. */
export const response = (statusCode: number, type: string, body: unknown, headers = {}): Response => ({
  statusCode,
  headers: { 'content-type': type, 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(body),
});

/** The header that marks an answer which was given before. */
export const REPLAYED = 'idempotent-replayed';

/** Makes a handler's answer an HTTP response. Warnings are about this request, so a kept answer has none of its own. */
export const json = (): Middleware => ({
  after: function json(request) {
    const { status, body, location, isReplay } = request.response as HandlerResult;
    const warnings = warningsOf(request.event);
    const all = warnings.length > 0 ? { ...body, warnings } : body;
    request.response = response(status, 'application/json', all, {
      ...(location && { location }),
      ...(isReplay && { [REPLAYED]: 'true' }),
    });
  },
});
