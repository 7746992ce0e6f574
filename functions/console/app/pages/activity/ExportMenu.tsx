import { Button, Menu, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import type { Format } from '../../bulk/export.ts';
import { Doing } from '../../jobs/Doing.tsx';
import { startSaving } from '../../jobs/exporting.ts';
import { useJob } from '../../jobs/job.ts';
import type { Subject } from '../../resources/data.ts';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { useActing } from '../../session/session.ts';
import { formatMinute, formatNumber } from '../../shared/format.ts';
import { fileName } from '../../shared/save.ts';
import { OutputItems } from '../terminals/SelectionBar.tsx';
import { type EventsExported, exportEvents } from './exportEvents.ts';

const keyOf = (acquirer: string): string => `export events ${acquirer}`;

/** Exports the changes that match the filters, also those that are not loaded. */
export function ExportMenu({ filters, span }: { filters: Subject; span: string[] }) {
  const { api, acquirer } = useActing();
  const job = useJob(keyOf(acquirer.id));
  const save = (format: Format) => {
    const name = fileName(format, 'activity', acquirer.name, ...span);
    void startSaving<EventsExported & { name: string }>(keyOf(acquirer.id), format, name, ({ report, ...control }) =>
      exportEvents(api, acquirer.id, filters, { ...control, onProgress: (now) => report({ ...now, name }) }),
    );
  };
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<Download size={16} />} disabled={job?.stop !== undefined}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <OutputItems onSave={save} />
      </Menu.Dropdown>
    </Menu>
  );
}

const changesText = (count: number): string => (count === 1 ? '1 change' : `${formatNumber(count)} changes`);

/** How far the export is, what it has saved, or why it has not. */
export function ExportProgress() {
  const { acquirer } = useActing();
  const job = useJob<EventsExported & { name: string }>(keyOf(acquirer.id));
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
