import type { Problem } from './client.ts';

export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly problem: Problem;
  /** Seconds to wait before a retry, if one can succeed. */
  readonly retryAfter: number | undefined;

  constructor(problem: Problem, retryAfter: number | undefined) {
    super(problem.detail);
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

/** There was no response, or none of the service: the connection was lost, or a gateway responded. */
export class NoResponse extends Error {
  override name = 'NoResponse';
}

/** Whether an error is a problem of the service with this code. */
export const isProblem = (error: unknown, code: string): error is ProblemError =>
  error instanceof ProblemError && error.problem.code === code;

const TIMEOUT_MS = 30_000;
const LONGEST_PAUSE_MS = 30_000;

/** Whether a later retry can succeed. */
export const isPassing = (error: Error): boolean =>
  error instanceof NoResponse || (error instanceof ProblemError && error.retryAfter !== undefined);

/** Milliseconds to wait before a retry: as the service says, else exponential backoff with full jitter. */
export const pauseMs = (error: Error, attempt: number): number =>
  error instanceof ProblemError && error.retryAfter !== undefined
    ? error.retryAfter * 1000
    : Math.random() * Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** attempt);

/** Whether nothing was executed, so that even a request without `Idempotency-Key` can be sent again. */
export const isUnexecuted = (error: Error): boolean => isProblem(error, 'rate_limited');

/** Whether a response is a problem of the service. */
const hasProblem = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/problem+json') === true;

/** What a person must do before a refused request can be sent again; `undefined` if that does not help. */
export async function signInFor(response: Response): Promise<'ended' | 'again' | undefined> {
  if (response.status === 401) return 'ended';
  if (response.status !== 403 || !hasProblem(response)) return undefined;
  const { code } = (await response.clone().json()) as Problem;
  return code === 'sign_in_again' ? 'again' : undefined;
}

/** Sends a request once, and reads the whole response. Throws NoResponse if there is none in time. */
export async function sendOnce(request: Request): Promise<Response> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const response = await fetch(request.clone(), { signal, redirect: 'error' });
    return new Response(await response.arrayBuffer(), response);
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw new NoResponse((error as Error).message);
  }
}

type Outcome<Data> = { data?: Data; error?: unknown; response: Response };

/** Returns the body of a response. Throws ProblemError for an error of the service; NoResponse for a gateway's. */
export async function bodyOf<Data>(outcome: Promise<Outcome<Data>>): Promise<Data> {
  return (await resultOf(outcome)).data;
}

export async function resultOf<Data>(outcome: Promise<Outcome<Data>>): Promise<{ data: Data; response: Response }> {
  const { data, error, response } = await outcome.catch((failure: Error) => {
    // A gateway's page, or a body that was cut.
    throw failure instanceof SyntaxError ? new NoResponse(failure.message) : failure;
  });
  if (response.ok) return { data: data as Data, response };
  if (!hasProblem(response)) throw new NoResponse(`HTTP ${response.status}`);
  const stated = response.headers.get('retry-after');
  throw new ProblemError(error as Problem, stated === null ? undefined : Math.max(1, Number(stated)));
}
