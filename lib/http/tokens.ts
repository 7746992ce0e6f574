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
 * Member checks have a limit of their own, so that an import never delays a till. People have one each, and so have the
 * sign-ins of an address.
 */
export type Share = 'requests' | 'member-checks' | 'people' | 'sign-ins';

/** A share's window, with this process's tokens, but for `taken`: those that all have leased, as of the last lease. */
interface Window {
  limit: Limit;
  start: number;
  end: number;
  /** Tokens that this process granted in the previous window, or in the last one before leases were throttled. */
  before: number;
  granted: number;
  unleased: number;
  leased: number;
  taken: number;
  waiting: number;
  lease: Promise<void> | undefined;
  isThrottled: boolean;
}

/** Whether a request is accepted, and its share for the response headers. */
export interface Allowance {
  isAccepted: boolean;
  share: Share;
  /** Tokens per window, and the length of the window in seconds. */
  quota: number;
  window: number;
  remaining: number;
  reset: number;
  /** Returns leased tokens that the request did not use. They end with their window. */
  giveBack: (tokens: number) => void;
}

/** Tokens that a process grants per window without a lease. */
const UNLEASED = 2;

interface Wanted {
  tokens?: number;
  /** Whether all its tokens are leased, so that no number of processes exceeds the quota. */
  isLeased?: boolean;
}

/**
 * Leases tokens of a window that ends then, in milliseconds since 1970.
 *
 * @returns How many tokens all processes have leased, including these. It may exceed the quota.
 */
export type Lease = (key: Key, tokens: number, ends: number) => Promise<number>;

/**
 * Limits acquirers across processes (docs/decisions/0020-leased-rate-limits.md): all together grant at most the quota,
 * plus {@link UNLEASED} per process to reads.
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
   * Accepts a request and takes all its tokens, or rejects it and takes none. If a lease fails, this process leases no
   * more until the window ends. Throttled, it keeps to its share of the previous window: more requests would only add
   * to the load. Otherwise it accepts all requests.
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
 * First the usage of the previous window, then a quarter of this window's (all of it in a process's first window), and
 * at most an eighth of the remaining quota, because other processes cannot use leased tokens. But never less than what
 * the first request that waits is missing.
 */
function leaseSize({ limit, before, granted, taken, waiting }: Window, missing: number): number {
  const more = Math.ceil(before > 0 ? granted / 4 : granted);
  const wanted = Math.max(before - granted, more, waiting);
  return Math.max(missing, Math.min(wanted, Math.ceil((limit.burst - taken) / 8)));
}

const LEASE_MS = 300;

/** Retention of a window's item, in seconds. It must exceed the difference between clocks. */
const RETENTION_S = 3600;

export const rateLimitItem = v.object({ taken: positive, ttl: seconds });

/**
 * Leases by an unconditional addition, which never conflicts. A retry after a lost response would take tokens twice.
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

/** @throws Error when RATE or BURST is not valid. */
function readStageLimit(): Limit | undefined {
  const limit = { rate: setting('RATE'), burst: setting('BURST') };
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
