import type { ReactNode } from 'react';
import type { Cell } from '../../estate/csv.ts';
import type { Row } from '../../fleet/fleet.ts';
import type { Column } from '../../fleet/select.ts';
import { chooseColumns, useChosenColumns } from '../../preferences.ts';
import { Id } from '../../shared/Copy.tsx';
import { nameOf } from '../../shared/data.ts';
import { formatRelative, formatTime } from '../../shared/format.ts';
import { StatusBadge } from '../../shared/StatusBadge.tsx';
import { useNow } from '../../shared/Time.tsx';
import { labelOf } from '../../shared/wording.ts';

/** A column of the fleet: what it shows, and what it writes into a file, by the names of the fields. */
interface FleetColumn {
  label: string;
  /** How wide it is at least, in pixels, and how it shares what is left. */
  width: [least: number, share: number];
  cell: (row: Row) => ReactNode;
  file: (row: Row) => Record<string, Cell>;
}

/** A time that no key stops at, because there are very many. */
function When({ at }: { at: string }) {
  const text = formatRelative(at, useNow());
  return (
    <time dateTime={at} data-exact={formatTime(at)} title={formatTime(at)}>
      {text.charAt(0).toLocaleUpperCase() + text.slice(1)}
    </time>
  );
}

/** The column of a field that is shown and written as it is. */
const plain = (field: 'terminal_model' | 'payment_app' | 'acquirer_name', least: number): FleetColumn => ({
  label: labelOf(field),
  width: [least, 1],
  cell: ({ terminal }) => terminal[field],
  file: ({ terminal }) => ({ [field]: terminal[field] }),
});

/** The columns, in their order unless the person has another. The terminal's ID is always there. */
const COLUMNS: Record<Column, FleetColumn> = {
  terminal_id: {
    label: labelOf('terminal_id'),
    width: [152, 1.2],
    cell: ({ terminal }) => <Id text={terminal.terminal_id} />,
    file: ({ terminal: { terminal_id } }) => ({ terminal_id }),
  },
  serial_no: {
    label: labelOf('serial_no'),
    width: [112, 1],
    cell: ({ terminal }) => <Id text={terminal.serial_no} />,
    file: ({ terminal: { serial_no } }) => ({ serial_no }),
  },
  terminal_model: plain('terminal_model', 112),
  branch: {
    label: 'Branch',
    width: [140, 1.6],
    cell: ({ terminal, branch }) => (branch ? nameOf(branch) : terminal.mid),
    file: ({ terminal: { mid }, branch }) => ({ mid, merchant_name: branch?.merchant_name }),
  },
  city: {
    label: labelOf('city'),
    width: [92, 0.8],
    cell: ({ branch }) => branch?.city,
    file: ({ branch }) => ({ city: branch?.city }),
  },
  payment_app: plain('payment_app', 112),
  acquirer_name: plain('acquirer_name', 140),
  status: {
    label: labelOf('status'),
    width: [124, 0],
    cell: ({ terminal }) => <StatusBadge status={terminal.status} />,
    file: ({ terminal: { status } }) => ({ status }),
  },
  last_seen_at: {
    label: labelOf('last_seen_at'),
    width: [126, 0.2],
    cell: ({ terminal }) => (terminal.last_seen_at === null ? 'Never' : <When at={terminal.last_seen_at} />),
    file: ({ terminal: { last_seen_at } }) => ({ last_seen_at }),
  },
  updated_at: {
    label: 'Changed',
    width: [126, 0.2],
    cell: ({ terminal }) => <When at={terminal.updated_at} />,
    file: ({ terminal: { updated_at } }) => ({ updated_at }),
  },
};

export const allColumns = Object.keys(COLUMNS) as Column[];
export const isColumn = (name: string): name is Column => Object.hasOwn(COLUMNS, name);
export const columnLabel = (column: Column): string => COLUMNS[column].label;
export const cellOf = (column: Column, row: Row): ReactNode => COLUMNS[column].cell(row);

/** The widths of columns. */
export const widthsOf = (columns: readonly Column[]): FleetColumn['width'][] =>
  columns.map((column) => COLUMNS[column].width);

/** The cells of rows in a file, after the names of their fields. A branch is its MID and its name. */
export function fileRows(columns: readonly Column[], rows: readonly Row[]): Cell[][] {
  const records = rows.map((row) => Object.assign({}, ...columns.map((column) => COLUMNS[column].file(row))));
  const [first = {}] = records;
  return [Object.keys(first), ...records.map((record) => Object.values<Cell>(record))];
}

/** What is shown unless the person has chosen otherwise. */
const SHOWN: Column[] = allColumns.filter((column) => column !== 'acquirer_name');

/** The columns that the person wants, in their order, and a function that changes them. */
export function useColumns(): [columns: Column[], change: (columns: Column[]) => void] {
  const chosen = useChosenColumns()?.filter(isColumn) ?? SHOWN;
  const rest = chosen.filter((column) => column !== 'terminal_id');
  return [['terminal_id', ...rest], chooseColumns];
}
