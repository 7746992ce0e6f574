import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { requestContext } from '../aws/requestContext.ts';
import { isThrottled } from '../aws/retry.ts';
import { setting } from '../base/config.ts';
import { type Limit, limitError } from '../base/rateAndBurst.ts';
import { positive, seconds } from '../base/values.ts';
import { once, table, tableName } from '../table/client.ts';
import { type Key, rateLimitKey } from '../table/keys.ts';

/**
 * Member checks have a limit of their own, so that an import never delays a till, and so have deliveries to webhooks.
 * People have one each, and so have the sign-ins of an address.
 */
export type Share = 'requests' | 'member-checks' | 'deliveries' | 'people' | 'sign-ins';

/** What is counted together: the requests of an owner, of one share, against one limit. */
interface Bucket {
  owner: string;
  share: Share;
  limit: Limit;
}

/** A window of a bucket, as this process knows it. All figures are tokens. */
interface Window {
  bucket: Bucket;
  start: number;
  end: number;
  /** Leased by this process, and not granted yet. */
  held: number;
  /** Granted by this process, in this window and in the one before. */
  granted: number;
  before: number;
  /** What it may still grant to reads without a lease. */
  unleased: number;
  /** Leased by all processes, as of the last lease; `Infinity` if that was throttled. */
  taken: number;
  lease: Promise<void> | undefined;
}

/** Whether a request is accepted, and its quota for the response headers. */
export interface Allowance {
  isAccepted: boolean;
  share: Share;
  /** Tokens per window (the limit's `burst`), and the length of the window in seconds. */
  quota: number;
  window: number;
  remaining: number;
  reset: number;
  /** When the window began, in milliseconds since 1970. */
  start: number;
  /** How many tokens all processes have leased beyond the quota, as of this process's last lease. */
  excess: number;
  /** Settles how many tokens the request took and did not use or, if negative, used and did not take. */
  settle: (unused: number) => Promise<void>;
}

/** Tokens that a process grants per window without a lease. */
const UNLEASED = 2;

/** The part of what is left of a quota that a process leases in advance, and of a quota that it keeps for itself. */
const PART = 1 / 8;

interface Wanted {
  tokens?: number;
  /** Whether all its tokens are leased, so that no number of processes exceeds the quota. */
  isLeased?: boolean;
}

/**
 * Leases tokens of a window that ends then, in milliseconds since 1970; returns them if negative.
 *
 * @returns How many tokens all processes have leased, including these. It may exceed the quota.
 */
export type Lease = (key: Key, tokens: number, ends: number) => Promise<number>;

const keyOf = ({ owner, share }: Bucket, start: number): Key => rateLimitKey(owner, share, start / 1000);

/**
 * Limits acquirers across processes (docs/decisions/0020-leased-rate-limits.md): all together grant at most the quota,
 * plus {@link UNLEASED} per process to reads. What requests used without having taken it is taken from the next ones.
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
  async take(bucket: Bucket, { tokens = 1, isLeased = false }: Wanted = {}): Promise<Allowance> {
    for (;;) {
      const window = this.#windowOf(bucket);
      const isAccepted = grant(window, tokens, isLeased);
      const missing = tokens - window.held;
      if (isAccepted || missing > bucket.limit.burst - window.taken) return this.#allowance(window, isAccepted);
      window.lease ??= this.#extend(window, missing);
      await window.lease;
    }
  }

  #windowOf(bucket: Bucket): Window {
    const now = this.#now();
    const length = (bucket.limit.burst / bucket.limit.rate) * 1000;
    // While API keys are cached, two keys of an acquirer may have different limits.
    const name = `${bucket.owner}#${bucket.share}#${length}`;
    const start = now - (now % length);
    const last = this.#windows.get(name);
    if (last?.start === start) return Object.assign(last, { bucket });
    for (const [other, { end }] of this.#windows) if (end < start) this.#windows.delete(other);
    const known = last?.end === start ? last : undefined;
    const before = (known?.taken === Number.POSITIVE_INFINITY ? known.before : known?.granted) ?? 0;
    const rest = { held: 0, granted: 0, unleased: UNLEASED, taken: 0, lease: undefined };
    const window: Window = { bucket, start, end: start + length, before, ...rest };
    this.#windows.set(name, window);
    return window;
  }

  /**
   * Leases what a request is missing, or more if the process will need it: as much as in the window before, then a
   * quarter of what it has granted (all of it in its first window), but at most a {@link PART} of what is left, because
   * other processes cannot use it.
   */
  async #extend(window: Window, missing: number): Promise<void> {
    const { bucket, end, before, granted, taken } = window;
    const { burst } = bucket.limit;
    const needed = Math.max(before - granted, Math.ceil(before > 0 ? granted / 4 : granted));
    const tokens = Math.max(missing, Math.min(needed, Math.ceil((burst - taken) * PART)));
    try {
      window.taken = await this.#lease(keyOf(bucket, window.start), tokens, end);
      window.held += Math.min(tokens, Math.max(0, tokens - (window.taken - burst)));
    } catch (error) {
      requestContext().failures.limiter.push(error);
      // Until the window ends, so that no other request is delayed.
      if (isThrottled(error as object)) {
        window.held = Math.max(window.held, before - granted);
        window.taken = Number.POSITIVE_INFINITY;
      } else window.held = Number.POSITIVE_INFINITY;
    } finally {
      window.lease = undefined;
    }
  }

  #allowance(window: Window, isAccepted: boolean): Allowance {
    const { bucket, end, held, taken, granted } = window;
    const { rate, burst } = bucket.limit;
    const allowance: Allowance = {
      isAccepted,
      excess: Math.max(0, taken - burst),
      share: bucket.share,
      quota: burst,
      start: window.start,
      window: burst / rate,
      remaining: Math.max(0, burst - Math.max(Math.min(taken, burst) - held, granted)),
      // The window may have ended since the clock was first read.
      reset: Math.max(1, Math.ceil((end - this.#now()) / 1000)),
      settle: async (unused) => {
        allowance.remaining = Math.max(0, allowance.remaining + unused);
        try {
          if (unused > 0) await this.#giveBack(window, unused);
          else await this.#debit(this.#windowOf(bucket), -unused);
        } catch (error) {
          requestContext().failures.limiter.push(error);
        }
      },
    };
    return allowance;
  }

  /** Keeps tokens for the next requests of this process, up to a {@link PART} of the quota, and returns the others. */
  async #giveBack(window: Window, tokens: number): Promise<void> {
    window.held += tokens;
    window.granted -= tokens;
    const more = window.held - Math.ceil(window.bucket.limit.burst * PART);
    if (more <= 0 || more === Number.POSITIVE_INFINITY || this.#now() >= window.end) return;
    window.held -= more;
    window.taken = await this.#lease(keyOf(window.bucket, window.start), -more, window.end);
  }

  /** Takes tokens that were used already: of this window and, as far as they exceed its quota, of later ones. */
  async #debit(window: Window, tokens: number): Promise<void> {
    const { burst, rate } = window.bucket.limit;
    const length = (burst / rate) * 1000;
    window.granted += tokens;
    const held = Math.min(window.held, tokens);
    window.held -= held;
    let { start } = window;
    for (let owed = tokens - held; owed > 0; ) {
      const taken = await this.#lease(keyOf(window.bucket, start), owed, start + length);
      if (start === window.start) window.taken = Math.max(window.taken, taken);
      owed = Math.min(owed, Math.max(0, taken - burst));
      // Behind what others owe, who have filled the windows between.
      start += Math.max(1, Math.floor((taken - owed) / burst)) * length;
    }
  }
}

/** Grants leased tokens or, to reads, unleased ones. Returns `false` if neither suffice. */
function grant(window: Window, tokens: number, isLeased: boolean): boolean {
  if (window.held >= tokens) window.held -= tokens;
  else if (!isLeased && window.unleased >= tokens) window.unleased -= tokens;
  else return false;
  window.granted += tokens;
  return true;
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
  const { Attributes } = await table.send(once(new UpdateCommand(input)), {
    abortSignal: AbortSignal.timeout(LEASE_MS),
  });
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
  wanted: Wanted = {},
): Promise<Allowance | undefined> => limit && limiter.take({ owner: id, share, limit }, wanted);

const PERSON: Limit = { rate: 10, burst: 100 };

/** Counts a request against the limit of a person. Returns `undefined` if the stage has no limit. */
export const takePersonTokens = async (person: string): Promise<Allowance | undefined> =>
  stageLimit() && limiter.take({ owner: person, share: 'people', limit: PERSON });
