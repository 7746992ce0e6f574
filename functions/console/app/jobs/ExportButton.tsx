import { Button, Menu, Stack, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Format } from '../bulk/export.ts';
import { branchesText } from '../fields/wording.ts';
import { ProblemNotice } from '../resources/ProblemNotice.tsx';
import { useActing } from '../session/session.ts';
import { formatNumber } from '../shared/format.ts';
import { Doing } from './Doing.tsx';
import { type Exported, type ExportState, startExport } from './exporting.ts';
import { useJob } from './job.ts';

/** The formats of a file, in a menu. */
export const FormatItems = ({ onExport }: { onExport: (format: Format) => void }) => (
  <>
    <Menu.Item onClick={() => onExport('xlsx')}>Export a workbook</Menu.Item>
    <Menu.Item onClick={() => onExport('csv')} aria-labelledby="as-csv" aria-describedby="csv-in-excel">
      <span id="as-csv">Export as CSV</span>
      <Text id="csv-in-excel" size="sm" c="dimmed">
        For other programs: Excel drops leading zeros of a CSV file.
      </Text>
    </Menu.Item>
  </>
);

/** A button that asks for the format of a file, or for what else its menu has. */
export const ExportButton = ({
  isDisabled = false,
  onExport,
  children,
}: {
  isDisabled?: boolean;
  onExport: (format: Format) => void;
  children?: ReactNode;
}) => (
  <Menu>
    <Menu.Target>
      <Button variant="default" leftSection={<Download size={16} />} disabled={isDisabled}>
        Export
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      <FormatItems onExport={onExport} />
      {children}
    </Menu.Dropdown>
  </Menu>
);

/** How far an export is, and how long it still takes, by how long it took so far. */
function progressText({ done, total, startedAt }: ExportState): string {
  const progress = `${formatNumber(done)} of ${branchesText(total)}`;
  if (done === 0) return progress;
  const minutes = Math.round(((Date.now() - startedAt) * (total - done)) / done / 60_000);
  return `${progress}, ${minutes < 2 ? 'less than two minutes' : `about ${formatNumber(minutes)} minutes`} left`;
}

/**
 * Exports from the service: branches, or terminals with their branches, as files that can be imported again.
 *
 * @param subject What differs from other exports of the acquirer that can run at once, such as the MID of a branch.
 * @returns How to start it, whether it runs, and what it says: its progress, its problem or its result.
 */
export function useExport(subject: string) {
  const { api, acquirer } = useActing();
  const key = `export ${acquirer.id} ${subject}`;
  const job = useJob<ExportState>(key);
  const { progress, error } = job ?? {};
  const start = (exported: Exported, name: string) => void startExport(api, key, exported, name);
  const notice = () => {
    if (job?.stop)
      return (
        <Doing label="Export" done={progress?.done ?? 0} total={progress?.total ?? 0} job={job} stopLabel="Cancel">
          {progress ? `${progressText(progress)}. You can look elsewhere in the console meanwhile.` : 'Starting.'}
        </Doing>
      );
    if (error) return <ProblemNotice error={error} />;
    if (!progress) return null;
    return (
      <Stack gap="xs" role="status">
        <Text>
          {progress.name} is saved. It covers {branchesText(progress.done)}.
        </Text>
        {progress.isIncomplete && (
          <Text>Branches may be missing: very many have each of these words. Type rarer words.</Text>
        )}
      </Stack>
    );
  };
  return { start, isRunning: job?.stop !== undefined, notice: notice() };
}
