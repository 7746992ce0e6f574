import { branchKey, branchOrder, serialKey, terminalKey, tidOf } from '../../../../lib/table/keys.ts';
import { ownerOf } from '../inspect.ts';
import { acrossItems, differs, type Invariant, perItem } from '../invariant.ts';

/**
 * Tolerated clock difference of two machines, in milliseconds. A reassigned terminal has times of two: its own, and
 * that at which its former branch was archived.
 */
const CLOCK_SKEW_MS = 60_000;

/** Invariants of terminals and of their serial numbers. */
export const TERMINALS: Invariant[] = [
  {
    name: 'tid',
    holds: "A terminal's TID is derived from its terminal_id.",
    ...perItem(['terminal'], ({ tid, terminal_id }) => differs('tid', tid, tidOf(terminal_id))),
  },
  {
    name: 'branch_order',
    holds: "A terminal's branch_order consists of its created_at, its place in the request, and its TID.",
    ...perItem(['terminal'], ({ tid, created_at, branch_order }) => {
      const [, place] = branch_order.split('#');
      return differs('branch_order', branch_order, branchOrder(created_at, Number(place), tid));
    }),
  },
  {
    name: 'terminal_archived_at',
    holds: 'A terminal was archived after it was created.',
    ...perItem(
      ['terminal'],
      ({ created_at, archived_at = '' }) =>
        Date.parse(archived_at) + CLOCK_SKEW_MS < Date.parse(created_at) &&
        `Its archived_at ${archived_at} is before its created_at ${created_at}.`,
    ),
  },
  {
    name: 'archive_reason',
    holds: 'A terminal has an archive_reason if and only if it has an archived_at.',
    ...perItem(['terminal'], ({ archived_at, archive_reason }) => [
      archived_at && !archive_reason && 'It has an archived_at and no archive_reason.',
      archive_reason && !archived_at && 'It has an archive_reason and no archived_at.',
    ]),
  },
  {
    name: 'restored',
    holds: 'A terminal is marked as restored only if it has no archived_at and its branch was archived at that time.',
    ...acrossItems(['terminal'], ({ restored, archived_at, mid = '' }, _, all) => {
      if (!restored) return;
      if (archived_at) return `It is marked as restored, but was archived at ${archived_at}.`;
      const branch = all.isMalformed(branchKey(mid)) ? undefined : all.get('branch', branchKey(mid));
      // Of earlier archivings, a branch has only the time of the last one.
      const { created_at = '', restored_from = '' } = branch ?? {};
      const wasArchived = branch?.archived_at === restored || (created_at <= restored && restored <= restored_from);
      return (
        branch &&
        !wasArchived &&
        `It is marked as restored from ${restored}, but its branch ${mid} was not archived then.`
      );
    }),
  },
  {
    name: 'terminal_branch',
    holds: 'The branch of a terminal exists.',
    ...acrossItems(
      ['terminal'],
      ({ mid }, _, all) => mid && !all.get('branch', branchKey(mid)) && `There is no branch ${mid}.`,
    ),
  },
  {
    name: 'terminals',
    holds: 'A branch lists exactly its terminals.',
    *acrossItems(all) {
      for (const [{ terminals }, key] of all.of('branch'))
        for (const order of terminals) {
          const [, , tid = ''] = order.split('#');
          const { mid = ownerOf(key), branch_order = order } = all.get('terminal', terminalKey(tid)) ?? { mid: '' };
          const isHere = mid === ownerOf(key) && branch_order === order;
          yield [key, !isHere && `It lists the branch_order ${order}, which no terminal here has.`];
        }
      for (const [{ mid = '', branch_order }, key] of all.of('terminal')) {
        const branch = branch_order && !all.isMalformed(branchKey(mid)) && all.get('branch', branchKey(mid));
        yield [key, branch && !branch.terminals.has(branch_order) && `Its branch ${mid} does not list it.`];
      }
    },
  },
  {
    name: 'serial_claimed',
    holds: "A terminal's serial_no is claimed by it.",
    ...acrossItems(['terminal'], ({ serial_no }, key, all) => {
      if (!serial_no) return;
      const claim = all.get('serial', serialKey(serial_no));
      if (!claim) return `Its serial_no ${serial_no} is not claimed.`;
      return claim.tid && claim.tid !== ownerOf(key) && `Its serial_no ${serial_no} is claimed by ${claim.tid}.`;
    }),
  },
  {
    name: 'serial_held',
    holds: 'The terminal that claims a serial_no has it.',
    ...acrossItems(['serial'], ({ tid }, key, all) => {
      if (!tid) return;
      const terminal = all.get('terminal', terminalKey(tid));
      if (!terminal) return `There is no terminal ${tid}.`;
      return terminal.serial_no !== ownerOf(key) && `The terminal ${tid} has ${terminal.serial_no ?? 'no serial_no'}.`;
    }),
  },
];
