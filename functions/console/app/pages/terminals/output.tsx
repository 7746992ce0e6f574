import { Table, Title } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import type { Format } from '../../bulk/export.ts';
import type { Column } from '../../estate/filterRows.ts';
import type { Row } from '../../estate/useEstate.ts';
import { terminalsText } from '../../fields/wording.ts';
import { saveTable } from '../../jobs/saveTable.ts';
import { fileName } from '../../shared/save.ts';
import { cellOf, columnLabel, fileRows } from './columns.tsx';
import { MOST_SELECTED } from './useSelection.ts';

/** Saves rows as a file, with the columns that are shown. */
export const saveRows = (rows: readonly Row[], columns: Column[], format: Format, acquirer: string): Promise<void> =>
  saveTable(fileRows(columns, rows), format, fileName(format, 'terminals', acquirer));

/** A table of all rows, which exists only while the browser prints. */
export function PrintedTable({ rows, columns }: { rows: readonly Row[]; columns: Column[] }) {
  const [isPrinting, setIsPrinting] = useState(false);
  useWindowEvent('beforeprint', () => flushSync(() => setIsPrinting(true)));
  useWindowEvent('afterprint', () => setIsPrinting(false));
  if (!isPrinting) return null;
  return (
    <div className="paper">
      <Title order={2}>{terminalsText(rows.length)}</Title>
      <Table
        aria-label="Terminals on paper"
        verticalSpacing="xs"
        horizontalSpacing="xs"
        data={{
          head: columns.map(columnLabel),
          // biome-ignore lint/correctness/useJsxKeyInIterable: the table gives the keys
          body: rows.slice(0, MOST_SELECTED).map((row) => columns.map((column) => <bdi>{cellOf(column, row)}</bdi>)),
        }}
      />
      {rows.length > MOST_SELECTED && <p>The first {terminalsText(MOST_SELECTED)}. Filter or export to have all.</p>}
    </div>
  );
}
