import { branchListEntryOf, branchListKey, type Key } from '../../../../lib/table/keys.ts';
import { ownerOf } from './inspect.ts';
import { type AcrossItems, type Detail, overall } from './invariant.ts';
import type { Summary } from './kinds.ts';
import type { Snapshot } from './snapshot.ts';

/** A branch in the list of one of its two acquirers. */
interface Listed {
  key: Key;
  mid: string;
  /** 0 if it has none. */
  position: number;
  created_at: string | undefined;
  /** `created_at#mid`, as in the key of its entry. */
  place: string;
}

/** The branch list of an acquirer. */
interface List {
  key: Key;
  head: Partial<Summary<'branch_list'>> | undefined;
  /** In order of rank. */
  ranked: Listed[];
  /** Those with a provisional position. */
  unranked: Listed[];
  entries: { key: Key; mid: string; place: string }[];
  byMid: Map<string, Listed>;
}

/** Positions above this are times in milliseconds (of 1973 or later), not ranks. */
const MAX_RANK = 100_000_000_000;

/** The lists of all acquirers that have branches, list entries or a list head, by acquirer. */
function branchLists(all: Snapshot): Map<string, List> {
  const lists = new Map<string, List>();
  const listOf = (acquirer: string): List => {
    const key = branchListKey(acquirer);
    const empty = { ranked: [], unranked: [], entries: [], byMid: new Map() };
    const list = lists.get(acquirer) ?? { key, head: all.get('branch_list', key), ...empty };
    lists.set(acquirer, list);
    return list;
  };
  for (const [, key] of all.of('branch_list')) listOf(ownerOf(key));
  for (const [, key] of all.of('branch_list_entry')) {
    const { created_at, mid } = branchListEntryOf(key) ?? {};
    if (mid) listOf(ownerOf(key)).entries.push({ key, mid, place: `${created_at}#${mid}` });
  }
  for (const [branch, key] of all.of('branch'))
    for (const side of ['provider', 'distributor'] as const) {
      const acquirer = branch[side === 'provider' ? 'payment_provider' : side];
      if (!acquirer) continue;
      const { created_at, [`${side}_position` as const]: position = 0 } = branch;
      const mid = ownerOf(key);
      const list = listOf(acquirer);
      const listed = { key, mid, position, created_at, place: `${created_at}#${mid}` };
      list[position > MAX_RANK ? 'unranked' : 'ranked'].push(listed);
      list.byMid.set(mid, listed);
    }
  for (const { ranked } of lists.values()) ranked.sort((a, b) => a.position - b.position);
  return lists;
}

/** Checks the branch list of each acquirer. */
export const perList = (check: (list: List) => Iterable<[Key, Detail]>): AcrossItems =>
  overall(function* (all) {
    for (const [acquirer, list] of branchLists(all))
      for (const [key, detail] of check(list)) yield [key, detail && `In the list of ${acquirer}, ${detail}`];
  });
