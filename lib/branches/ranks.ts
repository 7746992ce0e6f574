import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { requestContext } from '../aws/requestContext.ts';
import { Conflict, isTransient } from '../aws/retry.ts';
import { mid } from '../base/fields.ts';
import { HORIZON_MS } from '../base/time.ts';
import { positive } from '../base/values.ts';
import { getItems, type Item, prefixRange, queryPage, queryPrefix } from '../table/client.ts';
import { branchKey, branchListEntryOf, branchListKey, branchListOf, type Key } from '../table/keys.ts';
import { isAsRead, MOST_STEPS, remove, transact, update } from '../table/transaction.ts';
import type { Branch } from './branch.ts';

/*
 * An acquirer's branch list has two parts: see docs/decisions/0001-ranks-and-tail.md. Ranked branches have the
 * positions 1…count in an index. The newest have an entry each in the tail, and as position their creation time in
 * milliseconds, which is above any rank. A seal gives the oldest branches of the tail the next ranks, in one
 * transaction with the head. The next seal removes their entries, so that a read in progress still finds them.
 */

export const branchListItem = v.object({
  count: positive,
  /** MIDs of the last seal, in the order of their ranks. The index may lag behind it. */
  sealed: v.array(mid),
  /** The newest entry sealed so far, as `time#MID`. Every entry up to it is ranked, unless it arrived late. */
  sealed_to: v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#[\w-]+$/)),
});
export type BranchListHead = v.InferOutput<typeof branchListItem>;

/** When lists are sealed. Tests change it. */
export const SEALING = {
  /** Minimum age of an entry to be sealed, in milliseconds. */
  horizonMs: HORIZON_MS,
  /** The most and the least branches per seal. An idle list has fewer entries than their sum. */
  most: 25,
  least: 15,
  /**
   * Probability that a create also tries to seal a list. Times `most`, it must be well above 2: a create adds two
   * entries.
   */
  probability: 1 / 8,
};

/** The index of an acquirer's list, by the acquirer's type, and the attributes that are the index's keys. */
export const LISTS = {
  PAYMENT_PROVIDER: { index: 'branches-by-provider', owner: 'payment_provider', position: 'provider_position' },
  DISTRIBUTOR: { index: 'branches-by-distributor', owner: 'distributor', position: 'distributor_position' },
} as const;

export type ListOwner = Pick<Acquirer, 'id' | 'type'>;

interface Entry {
  key: Key;
  mid: string;
  /** Creation time in milliseconds: the provisional position. */
  position: number;
  /** `time#MID`, by which entries are sorted. */
  id: string;
}

export interface BranchList {
  owner: ListOwner;
  head: BranchListHead | undefined;
  count: number;
  sealed: string[];
  /** Entries of branches that are not ranked: late ones first, then the oldest first. */
  tail: Entry[];
  /** Those of the tail that arrived late, and can be sealed at any age. */
  late: Entry[];
  /** Entries of ranked branches, which the next seal removes: those of the last seal first. */
  ranked: Entry[];
  /** Whether it has more late entries than were looked up, so that its tail is not known. */
  isPartial: boolean;
}

const entryOf = (item: Item<object>): Entry[] => {
  const entry = branchListEntryOf(item);
  if (!entry) return [];
  const { created_at, mid } = entry;
  return [{ key: { pk: item.pk, sk: item.sk }, mid, position: Date.parse(created_at), id: `${created_at}#${mid}` }];
};

/** The most late entries that a read looks up. With more, the list was most likely sealed while it was read. */
const MOST_LATE = 100;

/**
 * Makes a branch list from its items. An entry up to `sealed_to` that the last seal did not rank arrived late or was
 * removed by a later seal: its branch tells.
 *
 * @throws Conflict when a branch is not visible yet.
 */
async function toBranchList(owner: ListOwner, items: Item<object>[]): Promise<BranchList> {
  const head = items.find((item) => !branchListEntryOf(item)) as Item<BranchListHead> | undefined;
  const { count = 0, sealed = [], sealed_to = '' } = head ?? {};
  const entries = items.flatMap(entryOf).sort((a, b) => (a.id < b.id ? -1 : 1));
  const isSealed = new Set(sealed);
  const {
    ranked = [],
    late: all = [],
    tail = [],
  } = Object.groupBy(entries, ({ mid, id }) => {
    if (id > sealed_to) return 'tail';
    return isSealed.has(mid) ? 'ranked' : 'late';
  });
  const [late, isPartial] = [all.slice(0, MOST_LATE), all.length > MOST_LATE];
  if (late.length === 0) return { owner, head, count, sealed, tail, late, ranked, isPartial };
  const { position } = LISTS[owner.type];
  const branches = await getItems<Branch[]>(late.map(({ mid }) => branchKey(mid)));
  // A branch and its entry do not appear at the same moment.
  if (branches.includes(undefined)) throw new Conflict('A branch list names a branch that is not visible yet');
  const isRanked = (_: Entry, at: number) => (branches[at]?.[position] as number) <= count;
  const unranked = late.filter((entry, at) => !isRanked(entry, at));
  const ofAll = { tail: [...unranked, ...tail], ranked: [...ranked, ...late.filter(isRanked)] };
  return { owner, head, count, sealed, late: unranked, ...ofAll, isPartial };
}

/** Reads a list, strongly consistent. The head comes last: every branch that it does not count was read before. */
export const readList = async (owner: ListOwner): Promise<BranchList> =>
  toBranchList(owner, await queryPrefix<object>(branchListOf(owner.id), { ScanIndexForward: false }));

/**
 * The entries that a seal ranks: late ones, and those after which no older one can arrive. None if they are too few.
 */
function sealable({ tail, late }: BranchList): Entry[] {
  const horizon = Date.now() - SEALING.horizonMs;
  const old = tail.filter(({ position }, at) => at < late.length || position <= horizon).slice(0, SEALING.most);
  return old.length >= SEALING.least || late.length > 0 ? old : [];
}

/** Runs some work that the response does not depend on. Never rejects: conflicts and throttling are ignored. */
async function bestEffort(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isTransient(error)) requestContext().failures.seal.push(error);
  }
}

/** Gives the oldest branches of a list's tail the next ranks, if enough are old enough and the head is as read. */
async function sealList(list: BranchList): Promise<void> {
  const { owner, head, count, ranked } = list;
  const batch = sealable(list);
  const last = batch.at(-1);
  if (!last) return;
  const { position } = LISTS[owner.type];
  const sealed_to = [head?.sealed_to ?? '', last.id].sort().at(-1);
  const set = { count: count + batch.length, sealed: batch.map(({ mid }) => mid), sealed_to };
  const steps = [
    update(branchListKey(owner.id), { set }, isAsRead(head, 'count')),
    ...batch.map(({ mid, position: provisional }, at) =>
      update(
        branchKey(mid),
        { set: { [position]: count + at + 1 } },
        isAsRead<Record<string, number>>({ [position]: provisional }, position),
      ),
    ),
    // As many as fit. The entries of the last seal come first; the others have been removed.
    ...ranked.slice(0, MOST_STEPS - 1 - batch.length).map(({ key }) => remove(key)),
  ];
  await transact(steps, { isSentOnce: true });
}

/** Seals a list, if it is due. Never rejects: a later request tries again. */
export const trySeal = (list: BranchList): Promise<void> => bestEffort(() => sealList(list));

/**
 * Seals one of the lists of a new branch, for a random share of creates, so that the tail stays short even if nobody
 * reads the list. Never rejects.
 */
export async function trySealAtRandom(owners: ListOwner[]): Promise<void> {
  if (Math.random() >= SEALING.probability) return;
  const owner = owners[Math.floor(Math.random() * owners.length)] as ListOwner;
  // The head, the entries of the last seal, those of the next, and as many late ones.
  const limit = 1 + 3 * SEALING.most;
  await bestEffort(async () => {
    // This reads the head first. If it changes before the seal, the seal fails.
    const { items } = await queryPage<Item<object>>(prefixRange(branchListOf(owner.id)), limit, { isSentOnce: true });
    await sealList(await toBranchList(owner, items));
  });
}
