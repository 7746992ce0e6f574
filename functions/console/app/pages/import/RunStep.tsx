import { Button, Stack, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Ledger } from '../../estate/ledger.ts';
import { discardStored, type StoredImport, storageOf } from '../../estate/store.ts';
import { NoResponse, ProblemError } from '../../request.ts';
import { NotSignedIn } from '../../session/renewal.ts';
import { useActing } from '../../session/session.ts';
import { ActionDialog } from '../../shared/ActionDialog.tsx';
import { useDialog } from '../../shared/address.ts';
import { Doing } from '../../shared/Doing.tsx';
import { formatNumber, formatTime } from '../../shared/format.ts';
import { useJob } from '../../shared/job.ts';
import { ProblemNotice } from '../../shared/ProblemNotice.tsx';
import { Cells } from './Cells.tsx';
import { Report } from './CheckStep.tsx';
import { counted } from './cells.ts';
import { Head } from './Head.tsx';
import { StorageNotice } from './StorageNotice.tsx';
import { doneOf, importJob, type Progress } from './stored.ts';
import { startImport } from './work.ts';

type Counts = Ledger['counts'];
const OUTCOMES = { created: 'Created', updated: 'Updated', exists: 'Existed', refused: 'Not imported', left: 'Left' };

/** How many branches and terminals were created or updated, and how many not. */
const CountTable = ({ counts }: { counts: Counts }) => {
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
            <Table.Th scope="row">{what === 'branches' ? 'Branches' : 'Terminals'}</Table.Th>
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

/** Asks before an import that is not finished is given up. */
function DiscardDialog({ counts: { rows }, onClose }: { counts: Counts; onClose: () => void }) {
  const discard = useDiscard();
  return (
    <ActionDialog
      title="Discard this import?"
      submit="Discard"
      isDangerous
      isPending={discard.isPending}
      error={null}
      onClose={onClose}
      onSubmit={() => discard.mutate(undefined, { onSuccess: (isDiscarded) => isDiscarded && onClose() })}
    >
      <Text>
        What was created or updated stays: {formatNumber(rows.created + rows.updated)} rows are done. The other{' '}
        {formatNumber(rows.left)} rows are not imported, and the report is removed from this browser.
      </Text>
      {discard.data === false && <Text role="alert">It runs in another tab. Pause it there first.</Text>}
    </ActionDialog>
  );
}

/** Removes the import from this browser. All that is shown is read again then. */
function useDiscard() {
  const { id } = useActing().acquirer;
  return useMutation({ mutationFn: () => discardStored(storageOf(id)) });
}

/** Why an import cannot go on. */
function Failure({ error }: { error: Error }) {
  const isOfService = error instanceof ProblemError || error instanceof NoResponse || error instanceof NotSignedIn;
  return isOfService ? <ProblemNotice error={error} /> : <StorageNotice />;
}

/** An import that has ended: what became of it. */
function Finished({ stored, ledger }: { stored: StoredImport; ledger: Ledger }) {
  const discard = useDiscard();
  const { fileName, plan } = stored;
  const { refused } = ledger.counts.rows;
  return (
    <>
      <Head
        title={`${fileName} is imported${refused > 0 ? `, except for ${counted(refused, 'row')}` : ''}`}
        actions={
          <>
            <Report plan={plan} ledger={ledger} />
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
      <CountTable counts={ledger.counts} />
    </>
  );
}

/** An import that is not finished and does not run in this tab. */
function Unfinished({ stored, ledger, isRunning }: { stored: StoredImport; ledger: Ledger; isRunning: boolean }) {
  const acting = useActing();
  const [dialog, open, close] = useDialog();
  const { done, total } = doneOf(ledger.counts);
  if (isRunning)
    return (
      <>
        <Head title={`Import of ${stored.fileName}`}>
          This import runs in another tab of this browser. Pause it there, or wait.
        </Head>
        <Text>
          {formatNumber(done)} of {formatNumber(total)} rows
        </Text>
        <CountTable counts={ledger.counts} />
      </>
    );
  return (
    <>
      <Head
        title={`An import of ${stored.fileName} is not finished`}
        actions={
          <>
            <Report plan={stored.plan} ledger={ledger} />
            <Button variant="default" onClick={() => open('discard')}>
              Discard
            </Button>
            <Button onClick={() => startImport(acting)}>Resume</Button>
          </>
        }
      >
        {formatNumber(done)} of {formatNumber(total)} rows are done. It was started on{' '}
        {formatTime(new Date(stored.startedAt).toISOString())}. Resume it where it stopped: no row is created twice.
      </Head>
      <CountTable counts={ledger.counts} />
      {dialog === 'discard' && <DiscardDialog counts={ledger.counts} onClose={close} />}
    </>
  );
}

/** The import that is stored in this browser: how far it is, and what became of it. */
export function RunStep({ found }: { found: { stored: StoredImport; ledger: Ledger; isRunning: boolean } }) {
  const { id } = useActing().acquirer;
  const job = useJob<Progress>(importJob(id));
  const { stored, ledger } = found;
  if (job?.stop) {
    const counts = job.progress?.counts ?? ledger.counts;
    const { done, total } = doneOf(counts);
    return (
      <Stack gap="xl">
        <Head title={`Import of ${stored.fileName}`}>
          You can look elsewhere in the console meanwhile. If you close this tab, the import pauses.
        </Head>
        <Doing
          label={`Import of ${stored.fileName}`}
          done={done}
          total={total}
          job={job}
          stopLabel="Pause"
          stoppingText="Pausing: the last requests are under way."
        >
          {formatNumber(done)} of {formatNumber(total)} rows
        </Doing>
        <CountTable counts={counts} />
      </Stack>
    );
  }
  return (
    <Stack gap="xl">
      {ledger.counts.rows.left === 0 ? (
        <Finished {...found} />
      ) : (
        <>
          {job?.error && !found.isRunning && <Failure error={job.error} />}
          <Unfinished {...found} />
        </>
      )}
      <Cells title="Problems" plan={stored.plan} cells={ledger.problems} />
    </Stack>
  );
}
