import type { Row } from '../../estate/useEstate.ts';
import { paths } from '../../resources/paths.ts';
import { StatusBadge } from '../../resources/StatusBadge.tsx';
import { cellOf, columnLabel, type useColumns, widthOf } from './columns.tsx';
import type { Filtering } from './Filters.tsx';
import { Grid, type Listing } from './Grid.tsx';
import { PhoneList } from './PhoneList.tsx';

const LISTING = {
  label: 'Terminals',
  keyOf: ({ terminal }: Row) => terminal.tid,
  hrefOf: ({ terminal }: Row) => paths.terminal(terminal.tid),
  nameOf: ({ terminal }: Row) => terminal.terminal_id,
};
const rowPlace = ({ terminal, branch }: Row) =>
  [branch?.merchant_name ?? terminal.mid, branch?.city, terminal.terminal_model].filter(Boolean).join(' · ');

interface RowsProps extends Pick<Listing<Row>, 'items' | 'selection'> {
  columns: ReturnType<typeof useColumns>[0];
  filtering: Filtering;
  isNarrow: boolean;
}

/** The terminals: as a table, or on a phone as a list. */
export function Rows({ columns, filtering: { criteria, sort }, isNarrow, ...more }: RowsProps) {
  const list = { ...LISTING, ...more };
  const { by, isDescending } = criteria.sort;
  return isNarrow ? (
    <PhoneList
      {...list}
      second={rowPlace}
      end={({ terminal: { status } }) => status === 'archived' && <StatusBadge status={status} size="sm" />}
    />
  ) : (
    <Grid
      {...list}
      columns={columns.map((column) => ({
        key: column,
        label: columnLabel(column),
        width: widthOf(column),
        cell: (row: Row) => cellOf(column, row),
        sort: {
          is: by !== column ? 'none' : isDescending ? 'descending' : 'ascending',
          onSort: () => sort({ by: column, isDescending: by === column && !isDescending }),
        },
      }))}
    />
  );
}
