import { Conflict } from '../aws/retry.ts';
import { queryItems } from '../table/client.ts';
import type { Branch, ListedBranch } from './branch.ts';
import { slotsOf } from './listBranches.ts';
import { type BranchList, LISTS, type ListOwner, readList, trySeal } from './ranks.ts';

/** The place of a branch in a list, the oldest of which has place 1. */
function placeIn({ count, sealed, tail }: BranchList, mid: string, position: number): number {
  const inTail = tail.findIndex((entry) => entry.mid === mid);
  if (inTail >= 0) return count + inTail + 1;
  const inSealed = sealed.indexOf(mid);
  if (inSealed >= 0) return count - sealed.length + inSealed + 1;
  if (position > count) throw new Conflict('The branch was ranked while its list was read');
  return position;
}

/**
 * Reads which branches follow one in an acquirer's list, the oldest first. The list is read strongly consistent, so that
 * whoever goes on from the last of them meets each branch once, those that are created meanwhile included.
 *
 * @param after A branch of the list as it was read, or `undefined` to begin with the oldest.
 * @param most The most branches to return.
 * @throws Conflict when the list changed too fast for its index.
 */
export async function branchesAfter(
  owner: ListOwner,
  after: Branch | undefined,
  most: number,
): Promise<{ mids: string[]; areLast: boolean }> {
  const list = await readList(owner);
  if (list.isPartial) {
    await trySeal(list);
    throw new Conflict('The branch list was sealed while it was read, or has many late entries');
  }
  const { index, owner: attribute, position } = LISTS[owner.type];
  const low = after ? placeIn(list, after.mid, after[position] as number) + 1 : 1;
  const total = list.count + list.tail.length;
  const high = Math.min(low + most - 1, total);
  const slots = high < low ? [] : slotsOf(list, low, high);
  const ranks = slots.filter(({ mid }) => mid === undefined).map(({ position: rank }) => rank);
  const ranked = new Map<number, string>();
  if (ranks.length > 0) {
    const rows = await queryItems<ListedBranch & Record<string, number>>(
      {
        IndexName: index,
        KeyConditionExpression: `${attribute} = :owner AND ${position} BETWEEN :low AND :high`,
        ExpressionAttributeValues: { ':owner': owner.id, ':low': ranks.at(0), ':high': ranks.at(-1) },
      },
      ranks.length,
    );
    for (const row of rows) ranked.set(row[position] as number, row.mid);
  }
  const mids = slots.flatMap(({ mid, position: rank }) => mid ?? ranked.get(rank) ?? []);
  if (mids.length < slots.length) throw new Conflict('The index lags behind by more than one seal');
  return { mids, areLast: high === total };
}
