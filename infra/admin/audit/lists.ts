import { branchListKey, type Key } from '../../../lib/table/keys.ts';
import type { Fault } from './invariant.ts';
import type { AllKept } from './kept.ts';
import { type Kept, ownerOf } from './kinds.ts';

/** A branch in the list of one of its two acquirers. */
export interface Ranked {
  key: Key;
  /** 0 when it has none. */
  rank: number;
  created_at: string | undefined;
}

/** The branches of an acquirer in the order of their ranks, and the head of their list. */
export interface List {
  key: Key;
  head: Kept<'branch_list'> | undefined;
  ranked: Ranked[];
}

/** The branches of each acquirer that has some, or the head of a list. */
function branchesOfAll(all: AllKept): Map<string, Ranked[]> {
  const lists = new Map<string, Ranked[]>();
  for (const [, key] of all.of('branch_list')) lists.set(ownerOf(key), []);
  for (const [branch, key] of all.of('branch')) {
    const places: [acquirer: string | undefined, rank: number | undefined][] = [
      [branch.payment_provider, branch.provider_position],
      [branch.distributor, branch.distributor_position],
    ];
    for (const [acquirer, rank = 0] of places) {
      if (!acquirer) continue;
      const list = lists.get(acquirer) ?? [];
      list.push({ key, rank, created_at: branch.created_at });
      lists.set(acquirer, list);
    }
  }
  return lists;
}

/** Judges the branch list of each acquirer. */
export const perList = (judge: (list: List) => Iterable<[Key, Fault]>) => ({
  *together(all: AllKept): Generator<[Key, Fault]> {
    for (const [acquirer, branches] of branchesOfAll(all)) {
      const key = branchListKey(acquirer);
      const ranked = branches.sort((a, b) => a.rank - b.rank);
      for (const [at, fault] of judge({ key, head: all.get('branch_list', key), ranked }))
        yield [at, fault && `In the list of ${acquirer}, ${fault}`];
    }
  },
});

/** Each branch that has a rank, with the one before it. */
export const pairsIn = ({ ranked }: List): [before: Ranked, branch: Ranked][] =>
  ranked.flatMap((branch, at) => {
    const before = ranked[at - 1];
    return before?.rank ? [[before, branch]] : [];
  });
