import { useMemo } from 'react';
import {
  type BranchFacet,
  type BranchSort,
  branchRows,
  countBranches,
  filterBranches,
} from '../../estate/filterBranches.ts';
import { type Branch, useEstate } from '../../estate/useEstate.ts';
import { labelOf, STATUSES } from '../../fields/wording.ts';
import type { Facet } from '../../resources/Facets.tsx';
import { BY_AGE, useListPage } from '../../resources/ListPages.tsx';
import { useAddress } from '../../shared/address.ts';

/** The orders of branches: the service has the first two, the estate all. */
export const ORDERS: Record<BranchSort, string> = {
  ...BY_AGE,
  name: 'Name, A to Z',
  city: 'City, A to Z',
  terminals: 'Most active terminals',
};

/** By their names in the address. */
const FACETS: Record<BranchFacet, { label: string; names?: Record<string, string> }> = {
  status: { label: labelOf('status'), names: STATUSES },
  city: { label: labelOf('city'), names: { '': 'No city' } },
  business: { label: 'Business' },
  terminals: { label: 'Terminals', names: { none: 'No active terminal', some: 'Active terminals' } },
};
const facets = Object.keys(FACETS) as BranchFacet[];

/** What to call a business, by its ID: its name, with the ID if others have the name too. */
function businessNames(branches: ReadonlyMap<string, Branch>): (id: string) => string {
  const names = new Map<string, string>();
  for (const { master_merchant_id, master_merchant_name } of branches.values())
    names.set(master_merchant_id, master_merchant_name ?? master_merchant_id);
  const ids = Map.groupBy(names.keys(), (id) => names.get(id));
  return (id) => {
    const name = names.get(id) ?? id;
    return (ids.get(name)?.length ?? 0) > 1 ? `${name} (${id})` : name;
  };
}

/**
 * The branches that the address asks for, filtered, counted and sorted in the estate. `matching` is `undefined` while
 * it is not known; `isKept` says whether the browser has the estate, or will have it.
 */
export function useFilteredBranches(search: string) {
  const [values, change] = useAddress();
  const { sort } = useListPage(ORDERS);
  const estate = useEstate();
  const { rows, branches, isComplete } = estate;
  const all = useMemo(() => (isComplete ? branchRows({ rows, branches }) : undefined), [rows, branches, isComplete]);
  const nameOf = useMemo(() => businessNames(branches), [branches]);
  const criteria = useMemo(() => {
    const chosen = facets.map((facet) => [facet, values.getAll(facet)] as const);
    return { text: search, sort, filters: Object.fromEntries(chosen.filter(([, some]) => some.length > 0)) };
  }, [search, sort, values]);
  const isFiltered = Object.keys(criteria.filters).length > 0;
  const matching = useMemo(() => all && filterBranches(all, criteria), [all, criteria]);
  const counts = useMemo(() => all && countBranches(all, criteria), [all, criteria]);
  return {
    all,
    matching,
    isKept: isComplete || estate.state.kind === 'walking',
    isFiltered,
    /** Whether only the estate has what the address asks for. */
    isNeeded: isFiltered || !Object.hasOwn(BY_AGE, sort),
    facets: facets.map(
      (facet): Facet => ({
        label: FACETS[facet].label,
        counts: counts?.[facet] ?? new Map(),
        chosen: values.getAll(facet),
        labelOf: (value) => FACETS[facet].names?.[value] ?? (facet === 'business' ? nameOf(value) : value),
        onChange: (chosen) => change({ [facet]: chosen, page: null }),
      }),
    ),
    clear: () => change({ search: null, page: null, ...Object.fromEntries(facets.map((facet) => [facet, null])) }),
  };
}
