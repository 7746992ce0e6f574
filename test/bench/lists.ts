import type { Branch } from '../../lib/branches/branch.ts';
import { type BranchListHead, SEALING } from '../../lib/branches/ranks.ts';
import { getItem } from '../../lib/table/client.ts';
import { branchKey, branchListEntryKey, branchListKey } from '../../lib/table/keys.ts';
import { put, remove, transact } from '../../lib/table/transaction.ts';
import { storeMany } from '../support/storeMany.ts';
import { newAcquirer, newBranch } from '../support/world.ts';
import { NAMES } from './world.ts';

/** The branches of an acquirer. */
export interface List {
  /** The API key of the acquirer. */
  key: string;
  /** Oldest first. */
  mids: string[];
}

/**
 * A payment provider with `count` branches. Its list is idle, with as many entries as possible: one less than a seal
 * needs, and those that the last seal left. The API stores the first branch, and the others are copies at other
 * positions, because a thousand creates would take minutes.
 *
 * @param name The beginning of their MIDs, five letters so that items are as large.
 */
export async function newBranchList(count: number, name = 'PAGES'): Promise<List> {
  const caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const mids = Array.from({ length: count }, (_, at) => `${name}${count}N${at + 1}`);
  const [mid = ''] = mids;
  await newBranch(caller, { ...NAMES, mid, master_merchant_id: 'HARBOUR1' });
  const first = (await getItem<Branch>(branchKey(mid))) as Branch;
  const created = Date.parse(first.created_at);
  const timeAt = (place: number) => new Date(created + place - 1).toISOString();
  const midAt = (place: number) => mids[place - 1] as string;
  const ranked = count - SEALING.least + 1;
  const sealedFrom = ranked - SEALING.most + 1;
  await storeMany(1, count, (place) => {
    const created_at = timeAt(place);
    const provider_position = place <= ranked ? place : Date.parse(created_at);
    return { ...first, ...branchKey(midAt(place)), mid: midAt(place), created_at, provider_position } satisfies Branch;
  });
  await storeMany(sealedFrom, count, (place) => branchListEntryKey(caller.id, timeAt(place), midAt(place)));
  const head: BranchListHead = {
    count: ranked,
    sealed: mids.slice(sealedFrom - 1, ranked),
    sealed_to: `${timeAt(ranked)}#${midAt(ranked)}`,
  };
  await transact([put(branchListKey(caller.id), head), remove(branchListEntryKey(caller.id, first.created_at, mid))]);
  return { key: caller.key, mids };
}
