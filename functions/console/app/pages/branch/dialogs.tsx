import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { bodyOf } from '../../request.ts';
import { useActing } from '../../session/session.ts';
import { ActionDialog } from '../../shared/ActionDialog.tsx';
import { type Branch, nameOf } from '../../shared/data.ts';
import { formatNumber } from '../../shared/format.ts';
import { stillRefused } from '../../shared/refused.ts';
import { fieldErrors, refusedFields } from '../../shared/rules.ts';
import { areRowsValid, newRow, TerminalRows, terminalsOf } from '../../shared/TerminalRows.tsx';
import { texts as shared } from '../../shared/texts.ts';
import { useChange } from '../../shared/useChange.ts';
import { type DialogProps, useGuardedDialog } from '../../shared/useGuardedDialog.tsx';
import { texts } from './texts.ts';

type BranchDialog = DialogProps<Branch>;

/** The edited fields by name: the first is another in responses. */
const EDITED = { branch_name: 'merchant_name', area: 'area', city: 'city' } as const;
type Edited = keyof typeof EDITED;
const edited = Object.keys(EDITED) as Edited[];

export function EditDialog(props: BranchDialog) {
  const { current, onClose } = props;
  const { mid } = current.data;
  const { api } = useActing();
  // What the person began with, also when the branch has been read again.
  const [seen] = useState(current.data);
  const before = (name: Edited): string => seen[EDITED[name]] ?? '';
  const form = useForm({
    initialValues: { branch_name: before('branch_name'), area: before('area'), city: before('city') },
    validate: (values) => fieldErrors('updateBranch', values),
  });
  const changed = edited.filter((name) => form.values[name].trim() !== before(name));
  const newValue = (name: Edited) => form.values[name].trim() || null;
  const { send, dialog } = useGuardedDialog(
    props,
    (body: Partial<Record<Edited, string | null>>, header) =>
      bodyOf(api.PATCH('/ext/api/v1/merchants/{mid}', { params: { path: { mid }, header }, body })),
    { mine: Object.fromEntries(changed.map((name) => [EDITED[name], newValue(name)])) },
  );
  const refused = refusedFields(dialog.error);
  const submit = () => {
    if (form.validate().hasErrors) return;
    if (changed.length === 0) onClose();
    else send(Object.fromEntries(changed.map((name) => [name, newValue(name)])));
  };
  return (
    <ActionDialog {...dialog} title={texts.edit.title} submit={texts.edit.submit} onSubmit={submit}>
      {edited.map((name, at) => (
        <TextInput
          key={name}
          {...form.getInputProps(name)}
          label={shared.fields[name]}
          error={form.errors[name] ?? refused[name]}
          data-autofocus={at === 0 || undefined}
        />
      ))}
    </ActionDialog>
  );
}

export function ArchiveDialog(props: BranchDialog) {
  const { current } = props;
  const { mid, terminal_count: count } = current.data;
  const { api } = useActing();
  const { send, dialog } = useGuardedDialog(props, (_: null, header) =>
    bodyOf(api.PATCH('/ext/api/v1/merchants/{mid}/archive', { params: { path: { mid }, header } })),
  );
  const { none, one, several } = texts.archive.effect;
  return (
    <ActionDialog
      {...dialog}
      title={texts.archive.title(nameOf(current.data))}
      submit={texts.archive.submit}
      onSubmit={() => send(null)}
    >
      <Text>{count === 0 ? none : count === 1 ? one : several(formatNumber(count))}</Text>
    </ActionDialog>
  );
}

export function RestoreDialog(props: BranchDialog) {
  const { current } = props;
  const { mid } = current.data;
  const { api } = useActing();
  const { send, dialog } = useGuardedDialog(props, (_: null, header) =>
    bodyOf(api.PATCH('/ext/api/v1/merchants/{mid}/restore', { params: { path: { mid }, header } })),
  );
  return (
    <ActionDialog
      {...dialog}
      title={texts.restore.title(nameOf(current.data))}
      submit={texts.restore.submit}
      onSubmit={() => send(null)}
    >
      <Text>{texts.restore.effect}</Text>
    </ActionDialog>
  );
}

export function AddDialog({ current, onClose }: BranchDialog) {
  const { mid } = current.data;
  const { api } = useActing();
  const [rows, setRows] = useState(() => [newRow()]);
  const [isTried, setIsTried] = useState(false);
  const change = useChange(
    (terminals: ReturnType<typeof terminalsOf>, key) =>
      bodyOf(
        api.POST('/ext/api/v1/terminals/{mid}', {
          params: { path: { mid }, header: { 'Idempotency-Key': key } },
          body: { terminals },
        }),
      ),
    { isIdempotent: true },
  );
  const terminals = terminalsOf(rows);
  return (
    <ActionDialog
      {...change}
      size={1040}
      title={texts.add.title(nameOf(current.data))}
      submit={texts.add.submit(formatNumber(rows.length), rows.length === 1)}
      onClose={onClose}
      onSubmit={() => {
        setIsTried(true);
        if (areRowsValid(rows)) change.mutate(terminals, { onSuccess: onClose });
      }}
    >
      <TerminalRows
        rows={rows}
        onChange={setRows}
        refused={stillRefused(refusedFields(change.error), { terminals: change.variables }, { terminals })}
        isTried={isTried}
        least={1}
      />
    </ActionDialog>
  );
}
