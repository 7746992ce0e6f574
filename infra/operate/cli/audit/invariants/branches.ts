import { acquirerKey, branchKey, branchListEntryOf, branchListKey, type Key } from '../../../../../lib/table/keys.ts';
import { ownerOf } from '../inspect.ts';
import { type AcrossItems, type Detail, hasEntries, type Invariants, overall, refers } from '../invariant.ts';
import type { Snapshot } from '../snapshot.ts';

/** A branch in the list of one of its two acquirers. `entryId` is `created_at#mid`, as in the key of its entry. */
interface Listed {
  key: Key;
  mid: string;
  /** 0 if it has none. */
  position: number;
  created_at: string | undefined;
  entryId: string;
}

/** The branch list of an acquirer: branches in order of rank, those with a provisional position, and entries. */
const newList = (all: Snapshot, key: Key) => ({
  key,
  head: all.get('branch_list', key),
  ranked: [] as Listed[],
  unranked: [] as Listed[],
  entries: [] as Pick<Listed, 'key' | 'mid' | 'entryId'>[],
  byMid: new Map<string, Listed>(),
});
type List = ReturnType<typeof newList>;

/** Positions above this are times in milliseconds (of 1973 or later), not ranks. */
const MAX_RANK = 100_000_000_000;

/** The lists of all acquirers that have branches, list entries or a list head, by acquirer. */
function branchLists(all: Snapshot): Map<string, List> {
  const lists = new Map<string, List>();
  const listOf = (acquirer: string): List => {
    const list = lists.get(acquirer) ?? newList(all, branchListKey(acquirer));
    lists.set(acquirer, list);
    return list;
  };
  for (const [, key] of all.of('branch_list')) listOf(ownerOf(key));
  for (const [, key] of all.of('branch_list_entry')) {
    const { created_at, mid } = branchListEntryOf(key) ?? {};
    if (mid) listOf(ownerOf(key)).entries.push({ key, mid, entryId: `${created_at}#${mid}` });
  }
  for (const [branch, key] of all.of('branch'))
    for (const side of ['provider', 'distributor'] as const) {
      const acquirer = branch[side === 'provider' ? 'payment_provider' : side];
      if (!acquirer) continue;
      const { created_at, [`${side}_position` as const]: position = 0 } = branch;
      const mid = ownerOf(key);
      const list = listOf(acquirer);
      const listed = { key, mid, position, created_at, entryId: `${created_at}#${mid}` };
      list[position > MAX_RANK ? 'unranked' : 'ranked'].push(listed);
      list.byMid.set(mid, listed);
    }
  for (const { ranked } of lists.values()) ranked.sort((a, b) => a.position - b.position);
  return lists;
}

const perList = (check: (list: List) => Iterable<[Key, Detail]>): AcrossItems =>
  overall(function* (all) {
    for (const [acquirer, list] of branchLists(all))
      for (const [key, detail] of check(list)) yield [key, detail && `In the list of ${acquirer}, ${detail}`];
  });

export const BRANCHES: Invariants = {
  branch_acquirers: [
    'A branch has a payment provider and at most one distributor, both registered with that type.',
    refers(['branch'], ({ payment_provider, distributor }) => [
      ['acquirer', acquirerKey(payment_provider), { type: 'PAYMENT_PROVIDER' }],
      distributor !== undefined && ['acquirer', acquirerKey(distributor), { type: 'DISTRIBUTOR' }],
    ]),
  ],
  branch_ranks: [
    'The ranked branches of a list have the ranks 1 to its count, each rank once.',
    perList(function* ({ key, head, ranked }) {
      const { count = ranked.length } = head ?? {};
      yield [key, !head && ranked.length > 0 && `it has no head, but ${ranked.length} ranked branches.`];
      const byRank = Map.groupBy(ranked, ({ position }) => position);
      for (const [rank, branches] of byRank)
        for (const branch of branches) {
          yield [branch.key, branches.length > 1 && `${branches.length} branches have its rank ${rank}.`];
          yield [branch.key, rank > count && `its rank ${rank} is beyond the count ${count}.`];
        }
      const missing = Array.from({ length: Math.min(count, ranked.length + 1) }, (_, at) => at + 1);
      const free = missing.find((rank) => !byRank.has(rank));
      yield [key, free !== undefined && `no branch has the rank ${free} of ${count}.`];
    }),
  ],
  branch_unranked: [
    'An unranked branch has its creation time as position, and an entry in the list.',
    perList(function* ({ unranked, entries }) {
      const known = new Set(entries.map(({ entryId }) => entryId));
      for (const { key, position, created_at, entryId } of unranked) {
        if (!created_at) continue;
        const expected = Date.parse(created_at);
        yield [key, position !== expected && `its position is ${position}; expected ${expected}.`];
        yield [key, !known.has(entryId) && 'it has neither a rank nor an entry.'];
      }
    }),
  ],
  branch_words: [
    'A branch has one search entry for each of its words and acquirers, and no others.',
    hasEntries(
      'BRANCHES',
      (_, mid) => branchKey(mid),
      function* (all) {
        for (const [{ mid, search_entries, payment_provider, distributor }, key] of all.of('branch')) {
          const isValid = !all.isMalformed(key) && mid === ownerOf(key);
          for (const acquirer of [payment_provider, distributor])
            if (acquirer) yield [acquirer, ownerOf(key), isValid && search_entries];
        }
      },
    ),
  ],
  branch_list_entry: [
    'An entry belongs to a branch that is unranked or was ranked by the last seal.',
    perList(function* ({ head, entries, byMid, unranked }) {
      const open = new Set(unranked.map(({ mid }) => mid));
      for (const { key, mid, entryId } of entries) {
        const branch = byMid.get(mid);
        if (!branch) yield [key, `there is no branch ${mid}.`];
        else if (branch.created_at && branch.entryId !== entryId)
          yield [key, `the branch ${mid} was created at ${branch.created_at}.`];
        else if (!open.has(mid) && !(head && (head.sealed?.includes(mid) ?? true)))
          yield [key, `the branch ${mid} is ranked, and not by the last seal.`];
      }
    }),
  ],
  branch_list_sealed: [
    'The head of a branch list names the branches of the last seal in order of rank, and sealed_to covers them.',
    perList(function* ({ key, head, byMid }) {
      const { count, sealed, sealed_to } = head ?? {};
      if (count === undefined || sealed === undefined) return;
      for (const [at, mid] of sealed.entries()) {
        const rank = count - sealed.length + at + 1;
        const branch = byMid.get(mid);
        yield [key, branch?.position !== rank && `it names ${mid} as rank ${rank}.`];
        const isBehind = branch?.created_at !== undefined && sealed_to !== undefined && sealed_to < branch.entryId;
        yield [key, isBehind && `its sealed_to ${sealed_to} is before ${branch.entryId}, the entry of rank ${rank}.`];
      }
      yield [key, sealed.length === 0 && 'it names no branch.'];
    }),
  ],
  saved_response: [
    'The stored response of an Idempotency-Key refers to an existing branch, unless it is of a webhook, which may be deleted.',
    refers(['idempotency_key'], ({ location }) => [
      location !== undefined &&
        !location.includes('/webhooks/') && ['branch', branchKey(location.split('/').at(-1) ?? '')],
    ]),
  ],
};
