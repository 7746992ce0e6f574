import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CancellationReason,
  type DynamoDBClientConfig,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
import { usage } from './usage.ts';

/** Another writer, or a busy table, was in the way: nothing was applied, and trying again from a fresh read may do. */
export class Contention extends Error {
  override name = 'Contention';
  /** It was the table, and is given time to recover. */
  readonly wasThrottled: boolean;

  constructor(message: string, { cause, wasThrottled = false }: { cause?: unknown; wasThrottled?: boolean } = {}) {
    super(message, { cause });
    this.wasThrottled = wasThrottled;
  }
}

/**
 * How long a request tries, from its start. After this nothing is tried again; what has begun goes on to its end, which
 * is at most four requests, once each, away: see sdk.ts.
 */
export const BUDGET_MS = 10_000;

/** When the request that is being answered stops trying; outside of one, a budget begins now. */
const deadline = (): number => usage().started + BUDGET_MS;

/** The pause before a request is sent again, in milliseconds, with full jitter: the table is given time to recover. */
const pauseBeforeSending = (count: number): number => Math.random() * Math.min(1_000, 60 * 2 ** count);

/** An attempt of a race that was lost. */
export interface Lost {
  /** How many were lost before it. */
  attempt: number;
  /** How long it took, its reads and its write, in milliseconds. */
  lasted: number;
  /** What is left of the time budget, in milliseconds; more than none. */
  left: number;
}

/**
 * The pause after a lost race, in milliseconds, with full jitter. Its bound begins at five times what the attempt took,
 * as after shorter ones the losers meet again, and doubles. But it is 3 s at the most, and the less the more of the time
 * is used up, so that those who have waited longest go first: docs/decisions/0001-positions.md. It is never less than
 * what the attempt took.
 *
 * @param random from 0 up to 1.
 */
export const pauseAfter = ({ attempt, lasted, left }: Lost, random: number = Math.random()): number =>
  random * Math.max(lasted, Math.min(5 * lasted * 2 ** attempt, 3_000 * (left / BUDGET_MS) ** 1.5));

/**
 * Runs an operation (its reads, its decision and its write) again for as long as it meets contention and the time
 * budget lasts. Reading afresh after the wait, not before it, is what makes many writers of one list finish soon: see
 * docs/decisions/0001-positions.md.
 *
 * @throws Contention when the budget is used up; any other error at once.
 */
export async function retrying<T>(operation: () => Promise<T>): Promise<T> {
  const end = deadline();
  for (let attempt = 0; ; attempt += 1) {
    const begun = performance.now();
    try {
      return await operation();
    } catch (error) {
      const now = performance.now();
      const left = end - now;
      if (!(error instanceof Contention) || left <= 0) throw error;
      const pause = error.wasThrottled
        ? pauseBeforeSending(attempt)
        : pauseAfter({ attempt, lasted: now - begun, left });
      await sleep(Math.min(pause, left));
      usage().restarts += 1;
    }
  }
}

const THROTTLED = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);

/** Whether a step of a transaction met a busy table. */
export const wasThrottled = ({ Code = '' }: CancellationReason): boolean => THROTTLED.has(Code);

/** Whether a step of a transaction met another writer or a busy table: neither says anything against the write itself. */
export const wasBusy = (reason: CancellationReason): boolean =>
  reason.Code === 'TransactionConflict' || wasThrottled(reason);

/** Whether a step's condition did not hold. */
export const wasRefused = ({ Code }: CancellationReason): boolean => Code === 'ConditionalCheckFailed';

/** Whether a transaction was cancelled although nothing speaks against it. */
export const wasInTheWay = (error: unknown): boolean =>
  error instanceof TransactionCanceledException &&
  error.CancellationReasons?.some(wasBusy) === true &&
  !error.CancellationReasons.some(wasRefused);

type Failure = Error & { cause?: Error };

/**
 * Whether a service was busy, slow or out of reach, or what came back was not its answer, or not all of it. Its own
 * errors have a `$fault`.
 */
const wasLost = (error: Failure): boolean =>
  [isThrottlingError, isTransientError, isServerError].some((passes) => passes(error)) ||
  ('$response' in error && !('$fault' in error));

/** Whether what failed may succeed when the same is asked again later. */
export const mayPass = (error: Failure): boolean => error instanceof Contention || wasInTheWay(error) || wasLost(error);

type Strategy = Extract<DynamoDBClientConfig['retryStrategy'], { acquireInitialRetryToken: unknown }>;
type Token = Awaited<ReturnType<Strategy['acquireInitialRetryToken']>> & { end: number };

const token = (end: number, count = 0, delay = 0): Token => ({
  end,
  getRetryCount: () => count,
  getRetryDelay: () => delay,
});

/**
 * How the SDK repeats a single request that was throttled, slow or lost: as it is, a write under its
 * ClientRequestToken, until the request's time budget ends.
 *
 * After such a failure nobody knows whether a write was applied. So if it then meets another writer, it is not decided
 * anew from a fresh read, which might show its own effect, but sent once more: what was applied answers so.
 */
export const withinBudget: Strategy = {
  acquireInitialRetryToken: async () => token(deadline()),
  async refreshRetryTokenForRetry(last, { error }) {
    const { end } = last as Token;
    const count = last.getRetryCount();
    const pause = pauseBeforeSending(count);
    const isWorthIt = wasLost(error as Failure) || (count > 0 && wasInTheWay(error));
    if (!isWorthIt || performance.now() + pause > end) throw new Error('Not to be tried again');
    return token(end, count + 1, pause);
  },
  recordSuccess() {},
};
