import { Button, Text, TextInput } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import type { Format } from '../../bulk/export.ts';
import { ActionDialog } from '../../changes/ActionDialog.tsx';
import type { Cell } from '../../files/csv.ts';
import { Doing } from '../../jobs/Doing.tsx';
import { startSaving } from '../../jobs/exporting.ts';
import { useJob } from '../../jobs/job.ts';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { useActing } from '../../session/session.ts';
import { useAddress } from '../../shared/address.ts';
import { Choices } from '../../shared/Choices.tsx';
import { formatMinute, formatNumber } from '../../shared/format.ts';
import { fileName } from '../../shared/save.ts';
import type { ExportControl, PagesExported } from './exportPages.ts';
import { dayAt, spanOf } from './span.ts';

const FORMATS = { xlsx: { name: 'Excel workbook' }, csv: { name: 'CSV', detail: 'For other programs.' } };

/** The first and the last day of the month before this one. */
function lastMonth(): [first: string, last: string] {
  const now = new Date();
  const day = (month: number, date: number) => dayAt(new Date(now.getFullYear(), month, date).getTime());
  return [day(now.getMonth() - 1, 1), day(now.getMonth(), 0)];
}

const useJobKey = (what: string): string => `export ${what} ${useActing().acquirer.id}`;

type Exported = PagesExported & { name: string };

interface Exporting {
  /** What the file has, such as `Activity`. */
  what: string;
  /** Exports what is from one time to before another, in chunks of rows. */
  exportSpan: (span: { since: string; until: string }, control: ExportControl) => AsyncIterable<Cell[][]>;
}

/** Asks which days to export, and starts it: the days that are filtered by or, without any, last month. */
function ExportDialog({ what, exportSpan, jobKey, onClose }: Exporting & { jobKey: string; onClose: () => void }) {
  const { acquirer } = useActing();
  const [values] = useAddress();
  const [day, to] = [values.get('day'), values.get('to')];
  const [[first, last], setDays] = useState(() => (day && spanOf(day) ? [day, to ?? day] : lastMonth()));
  const [format, setFormat] = useState<Format>('xlsx');
  const [begin, end] = [spanOf(first), spanOf(last)];
  const isPeriod = begin !== undefined && end !== undefined && begin.since < end.until;
  const start = () => {
    if (!isPeriod) return;
    const name = fileName(format, what, acquirer.name, first, last);
    void startSaving<Exported>(jobKey, format, name, ({ report, ...control }) =>
      exportSpan(
        { since: begin.since, until: end.until },
        { ...control, onProgress: (now) => report({ ...now, name }) },
      ),
    );
    onClose();
  };
  return (
    <ActionDialog
      isPending={false}
      error={null}
      title={`Export ${what.toLowerCase()}`}
      submit="Export"
      isDisabled={!isPeriod}
      onClose={onClose}
      onSubmit={start}
    >
      <Text>A file with all that matches the filters, the newest first, also what is not loaded.</Text>
      <TextInput
        type="date"
        label="From"
        data-confirms
        value={first}
        onChange={(event) => setDays([event.currentTarget.value, last])}
      />
      <TextInput
        type="date"
        label="To"
        data-confirms
        value={last}
        error={!isPeriod && 'Must be a day, and not before the first one.'}
        onChange={(event) => setDays([first, event.currentTarget.value])}
      />
      <Choices label="Format" choices={FORMATS} value={format} onChange={setFormat} />
    </ActionDialog>
  );
}

const changesText = (count: number): string => (count === 1 ? '1 change' : `${formatNumber(count)} changes`);

/** How far the export is, what it has saved, or why it has not. */
export function ExportProgress({ what }: { what: string }) {
  const job = useJob<Exported>(useJobKey(what));
  if (!job) return null;
  const { progress, error, stop } = job;
  if (error) return <ProblemNotice error={error} />;
  if (!stop)
    return progress && <Text role="status">{`${progress.name} is saved. It has ${changesText(progress.done)}.`}</Text>;
  const back = progress?.readTo ? `, back to ${formatMinute(progress.readTo)}` : '';
  return (
    <Doing label="Export" done={progress?.done ?? 0} total={undefined} job={job} stopLabel="Cancel">
      {progress ? `${changesText(progress.done)}${back}` : 'Starting.'}
    </Doing>
  );
}

/** The button that exports changes of some days that match the filters, and its dialog. */
export function ExportChanges(exporting: Exporting) {
  const [values, change] = useAddress();
  const jobKey = useJobKey(exporting.what);
  const job = useJob(jobKey);
  return (
    <>
      <Button
        variant="default"
        leftSection={<Download size={16} />}
        ml="auto"
        disabled={job?.stop !== undefined}
        onClick={() => change({ do: 'export' })}
      >
        Export
      </Button>
      {values.get('do') === 'export' && (
        <ExportDialog {...exporting} jobKey={jobKey} onClose={() => change({ do: null })} />
      )}
    </>
  );
}
