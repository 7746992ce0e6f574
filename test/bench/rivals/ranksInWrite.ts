import { setTimeout as sleep } from 'node:timers/promises';
import { Conflict } from '../../../lib/aws/retry.ts';
import { getItem } from '../../../lib/table/client.ts';
import { branchKey, branchListKey } from '../../../lib/table/keys.ts';
import { isAsRead, isFree, put, transact, update } from '../../../lib/table/transaction.ts';
import { unique } from '../world.ts';

/*
 * The former way to rank branch lists: each create takes the next rank, on condition that the list head is unchanged.
 * After a conflict it pauses in proportion to the time of its attempt, which was the best way tried.
 */

const BUDGET_MS = 10_000;

/** Creates a branch with the next rank, unless that takes longer than 10 s. */
export async function createWithRank(paymentProvider: string): Promise<boolean> {
  const end = performance.now() + BUDGET_MS;
  const mid = unique('R');
  for (let attempt = 0; ; attempt += 1) {
    const begun = performance.now();
    const head = await getItem<{ count: number }>(branchListKey(paymentProvider));
    const count = (head?.count ?? 0) + 1;
    // The rank is in an attribute that no list reads, because only the conflicts are measured.
    const branch = { mid, owner: paymentProvider, rank: count };
    try {
      await transact([
        put(branchKey(mid), branch, isFree('stale')),
        update(branchListKey(paymentProvider), { set: { count } }, isAsRead(head, 'count')),
      ]);
      return true;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      const now = performance.now();
      const [lasted, left] = [now - begun, end - now];
      if (left <= 0) return false;
      const bound = Math.max(lasted, Math.min(5 * lasted * 2 ** attempt, 3_000 * (left / BUDGET_MS) ** 1.5));
      await sleep(Math.min(Math.random() * bound, left));
    }
  }
}
