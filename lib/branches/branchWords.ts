import { type Searchable, searchable } from '../table/wordEntries.ts';
import { acquirersOf, type Branch } from './branch.ts';

/** What each acquirer of a branch can find it by. The names come first, because only sixteen words count. */
export function searchablesOf(branch: Branch): Searchable[] {
  const { mid: id, master_merchant_id, created_at, updated_at } = branch;
  const texts = [branch.merchant_name, branch.city, branch.area, branch.master_merchant_name];
  const times = {
    at: Date.parse(created_at),
    since: updated_at === created_at ? undefined : Date.parse(updated_at),
  };
  return acquirersOf(branch).map((acquirer) =>
    searchable({ list: 'BRANCHES', acquirer, id }, { ids: [master_merchant_id], texts }, times),
  );
}
