import { Button, type ButtonProps } from '@mantine/core';
import { Download } from 'lucide-react';
import { useActing } from '../session/session.ts';
import { startExport } from './exporting.ts';
import { useJob } from './job.ts';
import { ProblemNotice } from './ProblemNotice.tsx';
import { fileName } from './save.ts';

/** A button that exports the terminals of a branch. */
export function ExportButton({ mid, label, ...button }: { mid: string; label: string } & ButtonProps) {
  const { api, acquirer } = useActing();
  const key = `export ${acquirer.id} ${mid}`;
  const job = useJob(key);
  const start = () => void startExport(api, key, { what: 'terminals', mid }, fileName('terminals', mid));
  return (
    <>
      <Button
        variant="default"
        leftSection={<Download size={16} aria-hidden />}
        {...button}
        loading={job?.stop !== undefined}
        onClick={start}
      >
        {label}
      </Button>
      {job?.error && <ProblemNotice error={job.error} onRetry={start} />}
    </>
  );
}
