import { Button, Stack, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { Link } from 'wouter';
import { reportOf } from '../../bulk/importReport.ts';
import type { Ledger } from '../../bulk/ledger.ts';
import type { StoredImport } from '../../bulk/loadImport.ts';
import { ActionDialog } from '../../changes/ActionDialog.tsx';
import { Doing } from '../../jobs/Doing.tsx';
import { useJob } from '../../jobs/job.ts';
import { storageOf } from '../../kept/sealedStorage.ts';
import { discardStored } from '../../kept/storedJob.ts';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { useActing } from '../../session/session.ts';
import { useDialog } from '../../shared/address.ts';
import { formatNumber, formatTime } from '../../shared/format.ts';
import { csvFile, fileName as fileNameOf, save } from '../../shared/save.ts';
import { Cells } from './Cells.tsx';
import { FailedRows } from './CheckStep.tsx';
import { counted, detailOf } from './cells.ts';
import { Head } from './Head.tsx';
import { startImport } from './importJob.ts';
import { doneOf, importJobKey, type Progress } from './progress.ts';

const OUTCOMES = { created: 'Created', updated: 'Updated', exists: 'Existed', refused: 'Not imported', left: 'Left' };
const COUNTED = { branches: 'Branches', terminals: 'Terminals' };

/** How many branches and terminals were created or updated, and how many not. */
const CountTable = ({ counts }: { counts: Ledger['counts'] }) => {
  const outcomes = (['created', 'updated', 'exists', 'refused', 'left'] as const).filter(
    (outcome) => !['updated', 'left'].includes(outcome) || counts.rows[outcome] + counts.branches[outcome] > 0,
  );
  return (
    <Table aria-label="What was done" maw={640} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Td />
          {outcomes.map((outcome) => (
            <Table.Th key={outcome} ta="end">
              {OUTCOMES[outcome]}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {(['branches', 'terminals'] as const).map((what) => (
          <Table.Tr key={what}>
            <Table.Th scope="row">{COUNTED[what]}</Table.Th>
            {outcomes.map((outcome) => (
              <Table.Td key={outcome} ta="end">
                {formatNumber(counts[what][outcome])}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
};

/** The import that is stored in this browser: how far it is, and what became of it. */
export function RunStep({ found }: { found: { stored: StoredImport; ledger: Ledger; isRunning: boolean } }) {
  const acting = useActing();
  const { id } = acting.acquirer;
  const job = useJob<Progress>(importJobKey(id));
  const [dialog, open, close] = useDialog();
  const discard = useMutation({ mutationFn: () => discardStored(storageOf(acting, 'import')) });
  const { stored, ledger, isRunning } = found;
  const { fileName, plan } = stored;
  const counts = (job?.stop && job.progress?.counts) ?? ledger.counts;
  const { rows } = counts;
  const { done, total } = doneOf(counts);
  const progress = `${formatNumber(done)} of ${formatNumber(total)} rows`;
  if (job?.stop)
    return (
      <Stack gap="xl">
        <Head title={`Import of ${fileName}`}>
          You can look elsewhere in the console meanwhile. If you close this tab, the import pauses.
        </Head>
        <Doing
          label={`Import of ${fileName}`}
          done={done}
          total={total}
          job={job}
          stopLabel="Pause"
          stoppingText="Pausing: the last requests are under way."
        >
          {progress}
        </Doing>
        <CountTable counts={counts} />
      </Stack>
    );
  const downloads = (
    <>
      {stored.mapped && <FailedRows mapped={stored.mapped} plan={plan} ledger={ledger} />}
      <Button
        variant="default"
        leftSection={<Download size={16} />}
        onClick={() => save(csvFile(reportOf(plan, ledger, detailOf)), fileNameOf('csv', 'import'))}
      >
        Download the report
      </Button>
    </>
  );
  return (
    <Stack gap="xl">
      {job?.error && !isRunning && rows.left > 0 && <ProblemNotice error={job.error} />}
      {rows.left === 0 ? (
        <Head
          title={`${fileName} is imported${rows.refused > 0 ? `, except for ${counted(rows.refused, 'row')}` : ''}`}
          actions={
            <>
              {downloads}
              <Button component={Link} href="/branches" variant="default">
                See the branches
              </Button>
              <Button loading={discard.isPending} onClick={() => discard.mutate()}>
                Done
              </Button>
            </>
          }
        >
          The report has every row. It stays in this browser until you are done.
        </Head>
      ) : isRunning ? (
        <Head title={`Import of ${fileName}`}>
          This import runs in another tab of this browser. {progress} are done. Pause it there, or wait.
        </Head>
      ) : (
        <Head
          title={`An import of ${fileName} is not finished`}
          actions={
            <>
              {downloads}
              <Button variant="default" onClick={() => open('discard')}>
                Discard
              </Button>
              <Button onClick={() => startImport(acting)}>Resume</Button>
            </>
          }
        >
          {progress} are done. It was started on {formatTime(new Date(stored.startedAt).toISOString())}. Resume it where
          it stopped: no row is created twice.
        </Head>
      )}
      <CountTable counts={counts} />
      <Cells title="Problems" plan={plan} cells={ledger.problems} />
      {dialog === 'discard' && rows.left > 0 && (
        <ActionDialog
          title="Discard this import?"
          submit="Discard"
          isDangerous
          isPending={discard.isPending}
          error={null}
          onClose={close}
          onSubmit={() => discard.mutate(undefined, { onSuccess: (isDiscarded) => isDiscarded && close() })}
        >
          <Text>
            What was created or updated stays: {formatNumber(rows.created + rows.updated)} rows are done. The other{' '}
            {formatNumber(rows.left)} rows are not imported, and the report is removed from this browser.
          </Text>
          {discard.data === false && <Text role="alert">It runs in another tab. Pause it there first.</Text>}
        </ActionDialog>
      )}
    </Stack>
  );
}
