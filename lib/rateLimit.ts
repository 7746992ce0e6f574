import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { setting } from './base/config.ts';
import { type Limit, limitError } from './base/limit.ts';
import { positive, seconds } from './base/values.ts';
import { table, tableName } from './table/client.ts';
import { type Key, rateLimitKey } from './table/keys.ts';
import { withoutRetries } from './table/retry.ts';
import { usage } from './table/usageMeter.ts';

/** Requests of an acquirer that count together. Member checks have a share of their own, so that an import never delays a till. */
export type Share = 'requests' | 'member-checks';

/** What a process knows of one share in the current window. Times are in milliseconds since 1970. */
interface Window {
  limit: Limit;
  start: number;
  end: number;
  /** Requests that this process accepted in the window before. */
  before: number;
  /** Requests that this process accepted in this window. */
  accepted: number;
  /** Requests that this process may still accept on its own account. */
  own: number;
  /** Tokens that this process has leased and not used. */
  leased: number;
  /** Tokens that all processes have leased, as of the last lease. */
  taken: number;
  /** Requests that wait for the lease. */
  waiting: number;
  lease: Promise<void> | undefined;
}

/** The verdict on a request, and what its response tells about the share. */
export interface Allowance {
  isAccepted: boolean;
  share: Share;
  /** Requests of a window, and its length in seconds. */
  quota: number;
  window: number;
  /** Requests left in this window, as far as this process knows. */
  remaining: number;
  /** Seconds until the next window. */
  reset: number;
}

/** Requests that a process accepts in each window without a lease. An acquirer below that costs the table nothing. */
const OWN = 2;

/**
 * Leases tokens of a window from all that the processes share.
 *
 * @param ends When the window ends, in milliseconds since 1970.
 * @returns How many tokens all processes together have leased, these included: it may exceed the quota.
 */
export type Lease = (key: Key, tokens: number, ends: number) => Promise<number>;

/**
 * Limits acquirers across processes (docs/decisions/0020-leased-rate-limits.md). Each process accepts {@link OWN} requests
 * per window, and leases tokens from an item of the window for the others. A process never accepts more than it has leased
 * beyond that, so all together accept at most the quota, and {@link OWN} per process, in each window.
 */
export class RateLimiter {
  readonly #windows = new Map<string, Window>();
  readonly #lease: Lease;
  readonly #now: () => number;

  constructor(lease: Lease, now: () => number = () => Date.now()) {
    this.#lease = lease;
    this.#now = now;
  }

  /** Accepts or refuses a request. If tokens cannot be leased, this process accepts all until the window ends, and keeps the failure for the log. */
  async take(acquirer: string, share: Share, limit: Limit): Promise<Allowance> {
    for (;;) {
      const window = this.#windowOf(acquirer, share, limit);
      const isAccepted = accepts(window);
      const isSpent = window.taken >= window.limit.burst;
      if (isAccepted || isSpent) return this.#allowance(window, share, isAccepted);
      window.waiting += 1;
      window.lease ??= this.#extend(window, rateLimitKey(acquirer, share, window.start / 1000));
      await window.lease;
      window.waiting -= 1;
    }
  }

  #windowOf(acquirer: string, share: Share, limit: Limit): Window {
    const now = this.#now();
    const length = (limit.burst / limit.rate) * 1000;
    // Two keys of an acquirer may show two limits for as long as the process trusts them.
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
      ...{ limit, start, end: start + length, before, accepted: 0, own: OWN, leased: 0, taken: 0 },
      ...{ waiting: 0, lease: undefined },
    };
    this.#windows.set(name, window);
    return window;
  }

  async #extend(window: Window, key: Key): Promise<void> {
    // Let the other requests of this moment join first.
    await undefined;
    const tokens = leaseSize(window);
    try {
      window.taken = await this.#lease(key, tokens, window.end);
      const granted = Math.min(tokens, Math.max(0, tokens - (window.taken - window.limit.burst)));
      window.leased += granted;
    } catch (error) {
      usage().limiterFailures.push(error);
      // Until the window ends: a table out of reach would hold up each request.
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
      // By a second look at the clock, the window may just have ended.
      reset: Math.max(1, Math.ceil((end - this.#now()) / 1000)),
    };
  }
}

/** Accepts a request by a leased token or on the process's own account, if there is one left. */
function accepts(window: Window): boolean {
  if (window.leased > 0) window.leased -= 1;
  else if (window.own > 0) window.own -= 1;
  else return false;
  window.accepted += 1;
  return true;
}

/**
 * How many tokens to lease: as many as the process is going to need by its last window, then a quarter of what it has used
 * (in its first window, as many again). Leased tokens that nobody uses are lost to the others, so no lease takes more than
 * an eighth of what is left.
 */
function leaseSize({ limit, before, accepted, taken, waiting }: Window): number {
  const more = Math.ceil(before > 0 ? accepted / 4 : accepted);
  const wanted = Math.max(before - accepted, more, waiting);
  return Math.max(1, Math.min(wanted, Math.ceil((limit.burst - taken) / 8)));
}

/** A lease must not hold up the request for longer than this, in milliseconds. */
const LEASE_MS = 300;

/** How long the table keeps a window's item after its end, in seconds: longer than clocks differ. */
const KEPT_S = 3600;

/** The stored item of a window. */
export const rateLimitItem = v.object({ taken: positive, ttl: seconds });

/** Leases from the table: one addition without a condition, which never conflicts. A lost one costs tokens, so it is not repeated. */
const leaseFromTable: Lease = async (key, tokens, ends) => {
  const input = {
    TableName: tableName(),
    Key: key,
    UpdateExpression: 'ADD taken :tokens SET #ttl = :ttl',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':tokens': tokens, ':ttl': ends / 1000 + KEPT_S },
    ReturnValues: 'UPDATED_NEW' as const,
  };
  const { Attributes } = await withoutRetries(() =>
    table.send(new UpdateCommand(input), { abortSignal: AbortSignal.timeout(LEASE_MS) }),
  );
  return Attributes?.['taken'];
};

/**
 * The stage's limit for each acquirer without one of its own; a rate of 0 means none.
 *
 * @throws Error when it is not valid.
 */
function readStageLimit(): Limit | undefined {
  const limit = { rate: Number(setting('RATE')), burst: Number(setting('BURST')) };
  if (limit.rate === 0) return undefined;
  const fieldError = limitError(limit);
  if (fieldError) throw new Error(`The environment variables RATE and BURST are wrong. ${fieldError}`);
  return limit;
}

let stage: { limit: Limit | undefined } | undefined;
function stageLimit(): Limit | undefined {
  stage ??= { limit: readStageLimit() };
  return stage.limit;
}

const limiter = new RateLimiter(leaseFromTable);

/** Counts a request against its acquirer's limit; `undefined` when it has none. */
export const takeToken = async (
  { id, limit = stageLimit() }: { id: string; limit?: Limit | undefined },
  share: Share,
): Promise<Allowance | undefined> => limit && limiter.take(id, share, limit);
