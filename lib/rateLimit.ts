import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { setting } from './base/config.ts';
import { type Limit, limitError } from './base/limit.ts';
import { positive, seconds } from './base/values.ts';
import { table, tableName } from './table/client.ts';
import { type Key, rateLimitKey } from './table/keys.ts';
import { withoutRetries } from './table/retry.ts';
import { usage } from './table/usageMeter.ts';

/** Requests that count against the same limit. Member checks have their own, so that an import never delays a till. */
export type Share = 'requests' | 'member-checks';

/** State of one share in the current window. Times are in milliseconds since 1970. */
interface Window {
  limit: Limit;
  start: number;
  end: number;
  /** Requests that this process accepted in the previous window. */
  before: number;
  /** Requests that this process accepted in this window. */
  accepted: number;
  /** Requests that this process may still accept without a lease. */
  unleased: number;
  /** Unused leased tokens of this process. */
  leased: number;
  /** Tokens leased by all processes, as of the last lease. */
  taken: number;
  /** Requests that wait for a lease. */
  waiting: number;
  lease: Promise<void> | undefined;
}

/** Whether a request is accepted, and the state of its share for the response headers. */
export interface Allowance {
  isAccepted: boolean;
  share: Share;
  /** Limit of requests per window, and the length of the window in seconds. */
  quota: number;
  window: number;
  /** Requests left in this window, as far as this process knows. */
  remaining: number;
  /** Seconds until the next window. */
  reset: number;
}

/** Requests that a process accepts per window without a lease. Below that, an acquirer causes no table usage. */
const UNLEASED = 2;

/**
 * Leases tokens of a window, which all processes share.
 *
 * @param ends When the window ends, in milliseconds since 1970.
 * @returns How many tokens all processes have leased, including these. It may exceed the quota.
 */
export type Lease = (key: Key, tokens: number, ends: number) => Promise<number>;

/**
 * Limits acquirers across processes (docs/decisions/0020-leased-rate-limits.md). In each window, a process accepts
 * {@link UNLEASED} requests without a lease, and leases tokens from the window's item for the others. So all processes
 * together accept at most the quota, plus {@link UNLEASED} per process.
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
   * Accepts or rejects a request. If a lease fails, this process logs it and accepts all requests until the window
   * ends.
   */
  async take(acquirer: string, share: Share, limit: Limit): Promise<Allowance> {
    for (;;) {
      const window = this.#windowOf(acquirer, share, limit);
      const isAccepted = accepts(window);
      const isExhausted = window.taken >= window.limit.burst;
      if (isAccepted || isExhausted) return this.#allowance(window, share, isAccepted);
      window.waiting += 1;
      window.lease ??= this.#extend(window, rateLimitKey(acquirer, share, window.start / 1000));
      await window.lease;
      window.waiting -= 1;
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
    const before = last?.end === start ? last.accepted : 0;
    const window: Window = {
      limit,
      start,
      end: start + length,
      before,
      accepted: 0,
      unleased: UNLEASED,
      leased: 0,
      taken: 0,
      waiting: 0,
      lease: undefined,
    };
    this.#windows.set(name, window);
    return window;
  }

  async #extend(window: Window, key: Key): Promise<void> {
    // Lets concurrent requests join the lease.
    await undefined;
    const tokens = leaseSize(window);
    try {
      window.taken = await this.#lease(key, tokens, window.end);
      const granted = Math.min(tokens, Math.max(0, tokens - (window.taken - window.limit.burst)));
      window.leased += granted;
    } catch (error) {
      usage().limiterFailures.push(error);
      // Until the window ends: with the table unreachable, another lease would only delay each request.
      window.leased = Number.POSITIVE_INFINITY;
    } finally {
      window.lease = undefined;
    }
  }

  #allowance({ limit, end, leased, taken, accepted }: Window, share: Share, isAccepted: boolean): Allowance {
    return {
      isAccepted,
      share,
      quota: limit.burst,
      window: limit.burst / limit.rate,
      remaining: isAccepted ? Math.max(0, limit.burst - Math.max(taken - leased, accepted)) : 0,
      // The window may have ended since the clock was first read.
      reset: Math.max(1, Math.ceil((end - this.#now()) / 1000)),
    };
  }
}

/** Accepts a request with a leased token, or without a lease. Returns `false` if neither is left. */
function accepts(window: Window): boolean {
  if (window.leased > 0) window.leased -= 1;
  else if (window.unleased > 0) window.unleased -= 1;
  else return false;
  window.accepted += 1;
  return true;
}

/**
 * The size of the next lease: first the usage of the previous window, then a quarter of this window's usage (all of it
 * in a process's first window), and at most an eighth of the remaining quota, because other processes cannot use leased
 * tokens.
 */
function leaseSize({ limit, before, accepted, taken, waiting }: Window): number {
  const more = Math.ceil(before > 0 ? accepted / 4 : accepted);
  const wanted = Math.max(before - accepted, more, waiting);
  return Math.max(1, Math.min(wanted, Math.ceil((limit.burst - taken) / 8)));
}

/** Timeout of a lease, in milliseconds. */
const LEASE_MS = 300;

/** Retention of a window's item after its end, in seconds. It must exceed the difference between clocks. */
const RETENTION_S = 3600;

/** The stored item of a window. */
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
export const takeToken = async (
  { id, limit = stageLimit() }: { id: string; limit?: Limit | undefined },
  share: Share,
): Promise<Allowance | undefined> => limit && limiter.take(id, share, limit);
