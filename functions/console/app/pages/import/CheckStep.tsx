import { Button, Checkbox, Group, Paper, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { CircleArrowRight, CircleCheck, CircleEqual, CircleX } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Ledger } from '../../bulk/ledger.ts';
import type { StoredImport } from '../../bulk/loadImport.ts';
import { failedRows, type MappedFile } from '../../bulk/mend.ts';
import type { Plan } from '../../bulk/planImport.ts';
import type { Lists } from '../../fields/listed.ts';
import { Doing } from '../../jobs/Doing.tsx';
import { useJob } from '../../jobs/job.ts';
import { storageOf } from '../../kept/sealedStorage.ts';
import { storeJob } from '../../kept/storedJob.ts';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { useActing } from '../../session/session.ts';
import { formatNumber } from '../../shared/format.ts';
import { fileName } from '../../shared/save.ts';
import { Cells, Problems } from './Cells.tsx';
import { counted, detailOf, fieldName, nearest } from './cells.ts';
import { Head } from './Head.tsx';
import { type Chosen, checkAgain, checkJobKey, correct, dropFile, startCheck, startImport } from './importJob.ts';
import { doneOf, type Progress } from './progress.ts';
import { SaveWorkbook } from './SaveWorkbook.tsx';

/** A button that saves the rows with problems as a workbook, to correct them there and choose it. */
export function FailedRows({
  mapped,
  plan,
  ledger: { problems },
  lists = {},
}: {
  mapped: MappedFile;
  plan: Plan;
  ledger: Ledger;
  lists?: Lists;
}) {
  if (problems.length === 0) return null;
  const rows = () => {
    const near = nearest(lists);
    return failedRows(mapped, plan, {
      problems,
      saidOf: (problem, cell) => `${fieldName(problem.field)}: ${detailOf(problem, cell, near(problem, cell))}`,
    });
  };
  return (
    <SaveWorkbook name={fileName('xlsx', 'rows to correct')} rows={rows}>
      Download the rows with problems
    </SaveWorkbook>
  );
}

/** What a check says of what has each outcome. */
const RESULTS = [
  { outcome: 'created', icon: CircleCheck, color: 'teal', one: 'row can be imported', several: 'rows can be imported' },
  { outcome: 'updated', icon: CircleArrowRight, color: 'blue', one: 'row is an update', several: 'rows are updates' },
  { outcome: 'refused', icon: CircleX, color: 'red', one: 'row has problems', several: 'rows have problems' },
  { outcome: 'exists', icon: CircleEqual, color: 'gray', one: 'row exists already', several: 'rows exist already' },
] as const;

/** What the service says of a file, and the button that imports it. */
function Checked({ chosen, ledger, onFile }: { chosen: Chosen; ledger: Ledger; onFile: () => void }) {
  const acting = useActing();
  const { id } = acting.acquirer;
  const { plan, lists, corrections } = chosen;
  const { rows } = ledger.counts;
  const corrected = Object.keys(corrections).length;
  const [isUpdating, setIsUpdating] = useState(true);
  const good = rows.created + (isUpdating ? rows.updated : 0);
  const updated = useMemo(() => ledger.updated, [ledger]);
  const mids = Map.groupBy(plan.branches.keys(), (at) => {
    const { branch } = ledger.stateOf(at);
    return branch && (branch === 'created' ? 'New branches' : 'Branches that exist');
  });
  const start = useMutation({
    mutationFn: () => {
      const { fileName, file, mapping } = chosen;
      const known = ledger.known(isUpdating);
      return storeJob<StoredImport>(storageOf(acting, 'import'), { fileName, plan, mapped: { file, mapping }, known });
    },
    // `queryClient` reads the stored import after each mutation, and the view then shows it.
    onSuccess(isStored) {
      // Another tab may have begun another one meanwhile, which is shown then.
      if (!isStored) return;
      startImport(acting);
      dropFile(id);
    },
  });
  return (
    <Stack gap="xl">
      <Head
        title={`Check of ${chosen.fileName}`}
        actions={
          <>
            <FailedRows mapped={chosen} plan={plan} ledger={ledger} lists={lists} />
            <Button variant="default" onClick={onFile}>
              Choose another file
            </Button>
            {good > 0 && corrected === 0 && (
              <Button loading={start.isPending} onClick={() => start.mutate()}>
                Import {rows.refused > 0 ? `the ${counted(good, 'good row')}` : counted(good, 'row')}
              </Button>
            )}
          </>
        }
      >
        {good === 0 && 'There is nothing to import.'}
      </Head>
      {start.error && <ProblemNotice error={start.error} />}
      <Stack gap="sm" role="status">
        {RESULTS.filter(({ outcome }) => rows[outcome] > 0).map(({ outcome, icon: Icon, color, one, several }) => (
          <Group key={outcome} gap="sm" wrap="nowrap">
            <Icon size={18} color={`var(--mantine-color-${color}-text)`} />
            <Text fw={600} fz="lg">
              {counted(rows[outcome], one, several)}
            </Text>
          </Group>
        ))}
        {[...mids].map(
          ([name, places]) =>
            name && (
              <Text key={name} c="dimmed" className="wraps" lineClamp={3}>
                {name} ({formatNumber(places.length)}):{' '}
                {places
                  .slice(0, 100)
                  .map((at) => plan.branches[at]?.[0]?.mid)
                  .join(', ')}
              </Text>
            ),
        )}
      </Stack>
      {updated.length > 0 && (
        <Checkbox
          label="Only add what is new"
          description="Leave this off to change the values below. An empty cell changes nothing."
          checked={!isUpdating}
          onChange={(event) => setIsUpdating(!event.currentTarget.checked)}
        />
      )}
      {isUpdating && <Cells title="Updates" plan={plan} cells={updated} />}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          checkAgain(acting, chosen);
        }}
      >
        <Problems
          plan={plan}
          cells={ledger.problems}
          lists={lists}
          corrections={corrections}
          onCorrect={(key, text) => correct(acting.acquirer, key, text)}
        />
        {corrected > 0 && (
          <Paper withBorder shadow="md" className="selection-bar" mt="md">
            <Text flex={1} role="status">
              {counted(corrected, 'correction')}
            </Text>
            <Button type="submit" flex="none">
              Check again
            </Button>
          </Paper>
        )}
      </form>
    </Stack>
  );
}

export function CheckStep({ chosen, onFile }: { chosen: Chosen; onFile: () => void }) {
  const acting = useActing();
  const job = useJob<Progress>(checkJobKey(acting.acquirer.id));
  if (chosen.checked) return <Checked chosen={chosen} ledger={chosen.checked} onFile={onFile} />;
  const { done, total } = job?.progress ? doneOf(job.progress.counts) : { done: 0, total: chosen.plan.rows.length };
  const problems = job?.progress?.problems ?? 0;
  return (
    <Stack gap="xl">
      <Head title={`Check of ${chosen.fileName}`}>The check changes nothing.</Head>
      {job?.error && <ProblemNotice error={job.error} onRetry={() => startCheck(acting, chosen)} />}
      {job?.stop && (
        <Doing label={`Check of ${chosen.fileName}`} done={done} total={total} job={job} stopLabel="Cancel">
          {formatNumber(done)} of {formatNumber(total)} rows checked,{' '}
          {problems === 0 ? 'no problems' : counted(problems, 'problem')}
        </Doing>
      )}
    </Stack>
  );
}
