import { NativeSelect } from '@mantine/core';
import type { Facet } from '../../estate/filterRows.ts';
import { terminalsText } from '../../fields/wording.ts';
import { FacetBar, FacetSheet, type Facet as ShownFacet } from '../../resources/Facets.tsx';
import { FACETS, facets, SORTS, sortLabel, type useCriteria, valueLabel } from './criteria.ts';

/** What the filters have in common: the criteria of the address, and how many terminals each value has. */
export interface Filtering extends ReturnType<typeof useCriteria> {
  counts: Record<Facet, ReadonlyMap<string, number>>;
  branchName: (mid: string) => string;
}

const shownFacets = ({ criteria, counts, filter, branchName }: Filtering): ShownFacet[] =>
  facets.map((facet) => ({
    label: FACETS[facet].label,
    counts: counts[facet],
    chosen: criteria.filters[facet] ?? [],
    labelOf: (value) => valueLabel(facet, value, branchName),
    onChange: (chosen) => filter(facet, chosen),
  }));

/** Groups the estate by a facet. */
export const GroupSelect = ({ of: { group, groupBy }, label }: { of: Filtering; label?: string }) => (
  <NativeSelect
    label={label}
    aria-label="Group"
    value={group ?? ''}
    data={[
      { value: '', label: 'Not grouped' },
      ...facets.map((facet) => ({ value: facet, label: `By ${FACETS[facet].label.toLowerCase()}` })),
    ]}
    onChange={(event) => groupBy((event.currentTarget.value || null) as Facet | null)}
  />
);

export const FilterBar = ({ of }: { of: Filtering }) => <FacetBar facets={shownFacets(of)} />;

/** All filters, order and groups on a phone. */
export function FilterSheet({ of, total }: { of: Filtering; total: number }) {
  const sorts = new Map([...SORTS, of.criteria.sort].map((sort) => [sortLabel(sort), sort]));
  return (
    <FacetSheet facets={shownFacets(of)} shown={terminalsText(total)} onClear={of.clear}>
      <NativeSelect
        label="Order"
        value={sortLabel(of.criteria.sort)}
        data={[...sorts.keys()]}
        onChange={(event) => of.sort(sorts.get(event.currentTarget.value) ?? of.criteria.sort)}
      />
      <GroupSelect of={of} label="Group" />
    </FacetSheet>
  );
}
