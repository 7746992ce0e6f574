import { Fragment, memo, useMemo } from 'react';
import type { Criteria } from '../../../../../docs/client/estate/estate.ts';
import { paths } from '../../resources/paths.ts';
import { Id } from '../../shared/Copy.tsx';
import { Marked } from '../../shared/Marked.tsx';
import {
  allColumns,
  cellOf,
  columnLabel,
  type Lengths,
  type Row,
  Seen,
  type Show,
  textOf,
  type useColumns,
  widthOf,
} from './columns.tsx';
import type { Filtering } from './Filters.tsx';
import { Grid, type Listing } from './Grid.tsx';
import { PhoneList } from './PhoneList.tsx';

const LISTING = {
  label: 'Terminals',
  keyOf: ({ terminal }: Row) => terminal.tid,
  hrefOf: ({ terminal }: Row) => paths.terminal(terminal.tid),
  nameOf: ({ terminal }: Row) => terminal.terminal_id,
};

/** A text with what a search of the table has found it by marked. */
const marking =
  (typed: string): Show =>
  (text) => <Marked text={text} typed={typed} isWithin />;

interface RowsProps extends Pick<Listing<Row>, 'items' | 'onSight' | 'selection'> {
  /** Of all rows. The columns are as wide as these need, whichever are shown. */
  lengths: Lengths;
  columns: ReturnType<typeof useColumns>[0];
  /** Without an order, they cannot be sorted. */
  filtering: { criteria: { text: string; sort?: Criteria['sort'] }; sort?: Filtering['sort'] };
  isNarrow: boolean;
}

/** The terminals: as a table, or on a phone as a list. They are shown anew only when one of these is another. */
export const Rows = memo(function Rows({
  lengths,
  columns,
  filtering: { criteria, sort },
  isNarrow,
  ...more
}: RowsProps) {
  const list = { ...LISTING, ...more };
  const { by, isDescending } = criteria.sort ?? {};
  const show = useMemo(() => marking(criteria.text), [criteria.text]);
  const widths = useMemo(() => new Map(allColumns.map((column) => [column, widthOf(column, lengths)])), [lengths]);
  return isNarrow ? (
    <PhoneList
      {...list}
      name={({ terminal: { terminal_id } }) => <Id text={terminal_id}>{show(terminal_id)}</Id>}
      end={(row) =>
        row.terminal.status === 'active' ? <Seen at={row.terminal.last_seen_at} /> : cellOf('status', row, show)
      }
      more={(row) => (
        <>
          {cellOf('serial_no', row, show)}
          <span>
            {(['branch', 'city', 'terminal_model'] as const)
              .filter((column) => textOf(column, row))
              .map((column, at) => (
                <Fragment key={column}>
                  {at > 0 && ' · '}
                  {cellOf(column, row, show)}
                </Fragment>
              ))}
          </span>
        </>
      )}
    />
  ) : (
    <Grid
      {...list}
      columns={columns.map((column) => ({
        key: column,
        label: columnLabel(column),
        width: widths.get(column) ?? [0, 0],
        cell: (row: Row) => cellOf(column, row, show),
        ...(sort && {
          sort: {
            is: by !== column ? 'none' : isDescending ? 'descending' : 'ascending',
            onSort: () => sort({ by: column, isDescending: by === column && !isDescending }),
          },
        }),
      }))}
    />
  );
});
