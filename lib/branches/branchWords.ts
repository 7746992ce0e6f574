import { type Searchable, searchable } from '../search/entries.ts';
import { acquirersOf, type Branch } from './branch.ts';

/** What the acquirers of a branch find by its words: the names first, because there are at most twelve. */
export const searchablesOf = (branch: Branch): Searchable[] => {
  const {
    mid: id,
    merchant_name,
    area,
    city,
    master_merchant_name,
    master_merchant_id,
    created_at,
    updated_at,
  } = branch;
  const words = { ids: [master_merchant_id], texts: [merchant_name, city, area, master_merchant_name] };
  return acquirersOf(branch).map((acquirer) =>
    searchable({ list: 'BRANCHES', acquirer, id, ...words, created_at, updated_at }),
  );
};
