import { Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { bodyOf } from '../../request.ts';
import { useActing } from '../../session/session.ts';
import { ActionDialog } from '../../shared/ActionDialog.tsx';
import { BranchPicker } from '../../shared/BranchPicker.tsx';
import { type Branch, type ListedBranch, nameOf, type Terminal } from '../../shared/data.ts';
import { fill } from '../../shared/fill.tsx';
import { LookupSelect } from '../../shared/LookupSelect.tsx';
import { useLeft } from '../../shared/left.ts';
import { fieldErrors, refusedFields } from '../../shared/rules.ts';
import { texts as shared } from '../../shared/texts.ts';
import { type DialogProps, useGuardedDialog } from '../../shared/useGuardedDialog.tsx';
import { texts } from './texts.ts';

/** What each dialog gets: also the branch of the terminal. */
export interface TerminalDialog extends DialogProps<Terminal> {
  branch: Branch | undefined;
}

const Strong = ({ children }: { children: string }) => (
  <Text span fw={600} inherit>
    <bdi>{children}</bdi>
  </Text>
);

export function MoveDialog(props: TerminalDialog) {
  const { current, branch } = props;
  const { terminal_id, mid, tid, status } = current.data;
  const { api } = useActing();
  const [target, setTarget] = useState<ListedBranch>();
  const [isTried, setIsTried] = useState(false);
  const { send, dialog } = useGuardedDialog(
    props,
    (to: string, header) =>
      bodyOf(
        api.POST('/ext/api/v1/terminals/{tid}/reassign', {
          params: { path: { tid }, header },
          body: { mid: to },
        }),
      ),
    { isIdempotent: true, mine: target && { mid: target.mid } },
  );
  const refused = refusedFields(dialog.error)['mid'];
  return (
    <ActionDialog
      {...dialog}
      title={texts.move.title(terminal_id)}
      submit={texts.move.submit}
      onSubmit={() => {
        setIsTried(true);
        if (target) send(target.mid);
      }}
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

export function ArchiveDialog(props: TerminalDialog) {
  const { current } = props;
  const { terminal_id, tid } = current.data;
  const { api } = useActing();
  const form = useForm({
    initialValues: { reason: '' },
    validate: (values) => fieldErrors('archiveTerminal', values),
  });
  const { send, dialog } = useGuardedDialog(props, (reason: string, header) =>
    bodyOf(api.PATCH('/ext/api/v1/terminals/{tid}/archive', { params: { path: { tid }, header }, body: { reason } })),
  );
  return (
    <ActionDialog
      {...dialog}
      title={texts.archive.title(terminal_id)}
      submit={texts.archive.submit}
      onSubmit={() => !form.validate().hasErrors && send(form.values.reason)}
    >
      <Text>{texts.archive.effect}</Text>
      <Textarea
        {...form.getInputProps('reason')}
        error={form.errors['reason'] ?? refusedFields(dialog.error)['reason']}
        label={texts.archive.reason}
        placeholder={texts.archive.placeholder}
        autosize
        maxRows={6}
        data-autofocus
      />
    </ActionDialog>
  );
}

export function RestoreDialog(props: TerminalDialog) {
  const { current, branch } = props;
  const { terminal_id, tid, mid } = current.data;
  const { api } = useActing();
  const { send, dialog } = useGuardedDialog(props, (_: null, header) =>
    bodyOf(api.PATCH('/ext/api/v1/terminals/{tid}/restore', { params: { path: { tid }, header } })),
  );
  return (
    <ActionDialog
      {...dialog}
      title={texts.restore.title(terminal_id)}
      submit={texts.restore.submit}
      onSubmit={() => send(null)}
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

/**
 * Sends what a form changed, and shows field errors at their fields.
 *
 * @param required The fields that must not be empty.
 */
function useEdit(props: TerminalDialog, initialValues: Partial<Edited>, required: (keyof Edited)[] = []) {
  const { current, onClose } = props;
  const { tid } = current.data;
  const { api } = useActing();
  // What the person began with: `current` also becomes what somebody else makes of it.
  const [before] = useState(current.data);
  const [values, setValues] = useState(initialValues);
  const [left, leave] = useLeft();
  const [isTried, setIsTried] = useState(false);
  const mine = changedOf(values, before);
  const missing = required.filter((name) => !values[name]?.trim());
  const faults: Partial<Edited> = {
    ...fieldErrors('updateTerminal', values),
    ...Object.fromEntries(missing.map((name) => [name, shared.required])),
  };
  const { send, dialog } = useGuardedDialog(
    props,
    (body: typeof mine, header) =>
      bodyOf(api.PATCH('/ext/api/v1/terminals/{tid}', { params: { path: { tid }, header }, body })),
    { mine },
  );
  const refused = refusedFields(dialog.error);
  const set = (name: keyof Edited, value: string) => setValues((all) => ({ ...all, [name]: value }));
  const about = (name: keyof Edited) => ({
    label: shared.fields[name] as string,
    value: values[name] ?? '',
    required: required.includes(name),
    error: (isTried || (left.has(name) && values[name] !== '') ? faults[name] : undefined) ?? refused[name],
    onBlur: () => leave(name),
  });
  return {
    text: (name: keyof Edited) => ({
      ...about(name),
      onChange: (event: { currentTarget: HTMLInputElement }) => set(name, event.currentTarget.value),
    }),
    lookup: (name: keyof Edited) => ({ ...about(name), onChange: (key: string) => set(name, key) }),
    dialog: {
      ...dialog,
      onSubmit() {
        setIsTried(true);
        if (Object.keys(faults).length > 0) return;
        if (Object.keys(mine).length === 0) onClose();
        else send(mine);
      },
    },
  };
}

export function EditDialog(props: TerminalDialog) {
  const { terminal_id, ...terminal } = props.current.data;
  const { text, lookup, dialog } = useEdit(
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

export function SwapDialog(props: TerminalDialog) {
  const { terminal_id, terminal_model } = props.current.data;
  const { text, dialog } = useEdit(props, { serial_no: '', terminal_model: terminal_model ?? '' }, ['serial_no']);
  return (
    <ActionDialog {...dialog} title={texts.swap.title(terminal_id)} submit={texts.swap.submit}>
      <Text>{texts.swap.effect}</Text>
      <TextInput {...text('serial_no')} label={texts.swap.serial} data-autofocus />
      <TextInput {...text('terminal_model')} />
    </ActionDialog>
  );
}

export function DeleteDialog(props: TerminalDialog) {
  const { current } = props;
  const { terminal_id, tid } = current.data;
  const { api } = useActing();
  const [typed, setTyped] = useState('');
  const { send, dialog } = useGuardedDialog(props, (_: null, { 'If-Match': etag }) =>
    bodyOf(api.DELETE('/ext/api/v1/terminals/{tid}', { params: { path: { tid }, header: { 'If-Match': etag } } })),
  );
  return (
    <ActionDialog
      {...dialog}
      title={texts.delete.title(terminal_id)}
      submit={texts.delete.submit}
      isDangerous
      isDisabled={typed.trim() !== terminal_id}
      onSubmit={() => send(null)}
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
