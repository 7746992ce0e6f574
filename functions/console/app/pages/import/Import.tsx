import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useDidUpdate } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useRef } from 'react';
import { useJob } from '../../jobs/job.ts';
import { NotRead } from '../../jobs/NotRead.tsx';
import { refetchInterval } from '../../jobs/storedJobQuery.ts';
import { PageTitle } from '../../resources/PageTitle.tsx';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { useActing, useMay } from '../../session/session.ts';
import { useAddress } from '../../shared/address.ts';
import { CheckStep } from './CheckStep.tsx';
import { ColumnsStep } from './ColumnsStep.tsx';
import { FileStep } from './FileStep.tsx';
import { checkJobKey, startCheck, useChosen } from './importJob.ts';
import { listsQuery } from './lists.ts';
import { importQuery } from './progress.ts';
import { RunStep } from './RunStep.tsx';

const STEPS = { file: 'File', columns: 'Columns', check: 'Check', import: 'Import' };
type Step = keyof typeof STEPS;

const Steps = ({ current }: { current: Step }) => (
  <Group component="ol" aria-label="Steps" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
    {Object.entries(STEPS).map(([step, name], at) => (
      <Group component="li" key={step} gap="xs">
        {at > 0 && <ChevronRight size={14} />}
        <Text size="sm" {...(step === current ? { fw: 600, 'aria-current': 'step' } : { c: 'dimmed' })}>
          {name}
        </Text>
      </Group>
    ))}
  </Group>
);

/** The steps of an import. One that was started comes before a new one. */
function Flow() {
  const acting = useActing();
  const { id } = acting.acquirer;
  const [values, change] = useAddress();
  const chosen = useChosen(id);
  const check = useJob(checkJobKey(id));
  const { data: found, error } = useQuery({ ...importQuery(acting), refetchInterval });
  const lists = useQuery(listsQuery(acting));
  const goTo = (step: Step | null) => change({ step });
  const view = useRef<HTMLDivElement>(null);
  const asked = values.get('step');
  const stepNow = (): Step => {
    if (found) return 'import';
    if (!chosen) return 'file';
    if (check?.stop) return 'check';
    const hasCheckEnded = check?.error || chosen.checked;
    if (asked === 'check' && hasCheckEnded) return 'check';
    return asked === 'columns' || asked === 'check' ? 'columns' : 'file';
  };
  const step = stepNow();
  // The button that led to a step is gone then, so a keyboard goes on from the step.
  useDidUpdate(() => {
    if (document.activeElement === document.body) view.current?.focus({ preventScroll: true });
  }, [step, chosen?.checked]);

  if (error) return <NotRead error={error} kind="import" />;
  if (lists.error) return <ProblemNotice error={lists.error} onRetry={lists.refetch} />;
  if (found === undefined || !lists.data) return <Skeleton height={320} />;
  return (
    <Stack gap="xl" ref={view} tabIndex={-1} style={{ outline: 'none' }}>
      <Steps current={step} />
      {found && <RunStep found={found} />}
      {step === 'file' && <FileStep chosen={chosen} lists={lists.data} onNext={() => goTo('columns')} />}
      {chosen && step === 'columns' && (
        <ColumnsStep
          chosen={chosen}
          onBack={() => goTo(null)}
          onNext={() => {
            if (!chosen.checked) startCheck(acting, chosen);
            goTo('check');
          }}
        />
      )}
      {chosen && step === 'check' && <CheckStep chosen={chosen} onFile={() => goTo(null)} />}
    </Stack>
  );
}

/** The view that imports branches and terminals from a file. */
export default function Import() {
  const { acquirer } = useActing();
  const mayChange = useMay('change');
  return (
    <>
      <PageTitle title="Import">
        {!mayChange &&
          `As a viewer of ${acquirer.name} you can see everything, but not import. Ask an admin to make you an operator.`}
      </PageTitle>
      {mayChange && <Flow />}
    </>
  );
}
