import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { CircleCheck, CircleEqual, CircleX, Download, type LucideIcon } from 'lucide-react';
import type { Ledger } from '../../estate/ledger.ts';
import type { Plan } from '../../estate/plan.ts';
import { reportOf } from '../../estate/report.ts';
import { storageOf, storeImport } from '../../estate/store.ts';
import { useActing } from '../../session/session.ts';
import { formatNumber } from '../../shared/format.ts';
import { useJob } from '../../shared/job.ts';
import { ProblemNotice } from '../../shared/ProblemNotice.tsx';
import { csvFile, fileName, save } from '../../shared/save.ts';
import { Doing } from './Doing.tsx';
import { Head } from './Head.tsx';
import { Problems } from './Problems.tsx';
import { StorageNotice } from './StorageNotice.tsx';
import { doneOf, type Progress } from './stored.ts';
import { texts } from './texts.ts';
import { type Chosen, checkJob, dropFile, startCheck, startImport } from './work.ts';

/** A button that saves what became of each row. */
export const Report = ({ plan, ledger, isDryRun = false }: { plan: Plan; ledger: Ledger; isDryRun?: boolean }) => (
  <Button
    variant="default"
    leftSection={<Download size={16} aria-hidden />}
    onClick={() =>
      save(
        csvFile(reportOf(plan, ledger, { detailOf: texts.detailOf, isDryRun })),
        fileName(isDryRun ? texts.check.reportName : texts.run.reportName),
      )
    }
  >
    {texts.check.report}
  </Button>
);

const Counted = ({
  icon: Icon,
  color,
  count,
  text,
}: {
  icon: LucideIcon;
  color: string;
  count: number;
  text: (count: string, isOne: boolean) => string;
}) =>
  count === 0 ? null : (
    <Group gap="sm" wrap="nowrap">
      <Icon size={18} color={`var(--mantine-color-${color}-text)`} aria-hidden />
      <Text fw={600} fz="lg">
        {text(formatNumber(count), count === 1)}
      </Text>
    </Group>
  );

/** What the service says of a file, and the button that imports it. */
function Checked({ chosen, ledger, onFile }: { chosen: Chosen; ledger: Ledger; onFile: () => void }) {
  const acting = useActing();
  const { id } = acting.acquirer;
  const { plan } = chosen;
  const { created, exists, refused } = ledger.counts.rows;
  const start = useMutation({
    mutationFn: () => storeImport(storageOf(id), { fileName: chosen.fileName, plan, known: ledger.known() }),
    onSuccess(stored) {
      // Another tab may have begun another one meanwhile, which is shown then.
      if (!stored) return;
      startImport(acting);
      dropFile(id);
    },
  });
  const { import: all, importGood } = texts.check;
  return (
    <Stack gap="xl">
      <Head
        title={texts.check.title(chosen.fileName)}
        actions={
          <>
            <Report plan={plan} ledger={ledger} isDryRun />
            <Button variant="default" onClick={onFile}>
              {texts.check.correct}
            </Button>
            {created > 0 && (
              <Button loading={start.isPending} onClick={() => start.mutate()}>
                {(refused > 0 ? importGood : all)(formatNumber(created), created === 1)}
              </Button>
            )}
          </>
        }
      >
        {created === 0 && texts.check.nothing}
      </Head>
      {start.error && <StorageNotice />}
      <Stack gap="sm" role="status">
        <Counted icon={CircleCheck} color="teal" count={created} text={texts.check.good} />
        <Counted icon={CircleX} color="red" count={refused} text={texts.check.bad} />
        <Counted icon={CircleEqual} color="gray" count={exists} text={texts.check.exists} />
      </Stack>
      <Problems plan={plan} ledger={ledger} />
    </Stack>
  );
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
      <Head title={texts.check.title(chosen.fileName)}>{texts.check.detail}</Head>
      {job?.error && <ProblemNotice error={job.error} onRetry={() => startCheck(acting, chosen)} />}
      {job?.stop && (
        <Doing
          label={texts.check.title(chosen.fileName)}
          done={done}
          total={total}
          job={job}
          stopLabel={texts.check.cancel}
        >
          {texts.check.progress(formatNumber(done), formatNumber(total))},{' '}
          {texts.check.problems(formatNumber(problems), problems === 1)}
        </Doing>
      )}
    </Stack>
  );
}
