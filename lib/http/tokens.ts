import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { requestContext } from '../aws/requestContext.ts';
import { isThrottled, withoutRetries } from '../aws/retry.ts';
import { setting } from '../base/config.ts';
import { type Limit, limitError } from '../base/limit.ts';
import { positive, seconds } from '../base/values.ts';
import { table, tableName } from '../table/client.ts';
import { type Key, rateLimitKey } from '../table/keys.ts';

/**
 * Requests that count against the same limit. Member checks have their own, so that an import never delays a till. What
 * people request also counts against a limit per person, and sign-ins against one per address.
 */
export type Share = 'requests' | 'member-checks' | 'people' | 'sign-ins';

/** State of one share in the current window. Times are in milliseconds since 1970. */
interface Window {
  limit: Limit;
  start: number;
  end: number;
  /** Tokens that this process granted in the previous window, or in the last one before leases were throttled. */
  before: number;
  /** Tokens that this process granted in this window. */
  granted: number;
  /** Tokens that this process may still grant without a lease. */
  unleased: number;
  /** Unused leased tokens of this process. */
  leased: number;
  /** Tokens leased by all processes, as of the last lease. */
  taken: number;
  /** Tokens that requests wait for. */
  waiting: number;
  lease: Promise<void> | undefined;
  isThrottled: boolean;
}

/** Whether a request is accepted, and the state of its share for the response headers. */
export interface Allowance {
  isAccepted: boolean;
  share: Share;
  /** Tokens per window, and the length of the window in seconds. */
  quota: number;
  window: number;
  /** Tokens left in this window, as far as this process knows. */
  remaining: number;
  /** Seconds until the next window. */
  reset: number;
  /** Returns leased tokens that the request did not use. They end with their window. */
  giveBack: (tokens: number) => void;
}

/**
 * Tokens that a process grants per window without a lease. Below that, reads of an acquirer cause no further table
 * usage.
 */
const UNLEASED = 2;

interface Wanted {
  tokens?: number;
  /** Whether all its tokens are leased, so that no number of processes exceeds the quota. */
  isLeased?: boolean;
}

/**
 * Leases tokens of a window, which all processes share.
 *
 * @param ends When the window ends, in milliseconds since 1970.
 * @returns How many tokens all processes have leased, including these. It may exceed the quota.
 */
export type Lease = (key: Key, tokens: number, ends: number) => Promise<number>;

/**
 * Limits acquirers across processes (docs/decisions/0020-leased-rate-limits.md). In each window, a process grants
 * {@link UNLEASED} tokens to reads without a lease, and leases all others from the window's item. So all processes
 * together grant at most the quota, plus {@link UNLEASED} per process to reads.
 */
export class RateLimiter {
  readonly #windows = new Map<string, Window>();
  readonly #lease: Lease;
  readonly #now: () => number;

  constructor(lease: Lease, now: () => number = () => Date.now()) {
    this.#lease = lease;
    this.#now = now;
  }

  /**
   * Accepts a request and takes all its tokens, or rejects it and takes none. If a lease fails, this process logs it
   * and leases no more until the window ends. Throttled, it keeps to its share of the previous window: more requests
   * would only add to the load. Otherwise it accepts all requests.
   */
  async take(
    acquirer: string,
    share: Share,
    limit: Limit,
    { tokens = 1, isLeased = false }: Wanted = {},
  ): Promise<Allowance> {
    for (;;) {
      const window = this.#windowOf(acquirer, share, limit);
      const isAccepted = accepts(window, tokens, isLeased);
      const missing = tokens - window.leased;
      const isExhausted = missing > window.limit.burst - window.taken;
      if (isAccepted || isExhausted) return this.#allowance(window, share, isAccepted);
      window.waiting += tokens;
      window.lease ??= this.#extend(window, rateLimitKey(acquirer, share, window.start / 1000), missing);
      await window.lease;
      window.waiting -= tokens;
    }
  }

  #windowOf(acquirer: string, share: Share, limit: Limit): Window {
    const now = this.#now();
    const length = (limit.burst / limit.rate) * 1000;
    // While API keys are cached, two keys of an acquirer may have different limits.
    const name = `${acquirer}#${share}#${length}`;
    const start = now - (now % length);
    const last = this.#windows.get(name);
    if (last?.start === start) {
      last.limit = limit;
      return last;
    }
    for (const [other, { end }] of this.#windows) if (end < start) this.#windows.delete(other);
    const known = last?.isThrottled ? last.before : last?.granted;
    const window: Window = {
      limit,
      start,
      end: start + length,
      before: last?.end === start && known ? known : 0,
      granted: 0,
      unleased: UNLEASED,
      leased: 0,
      taken: 0,
      waiting: 0,
      lease: undefined,
      isThrottled: false,
    };
    this.#windows.set(name, window);
    return window;
  }

  async #extend(window: Window, key: Key, missing: number): Promise<void> {
    // Lets concurrent requests join the lease.
    await Promise.resolve();
    const tokens = leaseSize(window, missing);
    try {
      window.taken = await this.#lease(key, tokens, window.end);
      window.leased += Math.min(tokens, Math.max(0, tokens - (window.taken - window.limit.burst)));
    } catch (error) {
      requestContext().failures.limiter.push(error);
      // Until the window ends, so that no other request is delayed.
      if (isThrottled(error as object)) {
        window.isThrottled = true;
        window.leased = Math.max(window.leased, window.before - window.granted);
        window.taken = window.limit.burst;
      } else window.leased = Number.POSITIVE_INFINITY;
    } finally {
      window.lease = undefined;
    }
  }

  #allowance(window: Window, share: Share, isAccepted: boolean): Allowance {
    const { limit, end, leased, taken, granted } = window;
    return {
      isAccepted,
      share,
      quota: limit.burst,
      window: limit.burst / limit.rate,
      remaining: Math.max(0, limit.burst - Math.max(Math.min(taken, limit.burst) - leased, granted)),
      // The window may have ended since the clock was first read.
      reset: Math.max(1, Math.ceil((end - this.#now()) / 1000)),
      giveBack(tokens) {
        window.leased += tokens;
        window.granted -= tokens;
      },
    };
  }
}

/** Grants leased tokens or, to reads, unleased ones. Returns `false` if neither suffice. */
function accepts(window: Window, tokens: number, isLeased: boolean): boolean {
  if (window.leased >= tokens) window.leased -= tokens;
  else if (!isLeased && window.unleased >= tokens) window.unleased -= tokens;
  else return false;
  window.granted += tokens;
  return true;
}

/**
 * The size of the next lease: first the usage of the previous window, then a quarter of this window's usage (all of it
 * in a process's first window), and at most an eighth of the remaining quota, because other processes cannot use leased
 * tokens. But never less than what the first request that waits is missing.
 */
function leaseSize({ limit, before, granted, taken, waiting }: Window, missing: number): number {
  const more = Math.ceil(before > 0 ? granted / 4 : granted);
  const wanted = Math.max(before - granted, more, waiting);
  return Math.max(missing, Math.min(wanted, Math.ceil((limit.burst - taken) / 8)));
}

const LEASE_MS = 300;

/** Retention of a window's item after its end, in seconds. It must exceed the difference between clocks. */
const RETENTION_S = 3600;

export const rateLimitItem = v.object({ taken: positive, ttl: seconds });

/**
 * Leases from the table by an unconditional addition, which never conflicts. It is not retried: if the response was
 * lost, a retry would take tokens twice.
 */
const leaseFromTable: Lease = async (key, tokens, ends) => {
  const input = {
    TableName: tableName(),
    Key: key,
    UpdateExpression: 'ADD taken :tokens SET #ttl = :ttl',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':tokens': tokens, ':ttl': ends / 1000 + RETENTION_S },
    ReturnValues: 'UPDATED_NEW' as const,
  };
  const { Attributes } = await withoutRetries(() =>
    table.send(new UpdateCommand(input), { abortSignal: AbortSignal.timeout(LEASE_MS) }),
  );
  return Attributes?.['taken'];
};

/**
 * The stage's limit, for acquirers without their own. `undefined` if RATE is 0.
 *
 * @throws Error when it is not valid.
 */
function readStageLimit(): Limit | undefined {
  const limit = { rate: Number(setting('RATE')), burst: Number(setting('BURST')) };
  if (limit.rate === 0) return undefined;
  const reason = limitError(limit);
  if (reason) throw new Error(`The environment variables RATE and BURST are invalid. ${reason}`);
  return limit;
}

let stage: { limit: Limit | undefined } | undefined;
function stageLimit(): Limit | undefined {
  stage ??= { limit: readStageLimit() };
  return stage.limit;
}

const limiter = new RateLimiter(leaseFromTable);

/** Counts a request against its acquirer's limit. Returns `undefined` if it has none. */
export const takeTokens = async (
  { id, limit = stageLimit() }: { id: string; limit?: Limit | undefined },
  share: Share,
  wanted: Wanted,
): Promise<Allowance | undefined> => limit && limiter.take(id, share, limit, wanted);

const PERSON: Limit = { rate: 10, burst: 100 };

/** Counts a request against the limit of a person. Returns `undefined` if the stage has no limit. */
export const takePersonTokens = async (person: string): Promise<Allowance | undefined> =>
  stageLimit() && limiter.take(person, 'people', PERSON);
