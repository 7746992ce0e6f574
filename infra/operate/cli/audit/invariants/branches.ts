import { acquirerKey, branchKey } from '../../../../../lib/table/keys.ts';
import { ownerOf } from '../inspect.ts';
import { hasEntries, type Invariants, isBefore, refers } from '../invariant.ts';
import { perList } from '../lists.ts';

/** Invariants of branches and branch lists. */
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
      const places = new Set(entries.map(({ place }) => place));
      for (const { key, position, created_at, place } of unranked) {
        if (!created_at) continue;
        const expected = Date.parse(created_at);
        yield [key, position !== expected && `its position is ${position}; expected ${expected}.`];
        yield [key, !places.has(place) && 'it has neither a rank nor an entry.'];
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
      for (const { key, mid, place } of entries) {
        const branch = byMid.get(mid);
        if (!branch) yield [key, `there is no branch ${mid}.`];
        else if (branch.created_at && branch.place !== place)
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
        const isBehind = branch?.created_at !== undefined && isBefore(sealed_to, branch.place);
        yield [key, isBehind && `its sealed_to ${sealed_to} is before ${branch.place}, the entry of rank ${rank}.`];
      }
      yield [key, sealed.length === 0 && 'it names no branch.'];
    }),
  ],
  saved_response: [
    'The stored response of an Idempotency-Key refers to an existing branch.',
    refers(['idempotency_key'], ({ location }) => [
      location !== undefined && ['branch', branchKey(location.split('/').at(-1) ?? '')],
    ]),
  ],
};
