import { differences, type Update } from '../base/update.ts';
import type { Author } from '../events/event.ts';
import { changedEntrySteps, type Searchable } from '../table/wordEntries.ts';
import { type Branch, type BranchDetails, toBranch } from './branch.ts';
import { searchablesOf } from './branchWords.ts';
import { changeBranch } from './changeBranch.ts';

/**
 * Changes the supplied details of a branch, and by which words it is found.
 *
 * @throws Problem `not_found`, `partnership_ended`, `precondition_failed`.
 */
export const updateBranch = (author: Author, mid: string, update: Update<BranchDetails>): Promise<Branch> =>
  changeBranch(author, mid, (before) => {
    const changed = differences(toBranch(before), update);
    if (!changed) return undefined;
    const steps = (after: Branch) => {
      const now = searchablesOf(after);
      return searchablesOf(before).flatMap((each, at) => changedEntrySteps(each, now[at] as Searchable));
    };
    return { type: 'branch.updated', ...changed, steps };
  });
