import type { Branch } from '../../lib/branches/branch.ts';
import { searchablesOf } from '../../lib/branches/branchWords.ts';
import { branchKey, type Key } from '../../lib/table/keys.ts';
import { newEntrySteps } from '../../lib/table/wordEntries.ts';
import { storeMany } from './storeMany.ts';

/** The items of a branch without terminals and events: its own, and its search entries. */
const itemsOf = (branch: Branch): Key[] => [
  { ...branch, ...branchKey(branch.mid) },
  ...newEntrySteps(searchablesOf(branch), 0).steps.flatMap(({ item }) => (item.Put?.Item as Key | undefined) ?? []),
];

/** Stores branches with their search entries directly, bypassing the API. */
export async function storeBranches(branches: Branch[]): Promise<void> {
  const items = branches.flatMap(itemsOf);
  await storeMany(0, items.length - 1, (at) => items[at] as object);
}
