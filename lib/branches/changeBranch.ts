import type { Acquirer } from '../acquirers/acquirer.ts';
import { expectState } from '../base/state.ts';
import { laterThan } from '../base/time.ts';
import type { ChangeOptions, Decision } from '../events/decision.ts';
import type { EventType } from '../events/event.ts';
import { branchKey } from '../table/keys.ts';
import { type Step, update } from '../table/transaction.ts';
import {
  type Branch,
  branchNotFound,
  findBranch,
  isUnchanged,
  lastChangeOf,
  type ShownBranch,
  toBranch,
  viewsOf,
} from './branch.ts';
import { changeable } from './partnership.ts';

/**
 * Reads a branch to change, and determines the time of the change.
 *
 * @throws Problem `not_found`, `partnership_ended`, `precondition_failed`.
 */
export async function loadBranch(
  acquirer: Acquirer,
  mid: string,
  options: ChangeOptions,
): Promise<{ branch: Branch; at: string }> {
  const branch = await changeable(acquirer, await findBranch(mid), branchNotFound);
  expectState(options, toBranch(branch));
  return { branch, at: laterThan(lastChangeOf(branch)) };
}

interface BranchChange {
  type: EventType;
  set: Partial<Branch>;
  /** The fields of the response that change, with their values before. */
  changes?: Record<string, unknown>;
  /** Steps besides that of the branch itself. */
  others?: Step[];
}

/** Decides on a change of a branch's own attributes. Every change sets `updated_at`. */
export function decideBranchChange(
  before: Branch,
  at: string,
  { type, set, changes, others = [] }: BranchChange,
): Decision<ShownBranch> {
  const changed = { ...set, updated_at: at };
  const after: Branch = { ...before, ...changed };
  const data = toBranch(after);
  return {
    data,
    change: {
      steps: [update(branchKey(before.mid), { set: changed }, isUnchanged(before, at)), ...others],
      at,
      views: viewsOf(after, { type, data, ...(changes && { changes }) }),
    },
  };
}
