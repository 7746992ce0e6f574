import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Format } from '../../bulk/export.ts';
import { ActionDialog } from '../../changes/ActionDialog.tsx';
import { useChange } from '../../changes/useChange.ts';
import type { Cell } from '../../files/csv.ts';
import { useActing } from '../../session/session.ts';
import { Choices } from '../../shared/Choices.tsx';
import { fileName } from '../../shared/save.ts';
import { dayAt, spanOf } from './span.ts';

const FORMATS = { xlsx: { name: 'Excel workbook' }, csv: { name: 'CSV', detail: 'For other programs.' } };

/** The first and the last day of the month before this one. */
function lastMonth(): [first: string, last: string] {
  const now = new Date();
  const day = (month: number, date: number) => dayAt(new Date(now.getFullYear(), month, date).getTime());
  return [day(now.getMonth() - 1, 1), day(now.getMonth(), 0)];
}

/**
 * Exports what happened from one day to another: the day that is filtered by or, without one, last month.
 *
 * @param read Reads what is from one time to before another, as rows, the first of which has the names of the columns.
 */
export function ExportDialog({
  what,
  day,
  to: last,
  read,
  onClose,
}: {
  what: string;
  day: string | null;
  to: string | null;
  read: (span: { since: string; until: string }) => Promise<Cell[][]>;
  onClose: () => void;
}) {
  const { acquirer } = useActing();
  const [[from, to], setDays] = useState(() => (spanOf(day) && day ? [day, day] : lastMonth()));
  const [format, setFormat] = useState<Format>('xlsx');
  const [first, last] = [spanOf(from), spanOf(to)];
  const isPeriod = first !== undefined && last !== undefined && first.since < last.until;
  const change = useChange(async (span: { since: string; until: string }) => {
    const rows = await read(span);
    const { saveTable } = await import('../../jobs/saveTable.ts');
    await saveTable(rows, format, fileName(format, what, acquirer.name, from, to));
  });
  return (
    <ActionDialog
      {...change}
      title={`Export ${what.toLowerCase()}`}
      submit="Export"
      isDisabled={!isPeriod}
      onClose={onClose}
      onSubmit={() => isPeriod && change.mutate({ since: first.since, until: last.until }, { onSuccess: onClose })}
    >
      <Text>A file with all that matches the filters, the newest first.</Text>
      <TextInput
        type="date"
        label="From"
        data-confirms
        value={from}
        onChange={(event) => setDays([event.currentTarget.value, to])}
      />
      <TextInput
        type="date"
        label="To"
        data-confirms
        value={to}
        error={!isPeriod && 'Must be a day, and not before the first one.'}
        onChange={(event) => setDays([from, event.currentTarget.value])}
      />
      <Choices label="Format" choices={FORMATS} value={format} onChange={setFormat} />
    </ActionDialog>
  );
}
