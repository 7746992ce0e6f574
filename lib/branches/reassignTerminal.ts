import { retrying } from '../aws/retry.ts';
import { Problem } from '../base/problem.ts';
import { expectState } from '../base/state.ts';
import { type Author, commit, type View } from '../events/event.ts';
import type { ExtraSteps } from '../table/transaction.ts';
import { acquirersOf, type Branch, branchArchived, isAccessible, keyOfBranch, viewsOf } from './branch.ts';
import { addTerminals, checkRoom, removeTerminal } from './branchTerminals.ts';
import { loadTerminal, prepareChange } from './changeTerminal.ts';
import { moveLastSeen } from './lastSeen.ts';
import { archivingOf, foreignTerminal, type TerminalInBranch, toDeleted, toTerminal } from './terminal.ts';

/**
 * Moves a terminal to another branch of the same payment provider, so one partnership is that of both branches. Its status
 * is unchanged.
 *
 * @throws Problem `not_found` for an unknown TID or MID, `not_under_requesting_psp`, `partnership_ended`,
 *   `precondition_failed`, `already_under_target_mid`, `branch_archived`, `too_many_terminals`.
 */
export const reassignTerminal = (
  author: Author,
  tid: string,
  mid: string,
  extraSteps: ExtraSteps<TerminalInBranch> = () => [],
): Promise<TerminalInBranch> =>
  retrying(async () => {
    const { acquirer } = author;
    const { also, ...before } = await loadTerminal<[Branch]>(acquirer, tid, foreignTerminal, [keyOfBranch(mid)]);
    expectState(author, toTerminal(before));
    const [target] = also;
    if (!target) throw new Problem('not_found', 'No branch with the target MID exists.');
    if (!isAccessible(target, acquirer) || target.payment_provider !== before.branch.payment_provider)
      throw new Problem(
        'not_under_requesting_psp',
        'The target MID is not under the same payment provider as the terminal, or not accessible to you.',
      );
    if (target.mid === before.branch.mid)
      throw new Problem('already_under_target_mid', 'The terminal is already under the target MID.');
    if (target.archived_at) throw branchArchived();
    checkRoom(target, 1);
    const active = { archived_at: undefined, archive_reason: undefined };
    const moved = { mid, ...active, ...archivingOf(before), restored: undefined };
    const { after: reassigned, at, step } = prepareChange(before, () => moved, target);
    const { terminal } = reassigned;
    const steps = [
      ...extraSteps(reassigned),
      step,
      moveLastSeen(reassigned, before.branch),
      addTerminals(target, [terminal], at),
      removeTerminal(before.branch, terminal, at),
    ];
    await commit(author, steps, { at, terminals: [terminal], views: reassignmentViews(before, reassigned) });
    return reassigned;
  });

/** The views for the acquirers of both branches. A view never names a branch that its acquirer cannot access. */
function reassignmentViews({ branch: from }: TerminalInBranch, reassigned: TerminalInBranch): View[] {
  const { terminal, branch: to } = reassigned;
  const data = toTerminal(reassigned);
  const arrivals = viewsOf(to, { type: 'terminal.joined', data });
  const moved = { type: 'terminal.reassigned', changes: { mid: from.mid } } as const;
  return [
    ...arrivals.map((view) => (acquirersOf(from).includes(view.acquirer) ? { ...view, ...moved } : view)),
    ...viewsOf(from, { type: 'terminal.left', data: toDeleted(terminal) }).filter(
      ({ acquirer }) => !acquirersOf(to).includes(acquirer),
    ),
  ];
}
