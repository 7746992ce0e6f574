import { isTransient } from '../aws/retry.ts';
import { Problem } from '../base/problem.ts';
import type { Middleware } from './middleware.ts';
import { response, urlOf } from './response.ts';

/** At random, so that callers do not all retry at once. */
const retryAfter = (): number => 1 + Math.floor(Math.random() * 5);

/**
 * Turns every error into a problem (RFC 9457). The API has no 5xx: an unexpected error becomes a 400 `server_error`
 * without internals (docs/decisions/0004-400-for-server-errors.md), with the error as its `cause` for the log.
 */
export const errorMapper = (): Middleware => ({
  onError: function errorMapper(request) {
    const error = request.error as Error;
    const { awsRequestId } = request.context;
    const problem = error instanceof Problem ? error : serverError(error);
    request.error = problem;
    const headers = {
      ...(problem.retryAfter !== undefined && { 'retry-after': String(problem.retryAfter) }),
      ...(problem.etag && { etag: problem.etag }),
    };
    request.response = response(
      problem.status,
      'application/problem+json',
      problem.toDocument(awsRequestId, urlOf('/docs/errors')),
      headers,
    );
  },
});

const UNAVAILABLE = 'The service is temporarily unavailable. Retry later.';
const UNEXPECTED = 'The request failed unexpectedly. If this persists, contact us with the request_id.';

const serverError = (cause: Error): Problem =>
  isTransient(cause)
    ? new Problem('server_error', UNAVAILABLE, { retryAfter: retryAfter(), cause })
    : new Problem('server_error', UNEXPECTED, { cause });
