import { branchKey, serialKey, terminalKey } from '../../../../../lib/table/keys.ts';
import { acrossItems, type Invariants, perItem, refers } from '../invariant.ts';

/**
 * Tolerated clock difference of two machines, in milliseconds. A reassigned terminal has times of two: its own, and
 * that at which its former branch was archived.
 */
const CLOCK_SKEW_MS = 60_000;

export const TERMINALS: Invariants = {
  terminal_archived_at: [
    'A terminal was archived after it was created.',
    perItem(
      ['terminal'],
      ({ created_at, archived_at = '' }) =>
        Date.parse(archived_at) + CLOCK_SKEW_MS < Date.parse(created_at) &&
        `Its archived_at ${archived_at} is before its created_at ${created_at}.`,
    ),
  ],
  restored: [
    'A terminal is marked as restored only if it has no archived_at and its branch was archived at that time.',
    acrossItems(['terminal'], ({ restored, archived_at, mid }, _, all) => {
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
  ],
  terminal_branch: [
    'The branch of a terminal exists and lists it.',
    refers(['terminal'], ({ mid, branch_order: terminals }) => [['branch', branchKey(mid), { terminals }]]),
  ],
  terminals: [
    'A branch lists only its terminals.',
    refers(['branch'], ({ terminals }, mid) =>
      [...terminals].map((branch_order) => {
        const [, , tid = ''] = branch_order.split('#');
        return ['terminal', terminalKey(tid), { mid, branch_order }];
      }),
    ),
  ],
  last_seen: [
    'When a terminal was last seen is stored where the terminal is.',
    refers(['last_seen'], ({ mid, distributor, payment_provider, branch_order }, tid) => [
      ['terminal', terminalKey(tid), { mid, ...(branch_order && { branch_order: branch_order.slice(1) }) }],
      ['branch', branchKey(mid), { distributor, ...(payment_provider && { payment_provider }) }],
    ]),
  ],
  serial_claimed: [
    "A terminal's serial_no is claimed by it.",
    refers(['terminal'], ({ serial_no }, tid) => [
      serial_no !== undefined && ['serial', serialKey(serial_no), { tid }],
    ]),
  ],
  serial_held: [
    'The terminal that claims a serial_no has it.',
    refers(['serial'], ({ tid }, serial_no) => [['terminal', terminalKey(tid), { serial_no }]]),
  ],
};
