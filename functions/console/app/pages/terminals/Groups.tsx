import type { Facet } from '../../estate/filterRows.ts';
import { formatNumber } from '../../shared/format.ts';
import { Bar } from './Bar.tsx';
import { estatePath, FACETS, valueLabel } from './criteria.ts';
import type { Filtering } from './Filters.tsx';
import { Grid } from './Grid.tsx';
import { PhoneList } from './PhoneList.tsx';

/** The values of a facet, each with how many terminals have it. A value leads to them. */
export function Groups({ of, facet, isNarrow }: { of: Filtering; facet: Facet; isNarrow: boolean }) {
  const { criteria, counts, branchName } = of;
  const chosen = criteria.filters[facet];
  const groups = [...counts[facet]]
    .filter(([value]) => (facet !== 'seen' || value !== '') && (chosen?.includes(value) ?? true))
    .sort(([, one], [, other]) => other - one);
  const list = {
    label: `Terminals by ${FACETS[facet].label.toLowerCase()}`,
    items: groups,
    keyOf: ([value]: [string, number]) => value,
    hrefOf: ([value]: [string, number]) =>
      estatePath({ ...criteria.filters, [facet]: [value] }, { ...(criteria.text && { q: criteria.text }) }),
    nameOf: ([value]: [string, number]) => valueLabel(facet, value, branchName),
  };
  const most = groups[0]?.[1] ?? 1;
  if (isNarrow) return <PhoneList {...list} end={([, count]) => formatNumber(count)} />;
  return (
    <Grid
      {...list}
      columns={[
        { key: 'value', label: FACETS[facet].label, width: [24, 24], cell: list.nameOf },
        { key: 'count', label: 'Terminals', width: [11, 1], align: 'end', cell: ([, count]) => formatNumber(count) },
        { key: 'bar', label: 'Share', width: [16, 24], cell: ([, count]) => <Bar share={count / most} /> },
      ]}
    />
  );
}
