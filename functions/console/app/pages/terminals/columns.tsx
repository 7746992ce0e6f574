import type { ReactNode } from 'react';
import type { Column } from '../../estate/filterRows.ts';
import type { Row } from '../../estate/useEstate.ts';
import { labelOf } from '../../fields/wording.ts';
import type { Cell } from '../../files/csv.ts';
import { StatusBadge } from '../../resources/StatusBadge.tsx';
import { Id } from '../../shared/Copy.tsx';
import { capitalized, formatRelative, formatTime } from '../../shared/format.ts';
import { remembered } from '../../shared/remembered.ts';
import { useNow } from '../../shared/Time.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';

/** A column of the estate. By default it has the label and the value of the field of terminals with its name. */
interface EstateColumn {
  label?: string;
  /** How wide it is at least, in pixels, and how it shares what is left. */
  width: [least: number, share: number];
  cell?: (row: Row) => ReactNode;
  /** What it writes into a file, by the names of the fields. */
  file?: (row: Row) => Record<string, Cell>;
}

/** A time that no key stops at, because there are very many. */
function When({ at }: { at: string }) {
  const text = formatRelative(at, useNow());
  return (
    <time dateTime={at} data-exact={formatTime(at)} title={formatTime(at)}>
      {capitalized(text)}
    </time>
  );
}

/** The columns, in their order unless the person has another. The terminal's ID is always there. */
const COLUMNS: Record<Column, EstateColumn> = {
  terminal_id: { width: [152, 1.2], cell: ({ terminal }) => <Id text={terminal.terminal_id} /> },
  serial_no: {
    width: [112, 1],
    cell: ({ terminal }) => <Id text={terminal.serial_no} />,
  },
  terminal_model: { width: [112, 1] },
  branch: {
    label: 'Branch',
    width: [140, 1.6],
    cell: ({ terminal, branch }) => <Verbatim>{branch?.merchant_name ?? terminal.mid}</Verbatim>,
    file: ({ terminal: { mid }, branch }) => ({ mid, merchant_name: branch?.merchant_name }),
  },
  city: {
    width: [92, 0.8],
    cell: ({ branch }) => branch?.city && <Verbatim>{branch.city}</Verbatim>,
    file: ({ branch }) => ({ city: branch?.city }),
  },
  payment_app: { width: [112, 1] },
  acquirer_name: { width: [140, 1] },
  status: { width: [124, 0], cell: ({ terminal }) => <StatusBadge status={terminal.status} /> },
  last_seen_at: {
    width: [126, 0.2],
    cell: ({ terminal }) => (terminal.last_seen_at === null ? 'Never' : <When at={terminal.last_seen_at} />),
  },
  updated_at: { label: 'Changed', width: [126, 0.2], cell: ({ terminal }) => <When at={terminal.updated_at} /> },
};

export const allColumns = Object.keys(COLUMNS) as Column[];
export const isColumn = (name: string): name is Column => Object.hasOwn(COLUMNS, name);
export const columnLabel = (column: Column): string => COLUMNS[column].label ?? labelOf(column);
export const widthOf = (column: Column): EstateColumn['width'] => COLUMNS[column].width;

const fieldOf = ({ terminal }: Row, column: Column) => (terminal as Partial<Record<Column, string | null>>)[column];
export const cellOf = (column: Column, row: Row): ReactNode =>
  COLUMNS[column].cell ? COLUMNS[column].cell(row) : <Verbatim>{fieldOf(row, column)}</Verbatim>;

/** The cells of rows in a file, after the names of their fields. A branch is its MID and its name. */
export function fileRows(columns: readonly Column[], rows: readonly Row[]): Cell[][] {
  const partOf = (row: Row, column: Column) => COLUMNS[column].file?.(row) ?? { [column]: fieldOf(row, column) };
  const records = rows.map((row) => Object.assign({}, ...columns.map((column) => partOf(row, column))));
  const [first = {}] = records;
  return [Object.keys(first), ...records.map((record) => Object.values<Cell>(record))];
}

const SHOWN: Column[] = allColumns.filter((column) => column !== 'acquirer_name');

const chosenColumns = remembered('console-columns');

/** The columns that the person wants, in their order, and a function that changes them. */
export function useColumns(): [columns: Column[], change: (columns: Column[]) => void] {
  const chosen =
    chosenColumns
      .use((names) => names)
      ?.split(' ')
      .filter(isColumn) ?? SHOWN;
  const rest = chosen.filter((column) => column !== 'terminal_id');
  return [['terminal_id', ...rest], (next) => chosenColumns.set(next.join(' '))];
}
