import type { Acquirer } from '../acquirers/acquirer.ts';
import { differences, type Update } from '../base/update.ts';
import type { ChangeOptions, Decision } from '../events/decision.ts';
import { changedEntrySteps, type Searchable } from '../table/wordEntries.ts';
import { type ShownBranch, toBranch } from './branch.ts';
import type { BranchDetails } from './branchDetails.ts';
import { searchablesOf } from './branchWords.ts';
import { decideBranchChange, loadBranch } from './changeBranch.ts';

/**
 * Decides to change the supplied details of a branch, and by which words it is found.
 *
 * @throws Problem `not_found`, `partnership_ended`, `precondition_failed`.
 */
export async function decideUpdateBranch(
  acquirer: Acquirer,
  mid: string,
  update: Update<BranchDetails>,
  options: ChangeOptions,
): Promise<Decision<ShownBranch>> {
  const { branch, at } = await loadBranch(acquirer, mid, options);
  const changed = differences(toBranch(branch), update);
  if (!changed) return { data: toBranch(branch) };
  const words = searchablesOf({ ...branch, ...changed.set, updated_at: at });
  const others = searchablesOf(branch).flatMap((before, of) => changedEntrySteps(before, words[of] as Searchable));
  return decideBranchChange(branch, at, { type: 'branch.updated', ...changed, others });
}
