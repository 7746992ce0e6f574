import { Table, Text, Title } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Column } from '../../../../../docs/client/estate/estate.ts';
import { terminalsText } from '../../fields/wording.ts';
import type { Cell } from '../../files/csv.ts';
import { formatTime } from '../../shared/format.ts';
import { useNow } from '../../shared/Time.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';
import { columnLabel, type Row, recordOf, textOf } from './columns.tsx';
import type { MOST_SELECTED } from './useSelection.ts';

/** Rows as a table with some columns. */
export async function* tableOf(
  parts: AsyncIterable<readonly Row[]>,
  columns: Column[],
): AsyncGenerator<Cell[][], void> {
  let isFirst = true;
  for await (const rows of parts) {
    const records = rows.map((row) => recordOf(columns, row));
    if (isFirst) yield [Object.keys(records[0] ?? {})];
    isFirst = false;
    yield records.map((record) => Object.values(record));
  }
}

const PaperTable = ({ label, head, body }: { label: string; head: ReactNode[]; body: ReactNode[][] }) => (
  <Table aria-label={label} verticalSpacing={2} horizontalSpacing="xs" data={{ head, body }} />
);

/** What a technician does at each terminal is ticked and written by hand. */
const ON_SHEET: Column[] = ['terminal_id', 'serial_no', 'terminal_model', 'status', 'last_seen_at'];

/** The terminals of each branch, in the order of cities and branches, with boxes to tick. */
function Sheet({ rows }: { rows: readonly Row[] }) {
  const placeOf = (row: Row) => ['city', 'branch'].map((column) => textOf(column as Column, row)).join('\n');
  const sorted = rows.toSorted((one, other) => placeOf(one).localeCompare(placeOf(other)));
  return [...Map.groupBy(sorted, ({ terminal }) => terminal.mid)].map(([mid, [first, ...others]]) => {
    if (!first) return null;
    const { branch } = first;
    const place = [...new Set([branch?.area, branch?.city])].filter(Boolean).join(', ');
    const name = textOf('branch', first);
    return (
      <section key={mid}>
        <Title order={3}>
          <Verbatim>{[name, place, mid === name ? '' : mid].filter(Boolean).join(' · ')}</Verbatim>
        </Title>
        <PaperTable
          label={name}
          head={['Done', ...ON_SHEET.map(columnLabel), 'Note']}
          body={[first, ...others].map((row) => [
            <span key="box" className="paper-box" />,
            ...ON_SHEET.map((column) => <Verbatim key={column}>{textOf(column, row)}</Verbatim>),
            '',
          ])}
        />
      </section>
    );
  });
}

/** Rows on paper, which exist only while the browser prints. */
export function Printed({
  rows: printed,
  total,
  columns,
  isSheet,
  isReady = true,
  which,
}: {
  /** The first {@link MOST_SELECTED}. */
  rows: readonly Row[];
  total: number;
  columns: Column[];
  isSheet: boolean;
  /** Whether the rows are those that are to be printed. */
  isReady?: boolean;
  /** Which terminals these are, in words. */
  which: string;
}) {
  const now = useNow();
  const [isPrinting, setIsPrinting] = useState(false);
  useWindowEvent('beforeprint', () => flushSync(() => setIsPrinting(true)));
  useWindowEvent('afterprint', () => setIsPrinting(false));
  if (!isPrinting) return null;
  if (!isReady) return <div className="paper">The list was not ready yet. Close this, and print again.</div>;
  return (
    <div className="paper">
      <Title order={2}>{terminalsText(total)}</Title>
      <Text size="sm">
        {which} As of {formatTime(new Date(now).toISOString())}.
      </Text>
      {isSheet ? (
        <Sheet rows={printed} />
      ) : (
        <PaperTable
          label="Terminals on paper"
          head={columns.map(columnLabel)}
          body={printed.map((row) => columns.map((column) => <Verbatim key={column}>{textOf(column, row)}</Verbatim>))}
        />
      )}
      {total > printed.length && <p>The first {terminalsText(printed.length)}. Filter or export to have all.</p>}
    </div>
  );
}
