import { Button, Paper, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Download, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { changeReport, undoSteps } from '../../bulk/changeTerminals.ts';
import { Doing } from '../../jobs/Doing.tsx';
import { useJob } from '../../jobs/job.ts';
import { NotRead } from '../../jobs/NotRead.tsx';
import { refetchInterval } from '../../jobs/storedJobQuery.ts';
import { NotOpened } from '../../kept/seal.ts';
import { storageOf } from '../../kept/sealedStorage.ts';
import { discardStored } from '../../kept/storedJob.ts';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { useActing } from '../../session/session.ts';
import { formatNumber } from '../../shared/format.ts';
import { csvFile, fileName, save } from '../../shared/save.ts';
import { Head } from '../import/Head.tsx';
import { CheckDialog, type Wanted } from './ChangeDialog.tsx';
import { changeJobKey, changeQuery, resumeChange } from './changeJob.ts';
import { countsOf, countsText, Outcomes } from './Outcomes.tsx';

/** How far the last change of many terminals is, or what became of it. */
export function LastChange() {
  const acting = useActing();
  const { id } = acting.acquirer;
  const { data: found, error } = useQuery({ ...changeQuery(acting), refetchInterval });
  const job = useJob<number>(changeJobKey(id));
  const [isListed, setIsListed] = useState(false);
  const [undoing, setUndoing] = useState<Wanted>();
  const discard = useMutation({ mutationFn: () => discardStored(storageOf(acting, 'change')) });
  // That nothing can be stored is said once there is something to store.
  if (error instanceof NotOpened) return <NotRead error={error} kind="change" />;
  if (!found) return null;
  const { stored, outcomes, isRunning } = found;
  const { title, steps } = stored;
  const isHere = job?.stop !== undefined;
  const done = (isHere && job.progress) || outcomes.size;
  const isFinished = outcomes.size === steps.length;
  const undo = isFinished ? undoSteps(steps, outcomes) : [];
  const progress = `${formatNumber(done)} of ${formatNumber(steps.length)} terminals`;
  return (
    <Paper p="lg" component="section" aria-label="Last change of several terminals">
      <Stack gap="md">
        <Head
          title={title}
          actions={
            !isHere &&
            !isRunning && (
              <>
                {outcomes.size > 0 && (
                  <Button variant="subtle" color="gray" onClick={() => setIsListed(!isListed)} aria-expanded={isListed}>
                    {isListed ? 'Hide the list' : 'Show the list'}
                  </Button>
                )}
                <Button
                  variant="default"
                  leftSection={<Download size={16} />}
                  onClick={() => save(csvFile(changeReport(steps, outcomes)), fileName('csv', 'change'))}
                >
                  Report
                </Button>
                {undo.length > 0 && (
                  <Button
                    variant="default"
                    leftSection={<Undo2 size={16} />}
                    onClick={() => setUndoing({ title: `Undo: ${title}`, verb: 'Put back', steps: undo })}
                  >
                    Undo
                  </Button>
                )}
                {!isFinished && <Button onClick={() => resumeChange(acting)}>Continue</Button>}
                <Button
                  variant={isFinished ? 'filled' : 'default'}
                  loading={discard.isPending}
                  onClick={() => discard.mutate()}
                >
                  {isFinished ? 'Done' : 'Discard the rest'}
                </Button>
              </>
            )
          }
        >
          {!isHere && (
            <span role="status">
              {isFinished
                ? countsText(steps, outcomes, 'change')
                : isRunning
                  ? `It runs in another tab of this browser: ${progress}.`
                  : `Stopped: ${progress} are done.`}
            </span>
          )}
        </Head>
        {isHere && (
          <Doing
            label={title}
            done={done}
            total={steps.length}
            job={job}
            stopLabel="Stop"
            stoppingText="Stopping: the last requests are under way."
          >
            {progress}
          </Doing>
        )}
        {job?.error && !isHere && !isFinished && <ProblemNotice error={job.error} />}
        {!isHere && (isListed || countsOf(outcomes).refused > 0) && (
          <Outcomes key={stored.id} steps={steps} outcomes={outcomes} when="change" />
        )}
      </Stack>
      {undoing && <CheckDialog wanted={undoing} onClose={() => setUndoing(undefined)} />}
    </Paper>
  );
}
