import { retrying, SHORT_PAUSE } from '../aws/retry.ts';
import { expectState } from '../base/state.ts';
import { laterThan } from '../base/time.ts';
import { type Author, commit, type EventType } from '../events/event.ts';
import { branchKey } from '../table/keys.ts';
import { type Step, update } from '../table/transaction.ts';
import { type Branch, branchNotFound, findBranch, isUnchanged, lastChangeOf, toBranch, viewsOf } from './branch.ts';
import { changeable } from './partnership.ts';

interface BranchChange {
  type: EventType;
  set: Partial<Branch>;
  /** The fields of the response that change, with their values before. */
  changes?: Record<string, unknown>;
  /** Makes further steps from the branch after the change. */
  steps?: (after: Branch) => Step[];
}

/**
 * Changes a branch. It retries after short pauses, so that steady creates of terminals, which back off, cannot keep it
 * waiting.
 *
 * @param decide Decides what to change, at a time; `undefined` if nothing.
 * @throws Problem `not_found`, `partnership_ended`, `precondition_failed`, and whatever `decide` throws.
 */
export const changeBranch = (
  author: Author,
  mid: string,
  decide: (branch: Branch, at: string) => BranchChange | undefined,
): Promise<Branch> =>
  retrying(async () => {
    const branch = await changeable(author.acquirer, await findBranch(mid), branchNotFound);
    expectState(author, toBranch(branch));
    const at = laterThan(lastChangeOf(branch));
    const change = decide(branch, at);
    if (!change) return branch;
    const { type, changes, steps = () => [] } = change;
    const set = { ...change.set, updated_at: at };
    const after: Branch = { ...branch, ...set };
    const views = viewsOf(after, { type, data: toBranch(after), ...(changes && { changes }) });
    const write = update(branchKey(mid), { set }, isUnchanged(branch, at));
    await commit(author, [write, ...steps(after)], { at, views });
    return after;
  }, SHORT_PAUSE);
