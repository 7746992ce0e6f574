import type { TerminalFacet } from '../../../../../docs/client/estate/estate.ts';
import { useAnswer } from '../../estate/estatePage.ts';
import type { Counted } from '../../estate/questions.ts';
import { formatNumber } from '../../shared/format.ts';
import { useNow } from '../../shared/Time.tsx';
import { Bar } from './Bar.tsx';
import { estatePath, FACETS, valueLabel } from './criteria.ts';
import type { Filtering } from './Filters.tsx';
import { Grid } from './Grid.tsx';
import { PhoneList } from './PhoneList.tsx';
import { itemsOf, useSight } from './useSight.ts';

type Group = Counted['rows'][number];

/** The values of a facet, each with how many terminals have it. A value leads to them. */
export function Groups({ of, facet, isNarrow }: { of: Filtering; facet: TerminalFacet; isNarrow: boolean }) {
  const { criteria } = of;
  const { part, onSight } = useSight();
  // Those that were seen lately are no group.
  const only = criteria.filters[facet] ?? (facet === 'seen' ? ['week', 'never'] : undefined);
  const asked = { criteria, facet, now: useNow(), ...part, ...(only && { only }) };
  const { data } = useAnswer('terminalValues', asked);
  const most = data?.most ?? 1;
  const list = {
    label: `Terminals by ${FACETS[facet].label.toLowerCase()}`,
    items: itemsOf(data),
    onSight,
    keyOf: ([value]: Group) => value,
    hrefOf: ([value]: Group) =>
      estatePath({ ...criteria.filters, [facet]: [value] }, { ...(criteria.text && { q: criteria.text }) }),
    nameOf: ([value, , label]: Group) => valueLabel(facet, value, label),
  };
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
