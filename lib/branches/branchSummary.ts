import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { shownAs } from '../base/values.ts';
import { getItems } from '../table/client.ts';
import { branchKey } from '../table/keys.ts';
import { type Branch, isAccessible, listedBranch, statusOf } from './branch.ts';

/** A branch in a response about something else: what a person recognizes it by. */
export const shownBranchSummary = v.pick(listedBranch, ['mid', 'merchant_name', 'city', 'status']);
export type BranchSummary = v.InferOutput<typeof shownBranchSummary>;

/** What a summary needs, and who can access the branch. */
const ATTRIBUTES = ['mid', 'merchant_name', 'city', 'archived_at', 'payment_provider', 'distributor'] as const;
type Summarized = Pick<Branch, (typeof ATTRIBUTES)[number]>;

export const toBranchSummary = (branch: Summarized): BranchSummary =>
  shownAs(shownBranchSummary, { ...branch, status: statusOf(branch) });

/**
 * Summarizes branches that are accessible to the acquirer, and leaves out all others. Reads are eventually consistent,
 * and cost half a unit for each 4 KB of a branch: at most 3.5 units each.
 */
export async function summariesOf(acquirer: Acquirer, mids: Iterable<string>): Promise<BranchSummary[]> {
  const branches = await getItems<Summarized[]>([...mids].map(branchKey), {
    ConsistentRead: false,
    ProjectionExpression: ['pk', 'sk', ...ATTRIBUTES].join(', '),
  });
  return branches.flatMap((branch) => (branch && isAccessible(branch, acquirer) ? toBranchSummary(branch) : []));
}
