import { alone, type Invariant, isBefore, noAcquirer, together } from '../invariant.ts';
import { perList } from '../lists.ts';

/** What holds of branches and of the lists that they are in. */
export const BRANCHES: Invariant[] = [
  {
    name: 'branch_acquirers',
    holds: 'A branch has a payment provider and at most a distributor, both registered as such.',
    ...together(['branch'], ({ payment_provider, distributor }, _, all) => [
      noAcquirer(all, payment_provider, 'PAYMENT_PROVIDER'),
      noAcquirer(all, distributor, 'DISTRIBUTOR'),
    ]),
  },
  {
    name: 'distributor_position',
    holds: "A branch has a place in a distributor's list if and only if it has a distributor.",
    ...alone(['branch'], ({ distributor, distributor_position }) => [
      distributor && !distributor_position && `It has the distributor ${distributor} and no distributor_position.`,
      !distributor && distributor_position !== undefined && 'It has a distributor_position and no distributor.',
    ]),
  },
  {
    name: 'branch_count',
    holds: "The head of an acquirer's branch list counts its ranked branches.",
    ...perList(function* ({ key, head, ranked }) {
      const count = head ? head.count : 0;
      if (count === undefined || count === ranked.length) return;
      const ranks = new Set(ranked.map(({ position }) => position));
      const free = ranked.map((_, at) => at + 1).find((rank) => rank <= count && !ranks.has(rank));
      yield [key, `the count is ${count}; ${ranked.length} would be right${free ? `, or none has rank ${free}` : ''}.`];
    }),
  },
  {
    name: 'branch_ranks',
    holds: "The ranked branches of an acquirer have the ranks from 1 to their list's count, each its own.",
    ...perList(function* ({ head, ranked }) {
      for (const [at, branch] of ranked.entries()) {
        const before = ranked[at - 1];
        if (!before?.position || before.position !== branch.position) continue;
        yield [before.key, `its rank ${branch.position} is also that of ${branch.key.pk}.`];
        yield [branch.key, `its rank ${branch.position} is also that of ${before.key.pk}.`];
      }
      const count = head?.count ?? Number.POSITIVE_INFINITY;
      for (const { key, position } of ranked)
        yield [key, position > count && `its rank ${position} is beyond the count ${count}.`];
    }),
  },
  {
    name: 'branch_unranked',
    holds: 'A branch that is not ranked has its time of creation as position, and an entry in its list.',
    ...perList(function* ({ unranked, entries }) {
      const places = new Set(entries.map(({ place }) => place));
      for (const { key, position, created_at, place } of unranked) {
        if (!created_at) continue;
        const right = Date.parse(created_at);
        yield [key, position !== right && `its position is ${position}; ${right} would be right.`];
        yield [key, !places.has(place) && 'it is not ranked, and has no entry.'];
      }
    }),
  },
  {
    name: 'branch_list_entry',
    holds: 'An entry is of a branch that is not ranked, or was ranked last.',
    ...perList(function* ({ head, entries, byMid, unranked }) {
      const open = new Set(unranked.map(({ mid }) => mid));
      for (const { key, mid, place } of entries) {
        const branch = byMid.get(mid);
        if (!branch) yield [key, `there is no branch ${mid}.`];
        else if (branch.created_at && branch.place !== place)
          yield [key, `the branch ${mid} was created at ${branch.created_at}.`];
        else if (!open.has(mid) && !(head && (head.sealed?.includes(mid) ?? true)))
          yield [key, `the branch ${mid} has been ranked for long.`];
      }
    }),
  },
  {
    name: 'branch_list_sealed',
    holds:
      "The head of an acquirer's branch list names the branches with the last ranks, in their order, and how far they go.",
    ...perList(function* ({ key, head, byMid }) {
      const { count, sealed, sealed_to } = head ?? {};
      if (count === undefined || sealed === undefined) return;
      for (const [at, mid] of sealed.entries()) {
        const rank = count - sealed.length + at + 1;
        const branch = byMid.get(mid);
        yield [key, branch?.position !== rank && `it names ${mid} as rank ${rank}.`];
        const isBehind = branch?.created_at !== undefined && isBefore(sealed_to, branch.place);
        yield [key, isBehind && `its sealed_to ${sealed_to} is before ${branch.place}, that of rank ${rank}.`];
      }
      yield [key, sealed.length === 0 && 'it names no branch.'];
    }),
  },
  {
    name: 'branch_archived_at',
    holds: 'A branch was archived after it was created, and not changed before that.',
    ...alone(['branch'], ({ created_at, updated_at, archived_at }) => [
      isBefore(archived_at, created_at) && `Its archived_at ${archived_at} is before its created_at ${created_at}.`,
      isBefore(updated_at, archived_at) && `Its updated_at ${updated_at} is before its archived_at ${archived_at}.`,
    ]),
  },
];
