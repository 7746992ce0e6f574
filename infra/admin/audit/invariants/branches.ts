import { branchKey } from '../../../../lib/table/keys.ts';
import { ownerOf } from '../inspect.ts';
import { acrossItems, type Invariant, isBefore, noAcquirer, perItem } from '../invariant.ts';
import { perList } from '../lists.ts';
import { comparingEntries } from '../searchEntries.ts';

/** The times of a branch, in their order. */
const TIMES = ['created_at', 'restored_from', 'restored_at', 'archived_at', 'updated_at'] as const;

/** Invariants of branches and branch lists. */
export const BRANCHES: Invariant[] = [
  {
    name: 'branch_acquirers',
    holds: 'A branch has a payment provider and at most one distributor, both registered with that type.',
    ...acrossItems(['branch'], ({ payment_provider, distributor }, _, all) => [
      noAcquirer(all, payment_provider, 'PAYMENT_PROVIDER'),
      noAcquirer(all, distributor, 'DISTRIBUTOR'),
    ]),
  },
  {
    name: 'distributor_position',
    holds: 'A branch has a distributor_position if and only if it has a distributor.',
    ...perItem(['branch'], ({ distributor, distributor_position }) => [
      distributor && !distributor_position && `It has the distributor ${distributor} and no distributor_position.`,
      !distributor && distributor_position !== undefined && 'It has a distributor_position and no distributor.',
    ]),
  },
  {
    name: 'branch_count',
    holds: 'The count of a branch list is the number of its ranked branches.',
    ...perList(function* ({ key, head, ranked }) {
      const count = head ? head.count : 0;
      if (count === undefined || count === ranked.length) return;
      const ranks = new Set(ranked.map(({ position }) => position));
      const free = ranked.map((_, at) => at + 1).find((rank) => rank <= count && !ranks.has(rank));
      yield [key, `the count is ${count}; expected ${ranked.length}${free ? `, or rank ${free} is missing` : ''}.`];
    }),
  },
  {
    name: 'branch_ranks',
    holds: 'The ranked branches of a list have the ranks 1 to its count, each rank once.',
    ...perList(function* ({ head, ranked }) {
      for (const [at, branch] of ranked.entries()) {
        const before = ranked[at - 1];
        if (!before?.position || before.position !== branch.position) continue;
        yield [before.key, `its rank ${branch.position} is also the rank of ${branch.key.pk}.`];
        yield [branch.key, `its rank ${branch.position} is also the rank of ${before.key.pk}.`];
      }
      const count = head?.count ?? Number.POSITIVE_INFINITY;
      for (const { key, position } of ranked)
        yield [key, position > count && `its rank ${position} is beyond the count ${count}.`];
    }),
  },
  {
    name: 'branch_unranked',
    holds: 'An unranked branch has its creation time as position, and an entry in the list.',
    ...perList(function* ({ unranked, entries }) {
      const places = new Set(entries.map(({ place }) => place));
      for (const { key, position, created_at, place } of unranked) {
        if (!created_at) continue;
        const expected = Date.parse(created_at);
        yield [key, position !== expected && `its position is ${position}; expected ${expected}.`];
        yield [key, !places.has(place) && 'it has neither a rank nor an entry.'];
      }
    }),
  },
  {
    name: 'branch_words',
    holds: 'A branch has one search entry for each of its words and acquirers, and no others.',
    ...comparingEntries(
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
  },
  {
    name: 'branch_list_entry',
    holds: 'An entry belongs to a branch that is unranked or was ranked by the last seal.',
    ...perList(function* ({ head, entries, byMid, unranked }) {
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
  },
  {
    name: 'branch_list_sealed',
    holds: 'The head of a branch list names the branches of the last seal in order of rank, and sealed_to covers them.',
    ...perList(function* ({ key, head, byMid }) {
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
  },
  {
    name: 'branch_times',
    holds: `The ${TIMES.join(', ')} of a branch are in this order; it has both or none of restored_from and restored_at.`,
    ...perItem(['branch'], (branch) => {
      const known = TIMES.filter((name) => branch[name]);
      return [
        !branch.restored_from !== !branch.restored_at && 'It has only one of restored_from and restored_at.',
        ...known.map((name, at) => {
          const before = known[at - 1] ?? name;
          const [time, timeBefore] = [branch[name], branch[before]];
          return isBefore(time, timeBefore) && `Its ${name} ${time} is before its ${before} ${timeBefore}.`;
        }),
      ];
    }),
  },
];
