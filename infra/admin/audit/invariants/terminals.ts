import { branchKey, branchOrder, serialKey, terminalKey, tidOf, tidOfBranchOrder } from '../../../../lib/table/keys.ts';
import { ownerOf } from '../inspect.ts';
import { alone, differs, type Invariant, together, type Violated } from '../invariant.ts';

/**
 * By how much the clocks of two machines may differ. Only a terminal that was reassigned has times of two: it keeps the
 * time at which its former branch was archived.
 */
const CLOCKS_MS = 60_000;

/** What holds of terminals and of their serial numbers. */
export const TERMINALS: Invariant[] = [
  {
    name: 'tid',
    holds: "A terminal's TID is that of its terminal_id.",
    ...alone(['terminal'], ({ tid, terminal_id }) => differs('tid', tid, tidOf(terminal_id))),
  },
  {
    name: 'branch_order',
    holds: "A terminal's branch_order is made of its created_at, its place in the request, and its TID.",
    ...alone(['terminal'], ({ tid, created_at, branch_order }) => {
      const place = Number(branch_order.slice(created_at.length + 1, -tid.length - 1));
      return differs('branch_order', branch_order, branchOrder(created_at, Number.isInteger(place) ? place : 0, tid));
    }),
  },
  {
    name: 'terminal_archived_at',
    holds: 'A terminal was archived after it was created.',
    ...alone(
      ['terminal'],
      ({ created_at, archived_at = '' }) =>
        Date.parse(archived_at) + CLOCKS_MS < Date.parse(created_at) &&
        `Its archived_at ${archived_at} is before its created_at ${created_at}.`,
    ),
  },
  {
    name: 'archive_reason',
    holds: 'A terminal has an archive_reason if and only if it is archived itself.',
    ...alone(['terminal'], ({ archived_at, archive_reason }) => [
      archived_at && !archive_reason && 'It has an archived_at and no archive_reason.',
      archive_reason && !archived_at && 'It has an archive_reason and no archived_at.',
    ]),
  },
  {
    name: 'restored',
    holds: 'Only a terminal that is not archived itself, under a branch that is, is marked as restored.',
    ...together(['terminal'], ({ restored, archived_at, mid = '' }, _, all) => {
      if (!restored) return;
      const branch = all.get('branch', branchKey(mid));
      return [
        archived_at && `It is marked as restored, and archived at ${archived_at}.`,
        branch && !branch.archived_at && `It is marked as restored, and its branch ${mid} is not archived.`,
      ];
    }),
  },
  {
    name: 'terminal_branch',
    holds: 'A terminal is under a branch that there is.',
    ...together(
      ['terminal'],
      ({ mid }, _, all) => mid && !all.get('branch', branchKey(mid)) && `There is no branch ${mid}.`,
    ),
  },
  {
    name: 'terminal_count',
    holds: 'A branch counts the terminals that are under it.',
    *together(all) {
      const counts = new Map<string, number>();
      for (const [{ mid = '' }] of all.of('terminal')) counts.set(mid, (counts.get(mid) ?? 0) + 1);
      for (const [{ terminal_count }, key] of all.of('branch'))
        if (terminal_count !== undefined)
          yield [key, differs('terminal_count', terminal_count, counts.get(ownerOf(key)) ?? 0)];
    },
  },
  {
    name: 'terminal_changes',
    holds: 'The last change of a terminal that a branch names tells whether the terminal is under it.',
    ...together(['branch'], ({ terminal_changes = {} }, { pk }, all) => {
      const isHere = new Map<string, boolean>();
      for (const [, change] of Object.entries(terminal_changes).sort(([a], [b]) => (a < b ? -1 : 1)))
        if ('removed' in change) isHere.set(change.removed, false);
        else for (const order of change.added) isHere.set(tidOfBranchOrder(order), true);
      return [...isHere].map(([tid, added]): Violated => {
        const { mid } = all.get('terminal', terminalKey(tid)) ?? {};
        if (added) return mid !== ownerOf({ pk, sk: '' }) && `It names the terminal ${tid}, which is not under it.`;
        return mid === ownerOf({ pk, sk: '' }) && `It names the terminal ${tid} as gone, which is under it.`;
      });
    }),
  },
  {
    name: 'serial_claimed',
    holds: "A terminal's serial_no is claimed for it.",
    ...together(['terminal'], ({ serial_no }, key, all) => {
      if (!serial_no) return;
      const claim = all.get('serial', serialKey(serial_no));
      if (!claim) return `Nothing claims its serial_no ${serial_no}.`;
      return claim.tid && claim.tid !== ownerOf(key) && `Its serial_no ${serial_no} is claimed for ${claim.tid}.`;
    }),
  },
  {
    name: 'serial_held',
    holds: 'A serial_no is claimed for a terminal that has it.',
    ...together(['serial'], ({ tid }, key, all) => {
      if (!tid) return;
      const terminal = all.get('terminal', terminalKey(tid));
      if (!terminal) return `There is no terminal ${tid}.`;
      return terminal.serial_no !== ownerOf(key) && `The terminal ${tid} has ${terminal.serial_no ?? 'no serial_no'}.`;
    }),
  },
];
