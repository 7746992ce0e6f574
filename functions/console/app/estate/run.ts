import type { Api, Problem } from '../api.ts';
import { nextStep, type Sending } from './importBranch.ts';
import { type BranchState, Ledger, merged } from './ledger.ts';
import { createPatience, Interrupted, type Waiting } from './patience.ts';
import { masterMerchantOf, type Plan } from './plan.ts';
import { inPool } from './pool.ts';
import type { Row } from './row.ts';
import { exclusively, type Locks, loadImport, type Storage, storeState } from './store.ts';

export interface RunOptions {
  /** Pauses: nothing more is sent, and what is under way may finish. */
  signal: AbortSignal;
  /**
   * Called after each change.
   *
   * @param ledger What became of the import so far. It is the same object in each call.
   * @param waiting Why and until when nothing is sent.
   */
  onProgress?: (ledger: Ledger, waiting: Waiting | undefined) => void;
}

/**
 * How a run ended. A paused one has the problem that a person must solve, if there is one. One that runs `elsewhere`
 * was not started, because it runs in another tab or was discarded there.
 */
export type Ended =
  | { is: 'finished'; ledger: Ledger }
  | { is: 'paused'; ledger: Ledger; problem: Problem | undefined }
  | { is: 'elsewhere' };

/** Checks all rows of a plan. Nothing is created: `created` in its ledger means that the row could be. */
export const dryRun = (api: Api, plan: Plan, options: RunOptions): Promise<Exclude<Ended, { is: 'elsewhere' }>> =>
  runPlan({ api, plan, ledger: new Ledger(plan), importId: undefined, store: async () => {}, ...options });

/**
 * Runs the stored import, from where it was paused or its tab was closed. Before a branch goes on, what became of its
 * last request is stored. A request without a stored outcome is sent again with the same `Idempotency-Key`, so it is
 * not executed twice; after 24 hours its rows are found to exist.
 *
 * @param options.locks By default the browser's.
 * @throws Error of the storage, such as a quota that is exceeded.
 */
export async function runImport(
  api: Api,
  storage: Storage,
  { locks, ...options }: RunOptions & { locks?: Locks },
): Promise<Ended> {
  const found = await loadImport(storage);
  if (!found) return { is: 'elsewhere' };
  const run = async (): Promise<Ended> => {
    // Another tab may have run it until now.
    const loaded = await loadImport(storage);
    if (!loaded) return { is: 'elsewhere' };
    const { ledger, stored } = loaded;
    const store = (at: number, state: BranchState) => storeState(storage, at, state);
    return runPlan({ api, plan: stored.plan, ledger, importId: stored.id, store, ...options });
  };
  return (await exclusively(found.stored.id, run, locks)) ?? { is: 'elsewhere' };
}

interface Run extends RunOptions, Pick<Sending, 'api' | 'importId'> {
  plan: Plan;
  ledger: Ledger;
  store: (at: number, state: BranchState) => Promise<void>;
}

async function runPlan({ api, plan, ledger, importId, store, signal, onProgress }: Run) {
  const failure = new AbortController();
  let waiting: Waiting | undefined;
  const report = () => onProgress?.(ledger, waiting);
  const patience = createPatience({
    signal: AbortSignal.any([signal, failure.signal]),
    // What was only checked is not missed.
    hasGrace: importId !== undefined,
    onWaiting: (now) => {
      waiting = now;
      report();
    },
  });

  async function importBranch(at: number) {
    const [first] = plan.branches[at] as [Row];
    for (let left = ledger.leftOf(at); left.length > 0; left = ledger.leftOf(at)) {
      const state = ledger.stateOf(at);
      const rows = { first, left, branch: state.branch, update: ledger.updates(at)[0] };
      const step = await nextStep({ api, patience, importId }, rows);
      await store(at, merged(state, step));
      ledger.add(at, step);
      report();
    }
  }

  report();
  try {
    for (const branches of inOrder(plan)) await inPool(branches, failure, importBranch);
    return { is: 'finished' as const, ledger };
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return { is: 'paused' as const, ledger, problem: error.problem };
  }
}

/**
 * The branches in two parts, of which the first must be done before the second: of each master merchant, the branch
 * with most fields comes first, because the master merchant gets its details from the first branch that is created.
 */
function inOrder({ branches }: Plan): [number[], number[]] {
  const firsts = new Map<string, number>();
  const size = (at: number) => Object.keys(branches[at]?.[0]?.branch ?? {}).length;
  for (const [at, [first]] of branches.entries()) {
    const masterMerchant = masterMerchantOf(first as Row) ?? `branch ${at}`;
    const best = firsts.get(masterMerchant);
    if (best === undefined || size(at) > size(best)) firsts.set(masterMerchant, at);
  }
  const early = new Set(firsts.values());
  const all = [...branches.keys()];
  return [all.filter((at) => early.has(at)), all.filter((at) => !early.has(at))];
}
