import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CancellationReason,
  type DynamoDBClientConfig,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
import { usage } from './usageMeter.ts';

/** Another writer was in the way: nothing was applied, and trying again from a fresh read may succeed. */
export class Contention extends Error {
  override name = 'Contention';
}

/** How long a request retries contention, throttling and lost reads, from the first of them on. */
export const RETRY_MS = 3_000;

/** When the request that is being answered stops retrying these; outside of one, when the work that has just failed does. */
function endOfRetries(): number {
  const used = usage();
  used.firstFailure ??= performance.now();
  return used.firstFailure + RETRY_MS;
}

/**
 * How long a request resends a write that may have been applied, from its start: what became of it must be known before
 * the response. Requests that are under way at the end still take their time: see sdk.ts.
 */
export const BUDGET_MS = 10_000;

/**
 * How often a request is resent in a row, all of its requests to the table together: while every one is throttled, a
 * call sends eight at most.
 */
const MOST_RETRIES = 6;

/** The pause before a retry, in milliseconds: exponential backoff with full jitter. */
const pause = (retries: number): number => Math.random() * Math.min(1_000, 50 * 2 ** retries);

/**
 * Runs an operation (its reads, its decision and its write) again while it meets contention, for {@link RETRY_MS}.
 *
 * @throws Contention when the time is up; any other error at once.
 */
export async function retrying<T>(operation: () => Promise<T>): Promise<T> {
  let end: number | undefined;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof Contention)) throw error;
      end ??= endOfRetries();
      const left = end - performance.now();
      if (left <= 0) throw error;
      await sleep(Math.min(pause(attempt), left));
      usage().restarts += 1;
    }
  }
}

/**
 * Waits until all work has ended, also when some of it fails, so that nothing goes on behind the response's back.
 *
 * @throws Error the first failure.
 */
export async function allDone<T extends readonly unknown[]>(
  work: {
    readonly [K in keyof T]: Promise<T[K]> | T[K];
  },
): Promise<T> {
  await Promise.allSettled(work);
  return Promise.all(work) as Promise<unknown> as Promise<T>;
}

const THROTTLED = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);

/** Whether a step of a transaction met another one. */
export const wasInConflict = ({ Code }: CancellationReason): boolean => Code === 'TransactionConflict';

/** Whether a step's condition did not hold. */
export const wasRefused = ({ Code }: CancellationReason): boolean => Code === 'ConditionalCheckFailed';

/** Why a transaction was cancelled although no condition speaks against it; empty for any other error. */
const obstaclesOf = (error: unknown): CancellationReason[] =>
  error instanceof TransactionCanceledException && !error.CancellationReasons?.some(wasRefused)
    ? (error.CancellationReasons ?? []).filter((reason) => wasInConflict(reason) || THROTTLED.has(reason.Code ?? ''))
    : [];

/** Whether a transaction was cancelled by another one or a busy table, which says nothing against the write itself. */
export const wasObstructed = (error: unknown): boolean => obstaclesOf(error).length > 0;

/** Whether a transaction was cancelled for throttling alone, so that it can be sent again as it is. */
const wasThrottled = (error: unknown): boolean => wasObstructed(error) && !obstaclesOf(error).some(wasInConflict);

type Failure = Error & { cause?: Error };

/**
 * Whether a service was slow or out of reach, or what came back was not its response, or not all of it. Its own errors
 * have a `$fault`. A request that failed so may have been executed.
 */
const isLost = (error: Failure): boolean =>
  isTransientError(error) || isServerError(error) || ('$response' in error && !('$fault' in error));

/** Whether a service refused to execute a request for now. */
const isThrottled = (error: Failure): boolean => isThrottlingError(error) || wasThrottled(error);

/** Whether the same request may succeed later. */
export const isTransient = (error: unknown): boolean =>
  error instanceof Contention || wasObstructed(error) || isThrottled(error as Failure) || isLost(error as Failure);

/**
 * The retry quota of the process, after the AWS SDKs' standard retry mode: a retry takes 5 tokens, and gives them back
 * when it succeeds; any other success adds one. When most requests fail, a process makes ten retries, and from then on
 * the table gets little more than the load that there is without any. The SDK starts with 500, which a process that serves one
 * request at a time would hardly use up.
 */
export class RetryQuota {
  static readonly CAPACITY = 50;
  static readonly COST = 5;
  #tokens = RetryQuota.CAPACITY;

  /** Takes what a retry costs, if it is there. */
  take(): boolean {
    if (this.#tokens < RetryQuota.COST) return false;
    this.#tokens -= RetryQuota.COST;
    return true;
  }

  /** Notes a success: of a retry, if it took tokens, or of a first attempt. */
  refill(tookTokens: boolean): void {
    this.#tokens = Math.min(RetryQuota.CAPACITY, this.#tokens + (tookTokens ? RetryQuota.COST : 1));
  }
}

/** Writes whose outcome nobody knows. */
const uncertain = new WeakSet<object>();

/** Whether a write that failed so may have been applied all the same: to decide it anew could find its own effect. */
export const mayBeApplied = (error: object): boolean => uncertain.has(error);

type Strategy = Extract<DynamoDBClientConfig['retryStrategy'], { acquireInitialRetryToken: unknown }>;
type Token = Awaited<ReturnType<Strategy['acquireInitialRetryToken']>> & {
  started: number;
  /** When retries of anything but an uncertain write end; set by the first failure. */
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

const isTriedOnce = new AsyncLocalStorage<true>();

/** Does some work whose requests are not retried: the response waits for it, and does not depend on it. */
export const withoutRetries = <T>(work: () => Promise<T>): Promise<T> => isTriedOnce.run(true, work);

/** The scope by which the strategy knows a write; client.ts sets it. */
export const WRITE = 'write';

/**
 * How the SDK retries a single request: as it is, a write under its ClientRequestToken.
 *
 * - What was throttled or lost, up to {@link MOST_RETRIES} times in a row, within {@link RETRY_MS} and the quota.
 * - A write that was lost may have been applied. It is sent until it is known, within {@link BUDGET_MS}; also when it
 *   meets another writer then, as what was applied says so.
 */
export function retryStrategy(quota = new RetryQuota()): Strategy {
  return {
    acquireInitialRetryToken: async (scope) =>
      token({
        ...{ started: usage().started, end: undefined, isWrite: scope === WRITE },
        ...{ isUncertain: false, tookTokens: false },
      }),
    async refreshRetryTokenForRetry(last, { error }) {
      if (isTriedOnce.getStore()) throw new Error('No retry');
      const { started, isWrite, end = endOfRetries(), ...before } = last as Token;
      const count = last.getRetryCount();
      const failure = error as Failure;
      const isUncertain = before.isUncertain || (isWrite && isLost(failure));
      const delay = pause(count);
      const isInTime = performance.now() + delay < (isUncertain ? started + BUDGET_MS : end);
      if (isUncertain) uncertain.add(failure);
      const isWorthIt = isUncertain ? isTransient(failure) : isThrottled(failure) || isLost(failure);
      if (!isWorthIt || !isInTime || (!isUncertain && !(count < MOST_RETRIES && mayRetry())))
        throw new Error('No retry');
      return token({ started, end, isWrite, isUncertain, tookTokens: !isUncertain }, count + 1, delay);
    },
    recordSuccess(last) {
      usage().retriesInARow = 0;
      quota.refill((last as Token).tookTokens);
    },
  };

  function mayRetry(): boolean {
    const used = usage();
    if (used.retriesInARow >= MOST_RETRIES || !quota.take()) return false;
    used.retriesInARow += 1;
    return true;
  }
}
