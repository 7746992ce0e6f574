import { Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { bodyOf, resultOf } from '../../request.ts';
import { useActing } from '../../session/session.ts';
import { ActionDialog } from '../../shared/ActionDialog.tsx';
import { BranchPicker } from '../../shared/BranchPicker.tsx';
import { ConflictNotice } from '../../shared/ConflictNotice.tsx';
import { type Branch, type ListedBranch, type Tagged, type Terminal, tagged } from '../../shared/data.ts';
import { fill } from '../../shared/fill.tsx';
import { useGuardedChange } from '../../shared/guarded.ts';
import { LookupSelect } from '../../shared/LookupSelect.tsx';
import { fieldErrors, refusedFields } from '../../shared/rules.ts';
import { texts as shared } from '../../shared/texts.ts';
import { texts } from './texts.ts';

/** What each dialog gets: the terminal as the person sees it, and its branch. */
export interface DialogProps {
  current: Tagged<Terminal>;
  branch: Branch | undefined;
  refresh: () => Promise<Tagged<Terminal>>;
  onClose: () => void;
}

/** A change of a terminal that sends `If-Match`. */
function useTerminalChange<Input, Output>(
  { current, refresh, onClose }: DialogProps,
  change: (input: Input, headers: { 'If-Match': string; 'Idempotency-Key': string }) => Promise<Output>,
  { isIdempotent = false, onDone = onClose }: { isIdempotent?: boolean; onDone?: (output: Output) => void } = {},
) {
  return useGuardedChange<Input, Terminal, Output>({
    current,
    refresh,
    isIdempotent,
    change: (input, etag, key) => change(input, { 'If-Match': etag, 'Idempotency-Key': key }),
    onDone,
  });
}

type Guarded = ReturnType<typeof useTerminalChange>;

/** Both versions and a choice, if somebody else has changed the terminal meanwhile. */
const conflictOf = (
  { conflict, overrule }: Pick<Guarded, 'conflict' | 'overrule'>,
  onClose: () => void,
  mine: Record<string, unknown> = {},
) => conflict && <ConflictNotice conflict={conflict} mine={mine} onApply={overrule} onDrop={onClose} />;

const Strong = ({ children }: { children: string }) => (
  <Text span fw={600} inherit>
    <bdi>{children}</bdi>
  </Text>
);

const nameOf = ({ merchant_name, mid }: Pick<Branch, 'merchant_name' | 'mid'>): string => merchant_name ?? mid;

export function MoveDialog(props: DialogProps) {
  const { current, branch, onClose } = props;
  const { terminal_id, mid, tid, status } = current.data;
  const { api } = useActing();
  const [target, setTarget] = useState<ListedBranch>();
  const [isTried, setIsTried] = useState(false);
  const change = useTerminalChange(
    props,
    (to: string, header) =>
      bodyOf(
        api.POST('/ext/api/v1/terminals/{tid}/reassign', {
          params: { path: { tid }, header },
          body: { mid: to },
        }),
      ),
    { isIdempotent: true },
  );
  const refused = refusedFields(change.error)['mid'];
  return (
    <ActionDialog
      {...change}
      title={texts.move.title(terminal_id)}
      submit={texts.move.submit}
      onClose={onClose}
      onSubmit={() => {
        setIsTried(true);
        if (target) change.submit(target.mid);
      }}
      conflict={conflictOf(change, onClose, target && { mid: target.mid })}
    >
      <BranchPicker
        label={texts.move.to}
        placeholder={texts.move.placeholder}
        nothing={texts.move.none}
        chosen={target}
        onChoose={setTarget}
        error={refused ?? (isTried && !target ? texts.move.required : undefined)}
        refusal={(each) =>
          each.mid === mid ? texts.move.here : each.status === 'archived' ? texts.move.archived : undefined
        }
      />
      {target && (
        <Text className="wraps">
          {fill(texts.move.effect, {
            terminal: <Strong>{terminal_id}</Strong>,
            from: <Strong>{branch ? nameOf(branch) : mid}</Strong>,
            to: <Strong>{nameOf(target)}</Strong>,
            status: shared.status[status].toLocaleLowerCase(),
          })}
        </Text>
      )}
    </ActionDialog>
  );
}

export function ArchiveDialog(props: DialogProps) {
  const { current, onClose } = props;
  const { terminal_id, tid } = current.data;
  const { api } = useActing();
  const form = useForm({
    initialValues: { reason: '' },
    validate: (values) => fieldErrors('archiveTerminal', values),
  });
  const change = useTerminalChange(props, (reason: string, header) =>
    bodyOf(api.PATCH('/ext/api/v1/terminals/{tid}/archive', { params: { path: { tid }, header }, body: { reason } })),
  );
  return (
    <ActionDialog
      {...change}
      title={texts.archive.title(terminal_id)}
      submit={texts.archive.submit}
      onClose={onClose}
      onSubmit={() => !form.validate().hasErrors && change.submit(form.values.reason)}
      conflict={conflictOf(change, onClose)}
    >
      <Text>{texts.archive.effect}</Text>
      <Textarea
        {...form.getInputProps('reason')}
        error={form.errors['reason'] ?? refusedFields(change.error)['reason']}
        label={texts.archive.reason}
        placeholder={texts.archive.placeholder}
        autosize
        maxRows={6}
        data-autofocus
      />
    </ActionDialog>
  );
}

export function RestoreDialog(props: DialogProps) {
  const { current, branch, onClose } = props;
  const { terminal_id, tid, mid } = current.data;
  const { api } = useActing();
  const change = useTerminalChange(props, (_: null, header) =>
    bodyOf(api.PATCH('/ext/api/v1/terminals/{tid}/restore', { params: { path: { tid }, header } })),
  );
  return (
    <ActionDialog
      {...change}
      title={texts.restore.title(terminal_id)}
      submit={texts.restore.submit}
      onClose={onClose}
      onSubmit={() => change.submit(null)}
      conflict={conflictOf(change, onClose)}
    >
      <Text className="wraps">
        {fill(branch?.status === 'archived' ? texts.restore.effectArchived : texts.restore.effect, {
          branch: <Strong>{branch ? nameOf(branch) : mid}</Strong>,
        })}
      </Text>
    </ActionDialog>
  );
}

const EDITED = ['serial_no', 'terminal_model', 'payment_app', 'acquirer_name'] as const;
type Edited = Record<(typeof EDITED)[number], string>;

/** The edited fields that differ from what the person saw. An empty one clears the field. */
const changedOf = (values: Partial<Edited>, before: Terminal): Partial<Record<keyof Edited, string | null>> =>
  Object.fromEntries(
    EDITED.filter((field) => field in values && (values[field] ?? '').trim() !== (before[field] ?? '')).map((field) => [
      field,
      values[field]?.trim() || null,
    ]),
  );

/** Sends what a form changed, and shows field errors at their fields. */
function useEdit<Values extends Partial<Edited>>(props: DialogProps, initialValues: Values) {
  const { current, onClose } = props;
  const { api } = useActing();
  // What the person began with: `current` also becomes what somebody else makes of it.
  const [before] = useState(current.data);
  const form = useForm<Values>({
    initialValues,
    validateInputOnBlur: true,
    validate: (values) => fieldErrors('updateTerminal', values),
  });
  const change = useTerminalChange(props, (body: ReturnType<typeof changedOf>, header) =>
    resultOf(
      api.PATCH('/ext/api/v1/terminals/{tid}', { params: { path: { tid: current.data.tid }, header }, body }),
    ).then(tagged),
  );
  const mine = changedOf(form.values, before);
  const refused = refusedFields(change.error);
  type Name = keyof Values & keyof Edited;
  const about = (name: Name) => ({
    label: shared.fields[name] as string,
    error: form.errors[name] ?? refused[name],
  });
  return {
    text: (name: Name) => ({ ...form.getInputProps(name), ...about(name) }),
    lookup: (name: Name) => ({
      ...about(name),
      value: form.values[name] ?? '',
      onChange: (key: string) => form.setValues({ [name]: key } as Partial<Values>),
    }),
    dialog: {
      ...change,
      onClose,
      onSubmit() {
        if (form.validate().hasErrors) return;
        if (Object.keys(mine).length === 0) onClose();
        else change.submit(mine);
      },
      conflict: conflictOf(change, onClose, mine),
    },
  };
}

export function EditDialog(props: DialogProps) {
  const { terminal_id, ...terminal } = props.current.data;
  const { text, lookup, dialog } = useEdit<Edited>(
    props,
    Object.fromEntries(EDITED.map((name) => [name, terminal[name] ?? ''])) as Edited,
  );
  return (
    <ActionDialog {...dialog} title={texts.edit.title(terminal_id)} submit={texts.edit.submit}>
      <TextInput {...text('serial_no')} data-autofocus />
      <TextInput {...text('terminal_model')} />
      <LookupSelect method="paymentApp" {...lookup('payment_app')} />
      <LookupSelect method="acquirers" {...lookup('acquirer_name')} />
    </ActionDialog>
  );
}

export function SwapDialog(props: DialogProps) {
  const { terminal_id, terminal_model } = props.current.data;
  const { text, dialog } = useEdit(props, { serial_no: '', terminal_model: terminal_model ?? '' });
  return (
    <ActionDialog {...dialog} title={texts.swap.title(terminal_id)} submit={texts.swap.submit}>
      <Text>{texts.swap.effect}</Text>
      <TextInput {...text('serial_no')} label={texts.swap.serial} data-autofocus />
      <TextInput {...text('terminal_model')} />
    </ActionDialog>
  );
}

export function DeleteDialog(props: DialogProps) {
  const { current, onClose } = props;
  const { terminal_id, tid } = current.data;
  const { api } = useActing();
  const [typed, setTyped] = useState('');
  const change = useTerminalChange(props, (_: null, { 'If-Match': etag }) =>
    bodyOf(api.DELETE('/ext/api/v1/terminals/{tid}', { params: { path: { tid }, header: { 'If-Match': etag } } })),
  );
  return (
    <ActionDialog
      {...change}
      title={texts.delete.title(terminal_id)}
      submit={texts.delete.submit}
      isDangerous
      isDisabled={typed.trim() !== terminal_id}
      onClose={onClose}
      onSubmit={() => change.submit(null)}
      conflict={conflictOf(change, onClose)}
    >
      <Text>{texts.delete.effect}</Text>
      <TextInput
        label={fill(texts.delete.confirm, { id: <Strong>{terminal_id}</Strong> })}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        data-autofocus
      />
    </ActionDialog>
  );
}
