import { Problem } from '../base/problem.ts';
import type { Author } from '../events/event.ts';
import type { Branch } from './branch.ts';
import { changeBranch } from './changeBranch.ts';

/**
 * Archives a branch and, with it, its terminals, whose status is computed: it is one write.
 *
 * @throws Problem `not_found`, `partnership_ended`, `precondition_failed`, `already_archived`.
 */
export const archiveBranch = (author: Author, mid: string): Promise<Branch> =>
  changeBranch(author, mid, ({ archived_at }, at) => {
    if (archived_at) throw new Problem('already_archived', 'The branch is already archived.');
    return { type: 'branch.archived', set: { archived_at: at } };
  });

/**
 * Restores an archived branch, with the terminals that were not archived by themselves.
 *
 * @throws Problem `not_found`, `partnership_ended`, `precondition_failed`, `not_archived`.
 */
export const restoreBranch = (author: Author, mid: string): Promise<Branch> =>
  changeBranch(author, mid, ({ archived_at }, at) => {
    if (!archived_at) throw new Problem('not_archived', 'The branch is not archived.');
    const changes = { status: 'archived', archived_at };
    const set = { archived_at: undefined, restored_at: at, restored_from: archived_at };
    return { type: 'branch.restored', set, changes };
  });
