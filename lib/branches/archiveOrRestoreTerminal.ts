import type { Acquirer } from '../acquirers/acquirer.ts';
import { Problem } from '../base/problem.ts';
import { expectState } from '../base/state.ts';
import type { ChangeOptions, Decision } from '../events/decision.ts';
import { noteStatusChange } from './branchTerminals.ts';
import { changedTerminal, loadTerminal, terminalChange, timeOfChange } from './changeTerminal.ts';
import {
  archivingOf,
  foreignTerminal,
  type ShownTerminal,
  type Terminal,
  type TerminalInBranch,
  terminalNotFound,
  toTerminal,
} from './terminal.ts';

/**
 * Decides to archive a terminal.
 *
 * @throws Problem `not_found`, `not_under_requesting_psp`, `partnership_ended`, `precondition_failed`,
 *   `already_archived`.
 */
export async function decideArchiveTerminal(
  acquirer: Acquirer,
  tid: string,
  archive_reason: string,
  options: ChangeOptions,
): Promise<Decision<ShownTerminal>> {
  const before = await loadTerminal(acquirer, tid, foreignTerminal);
  expectState(options, toTerminal(before));
  if (archivingOf(before)) throw new Problem('already_archived', 'The terminal is already archived.');
  const at = timeOfChange(before);
  return decideStatusChange(before, at, 'terminal.archived', { archived_at: at, archive_reason, restored: undefined });
}

/**
 * Decides to restore an archived terminal to active, even if its branch is archived and stays so.
 *
 * @throws Problem `not_found`; `partnership_ended`; `precondition_failed`; `not_archived`.
 */
export async function decideRestoreTerminal(
  acquirer: Acquirer,
  tid: string,
  options: ChangeOptions,
): Promise<Decision<ShownTerminal>> {
  const before = await loadTerminal(acquirer, tid, terminalNotFound);
  expectState(options, toTerminal(before));
  if (!archivingOf(before)) throw new Problem('not_archived', 'The terminal is not archived.');
  const set = { archived_at: undefined, archive_reason: undefined, restored: before.branch.archived_at };
  return decideStatusChange(before, timeOfChange(before), 'terminal.restored', set);
}

function decideStatusChange(
  { terminal, branch }: TerminalInBranch,
  at: string,
  type: 'terminal.archived' | 'terminal.restored',
  set: Partial<Terminal>,
): Decision<ShownTerminal> {
  const { after, step } = changedTerminal(terminal, at, set);
  const data = toTerminal({ terminal: after, branch });
  return {
    data,
    change: terminalChange(at, { terminal: after, branch }, { type, data }, [step, noteStatusChange(branch, at)]),
  };
}
