import { Problem } from '../base/problem.ts';
import type { Author } from '../events/event.ts';
import { retrying } from '../table/retry.ts';
import { transact } from '../table/transaction.ts';
import { branchStaysActive, loadTerminal, prepareChange, terminalEventSteps } from './change.ts';
import { archivingOf, foreignTerminal, type TerminalInBranch, toTerminal } from './terminal.ts';

/**
 * Archives a terminal.
 *
 * @throws Problem `not_found`, `not_under_requesting_psp`, `already_archived`.
 */
export const archiveTerminal = (author: Author, tid: string, reason: string): Promise<TerminalInBranch> =>
  retrying(async () => {
    const before = await loadTerminal(author.acquirer, tid, foreignTerminal);
    if (archivingOf(before)) throw new Problem('already_archived', 'The terminal is already archived.');
    const { after, at, step } = prepareChange(before, (now) => ({
      archived_at: now,
      archive_reason: reason,
      restored: undefined,
    }));
    await transact([
      step,
      ...branchStaysActive(before),
      ...terminalEventSteps(author, at, after, { type: 'terminal.archived', data: toTerminal(after) }),
    ]);
    return after;
  });
