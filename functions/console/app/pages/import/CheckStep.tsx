import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { CircleCheck, CircleEqual, CircleX, Download } from 'lucide-react';
import type { Ledger } from '../../estate/ledger.ts';
import type { Plan } from '../../estate/plan.ts';
import { reportOf } from '../../estate/report.ts';
import { storageOf, storeImport } from '../../estate/store.ts';
import { useActing } from '../../session/session.ts';
import { Doing } from '../../shared/Doing.tsx';
import { formatNumber } from '../../shared/format.ts';
import { useJob } from '../../shared/job.ts';
import { ProblemNotice } from '../../shared/ProblemNotice.tsx';
import { csvFile, fileName, save } from '../../shared/save.ts';
import { detailOf, rowsText } from './cells.ts';

import { Head } from './Head.tsx';
import { Problems } from './Problems.tsx';
import { StorageNotice } from './StorageNotice.tsx';
import { doneOf, type Progress } from './stored.ts';
import { type Chosen, checkJob, dropFile, startCheck, startImport } from './work.ts';

/** A button that saves what became of each row. */
export const Report = ({ plan, ledger, isDryRun = false }: { plan: Plan; ledger: Ledger; isDryRun?: boolean }) => (
  <Button
    variant="default"
    leftSection={<Download size={16} />}
    onClick={() =>
      save(csvFile(reportOf(plan, ledger, { detailOf, isDryRun })), fileName('csv', isDryRun ? 'check' : 'import'))
    }
  >
    Download the report
  </Button>
);

/** What a check says of the rows of each outcome. */
const RESULTS = [
  { outcome: 'created', icon: CircleCheck, color: 'teal', one: 'can be imported', several: 'can be imported' },
  { outcome: 'refused', icon: CircleX, color: 'red', one: 'has problems', several: 'have problems' },
  {
    outcome: 'exists',
    icon: CircleEqual,
    color: 'gray',
    one: 'exists already and stays as it is',
    several: 'exist already and stay as they are',
  },
] as const;

/** What the service says of a file, and the button that imports it. */
function Checked({ chosen, ledger, onFile }: { chosen: Chosen; ledger: Ledger; onFile: () => void }) {
  const acting = useActing();
  const { id } = acting.acquirer;
  const { plan } = chosen;
  const { rows } = ledger.counts;
  const { created, refused } = rows;
  const start = useMutation({
    mutationFn: () => storeImport(storageOf(id), { fileName: chosen.fileName, plan, known: ledger.known() }),
    onSuccess(stored) {
      // Another tab may have begun another one meanwhile, which is shown then.
      if (!stored) return;
      startImport(acting);
      dropFile(id);
    },
  });
  const goodRows = created === 1 ? 'good row' : `${formatNumber(created)} good rows`;
  return (
    <Stack gap="xl">
      <Head
        title={`Check of ${chosen.fileName}`}
        actions={
          <>
            <Report plan={plan} ledger={ledger} isDryRun />
            <Button variant="default" onClick={onFile}>
              Choose a corrected file
            </Button>
            {created > 0 && (
              <Button loading={start.isPending} onClick={() => start.mutate()}>
                Import {refused > 0 ? `the ${goodRows}` : rowsText(created)}
              </Button>
            )}
          </>
        }
      >
        {created === 0 && 'There is nothing to import.'}
      </Head>
      {start.error && <StorageNotice />}
      <Stack gap="sm" role="status">
        {RESULTS.filter(({ outcome }) => rows[outcome] > 0).map(({ outcome, icon: Icon, color, one, several }) => (
          <Group key={outcome} gap="sm" wrap="nowrap">
            <Icon size={18} color={`var(--mantine-color-${color}-text)`} />
            <Text fw={600} fz="lg">
              {rowsText(rows[outcome])} {rows[outcome] === 1 ? one : several}
            </Text>
          </Group>
        ))}
      </Stack>
      <Problems plan={plan} ledger={ledger} />
    </Stack>
  );
}

function problemsText(count: number): string {
  if (count === 0) return 'no problems';
  return count === 1 ? '1 problem' : `${formatNumber(count)} problems`;
}

/** The check of all rows of a file, and its result. */
export function CheckStep({ chosen, onFile }: { chosen: Chosen; onFile: () => void }) {
  const acting = useActing();
  const job = useJob<Progress>(checkJob(acting.acquirer.id));
  if (chosen.checked) return <Checked chosen={chosen} ledger={chosen.checked} onFile={onFile} />;
  const { done, total } = job?.progress ? doneOf(job.progress.counts) : { done: 0, total: chosen.plan.rows.length };
  const problems = job?.progress?.problems ?? 0;
  return (
    <Stack gap="xl">
      <Head title={`Check of ${chosen.fileName}`}>Nothing is created by the check.</Head>
      {job?.error && <ProblemNotice error={job.error} onRetry={() => startCheck(acting, chosen)} />}
      {job?.stop && (
        <Doing label={`Check of ${chosen.fileName}`} done={done} total={total} job={job} stopLabel="Cancel">
          {formatNumber(done)} of {formatNumber(total)} rows checked, {problemsText(problems)}
        </Doing>
      )}
    </Stack>
  );
}
