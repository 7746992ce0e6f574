import { type ReactNode, useMemo } from 'react';
import type { Branch, Column, Row as EstateRow } from '../../../../../docs/client/estate/estate.ts';
import { labelOf, STATUSES } from '../../fields/wording.ts';
import type { Cell } from '../../files/csv.ts';
import { StatusBadge } from '../../resources/StatusBadge.tsx';
import { Id } from '../../shared/Copy.tsx';
import { capitalized, formatRelative, formatTime } from '../../shared/format.ts';
import { remembered } from '../../shared/remembered.ts';
import { useNow } from '../../shared/Time.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';
import type { GridColumn } from './Grid.tsx';

/** A terminal with its branch, as far as it is shown. */
export interface Row extends Pick<EstateRow, 'terminal'> {
  branch: (Pick<Branch, 'mid' | 'merchant_name' | 'city'> & Partial<Pick<Branch, 'area'>>) | undefined;
}

/** Shows a text, with what the person searched for marked. */
export type Show = (text: string) => ReactNode;

/** A column of the estate. By default it has the label and the value of the field of terminals with its name. */
interface EstateColumn {
  label?: string;
  /** What it says, in words. */
  text?: (row: Row) => string | null | undefined;
  cell?: (row: Row, show: Show) => ReactNode;
  isIdentifier?: boolean;
  /** How many characters it needs, if not those of its longest text. */
  characters?: number;
  /** What it writes into a file, by the names of the fields. */
  file?: (row: Row) => Record<string, Cell>;
}

/** A time that no key stops at, because there are very many. */
const When = ({ at, before = '' }: { at: string; before?: string }) => (
  <time dateTime={at} data-exact={formatTime(at)} title={formatTime(at)}>
    {capitalized(`${before}${formatRelative(at, useNow())}`)}
  </time>
);

/** When a terminal was last seen, where no header says that it is this time. */
export const Seen = ({ at }: { at: string | null }) =>
  at === null ? <span>Never seen</span> : <When at={at} before="seen " />;

const DAY = 86_400_000;
/** How many characters an age needs at most, in the person's language: 29 minutes, 23 hours, 6 days and so on. */
const LONGEST_AGE = Math.max(
  ...[DAY / 48 - 60_000, DAY - 1, 6 * DAY, 28 * DAY, 330 * DAY, 3_650 * DAY].map(
    (age) => formatRelative(new Date(0).toISOString(), age).length + 1,
  ),
);

/** The columns, in their order unless the person has another. The terminal's ID is always there. */
const COLUMNS: Record<Column, EstateColumn> = {
  terminal_id: { isIdentifier: true },
  serial_no: { isIdentifier: true },
  terminal_model: {},
  branch: {
    label: 'Branch',
    text: ({ terminal, branch }) => branch?.merchant_name ?? terminal.mid,
    file: ({ terminal: { mid }, branch }) => ({ mid, merchant_name: branch?.merchant_name }),
  },
  city: { text: ({ branch }) => branch?.city, file: ({ branch }) => ({ city: branch?.city }) },
  payment_app: {},
  acquirer_name: {},
  status: {
    text: ({ terminal: { status } }) => STATUSES[status],
    // Most are active. A word in each row would hide those that are not.
    cell: ({ terminal: { status } }) => status !== 'active' && <StatusBadge status={status} size="sm" />,
    characters: 11,
    file: ({ terminal: { status } }) => ({ status }),
  },
  last_seen_at: {
    text: ({ terminal: { last_seen_at } }) => (last_seen_at === null ? 'Never' : formatTime(last_seen_at)),
    cell: ({ terminal: { last_seen_at } }) => (last_seen_at === null ? 'Never' : <When at={last_seen_at} />),
    characters: LONGEST_AGE,
    file: ({ terminal: { last_seen_at } }) => ({ last_seen_at }),
  },
  updated_at: {
    label: 'Changed',
    text: ({ terminal }) => formatTime(terminal.updated_at),
    cell: ({ terminal }) => <When at={terminal.updated_at} />,
    characters: LONGEST_AGE,
    file: ({ terminal: { updated_at } }) => ({ updated_at }),
  },
};

export const allColumns = Object.keys(COLUMNS) as Column[];
export const isColumn = (name: string): name is Column => Object.hasOwn(COLUMNS, name);
export const columnLabel = (column: Column): string => COLUMNS[column].label ?? labelOf(column);

/** What a column says of a row, in words. */
export function textOf(column: Column, row: Row): string {
  const { text } = COLUMNS[column];
  return (text ? text(row) : (row.terminal as Partial<Record<Column, string | null>>)[column]) ?? '';
}

export function cellOf(column: Column, row: Row, show: Show): ReactNode {
  const { cell, isIdentifier } = COLUMNS[column];
  if (cell) return cell(row, show);
  const text = textOf(column, row);
  return isIdentifier ? <Id text={text}>{show(text)}</Id> : <Verbatim>{show(text)}</Verbatim>;
}

/** The most characters of an identifier in a line, and of a name, whose words can be on two lines where it is narrow. */
const MOST = { identifier: 40, name: 24, narrow: 14 };
/** How wide a character of a name is, as a part of one of an identifier. */
const LETTER = 0.85;
/** As many characters as the arrow that shows the order. */
const ARROW = 2;

/** How many characters the texts of each column have, but for some that are much longer than the others. */
export type Lengths = Partial<Record<Column, number>>;

/** How wide a column is: as its header and its texts need. */
export function widthOf(column: Column, lengths: Lengths): GridColumn<Row>['width'] {
  const { characters, isIdentifier } = COLUMNS[column];
  const needed = characters ?? lengths[column] ?? 0;
  const header = LETTER * (columnLabel(column).length + ARROW);
  const share = isIdentifier ? Math.min(MOST.identifier, needed) : LETTER * Math.min(MOST.name, needed);
  const least = isIdentifier || characters ? share : LETTER * Math.min(MOST.narrow, needed);
  return [Math.max(header, least) + 1, Math.max(header, share) + 1];
}

/** What a file has of a row, by the names of the fields. A branch is its MID and its name. */
export function recordOf(columns: readonly Column[], row: Row): Record<string, Cell> {
  const partOf = (column: Column) => COLUMNS[column].file?.(row) ?? { [column]: textOf(column, row) || null };
  return Object.assign({}, ...columns.map(partOf));
}

const SHOWN: Column[] = allColumns.filter((column) => column !== 'acquirer_name');

const chosenColumns = remembered('console-columns');

/** The columns that the person wants, in their order, and a function that changes them. */
export function useColumns(): [columns: Column[], change: (columns: Column[]) => void] {
  const names = chosenColumns.use((all) => all);
  const columns = useMemo((): Column[] => {
    const chosen = names?.split(' ').filter(isColumn) ?? SHOWN;
    return ['terminal_id', ...chosen.filter((column) => column !== 'terminal_id')];
  }, [names]);
  return [columns, (next) => chosenColumns.set(next.join(' '))];
}
