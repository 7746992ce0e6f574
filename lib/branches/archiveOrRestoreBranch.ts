import type { Acquirer } from '../acquirers/acquirer.ts';
import { Problem } from '../base/problem.ts';
import type { ChangeOptions, Decision } from '../events/decision.ts';
import type { ShownBranch } from './branch.ts';
import { decideBranchChange, loadBranch } from './changeBranch.ts';

/**
 * Decides to archive a branch and, with it, its terminals, whose status is computed: it is one write.
 *
 * @throws Problem `not_found`, `partnership_ended`, `precondition_failed`, `already_archived`.
 */
export async function decideArchiveBranch(
  acquirer: Acquirer,
  mid: string,
  options: ChangeOptions,
): Promise<Decision<ShownBranch>> {
  const { branch, at } = await loadBranch(acquirer, mid, options);
  if (branch.archived_at) throw new Problem('already_archived', 'The branch is already archived.');
  return decideBranchChange(branch, at, { type: 'branch.archived', set: { archived_at: at } });
}

/**
 * Decides to restore an archived branch, with the terminals that were not archived by themselves.
 *
 * @throws Problem `not_found`, `partnership_ended`, `precondition_failed`, `not_archived`.
 */
export async function decideRestoreBranch(
  acquirer: Acquirer,
  mid: string,
  options: ChangeOptions,
): Promise<Decision<ShownBranch>> {
  const { branch, at } = await loadBranch(acquirer, mid, options);
  const { archived_at } = branch;
  if (!archived_at) throw new Problem('not_archived', 'The branch is not archived.');
  const set = { archived_at: undefined, restored_at: at, restored_from: archived_at };
  return decideBranchChange(branch, at, { type: 'branch.restored', set, changes: { status: 'archived', archived_at } });
}
