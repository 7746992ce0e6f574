import { loadJob, type Storage, type Stored } from '../kept/storedJob.ts';
import { type BranchState, Ledger } from './ledger.ts';
import type { MappedFile } from './mend.ts';
import type { Plan } from './planImport.ts';

/** An import that was started. With the plan, a later version of the console sends the same requests. */
export interface StoredImport extends Stored {
  fileName: string;
  plan: Plan;
  /** The rows as they are in the file. Imports that were stored by an earlier version have none. */
  mapped?: MappedFile;
  /** What a dry run has found of each branch, by its index in the plan. Outcomes stored later have no updates. */
  known?: BranchState[];
}

/** Reads the stored import and what became of it so far; `undefined` if there is none. */
export async function loadImport(storage: Storage): Promise<{ stored: StoredImport; ledger: Ledger } | undefined> {
  const found = await loadJob<StoredImport, BranchState>(storage);
  if (!found) return undefined;
  const { stored, states } = found;
  const { plan, known = [] } = stored;
  const ledger = new Ledger(plan);
  for (const at of plan.branches.keys()) {
    const state = states.get(at) ?? known[at];
    if (state) ledger.add(at, { ...state, updates: known[at]?.updates ?? [] });
  }
  return { stored, ledger };
}
