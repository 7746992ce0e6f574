import { retrying } from '../aws/retry.ts';
import { Problem } from '../base/problem.ts';
import { expectState } from '../base/state.ts';
import { noteStatusChange } from '../branches/branchTerminals.ts';
import { type Author, commit } from '../events/event.ts';
import { changeOf, loadTerminal, prepareChange } from './change.ts';
import { archivingOf, foreignTerminal, type TerminalInBranch, toTerminal } from './terminal.ts';

/**
 * Archives a terminal.
 *
 * @throws Problem `not_found`, `not_under_requesting_psp`, `precondition_failed`, `already_archived`.
 */
export const archiveTerminal = (author: Author, tid: string, reason: string): Promise<TerminalInBranch> =>
  retrying(async () => {
    const before = await loadTerminal(author.acquirer, tid, foreignTerminal);
    expectState(author, toTerminal(before));
    if (archivingOf(before)) throw new Problem('already_archived', 'The terminal is already archived.');
    const { after, at, step } = prepareChange(before, (now) => ({
      archived_at: now,
      archive_reason: reason,
      restored: undefined,
    }));
    const steps = [step, noteStatusChange(before.branch, at)];
    await commit(author, steps, changeOf(at, after, { type: 'terminal.archived', data: toTerminal(after) }));
    return after;
  });
