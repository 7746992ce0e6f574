import type { BranchCriteria, BranchFacet, BranchSort } from '../../../../../docs/client/estate/estate.ts';
import { askEstate, useAnswer } from '../../estate/estatePage.ts';
import { labelOf, STATUSES } from '../../fields/wording.ts';
import type { Facet } from '../../resources/Facets.tsx';
import { BY_AGE, useListPage } from '../../resources/ListPages.tsx';
import { type Acting, useActing } from '../../session/session.ts';
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

/** The filters of a list, as they are shown. */
const shownFacets = (
  { filters, text }: BranchCriteria,
  filter: (facet: BranchFacet, chosen: readonly string[]) => void,
  businessName: (id: string) => string | undefined,
  acting: Acting,
): Facet[] =>
  facets.map((facet) => ({
    label: FACETS[facet].label,
    chosen: filters[facet] ?? [],
    labelOf: (value, name = businessName(value) ?? value) => FACETS[facet].names?.[value] ?? name,
    onChange: (chosen) => filter(facet, chosen),
    useValues: (asked) => useAnswer('branchValues', { ...asked, criteria: { filters, text }, facet }).data,
    valuesOf: (asked) => askEstate(acting, 'branchValues', { ...asked, criteria: { filters, text }, facet }),
  }));

/** Which branches the address asks for, and what filters them. */
export function useBranchCriteria(search: string) {
  const acting = useActing();
  const [values, change] = useAddress();
  const { sort } = useListPage(ORDERS);
  const chosen = facets.map((facet) => [facet, values.getAll(facet)] as const);
  const filters: BranchCriteria['filters'] = Object.fromEntries(chosen.filter(([, some]) => some.length > 0));
  const criteria = { text: search, filters, sort };
  const businesses = values.getAll('business');
  const { data } = useAnswer('names', { businesses }, { isAsked: businesses.length > 0 });
  const names = new Map(data?.businesses);
  const isFiltered = Object.keys(filters).length > 0;
  return {
    criteria,
    isFiltered,
    /** Whether only the estate has what the address asks for. */
    isNeeded: isFiltered || !Object.hasOwn(BY_AGE, sort),
    facets: shownFacets(
      criteria,
      (facet, next) => change({ [facet]: next, page: null }),
      (id) => names.get(id),
      acting,
    ),
    clear: () => change({ search: null, page: null, ...Object.fromEntries(facets.map((facet) => [facet, null])) }),
  };
}
