import { hash } from 'node:crypto';
import { NIL } from 'uuid';
import * as v from 'valibot';
import type { Branch, toBranch } from '../../../../lib/branches/branch.ts';
import { type Terminal, toTerminal } from '../../../../lib/branches/terminal.ts';
import { type Event, toEvent } from '../../../../lib/events/event.ts';
import { shownEvent } from '../../../../lib/history/shownEvent.ts';
import { entryWords, type Searchable } from '../../../../lib/table/wordEntries.ts';

type ShownTerminal = ReturnType<typeof toTerminal>;

const decoded = new WeakMap<Uint8Array, Event>();

/** The schema of a stored event's body: it can be decoded, and responses can show it. */
export const eventBody = v.custom<Uint8Array>((body) => {
  if (!(body instanceof Uint8Array)) return false;
  try {
    decoded.set(body, toEvent({ sk: NIL, body }));
    return v.is(shownEvent, decoded.get(body));
  } catch {
    return false;
  }
});

/** The decoded body of an event that {@link eventBody} has accepted. */
export const bodyOf = (body: Uint8Array) => decoded.get(body) as Event;

/** The branch in an event that is about one, and not only about its terminals. */
export const branchIn = ({ type, data }: Event) =>
  type.startsWith('branch.') ? (data as ReturnType<typeof toBranch>) : undefined;

export function terminalsIn({ data }: Event): ShownTerminal[] {
  const { terminals = data } = data as { terminals?: object };
  return ([terminals].flat() as ShownTerminal[]).filter((each) => 'tid' in each && 'mid' in each);
}

/** The MID of the branch from which an event moved a terminal. */
export const formerMidIn = ({ changes }: Event): string | undefined => (changes as { mid?: string } | null)?.mid;

/** A 48-bit digest of a value, to compare values in little memory. Different values hardly ever have the same one. */
export const digestOf = (value: unknown): number =>
  Number.parseInt(hash('sha256', JSON.stringify(value)).slice(0, 12), 16);

/** The digest of a branch as responses show it, except what changes with its terminals, which have events of their own. */
export function digestOfBranch(branch: Partial<ReturnType<typeof toBranch>> & { terminals?: unknown }): number {
  const { terminal_count, terminals, updated_at, ...shown } = branch;
  return digestOf(shown);
}

/** The digest of the fields of a terminal that its branch's status does not affect. */
export function digestOfFields({ status, updated_at, archived_at, archive_reason, ...fields }: ShownTerminal): number {
  return digestOf(fields);
}

/** The attributes of a terminal that, with its branch, determine its status. */
export type Status = { [A in 'updated_at' | 'archived_at' | 'archive_reason' | 'restored']?: Terminal[A] | undefined };

/** The status fields of a terminal in a branch, as responses show them. */
export function shownStatus(terminal: Status, branch: Pick<Partial<Branch>, 'archived_at' | 'restored_at'>) {
  const shown = toTerminal({ terminal: terminal as Terminal, branch: branch as Branch });
  const { status, updated_at, archived_at, archive_reason } = shown;
  return { status, updated_at, archived_at, archive_reason };
}

/**
 * Derives a terminal's status attributes from an event. A terminal that is active in an archived branch was restored
 * there; one that was archived at the same time as its branch was archived with it.
 */
export function statusInEvent(
  { updated_at, archived_at, archive_reason }: ShownTerminal,
  branch: Event['branch'],
): Status {
  if (!archived_at) return { updated_at, restored: branch.archived_at ?? undefined };
  return archived_at === branch.archived_at
    ? { updated_at }
    : { updated_at, archived_at, archive_reason: archive_reason ?? undefined };
}

/** The number of some values and the sum of their digests, which does not depend on their order. */
export interface Tally {
  count: number;
  sum: number;
}

/** Below 2^53 with a 48-bit digest added, so sums are exact. */
const SUM_MODULUS = 2 ** 48;

export function addTo(tallies: Map<string, Tally>, name: string, { count, sum }: Tally): void {
  const tally = tallies.get(name) ?? { count: 0, sum: 0 };
  tallies.set(name, { count: tally.count + count, sum: (tally.sum + sum) % SUM_MODULUS });
}

/** The search entries of words of something, by default of all, with what a search shows or sorts by. */
export function tallyOfEntries(each: Searchable, words = entryWords(each)): Tally {
  const { words: all, cut, at, name, master_merchant_id, payment_provider } = each.attributes;
  const digests = words.map((word) => digestOf([word, all, cut, at, name, master_merchant_id, payment_provider]));
  return { count: digests.length, sum: digests.reduce((sum, digest) => (sum + digest) % SUM_MODULUS, 0) };
}

export const nameOfEntries = ({ acquirer, id }: Pick<Searchable, 'acquirer' | 'id'>): string => `${acquirer} ${id}`;
