import { setTimeout as sleep } from 'node:timers/promises';
import { usage } from './usage.ts';

/** Another writer, or a busy table, was in the way: nothing was applied, and trying again from a fresh read may do. */
export class Contention extends Error {
  override name = 'Contention';
}

/** About four times a write's latency on AWS: shorter, and the losers of a race meet again. */
const BASE_MS = 60;
const CAP_MS = 1_000;
/** After this no attempt begins; one that has begun is ended by the chain's own timeout at the latest. */
const BUDGET_MS = 12_000;

/**
 * Runs an operation (its reads, its decision and its write) again for as long as it meets contention and the time
 * budget lasts, with full jitter: `random(0 … min(cap, base · 2ⁿ))`. Reading afresh after the wait, not before it, is
 * what makes many writers of one list finish soon: see docs/decisions/0001-positions.md.
 *
 * @throws Contention when the budget is used up; any other error at once.
 */
export async function retrying<T>(operation: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + BUDGET_MS;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await operation();
    } catch (error) {
      const pause = Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt);
      if (!(error instanceof Contention) || Date.now() + pause > deadline) throw error;
      await sleep(pause);
      usage().restarts += 1;
    }
  }
}
