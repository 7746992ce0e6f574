import { Problem } from '../base/problem.ts';
import { isTransient } from '../table/retry.ts';
import type { Middleware } from './middleware.ts';
import { response, urlOf } from './response.ts';

/**
 * Seconds that a caller is asked to wait before it repeats a request that failed for no fault of its own: 1 to 5, at
 * random, so that many callers do not come back at once.
 */
const retryAfter = (): number => 1 + Math.floor(Math.random() * 5);

/**
 * Answers every error as problem details (RFC 9457). The interface knows no 5xx, so what is nobody's refusal is a 400
 * without internals (docs/decisions/0004-400-for-server-errors.md); the middleware `log` finds its cause in it.
 */
export const errorMapper = (): Middleware => ({
  onError: function errorMapper(request) {
    const error = request.error as Error;
    const { awsRequestId } = request.context;
    const problem = error instanceof Problem ? error : serverError(error);
    request.error = problem;
    const headers = problem.retryAfter !== undefined && { 'retry-after': String(problem.retryAfter) };
    request.response = response(
      problem.status,
      'application/problem+json',
      problem.toDocument(awsRequestId, urlOf('/docs/errors')),
      headers || undefined,
    );
  },
});

const serverError = (cause: Error): Problem =>
  isTransient(cause)
    ? new Problem(
        'server_error',
        'The service cannot answer just now. Nothing is wrong with the request; repeat it later.',
        {
          retryAfter: retryAfter(),
          cause,
        },
      )
    : new Problem('server_error', 'The service failed. Tell us the request_id if this goes on.', { cause });
