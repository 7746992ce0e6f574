import { allDone, Conflict, retrying } from '../aws/retry.ts';
import type { PageRequest } from '../base/paging.ts';
import { getItems, queryItems } from '../table/client.ts';
import { branchKey } from '../table/keys.ts';
import type { Branch, ListedBranch } from './branch.ts';
import { type BranchList, LISTS, type ListOwner, readList, trySeal } from './ranks.ts';

/** A row of a page: the position of its branch, and its MID if the list names it. */
interface Slot {
  position: number;
  mid: string | undefined;
}

/**
 * The slots from number `low` to `high`. The oldest branch is number 1: with three that are ranked, of which the last
 * seal ranked two, number 1 is known by its position alone, numbers 2 and 3 are in `sealed`, and number 4 is the first
 * of the tail.
 */
const slotsOf = ({ count, sealed, tail }: BranchList, low: number, high: number): Slot[] =>
  Array.from({ length: high - low + 1 }, (_, at) => {
    const number = low + at;
    const entry = tail[number - count - 1];
    if (entry) return { position: entry.position, mid: entry.mid };
    return { position: number, mid: sealed[number - (count - sealed.length) - 1] };
  });

type Position = 'provider_position' | 'distributor_position';
type Row = ListedBranch & { [K in Position]?: number | undefined };

/** Reads the branches of an acquirer at some positions from its index. */
const rowsBetween = (
  { id, type }: ListOwner,
  [low, high]: [low: number, high: number],
  { limit, isAscending = true }: { limit?: number | undefined; isAscending?: boolean },
): Promise<Row[]> => {
  const { index, owner, position } = LISTS[type];
  return queryItems<Row>(
    {
      IndexName: index,
      KeyConditionExpression: `${owner} = :owner AND ${position} BETWEEN :low AND :high`,
      ExpressionAttributeValues: { ':owner': id, ':low': low, ':high': high },
      ScanIndexForward: isAscending,
    },
    limit,
  );
};

/** @throws Conflict when not all entries of the list are known. */
function requireWhole({ isPartial }: BranchList): void {
  if (isPartial) throw new Conflict('The branch list was sealed while it was read, or has many late entries');
}

/**
 * Lists one page of an acquirer's branches, and the count of all. The list is read strongly consistent; the branches
 * from an index, or by key where it lags. Every page costs the same. The first is read at the same time as the list.
 */
export const listBranches = (
  owner: ListOwner,
  { page, per_page, sort }: PageRequest,
): Promise<{ total: number; branches: ListedBranch[] }> => {
  // Once per request: otherwise retries could seal the list faster than its index catches up.
  let hasSealed = false;
  const sealOnce = async (list: BranchList) => {
    if (!hasSealed) await trySeal(list);
    hasSealed = true;
  };
  return retrying(async () => {
    const queryIndex = (low: number, high: number, limit?: number) =>
      rowsBetween(owner, [low, high], { limit, isAscending: sort === 'asc' });
    const skipped = (page - 1) * per_page;
    // The range of any other page depends on the list.
    const firstPage = () => (page === 1 ? queryIndex(1, Number.MAX_SAFE_INTEGER, per_page) : []);
    const [list, seen] = await allDone([readList(owner), firstPage()]);
    if (list.isPartial) await trySeal(list);
    requireWhole(list);
    const total = list.count + list.tail.length;
    const size = Math.min(per_page, total - skipped);
    if (size <= 0) {
      await sealOnce(list);
      return { total, branches: [] };
    }
    const low = sort === 'asc' ? skipped + 1 : total - skipped - size + 1;
    const slots = slotsOf(list, low, low + size - 1);
    const [branches] = await allDone([pageOf(slots, LISTS[owner.type].position, seen, queryIndex), sealOnce(list)]);
    return { total, branches: sort === 'asc' ? branches : branches.reverse() };
  });
};

/**
 * Reads the branches of slots: from the rows of the index that were `seen` already, the index, or by key where it lags.
 *
 * @throws Conflict when the list changed too fast for the index.
 */
async function pageOf(
  slots: Slot[],
  position: Position,
  seen: Row[],
  queryIndex: (low: number, high: number) => Promise<Row[]>,
): Promise<ListedBranch[]> {
  const ranked = new Map<number | undefined, Row>();
  const named = new Map<string | undefined, Row>();
  const add = (rows: Row[]) => {
    for (const row of rows) {
      ranked.set(row[position], row);
      named.set(row.mid, row);
    }
  };
  // By MID where it is known: branches of the tail can share a position, and the index may show a new rank late.
  const rowOf = (slot: Slot) => (slot.mid === undefined ? ranked.get(slot.position) : named.get(slot.mid));
  const missing = () => slots.filter((slot) => !rowOf(slot));

  const hasNoMid = ({ mid }: Slot) => mid === undefined;
  const [first, last] = [slots.at(0), slots.at(-1)] as [Slot, Slot];

  add(seen);
  // A single missing branch was most likely just created, so the index would not have it yet.
  if (missing().length > 1 || missing().some(hasNoMid)) add(await queryIndex(first.position, last.position));
  if (missing().some(hasNoMid)) throw new Conflict('The index lags behind by more than one seal');
  const keys = missing().map(({ mid }) => branchKey(mid as string));
  if (keys.length > 0) add((await getItems<Branch[]>(keys)).filter((branch) => branch !== undefined));
  if (missing().length > 0) throw new Conflict('A branch list names a branch that does not exist');
  return slots.map((slot) => rowOf(slot) as Row);
}

/** The number of a branch in a list, the oldest of which is number 1. */
function numberIn({ count, sealed, tail }: BranchList, mid: string, position: number): number {
  const inTail = tail.findIndex((entry) => entry.mid === mid);
  if (inTail >= 0) return count + inTail + 1;
  const inSealed = sealed.indexOf(mid);
  if (inSealed >= 0) return count - sealed.length + inSealed + 1;
  if (position > count) throw new Conflict('The branch was ranked while its list was read');
  return position;
}

/**
 * Reads which branches follow one in an acquirer's list, or `undefined`, the oldest first. Whoever goes on from the
 * last of them meets each branch once, those that are created meanwhile included.
 *
 * @throws Conflict when the list changed too fast for its index.
 */
export async function branchesAfter(
  owner: ListOwner,
  after: Branch | undefined,
  most: number,
): Promise<{ mids: string[]; areLast: boolean }> {
  const list = await readList(owner);
  requireWhole(list);
  const { position } = LISTS[owner.type];
  const low = after ? numberIn(list, after.mid, after[position] as number) + 1 : 1;
  const total = list.count + list.tail.length;
  const high = Math.min(low + most - 1, total);
  const slots = high < low ? [] : slotsOf(list, low, high);
  const ranks = slots.filter(({ mid }) => mid === undefined).map(({ position: rank }) => rank);
  const [first, last] = [ranks.at(0), ranks.at(-1)];
  const rows = first && last ? await rowsBetween(owner, [first, last], { limit: ranks.length }) : [];
  const ranked = new Map(rows.map((row) => [row[position], row.mid]));
  const mids = slots.flatMap(({ mid, position: rank }) => mid ?? ranked.get(rank) ?? []);
  if (mids.length < slots.length) throw new Conflict('The index lags behind by more than one seal');
  return { mids, areLast: high === total };
}
