import { retrying } from '../aws/retry.ts';
import { Problem } from '../base/problem.ts';
import { expectState } from '../base/state.ts';
import { noteStatusChange } from '../branches/branchTerminals.ts';
import { type Author, commit } from '../events/event.ts';
import { changeOf, loadTerminal, prepareChange } from './change.ts';
import { archivingOf, type TerminalInBranch, terminalNotFound, toTerminal } from './terminal.ts';

/**
 * Restores an archived terminal to active, even if its branch is archived and stays so.
 *
 * @throws Problem `not_found` when there is no such terminal or it is not accessible; `precondition_failed`;
 *   `not_archived`.
 */
export const restoreTerminal = (author: Author, tid: string): Promise<TerminalInBranch> =>
  retrying(async () => {
    const before = await loadTerminal(author.acquirer, tid, terminalNotFound);
    expectState(author, toTerminal(before));
    if (!archivingOf(before)) throw new Problem('not_archived', 'The terminal is not archived.');
    const { after, at, step } = prepareChange(before, () => ({
      archived_at: undefined,
      archive_reason: undefined,
      restored: before.branch.archived_at,
    }));
    const steps = [step, noteStatusChange(before.branch, at)];
    await commit(author, steps, changeOf(at, after, { type: 'terminal.restored', data: toTerminal(after) }));
    return after;
  });
