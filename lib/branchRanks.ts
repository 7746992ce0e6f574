import * as v from 'valibot';
import type { Acquirer } from './acquirer.ts';
import { mid } from './base/fields.ts';
import { HORIZON_MS } from './base/time.ts';
import { positive } from './base/values.ts';
import type { Branch } from './branch.ts';
import { getItems, type Item, queryPrefix } from './table/client.ts';
import { branchKey, branchListEntryOf, branchListKey, branchListOf, type Key } from './table/keys.ts';
import { Contention, isTransient, withoutRetries } from './table/retry.ts';
import { isAsRead, remove, transact, update } from './table/transaction.ts';
import { usage } from './table/usageMeter.ts';

/*
 * An acquirer's branch list has two parts: see docs/decisions/0001-ranks-and-tail.md.
 *
 * - Ranked branches have the positions 1…count in an index, so that any page of them is one key range.
 * - The tail are branches that were created lately: an entry each, and as position the time of creation in milliseconds,
 *   which is above any rank. A create writes its entry and nothing that another create writes.
 *
 * Sealing gives the oldest of the tail the next ranks, in one transaction that moves the head. It leaves their entries
 * to be removed by the next seal: a read of the list that was under way finds them in any case.
 */

/** The stored item at the head of an acquirer's branch list. */
export const branchListItem = v.object({
  /** How many branches are ranked. */
  count: positive,
  /** MIDs of the branches that were ranked last, in the order of their ranks: an index may not show these yet. */
  sealed: v.array(mid),
  /** Creation time and MID of the latest of them, as `time#MID`. No entry up to here is of a branch yet to be ranked, unless it came late. */
  sealed_to: v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#[\w-]+$/)),
});
export type BranchListHead = v.InferOutput<typeof branchListItem>;

/** When branches are ranked, and how many at a time. Tests and the bench seal more often. */
export const SEALING = {
  /** How old an entry has to be, in milliseconds. */
  horizonMs: HORIZON_MS,
  /** How many branches a seal ranks: at most, and at least. So a list at rest has fewer than the two together as entries. */
  most: 25,
  least: 15,
  /** The share of creates that look after one of their lists. Times `most`, it has to be well above the two lists of a branch. */
  share: 1 / 8,
};

/** The index that holds an acquirer's list, and the attribute that places a branch in it. An index is named after its keys. */
export const LISTS = {
  PAYMENT_PROVIDER: { index: 'branches-by-provider', owner: 'payment_provider', position: 'provider_position' },
  DISTRIBUTOR: { index: 'branches-by-distributor', owner: 'distributor', position: 'distributor_position' },
} as const;

/** Whose list it is: an acquirer's. */
export type ListOwner = Pick<Acquirer, 'id' | 'type'>;

/** A branch of the tail. */
interface Entry {
  key: Key;
  mid: string;
  /** Time of creation in milliseconds, which is its provisional position. */
  position: number;
  /** Time and MID: entries are in its order. */
  place: string;
}

/** A branch list as one read found it. */
export interface BranchList {
  owner: ListOwner;
  head: BranchListHead | undefined;
  count: number;
  /** MIDs of the last ranks. */
  sealed: string[];
  /** Branches that are not ranked, the oldest first. */
  tail: Entry[];
  /** Of these, the ones that came late, and have no older ones to wait for. */
  late: Entry[];
  /** Entries of branches that are ranked, which the next seal removes. */
  spent: Entry[];
}

const entryOf = (item: Item<object>): Entry[] => {
  const entry = branchListEntryOf(item);
  if (!entry) return [];
  const { created_at, mid } = entry;
  return [{ key: { pk: item.pk, sk: item.sk }, mid, position: Date.parse(created_at), place: `${created_at}#${mid}` }];
};

/** More entries than this are only up to the head's `sealed_to` when it moved on while they were read. */
const MOST_LATE = 100;

/**
 * Judges what was read of a list. An entry that is up to `sealed_to` and not of the last seal came late; or it was
 * removed since by a seal before which it was read. Its branch tells.
 */
async function judge(owner: ListOwner, items: Item<object>[]): Promise<BranchList> {
  const head = items.find((item) => !branchListEntryOf(item)) as Item<BranchListHead> | undefined;
  const { count = 0, sealed = [], sealed_to = '' } = head ?? {};
  const entries = items.flatMap(entryOf).sort((a, b) => (a.place < b.place ? -1 : 1));
  const isSealed = new Set(sealed);
  const {
    spent = [],
    late = [],
    tail = [],
  } = Object.groupBy(entries, ({ mid, place }) => {
    if (place > sealed_to) return 'tail';
    return isSealed.has(mid) ? 'spent' : 'late';
  });
  if (late.length === 0) return { owner, head, count, sealed, tail, late, spent };
  if (late.length > MOST_LATE) throw new Contention('The branch list moved on while it was read');
  const { position } = LISTS[owner.type];
  const branches = await getItems<Branch[]>(late.map(({ mid }) => branchKey(mid)));
  const isRanked = (_: Entry, at: number) => (branches[at]?.[position] ?? 0) <= count;
  const unranked = late.filter((entry, at) => !isRanked(entry, at));
  return {
    ...{ owner, head, count, sealed, late: unranked },
    tail: [...unranked, ...tail],
    spent: [...late.filter(isRanked), ...spent],
  };
}

/**
 * Reads a list, strongly consistent. The newest entries come first and the head last, whatever number of pages that
 * takes. So the head is never older than an entry: what it does not count was not sealed when the entries were read, or
 * by the one seal that has yet to be followed by another; and those entries are still there.
 */
export const readList = async (owner: ListOwner): Promise<BranchList> =>
  judge(owner, await queryPrefix<object>(branchListOf(owner.id), { ScanIndexForward: false }));

/** Of a list's tail, those that a seal may rank: the oldest, of which no older one can still arrive, and who came late. */
function sealable({ tail, late }: BranchList): Entry[] {
  const horizon = Date.now() - SEALING.horizonMs;
  const old = tail.filter(({ position }, at) => at < late.length || position <= horizon).slice(0, SEALING.most);
  return old.length >= SEALING.least || late.length > 0 ? old : [];
}

/**
 * Does something that the response waits for but does not depend on. Its requests are not retried. That somebody else has done
 * it, or that the table is busy, is nothing to tell; any other failure is for the log.
 */
async function aside(work: () => Promise<void>): Promise<void> {
  try {
    await withoutRetries(work);
  } catch (error) {
    if (!isTransient(error)) usage().sealFailures.push(error);
  }
}

/**
 * Gives the oldest branches of a list's tail the next ranks, if enough of them are old enough. One transaction does it,
 * on condition that the head is what was read: of two at once, one is done, and the other has nothing left to do.
 */
async function rank(list: BranchList): Promise<void> {
  const { owner, head, count, spent } = list;
  const batch = sealable(list);
  const last = batch.at(-1);
  if (!last) return;
  const { position } = LISTS[owner.type];
  const sealed_to = [head?.sealed_to ?? '', last.place].sort().at(-1);
  const set = { count: count + batch.length, sealed: batch.map(({ mid }) => mid), sealed_to };
  await transact([
    update(branchListKey(owner.id), { set }, isAsRead(head, 'count')),
    ...batch.map(({ mid, position: provisional }, at) =>
      update(
        branchKey(mid),
        { set: { [position]: count + at + 1 } },
        isAsRead<Record<string, number>>({ [position]: provisional }, position),
      ),
    ),
    ...spent.map(({ key }) => remove(key)),
  ]);
}

/** Seals a list that was read. A seal that fails is left to the next request, and never fails the one that tried. */
export const seal = (list: BranchList): Promise<void> => aside(() => rank(list));

/** A seal needs the last one's entries, as many that follow, and a few that may have come late. */
const LOOK = () => 1 + 3 * SEALING.most;

/**
 * Now and then seals one of the lists that a branch is created in, so that the tail of one that nobody reads stays short.
 * Meant to run beside the create; never fails.
 */
export async function tidyUp(owners: ListOwner[]): Promise<void> {
  if (Math.random() >= SEALING.share) return;
  const owner = owners[Math.floor(Math.random() * owners.length)] as ListOwner;
  await aside(async () =>
    // The head comes first here; if it moves before the seal, the seal fails.
    rank(await judge(owner, await queryPrefix<object>(branchListOf(owner.id), { limit: LOOK() }))),
  );
}
