import { setTimeout as sleep } from 'node:timers/promises';
import { type CancellationReason, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { isServerError, isThrottlingError, isTransientError, StandardRetryStrategy } from '@smithy/core/retry';
import { setting } from '../base/config.ts';
import { type Budget, type RequestContext, requestContext } from './requestContext.ts';

/** A conflict with another write. Nothing was applied; a retry from a fresh read may succeed. */
export class Conflict extends Error {
  override name = 'Conflict';
}

/** How long a request retries conflicts, throttling and lost reads, from the first failure, in milliseconds. */
export const RETRY_MS = 3_000;

/**
 * The budget of a member check, because a customer is waiting (docs/decisions/0033-the-tills-own-budget.md). A
 * connection that died unnoticed takes half of it, and a retry has the rest.
 */
export const TILL: Budget = {
  get totalMs() {
    return setting('MEMBER_CHECK_MS');
  },
  get attemptMs() {
    return this.totalMs / 2;
  },
};

/** When the budget of an API request ends, by `performance.now()`. */
const endOfBudget = ({ started, budget }: RequestContext): number =>
  started + (budget?.totalMs ?? Number.POSITIVE_INFINITY);

/** How long an attempt may last now, in milliseconds: `Infinity` without a budget, not positive if it is used up. */
export function attemptMs(): number {
  const context = requestContext();
  const { attemptMs: most = Number.POSITIVE_INFINITY } = context.budget ?? {};
  return Math.min(most, endOfBudget(context) - performance.now());
}

/** When to stop retrying, by `performance.now()`. Outside an API request, the time starts with this failure. */
function endOfRetries(): number {
  const context = requestContext();
  context.firstFailure ??= performance.now();
  return Math.min(context.firstFailure + RETRY_MS, endOfBudget(context));
}

/**
 * How long a request retries a write that may have been applied, from its start, in milliseconds: the response depends
 * on the outcome.
 */
export const BUDGET_MS = 10_000;

/** The most retries in a row, over all table requests of an API request. */
const MOST_RETRIES = 6;

/** The pause before a retry, in milliseconds: exponential backoff with full jitter. */
const pause = (retries: number): number => Math.random() * Math.min(1_000, 50 * 2 ** retries);

/** A pause without backoff, for a rare write that must get through between others. */
export const SHORT_PAUSE: typeof pause = () => Math.random() * 50;

/**
 * Runs an operation (reads, decision and write), and retries it on conflicts, for {@link RETRY_MS} or until the budget
 * ends.
 *
 * @throws Conflict when the time is up. Any other error is thrown at once.
 */
export async function retrying<T>(operation: () => Promise<T>, pauseBefore = pause): Promise<T> {
  let end: number | undefined;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      end ??= endOfRetries();
      const left = end - performance.now();
      if (left <= 0) throw error;
      await sleep(Math.min(pauseBefore(attempt), left));
      requestContext().restarts += 1;
    }
  }
}

/** Like `Promise.all`, but waits for all promises even if one rejects, so that no work continues after the response. */
export async function allDone<T extends readonly unknown[]>(
  work: {
    readonly [K in keyof T]: Promise<T[K]> | T[K];
  },
): Promise<T> {
  await Promise.allSettled(work);
  return Promise.all(work) as Promise<unknown> as Promise<T>;
}

const THROTTLED = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);

export const wasInConflict = ({ Code }: CancellationReason): boolean => Code === 'TransactionConflict';

export const wasRefused = ({ Code }: CancellationReason): boolean => Code === 'ConditionalCheckFailed';

/** The conflicts and throttling that cancelled a transaction, unless a condition failed. */
const transientReasonsOf = (error: unknown): CancellationReason[] =>
  error instanceof TransactionCanceledException && !error.CancellationReasons?.some(wasRefused)
    ? (error.CancellationReasons ?? []).filter((reason) => wasInConflict(reason) || THROTTLED.has(reason.Code ?? ''))
    : [];

/** Whether a transaction was cancelled only by conflicts or throttling, so that a retry may succeed. */
export const wasCancelledTransiently = (error: unknown): boolean => transientReasonsOf(error).length > 0;

/** Whether a transaction was cancelled by throttling alone, so that the same request can be retried. */
const wasThrottled = (error: unknown): boolean =>
  wasCancelledTransiently(error) && !transientReasonsOf(error).some(wasInConflict);

/** An error of the SDK, with what {@link noteOutcome} adds to it. */
type Failure = Error & { cause?: Error } & Partial<Outcome>;

/** What is known of a failed request, or of an attempt to send it. */
export interface Outcome {
  /** Whether no response depends on the request, so that it is not sent again. */
  isSentOnce?: true;
  /** Whether the response to an attempt was lost, which may have been executed. */
  isLost: boolean;
}

/**
 * Whether a response was lost: a timeout, a connection error, a 5xx, or one that is incomplete or not the service's own
 * (its errors have a `$fault`). The request may have been executed.
 */
const isLost = (error: Failure): boolean =>
  isTransientError(error) || isServerError(error) || ('$response' in error && !('$fault' in error));

export const isThrottled = (error: object): boolean => isThrottlingError(error as Failure) || wasThrottled(error);

/** A write whose response was lost, and of which nobody knows whether it was applied. */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown';
}

/** Whether the same request may succeed later. */
export const isTransient = (error: unknown): boolean =>
  error instanceof Conflict ||
  error instanceof OutcomeUnknown ||
  wasCancelledTransiently(error) ||
  (typeof error === 'object' && error !== null && (isThrottled(error as Failure) || isLost(error as Failure)));

/** Notes on the error of an attempt what is known of all attempts so far, which share `outcome`. */
export function noteOutcome(error: object, outcome: Outcome): void {
  outcome.isLost ||= isLost(error as Failure) && !isThrottled(error);
  Object.assign(error, outcome);
}

/**
 * The SDK's standard retry mode, which has a quota per process, with limits for the API request: all of its requests to
 * the table share {@link MOST_RETRIES} in a row and {@link RETRY_MS}, and none is retried once its budget has ended. A
 * retry sends the same request; that of a write has the same ClientRequestToken.
 */
export class RetryStrategy extends StandardRetryStrategy {
  constructor() {
    const computeNextBackoffDelay = (retries: number): number =>
      Math.min(pause(retries), Math.max(0, endOfRetries() - performance.now()));
    super({ maxAttempts: 1 + MOST_RETRIES, backoff: { setDelayBase() {}, computeNextBackoffDelay } });
  }

  override async refreshRetryTokenForRetry(...[token, info]: Parameters<Refresh>): ReturnType<Refresh> {
    const context = requestContext();
    const failure = info.error as Failure;
    // Also those that the SDK does not know: a transaction cancelled by throttling, a response that is none.
    const errorType = isThrottled(failure) ? 'THROTTLING' : isLost(failure) ? 'TRANSIENT' : undefined;
    const isOver = context.retriesInARow >= MOST_RETRIES || performance.now() >= endOfRetries();
    if (!errorType || failure.isSentOnce || isOver) throw new Error('No retry');
    context.retriesInARow += 1;
    return super.refreshRetryTokenForRetry(token, { ...info, errorType });
  }

  override recordSuccess(...[token]: Parameters<StandardRetryStrategy['recordSuccess']>): void {
    requestContext().retriesInARow = 0;
    super.recordSuccess(token);
  }
}
type Refresh = StandardRetryStrategy['refreshRetryTokenForRetry'];

/**
 * Sends a write again for as long as its outcome is unknown, until {@link BUDGET_MS} from the start of the API request.
 * All have the same ClientRequestToken, so it is applied once, and a conflict then tells nothing.
 *
 * @throws OutcomeUnknown when the time is up. Any other error means that it was not applied.
 */
export async function untilKnown<T>(send: () => Promise<T>): Promise<T> {
  const context = requestContext();
  const end = Math.min(context.started + BUDGET_MS, endOfBudget(context));
  let isUnknown = false;
  for (let resent = 0; ; resent += 1) {
    try {
      return await send();
    } catch (error) {
      isUnknown ||= (error as Failure).isLost === true;
      if (!isUnknown || !isTransient(error)) throw error;
      const delay = pause(resent);
      if (performance.now() + delay >= end)
        throw new OutcomeUnknown('It is not known whether a write was applied', { cause: error });
      await sleep(delay);
    }
  }
}
