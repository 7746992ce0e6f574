import type { PageRequest } from './base/paging.ts';
import type { Branch, ListedBranch } from './branch.ts';
import { type BranchList, LISTS, type ListOwner, readList, seal } from './branchRanks.ts';
import { getItems, queryItems } from './table/client.ts';
import { branchKey } from './table/keys.ts';
import { allDone, Contention, retrying } from './table/retry.ts';

/** A place on a page: the branch of a rank, by its MID where that is known. */
interface Slot {
  position: number;
  mid: string | undefined;
}

/** The places of a list from one to another, counted from 1 for the oldest branch. */
const slotsOf = ({ count, sealed, tail }: BranchList, low: number, high: number): Slot[] =>
  Array.from({ length: high - low + 1 }, (_, at) => {
    const place = low + at;
    const entry = tail[place - count - 1];
    if (entry) return { position: entry.position, mid: entry.mid };
    return { position: place, mid: sealed[place - (count - sealed.length) - 1] };
  });

type Position = 'provider_position' | 'distributor_position';
type Row = ListedBranch & { [K in Position]?: number | undefined };

/**
 * One page of the branches accessible to an acquirer, oldest or newest first, and the count of all. The list itself is
 * read strongly consistent, so membership, order and `total` are exact. What the branches look like comes from an index,
 * which may be some milliseconds behind; a branch that it does not show yet is read by its key.
 *
 * Any page costs the same at any depth of any list. The first one is read beside the list.
 */
export const listBranches = (
  owner: ListOwner,
  { page, per_page, sort }: PageRequest,
): Promise<{ total: number; branches: ListedBranch[] }> => {
  // Once: a list that has to be read again may be sealed faster than its index follows.
  let hasSealed = false;
  const sealOnce = async (list: BranchList) => {
    if (!hasSealed) await seal(list);
    hasSealed = true;
  };
  return retrying(async () => {
    const { index, owner: attribute, position } = LISTS[owner.type];
    const inIndex = (low: number, high: number, limit?: number) =>
      queryItems<Row>(
        {
          IndexName: index,
          KeyConditionExpression: `${attribute} = :owner AND ${position} BETWEEN :low AND :high`,
          ExpressionAttributeValues: { ':owner': owner.id, ':low': low, ':high': high },
          ScanIndexForward: sort === 'asc',
        },
        limit,
      );
    const skipped = (page - 1) * per_page;
    // Of any other page, the range is known only when the list is.
    const firstPage = () => (page === 1 ? inIndex(1, Number.MAX_SAFE_INTEGER, per_page) : []);
    const [list, seen] = await allDone([readList(owner), firstPage()]);

    const total = list.count + list.tail.length;
    const size = Math.min(per_page, total - skipped);
    if (size <= 0) {
      await sealOnce(list);
      return { total, branches: [] };
    }
    const low = sort === 'asc' ? skipped + 1 : total - skipped - size + 1;
    const slots = slotsOf(list, low, low + size - 1);
    const [branches] = await allDone([pageOf(slots, position, seen, inIndex), sealOnce(list)]);
    return { total, branches: sort === 'asc' ? branches : branches.reverse() };
  });
};

/** The branches of these places: from the index where it shows them, else by their keys. */
async function pageOf(
  slots: Slot[],
  position: Position,
  seen: Row[],
  inIndex: (low: number, high: number) => Promise<Row[]>,
): Promise<ListedBranch[]> {
  const ranked = new Map<number | undefined, Row>();
  const named = new Map<string | undefined, Row>();
  const add = (rows: Row[]) => {
    for (const row of rows) {
      ranked.set(row[position], row);
      named.set(row.mid, row);
    }
  };
  // Two of the tail may have one position, and one that was just ranked may still be shown at its old one: the MID tells.
  const rowOf = (slot: Slot) => (slot.mid === undefined ? ranked.get(slot.position) : named.get(slot.mid));
  const missing = () => slots.filter((slot) => !rowOf(slot));

  const isNameless = ({ mid }: Slot) => mid === undefined;
  const [first, last] = [slots.at(0), slots.at(-1)] as [Slot, Slot];

  add(seen);
  // One branch is read by its key at once: most likely the caller has just created it.
  if (missing().length > 1 || missing().some(isNameless)) add(await inIndex(first.position, last.position));
  if (missing().some(isNameless)) throw new Contention('The index is behind by more than one seal');
  const keys = missing().map(({ mid }) => branchKey(mid as string));
  if (keys.length > 0) add((await getItems<Branch[]>(keys)).filter((branch) => branch !== undefined));
  if (missing().length > 0) throw new Contention('A branch list names a branch that is not there');
  return slots.map((slot) => rowOf(slot) as Row);
}
