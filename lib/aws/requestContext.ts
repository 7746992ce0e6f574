import { AsyncLocalStorage } from 'node:async_hooks';

export interface TableRequest {
  /** Operation of the DynamoDB API, such as `GetItem`. */
  operation: string;
  duration_ms: number;
  attempts: number;
  read_units: number;
  write_units: number;
  /** Only if no response depends on it, so that nobody is charged for it. */
  isSentOnce?: true;
  /** Only if it failed, so that the table has not reported its units. */
  isFailed?: true;
}

/** How long an API request may wait for the table and other services, in milliseconds. */
export interface Budget {
  /** From the start of the API request. */
  totalMs: number;
  /** For one attempt, from connecting to the end of the response. */
  attemptMs: number;
}

/** Failures that no response depends on, for the log. Conflicts and throttling are not among them. */
interface Failures {
  /** Why branch lists could not be sealed, or search entries not be stored. */
  seal: unknown[];
  /** Why tokens of a rate limit could not be leased: see lib/limits/rateLimiter.ts. */
  limiter: unknown[];
  /** Why the use of the API key or of the session could not be recorded: see keyUse.ts. */
  keyUse: unknown[];
  /** Why it could not be recorded that a terminal was seen: see lastSeen.ts. */
  lastSeen: unknown[];
  /** Why a refused request could not be kept: see lib/refusedRequests/keep.ts. */
  refusedRequest: unknown[];
  /** Why an operation has not responded to a call of an assistant: see lib/assistants/operation.ts. */
  operation: unknown[];
  /** Why a page that waits could not be made due after a test: see testWebhook.ts. */
  dueWebhook: unknown[];
  /** Why a secret could not be fetched again, so that what the process knows stays in use: see secret.ts. */
  secret: unknown[];
}

/** What the clients of AWS share within one API request. */
export interface RequestContext {
  /** By `performance.now()`. */
  started: number;
  /** `undefined` for the general limits of retry.ts and sdk.ts. */
  budget: Budget | undefined;
  tableRequests: TableRequest[];
  /** How often an operation was retried after a conflict: see retry.ts. */
  restarts: number;
  /** When a table request or an operation first failed in a way that is retried; by `performance.now()`. */
  firstFailure: number | undefined;
  /** Retries of table requests since the last success. */
  retriesInARow: number;
  /** How far this process's clock is provably from the table's, in milliseconds: see clockSkew.ts. */
  clockSkewMs: number;
  /** Whether the request only validates a change (`validate_only=true`): then `transact` writes nothing. */
  isValidation: boolean;
  failures: Failures;
}

const newContext = (budget?: Budget): RequestContext => ({
  started: performance.now(),
  budget,
  tableRequests: [],
  restarts: 0,
  firstFailure: undefined,
  retriesInARow: 0,
  clockSkewMs: 0,
  isValidation: false,
  failures: {
    seal: [],
    limiter: [],
    keyUse: [],
    lastSeen: [],
    refusedRequest: [],
    operation: [],
    dueWebhook: [],
    secret: [],
  },
});

const current = new AsyncLocalStorage<RequestContext>();

/**
 * Runs some work as an API request: within it, {@link requestContext} returns one context.
 *
 * @param budget Ends its waiting sooner than the general limits.
 */
export const inRequest = <T>(work: () => T, budget?: Budget): T => current.run(newContext(budget), work);

/**
 * Runs some work of an API request that may wait only so many milliseconds for services, and no longer than the request
 * itself. All that it asks of the table counts as the request's.
 */
export function within<T>(ms: number, work: () => T): T {
  const context = requestContext();
  const { totalMs = Number.POSITIVE_INFINITY } = context.budget ?? {};
  const ends = performance.now() - context.started + ms;
  return current.run({ ...context, budget: { totalMs: Math.min(totalMs, ends), attemptMs: ms } }, work);
}

/** The context of the surrounding {@link inRequest}. Outside of one, changes to it are lost. */
export const requestContext = (): RequestContext => current.getStore() ?? newContext();
