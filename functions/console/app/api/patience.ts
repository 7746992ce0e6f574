import type { Problem } from './client.ts';
import { Interrupted } from './interrupted.ts';

/** Why nothing is sent until a time (milliseconds since 1970): the rate limit, the service, or a lost connection. */
export interface Waiting {
  until: number;
  reason: 'rate_limit' | 'service' | 'connection';
}

/** What the client resolves to. */
export interface Outcome {
  data?: unknown;
  error?: unknown;
  response: Response;
}

export interface PatienceOptions {
  /** Ends all waiting. */
  signal: AbortSignal;
  /** Whether responses that are under way then may still arrive, so that their requests need not be sent again. */
  hasGrace?: boolean;
  /** Called when a wait begins or is extended, and with `undefined` when it ends. */
  onWaiting?: (waiting: Waiting | undefined) => void;
}

/** Sends a request until the service has responded, and returns its data or its problem. */
export type Patience = <O extends Outcome>(send: () => Promise<O>) => Promise<Answer<O>>;
type Answer<O extends Outcome> =
  | { data: NonNullable<O['data']>; problem?: undefined }
  | { data?: undefined; problem: Problem };

/**
 * Limits of waits in milliseconds, which tests shorten: the longest one after the first attempt without a response,
 * which doubles with each attempt; the longest of all; and how long responses that are under way may still take.
 */
export const WAITS = { first: 2_000, longest: 30_000, grace: 5_000 };

/** Why an outcome can be different later; `undefined` if it cannot. */
function reasonOf(outcome: Outcome | undefined): Waiting['reason'] | undefined {
  if (!outcome) return 'connection';
  const { status, ok, headers } = outcome.response;
  if (status === 429) return 'rate_limit';
  if (status >= 500 || headers.has('Retry-After')) return 'service';
  return ok && outcome.data === undefined ? 'connection' : undefined;
}

/** Milliseconds to wait: as `Retry-After` says, else exponential backoff with full jitter. */
function pauseMs(outcome: Outcome | undefined, attempt: number): number {
  const stated = Number(outcome?.response.headers.get('Retry-After'));
  return stated > 0 ? 1000 * stated : Math.random() * Math.min(WAITS.longest, WAITS.first * 2 ** (attempt - 1));
}

/** An error response of something between the browser and the service, such as a firewall. */
const foreign = ({ status }: Response): Problem => ({
  type: 'about:blank',
  title: 'Unexpected response',
  status,
  detail: `HTTP ${status} from a server before the service.`,
  code: 'unexpected_response',
  request_id: '',
});

/** Settles as a promise does, or rejects when the signal is aborted before. Leaves nothing on the signal. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new Interrupted());
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

/** Waits for some milliseconds. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return unlessAborted(promise, signal).finally(() => clearTimeout(timer));
}

/**
 * Sends requests patiently, all of them together: after a 429, a response with `Retry-After`, a 5xx or a lost
 * connection, none is sent until the time to wait is over. A request is then sent again as it was, so it must be safe
 * to repeat.
 *
 * @throws Interrupted when the signal is aborted, and with the problem of a 401, a 403 or a foreign response.
 */
export function createPatience({ signal, hasGrace = false, onWaiting }: PatienceOptions): Patience {
  let until = 0;
  const cut = new AbortController();
  const cutOff = () => setTimeout(() => cut.abort(), hasGrace ? WAITS.grace : 0);
  signal.addEventListener('abort', cutOff, { once: true });

  async function turn() {
    if (signal.aborted) throw new Interrupted();
    if (until === 0) return;
    while (until > Date.now()) await sleep(until - Date.now(), signal);
    if (until > 0) onWaiting?.(undefined);
    until = 0;
  }

  return async <O extends Outcome>(send: () => Promise<O>) => {
    for (let attempt = 1; ; attempt += 1) {
      await turn();
      const outcome = await unlessAborted(send(), cut.signal).catch((error: Error) => {
        // The person did not sign in again when they were asked to.
        if (error instanceof Interrupted || error.name === 'NotSignedIn') throw new Interrupted();
        return undefined;
      });
      const reason = reasonOf(outcome);
      if (outcome && !reason) return answerOf(outcome);
      if (!reason) continue;
      until = Math.max(until, Date.now() + pauseMs(outcome, attempt));
      onWaiting?.({ until, reason });
    }
  };
}

function answerOf<O extends Outcome>({ data, error, response }: O): Answer<O> {
  if (response.ok) return { data: data as NonNullable<O['data']> };
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  const problem = isProblem ? (error as Problem) : foreign(response);
  if (!isProblem || problem.status === 401 || problem.status === 403) throw new Interrupted(problem);
  return { problem };
}
