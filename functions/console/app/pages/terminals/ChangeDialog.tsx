import { Text, Textarea } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Waiting } from '../../api/patience.ts';
import { type Change, checkSteps, type Step } from '../../bulk/changeTerminals.ts';
import { ActionDialog } from '../../changes/ActionDialog.tsx';
import { useFields } from '../../fields/useFields.ts';
import { labelOf, terminalsText } from '../../fields/wording.ts';
import { Doing } from '../../jobs/Doing.tsx';
import { shownError } from '../../jobs/job.ts';
import { type ListedBranch, nameOf } from '../../resources/data.ts';
import { LookupSelect } from '../../resources/LookupSelect.tsx';
import { useActing } from '../../session/session.ts';
import { formatNumber } from '../../shared/format.ts';
import { BranchPicker } from '../terminal/BranchPicker.tsx';
import { startChange } from './changeJob.ts';
import type { Row } from './columns.tsx';
import { countsOf, countsText, Outcomes } from './Outcomes.tsx';

/** What can be done with many terminals, and the field that it sets. */
export const ACTIONS = {
  move: { label: 'Move' },
  archive: { label: 'Archive' },
  restore: { label: 'Restore' },
  app: { label: 'Set payment app', field: 'payment_app', method: 'paymentApp' },
  acquirer: { label: 'Set master acquirer', field: 'acquirer_name', method: 'acquirers' },
} as const;
export type Action = keyof typeof ACTIONS;

export interface Wanted {
  title: string;
  verb: string;
  steps: Step[];
}

function AskDialog({
  action,
  rows,
  onWanted,
  onClose,
}: {
  action: Action;
  rows: readonly Row[];
  onWanted: (wanted: Wanted) => void;
  onClose: () => void;
}) {
  const about = ACTIONS[action];
  const [target, setTarget] = useState<ListedBranch>();
  const [value, setValue] = useState('');
  const [isTried, setIsTried] = useState(false);
  const form = useFields('archiveTerminal', { reason: '' });
  const terminals = terminalsText(rows.length);

  function wanted(): [change: Change, title: string] | undefined {
    if (action === 'move') return target && [{ do: 'move', mid: target.mid }, `Move ${terminals} to ${nameOf(target)}`];
    if (action === 'restore') return [{ do: 'restore' }, `Restore ${terminals}`];
    if ('field' in about) {
      const what = labelOf(about.field).toLowerCase();
      return value === ''
        ? undefined
        : [{ do: 'set', field: about.field, value }, `Set ${what} “${value}” for ${terminals}`];
    }
    return form.isValid ? [{ do: 'archive', reason: form.values.reason }, `Archive ${terminals}`] : undefined;
  }
  const submit = () => {
    setIsTried(true);
    form.check();
    const [change, title] = wanted() ?? [];
    const steps = rows.map(({ terminal: { last_seen_at: _, ...before } }) => ({ before, change: change as Change }));
    if (change && title) onWanted({ title, verb: about.label.split(' ', 1)[0] as string, steps });
  };
  return (
    <ActionDialog
      title={`${about.label}${'field' in about ? ' for' : ''} ${terminals}`}
      submit="Check"
      isPending={false}
      error={null}
      onSubmit={submit}
      onClose={onClose}
    >
      {action === 'move' && (
        <BranchPicker
          from=""
          chosen={target}
          onChoose={setTarget}
          error={isTried && !target ? 'Choose a branch.' : undefined}
        />
      )}
      {action === 'archive' && (
        <Textarea
          {...form.field('reason', null)}
          label="Why?"
          placeholder="For example: Returned to the vendor"
          autosize
          maxRows={6}
          data-autofocus
        />
      )}
      {'field' in about && (
        <LookupSelect
          method={about.method}
          label={labelOf(about.field)}
          value={value}
          onChange={setValue}
          error={isTried && value === '' ? 'Choose one.' : undefined}
          data-autofocus
        />
      )}
      <Text c="dimmed">
        {action === 'restore' && 'They are active for processing again. '}
        All of them are checked first. Nothing changes before you have seen the result.
      </Text>
    </ActionDialog>
  );
}

/** Checks a change, shows what it will do, and starts it. */
export function CheckDialog({
  wanted: { title, verb, steps },
  holdsTyped = false,
  onStarted,
  onClose,
}: {
  wanted: Wanted;
  /** Whether a person has typed a part of it. */
  holdsTyped?: boolean;
  onStarted?: () => void;
  onClose: () => void;
}) {
  const acting = useActing();
  const [done, setDone] = useState(0);
  const [waiting, setWaiting] = useState<Waiting>();
  const check = useQuery({
    queryKey: [acting.acquirer.id, 'check', useId()],
    queryFn: ({ signal }) =>
      checkSteps(acting.api, steps, { signal, onProgress: ({ size }) => setDone(size), onWaiting: setWaiting }),
    networkMode: 'always',
    staleTime: 'static',
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    structuralSharing: false,
  });
  const error = check.error && shownError(check.error);
  const start = useMutation({ mutationFn: () => startChange(acting, title, steps), networkMode: 'always' });
  const outcomes = check.data;
  const good = outcomes ? countsOf(outcomes).changed : 0;
  const submit = () => {
    if (!outcomes) return check.refetch();
    return start.mutate(undefined, {
      onSuccess(isStarted) {
        if (!isStarted) return;
        onStarted?.();
        onClose();
      },
    });
  };
  return (
    <ActionDialog
      title={title}
      submit={error ? 'Check again' : `${verb} ${terminalsText(good)}`}
      isPending={start.isPending}
      error={error ?? start.error}
      isDisabled={check.isPending || (good === 0 && !error)}
      holdsTyped={holdsTyped}
      size={720}
      onSubmit={submit}
      onClose={onClose}
    >
      {check.isPending && (
        <Doing label="Check" done={done} total={steps.length} job={{ waiting, stop: undefined, isStopping: false }}>
          {formatNumber(done)} of {formatNumber(steps.length)} checked. Nothing is changed yet.
        </Doing>
      )}
      {outcomes && (
        <>
          <Text fw={600} fz="lg" role="status">
            {countsText(steps, outcomes, 'check')}
          </Text>
          <Outcomes steps={steps} outcomes={outcomes} when="check" />
        </>
      )}
      {start.data === false && (
        <Text role="alert" c="var(--mantine-color-error)">
          Another change is not finished. Close this, then continue or discard that one.
        </Text>
      )}
    </ActionDialog>
  );
}

/** A change of many terminals: what a person wants, then what it will do. */
export function ChangeDialog({
  action,
  rows,
  ...more
}: {
  action: Action;
  rows: readonly Row[];
  onStarted: () => void;
  onClose: () => void;
}) {
  // Those that are selected when it begins.
  const [subject] = useState(rows);
  const [wanted, setWanted] = useState<Wanted>();
  if (wanted) return <CheckDialog wanted={wanted} holdsTyped={action === 'archive'} {...more} />;
  return <AskDialog action={action} rows={subject} onWanted={setWanted} onClose={more.onClose} />;
}
