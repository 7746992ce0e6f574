import type { Api } from '../api/client.ts';
import { type Locks, resumeJob, type Storage } from '../kept/storedJob.ts';
import { nextStep } from './importBranch.ts';
import type { Row } from './importRow.ts';
import { Ledger, merged } from './ledger.ts';
import { loadImport } from './loadImport.ts';
import { masterMerchantOf, type Plan } from './planImport.ts';
import { inPool, type RunOptions } from './pool.ts';

/**
 * Checks all rows of a plan. Nothing is created: `created` in its ledger means that the row could be.
 *
 * @param options.earlier The check of an earlier plan, of which only what is other is checked again.
 * @throws Interrupted when it is paused.
 */
export function dryRun(
  api: Api,
  plan: Plan,
  { earlier, ...options }: RunOptions<Ledger> & { earlier?: Ledger | undefined },
): Promise<Ledger> {
  const ledger = new Ledger(plan);
  if (earlier) ledger.takeOver(earlier);
  return runPlan(api, plan, ledger, options);
}

/**
 * Runs the stored import. Before a branch goes on, what became of its last request is stored. A request without a
 * stored outcome is sent again with the same `Idempotency-Key`, so it is not executed twice; after 24 hours its rows
 * are found to exist.
 *
 * @returns `undefined` as {@link resumeJob}.
 * @throws Interrupted when it is paused; Error of the storage, such as a quota that is exceeded.
 */
export const runImport = (
  api: Api,
  storage: Storage,
  { locks, ...options }: RunOptions<Ledger> & { locks?: Locks },
): Promise<Ledger | undefined> =>
  resumeJob(
    () => loadImport(storage),
    ({ stored: { id, plan }, ledger }) => runPlan(api, plan, ledger, options, { id, storage }),
    locks,
  );

async function runPlan(
  api: Api,
  plan: Plan,
  ledger: Ledger,
  { onProgress, ...options }: RunOptions<Ledger>,
  stored?: { id: string; storage: Storage },
): Promise<Ledger> {
  onProgress?.(ledger);
  // What was only checked is not missed.
  await inPool(inOrder(plan), { ...options, hasGrace: stored !== undefined }, async (at, patience) => {
    const [first] = plan.branches[at] as [Row];
    for (let left = ledger.leftOf(at); left.length > 0; left = ledger.leftOf(at)) {
      const state = ledger.stateOf(at);
      const rows = { first, left, branch: state.branch, update: ledger.updates(at)[0] };
      const step = await nextStep({ api, patience, importId: stored?.id }, rows);
      await stored?.storage.set(`${at}`, merged(state, step));
      ledger.add(at, step);
      onProgress?.(ledger);
    }
  });
  return ledger;
}

/**
 * The branches in two batches, of which the first must be done before the second: of each master merchant, the branch
 * with most fields comes first, because the master merchant gets its details from the first branch that is created.
 */
function inOrder({ branches }: Plan): [number[], number[]] {
  const size = (at: number) => Object.keys(branches[at]?.[0]?.branch ?? {}).length;
  const owned = Map.groupBy(branches.keys(), (at) => masterMerchantOf(branches[at]?.[0] as Row) ?? at);
  const early = new Set(
    [...owned.values()].map((all) => all.reduce((best, at) => (size(at) > size(best) ? at : best))),
  );
  const batches = Map.groupBy(branches.keys(), (at) => early.has(at));
  return [batches.get(true) ?? [], batches.get(false) ?? []];
}
