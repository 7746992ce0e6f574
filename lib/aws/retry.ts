import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CancellationReason,
  type DynamoDBClientConfig,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
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

type Failure = Error & { cause?: Error };

/**
 * Whether a response was lost: a timeout, a connection error, a 5xx, or one that is incomplete or not the service's own
 * (its errors have a `$fault`). The request may have been executed.
 */
const isLost = (error: Failure): boolean =>
  isTransientError(error) || isServerError(error) || ('$response' in error && !('$fault' in error));

export const isThrottled = (error: object): boolean => isThrottlingError(error as Failure) || wasThrottled(error);

/** Whether the same request may succeed later. */
export const isTransient = (error: unknown): boolean =>
  error instanceof Conflict ||
  wasCancelledTransiently(error) ||
  (typeof error === 'object' && error !== null && (isThrottled(error as Failure) || isLost(error as Failure)));

/**
 * The retry quota of the process, as in the AWS SDKs' standard retry mode: a retry takes 5 tokens and returns them if
 * it succeeds; any other success adds one. The SDK starts with 500, which a process with one request at a time hardly
 * uses up.
 */
export class RetryQuota {
  static readonly CAPACITY = 50;
  static readonly COST = 5;
  #tokens = RetryQuota.CAPACITY;

  take(): boolean {
    if (this.#tokens < RetryQuota.COST) return false;
    this.#tokens -= RetryQuota.COST;
    return true;
  }

  refill(tookTokens: boolean): void {
    this.#tokens = Math.min(RetryQuota.CAPACITY, this.#tokens + (tookTokens ? RetryQuota.COST : 1));
  }
}

const uncertain = new WeakSet<object>();

/** Whether a write may have been applied. Deciding it again could then find its own effect. */
export const mayBeApplied = (error: object): boolean => uncertain.has(error);

type Strategy = Extract<DynamoDBClientConfig['retryStrategy'], { acquireInitialRetryToken: unknown }>;
type Token = Awaited<ReturnType<Strategy['acquireInitialRetryToken']>> & {
  /** When retries of a write end whose outcome is unknown. */
  endOfWrite: number;
  /** When all other retries end; set by the first failure. */
  end: number | undefined;
  isWrite: boolean;
  isUncertain: boolean;
  tookTokens: boolean;
};

const token = (state: Omit<Token, 'getRetryCount' | 'getRetryDelay'>, count = 0, delay = 0): Token => ({
  ...state,
  getRetryCount: () => count,
  getRetryDelay: () => delay,
});

const mode = new AsyncLocalStorage<'once' | 'write'>();

/** Runs some work without retries: the response waits for it but does not depend on it. */
export const withoutRetries = <T>(work: () => Promise<T>): Promise<T> => mode.run('once', work);

export const isWithoutRetries = (): boolean => mode.getStore() === 'once';

/** Sends a write, which is retried until its outcome is known: see {@link retryStrategy}. */
export const asWrite = <T>(send: () => Promise<T>): Promise<T> =>
  isWithoutRetries() ? send() : mode.run('write', send);

/**
 * The SDK's retry strategy. A retry sends the same request; that of a write has the same ClientRequestToken.
 *
 * - Throttled and lost requests are retried up to {@link MOST_RETRIES} times in a row, within {@link RETRY_MS} and the
 *   quota.
 * - A lost write may have been applied. It is retried until its outcome is known, within {@link BUDGET_MS}. A conflict
 *   is then retried too: if the write was applied, the token returns its outcome.
 * - Nothing is retried once the budget of the API request has ended.
 */
export function retryStrategy(quota = new RetryQuota()): Strategy {
  return {
    acquireInitialRetryToken: async () =>
      token({
        endOfWrite: Math.min(requestContext().started + BUDGET_MS, endOfBudget(requestContext())),
        end: undefined,
        isWrite: mode.getStore() === 'write',
        isUncertain: false,
        tookTokens: false,
      }),
    async refreshRetryTokenForRetry(last, { error }) {
      if (isWithoutRetries()) throw new Error('No retry');
      const { endOfWrite, isWrite, end = endOfRetries(), ...before } = last as Token;
      const count = last.getRetryCount();
      const failure = error as Failure;
      const isUncertain = before.isUncertain || (isWrite && isLost(failure));
      const delay = pause(count);
      const isInTime = performance.now() + delay < (isUncertain ? endOfWrite : end);
      if (isUncertain) uncertain.add(failure);
      const isWorthIt = isUncertain ? isTransient(failure) : isThrottled(failure) || isLost(failure);
      if (!isWorthIt || !isInTime || (!isUncertain && !(count < MOST_RETRIES && takeRetry())))
        throw new Error('No retry');
      return token({ endOfWrite, end, isWrite, isUncertain, tookTokens: !isUncertain }, count + 1, delay);
    },
    recordSuccess(last) {
      requestContext().retriesInARow = 0;
      quota.refill((last as Token).tookTokens);
    },
  };

  function takeRetry(): boolean {
    const context = requestContext();
    if (context.retriesInARow >= MOST_RETRIES || !quota.take()) return false;
    context.retriesInARow += 1;
    return true;
  }
}
