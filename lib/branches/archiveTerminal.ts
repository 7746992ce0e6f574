import { retrying } from '../aws/retry.ts';
import { Problem } from '../base/problem.ts';
import { expectState } from '../base/state.ts';
import { type Author, commit } from '../events/event.ts';
import { noteStatusChange } from './branchTerminals.ts';
import { changeOf, loadTerminal, prepareChange } from './changeTerminal.ts';
import {
  archivingOf,
  foreignTerminal,
  type Terminal,
  type TerminalInBranch,
  terminalNotFound,
  toTerminal,
} from './terminal.ts';

/**
 * @param foreign Makes the problem for a terminal whose branch is not accessible.
 * @param decide Decides on the new attributes, at a time. Throws if the terminal has that status.
 */
const changeStatus = (
  author: Author,
  tid: string,
  type: 'terminal.archived' | 'terminal.restored',
  foreign: () => Problem,
  decide: (before: TerminalInBranch, at: string) => Partial<Terminal>,
): Promise<TerminalInBranch> =>
  retrying(async () => {
    const before = await loadTerminal(author.acquirer, tid, foreign);
    expectState(author, toTerminal(before));
    const { after, at, step } = prepareChange(before, (now) => decide(before, now));
    const steps = [step, noteStatusChange(before.branch, at)];
    await commit(author, steps, changeOf(at, after, { type, data: toTerminal(after) }));
    return after;
  });

/**
 * Archives a terminal.
 *
 * @throws Problem `not_found`, `not_under_requesting_psp`, `partnership_ended`, `precondition_failed`, `already_archived`.
 */
export const archiveTerminal = (author: Author, tid: string, archive_reason: string): Promise<TerminalInBranch> =>
  changeStatus(author, tid, 'terminal.archived', foreignTerminal, (before, archived_at) => {
    if (archivingOf(before)) throw new Problem('already_archived', 'The terminal is already archived.');
    return { archived_at, archive_reason, restored: undefined };
  });

/**
 * Restores an archived terminal to active, even if its branch is archived and stays so.
 *
 * @throws Problem `not_found`; `partnership_ended`; `precondition_failed`; `not_archived`.
 */
export const restoreTerminal = (author: Author, tid: string): Promise<TerminalInBranch> =>
  changeStatus(author, tid, 'terminal.restored', terminalNotFound, (before) => {
    if (!archivingOf(before)) throw new Problem('not_archived', 'The terminal is not archived.');
    return { archived_at: undefined, archive_reason: undefined, restored: before.branch.archived_at };
  });
