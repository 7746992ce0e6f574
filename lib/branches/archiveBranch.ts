import { Problem } from '../base/problem.ts';
import type { Author } from '../events/event.ts';
import type { Branch } from './branch.ts';
import { changeBranch } from './changeBranch.ts';

/**
 * Archives a branch and, with it, its terminals. This is one write, however many terminals there are, because a
 * terminal's status is computed from its own state and its branch's.
 *
 * @throws Problem `not_found`, `precondition_failed`, `already_archived`.
 */
export const archiveBranch = (author: Author, mid: string): Promise<Branch> =>
  changeBranch(author, mid, ({ archived_at }, at) => {
    if (archived_at) throw new Problem('already_archived', 'The branch is already archived.');
    return { type: 'branch.archived', set: { archived_at: at } };
  });
