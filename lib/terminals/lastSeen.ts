import * as v from 'valibot';
import { mid } from '../base/fields.ts';
import { uuidValue } from '../base/values.ts';
import type { Terminal } from './terminal.ts';

/*
 * When a terminal was last seen is an item of its own, so that it changes nothing of the terminal. It is in three
 * indexes. In that of its branch's terminals it sorts behind all of them, so that lists of terminals do not read it.
 * In those of its acquirers' branches it sorts before all of them, the latest hour first.
 */

const HOUR_MS = 3_600_000;

/** The hour of a time, counted from 1970. */
export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS);

/** A position before those of all branches, by which the latest hour comes first. */
const position = v.pipe(v.number(), v.integer(), v.maxValue(-1));

/** The stored item that says in which hour a terminal was last seen. Its key has the TID. */
export const lastSeenItem = v.object({
  mid,
  /** See {@link lastSeenOrder}. */
  branch_order: v.pipe(v.string(), v.startsWith('~')),
  payment_provider: uuidValue,
  /** The hour, negative: see {@link position}. */
  provider_position: position,
  distributor: v.optional(uuidValue),
  distributor_position: v.optional(position),
});
export type LastSeen = v.InferOutput<typeof lastSeenItem>;

/** The place of a terminal's {@link lastSeenItem} in the index of its branch, for the terminal's own place. */
export const lastSeenOrder = ({ branch_order }: Pick<Terminal, 'branch_order'>): string => `~${branch_order}`;

/** The beginning of the hour in which a terminal was last seen (RFC 3339, UTC). */
export const lastSeenAt = ({ provider_position }: Pick<LastSeen, 'provider_position'>): string =>
  new Date(-provider_position * HOUR_MS).toISOString();
