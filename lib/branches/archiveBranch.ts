import { Problem } from '../base/problem.ts';
import { laterThan } from '../base/time.ts';
import { type Author, eventSteps } from '../events/event.ts';
import { branchKey } from '../table/keys.ts';
import { retrying, SHORT_PAUSE } from '../table/retry.ts';
import { isAsRead, transact, update } from '../table/transaction.ts';
import { type Branch, getBranch, lastChangeOf, toBranch, viewsOf } from './branch.ts';

/**
 * Archives a branch and, with it, its terminals. This is one write, however many terminals there are, because a
 * terminal's status is computed from its own state and its branch's.
 *
 * Each create of a terminal in the branch conflicts with it. It retries after short pauses, so steady creates, which
 * back off, cannot keep it waiting.
 *
 * @throws Problem `not_found`, `already_archived`.
 */
export const archiveBranch = (author: Author, mid: string): Promise<Branch> =>
  retrying(async () => {
    const branch = await getBranch(author.acquirer, mid);
    if (branch.archived_at) throw new Problem('already_archived', 'The branch is already archived.');
    const at = laterThan(lastChangeOf(branch));
    const set = { archived_at: at, updated_at: at };
    const archived = { ...branch, ...set };
    const views = viewsOf(archived, { type: 'branch.archived', data: toBranch(archived) });
    await transact([
      update(branchKey(mid), { set }, isAsRead(branch, 'archived_at', 'terminals_changed_at')),
      ...eventSteps(author, { at, views }),
    ]);
    return archived;
  }, SHORT_PAUSE);
