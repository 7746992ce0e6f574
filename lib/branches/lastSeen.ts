import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { isDue } from '../acquirers/keyUse.ts';
import { requestContext } from '../aws/requestContext.ts';
import { mid } from '../base/fields.ts';
import { extend, field, time, uuidValue } from '../base/values.ts';
import { once, table } from '../table/client.ts';
import { lastSeenKey } from '../table/keys.ts';
import { tombstoneOf } from '../table/tombstone.ts';
import { put, type Step, update } from '../table/transaction.ts';
import { shownTerminal, type Terminal, type TerminalInBranch } from './terminal.ts';

/*
 * When a terminal was last seen is an item of its own, which changes nothing of the terminal. In the index of its
 * branch's terminals it sorts behind all of them; in those of its acquirers' branches before all of them, the latest
 * hour first.
 */

const HOUR_MS = 3_600_000;

/** The hour of a time, counted from 1970. */
export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS);

/** The beginning of an hour (RFC 3339, UTC). */
export const timeOfHour = (hour: number): string => new Date(hour * HOUR_MS).toISOString();

/** A position before those of all branches, by which the latest hour comes first. */
const position = v.pipe(v.number(), v.integer(), v.maxValue(-1));

/**
 * The stored item of the hour in which a terminal was last seen, by its TID. If it moved before it was ever seen, it
 * only says where the terminal is, and is in no index.
 */
export const lastSeenItem = v.object({
  mid,
  distributor: v.optional(uuidValue),
  payment_provider: v.optional(uuidValue),
  /** See {@link lastSeenOrder}. */
  branch_order: v.optional(v.pipe(v.string(), v.startsWith('~'))),
  /** The hour, negative: see {@link position}. */
  provider_position: v.optional(position),
  /** The same, also without a distributor, so that the terminal can move to a branch that has one. */
  distributor_position: v.optional(position),
});
export type LastSeen = v.InferOutput<typeof lastSeenItem>;

export const lastSeenOrder = ({ branch_order }: Pick<Terminal, 'branch_order'>): string => `~${branch_order}`;

/** Before and behind all orders of last-seen items in a branch, which are `~` and a year. */
export const LAST_SEEN_ORDERS: [first: string, last: string] = ['~', '~~'];

/** The beginning of the hour in which a terminal was last seen (RFC 3339, UTC); `null` if it never was. */
export const lastSeenAt = ({ provider_position }: Pick<LastSeen, 'provider_position'> = {}): string | null =>
  provider_position === undefined ? null : timeOfHour(-provider_position);

export const seenTerminal = extend(shownTerminal, {
  last_seen_at: field(
    v.nullable(time),
    'When its last member check was, to the hour (RFC 3339, UTC); `null` if there was none.',
  ),
});

/** How it is recorded that terminals are seen. Tests change it. */
export const SEEING = {
  /**
   * The least time between two attempts of a process in an hour, in milliseconds; or `Infinity`, which records nothing.
   */
  intervalMs: HOUR_MS,
  /** Timeout of an attempt, in milliseconds. A customer waits for it. */
  attemptMs: 50,
};

/**
 * Records that a terminal was seen, if no process has in this hour, and it was neither moved nor deleted since it was
 * read. Never rejects, and takes at most `SEEING.attemptMs`: an attempt that fails is logged, and not repeated. One
 * that is too slow is aborted, so nothing is pending when Lambda stops the process. If it is applied later, its
 * conditions still hold.
 */
export async function recordSeen({ terminal, branch }: TerminalInBranch): Promise<void> {
  const hour = hourOf(Date.now());
  // The order tells a terminal from an earlier one with its TID.
  if (!isDue(`${terminal.branch_order} ${hour}`, SEEING.intervalMs)) return;
  const set = {
    mid: terminal.mid,
    distributor: branch.distributor,
    payment_provider: branch.payment_provider,
    branch_order: lastSeenOrder(terminal),
    provider_position: -hour,
    distributor_position: -hour,
    ...NOT_DELETED,
  } satisfies LastSeen & object;
  const isLater = 'mid = :mid AND (attribute_not_exists(provider_position) OR provider_position > :position)';
  const { item } = update(
    lastSeenKey(terminal.tid),
    { set },
    {
      expression: `attribute_not_exists(pk) OR deleted_at < :created_at OR (${isLater})`,
      values: { ':created_at': terminal.created_at, ':mid': terminal.mid, ':position': -hour },
      refusal: 'stale',
    },
  );
  try {
    const write = new UpdateCommand(item.Update as UpdateCommandInput);
    await table.send(once(write), { abortSignal: AbortSignal.timeout(SEEING.attemptMs) });
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) requestContext().failures.lastSeen.push(error);
  }
}

const NOT_DELETED = { deleted_at: undefined, ttl: undefined };

/**
 * A step that moves a {@link lastSeenItem} along with its terminal. It also stores where a terminal is that was never
 * seen: otherwise, a check that has read it in its old branch would store that.
 */
export const moveLastSeen = ({ terminal, branch }: TerminalInBranch): Step =>
  update(lastSeenKey(terminal.tid), { set: { mid: terminal.mid, distributor: branch.distributor, ...NOT_DELETED } });

/**
 * A step that deletes a {@link lastSeenItem} and its three entries, so that a new terminal of the TID was never seen.
 */
export const removeLastSeen = (tid: string, at: string): Step => put(lastSeenKey(tid), tombstoneOf(at));
