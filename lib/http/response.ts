import { setting } from '../base/config.ts';
import { etagOf } from '../base/state.ts';
import { urlUnder } from '../base/url.ts';
import type { HandlerResult, Middleware, Response } from './middleware.ts';
import { warningsOf } from './warnings.ts';

export const urlOf = (path: string): string => urlUnder(setting('BASE_URL'), path);

/** A 200 with `data`, and further members of the body. */
export const ok = (data: unknown, members: object = {}): HandlerResult => ({ status: 200, body: { data, ...members } });

/** A 201 with the created resource. `Location` is the URL of `path`. */
export const created = (data: unknown, path: string): HandlerResult => ({
  status: 201,
  body: { data },
  location: urlOf(path),
});

/** The response with a secret in its data, which nothing stores and no replay shows. */
export const withSecret = ({ body, ...result }: HandlerResult, secret: string): HandlerResult => ({
  ...result,
  body: { ...body, data: { ...(body.data as object), secret: null } },
  secret,
});

/** A response with a JSON body. No cache may store it: it is for one acquirer, and resources can change at any time. */
export const response = (statusCode: number, type: string, body: unknown, headers = {}): Response => ({
  statusCode,
  headers: { 'content-type': type, 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(body),
});

/** The `ETag` of a response with one branch, terminal or webhook: what else has an `updated_at` is in a list. */
const etagHeader = (data: unknown) =>
  typeof data === 'object' && data !== null && 'updated_at' in data
    ? { etag: etagOf(data as Parameters<typeof etagOf>[0]) }
    : {};

export const REPLAYED = 'idempotent-replayed';

/**
 * Turns a handler's result into an HTTP response. Warnings are those of this request; saved responses have none. A
 * validation is a 200 without the headers of what it would have created or changed.
 */
export const json = (): Middleware => ({
  after: function json(request) {
    const { status, body, secret, location, isReplay, cookies } = request.response as HandlerResult;
    const warnings = warningsOf(request.event);
    const isValidation = request.event.options?.validate_only;
    const data = secret && !isValidation ? { ...(body.data as object), secret } : body.data;
    const all = { ...body, data, ...(warnings.length > 0 && { warnings }) };
    request.response = response(isValidation ? 200 : status, 'application/json', all, {
      ...(!isValidation && { ...(location && { location }), ...etagHeader(body.data) }),
      ...(isReplay && { [REPLAYED]: 'true' }),
    });
    if (cookies) request.response.cookies = cookies;
  },
});
