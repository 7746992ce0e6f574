import type { Acquirer } from '../acquirers/acquirer.ts';
import { Problem } from '../base/problem.ts';
import { expectState } from '../base/state.ts';
import type { ChangeOptions, Decision, View } from '../events/decision.ts';
import { acquirersOf, type Branch, branchArchived, isAccessible, keyOfBranch, viewsOf } from './branch.ts';
import { addTerminals, checkRoom, removeTerminal } from './branchTerminals.ts';
import { changedTerminal, loadTerminal, timeOfChange } from './changeTerminal.ts';
import { moveLastSeen } from './lastSeen.ts';
import {
  archivingOf,
  foreignTerminal,
  type ShownTerminal,
  type TerminalInBranch,
  toDeleted,
  toTerminal,
} from './terminal.ts';

/**
 * Decides to move a terminal to another branch of the same payment provider, so one partnership is that of both. Its
 * status is unchanged.
 *
 * @throws Problem `not_found` for an unknown TID or MID, `not_under_requesting_psp`, `partnership_ended`,
 *   `precondition_failed`, `already_under_target_mid`, `branch_archived`, `too_many_terminals`.
 */
export async function decideReassignTerminal(
  acquirer: Acquirer,
  tid: string,
  mid: string,
  options: ChangeOptions,
): Promise<Decision<ShownTerminal>> {
  const { also, ...before } = await loadTerminal<[Branch]>(acquirer, tid, foreignTerminal, [keyOfBranch(mid)]);
  expectState(options, toTerminal(before));
  const { terminal, branch: from } = before;
  const [to] = also;
  if (!to) throw new Problem('not_found', 'No branch with the target MID exists.');
  if (!isAccessible(to, acquirer) || to.payment_provider !== from.payment_provider)
    throw new Problem(
      'not_under_requesting_psp',
      'The target MID is not under the same payment provider as the terminal, or not accessible to you.',
    );
  if (to.mid === from.mid)
    throw new Problem('already_under_target_mid', 'The terminal is already under the target MID.');
  if (to.archived_at) throw branchArchived();
  checkRoom(to, 1);

  const at = timeOfChange(before, to);
  const active = { archived_at: undefined, archive_reason: undefined };
  const { after, step } = changedTerminal(terminal, at, {
    mid,
    ...active,
    ...archivingOf(before),
    restored: undefined,
  });
  const moved = { terminal: after, branch: to };
  const data = toTerminal(moved);
  const steps = [step, moveLastSeen(moved), addTerminals(to, [after], at), removeTerminal(from, after, at)];
  return { data, change: { steps, at, terminals: [after], views: viewsOfMove(from, moved, data) } };
}

/** The views for the acquirers of both branches. A view never names a branch that its acquirer cannot access. */
function viewsOfMove(from: Branch, { terminal, branch: to }: TerminalInBranch, data: ShownTerminal): View[] {
  const arrivals = viewsOf(to, { type: 'terminal.joined', data });
  const moved = { type: 'terminal.reassigned', changes: { mid: from.mid } } as const;
  return [
    ...arrivals.map((view) => (acquirersOf(from).includes(view.acquirer) ? { ...view, ...moved } : view)),
    ...viewsOf(from, { type: 'terminal.left', data: toDeleted(terminal) }).filter(
      ({ acquirer }) => !acquirersOf(to).includes(acquirer),
    ),
  ];
}
