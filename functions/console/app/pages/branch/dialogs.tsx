import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { bodyOf, resultOf } from '../../request.ts';
import { useActing } from '../../session/session.ts';
import { ActionDialog } from '../../shared/ActionDialog.tsx';
import { ConflictNotice } from '../../shared/ConflictNotice.tsx';
import { type Branch, type Tagged, tagged } from '../../shared/data.ts';
import { formatNumber } from '../../shared/format.ts';
import { useGuardedChange } from '../../shared/guarded.ts';
import { stillRefused } from '../../shared/refused.ts';
import { fieldErrors, refusedFields } from '../../shared/rules.ts';
import { areRowsValid, newRow, TerminalRows, terminalsOf } from '../../shared/TerminalRows.tsx';
import { texts as shared } from '../../shared/texts.ts';
import { useChange } from '../../shared/useChange.ts';
import { texts } from './texts.ts';

/** What each dialog gets: the branch as the person sees it. */
export interface DialogProps {
  current: Tagged<Branch>;
  refresh: () => Promise<Tagged<Branch>>;
  onClose: () => void;
}

export const nameOf = ({ merchant_name, mid }: Pick<Branch, 'merchant_name' | 'mid'>): string => merchant_name ?? mid;

/** A change of a branch that sends `If-Match`. */
function useBranchChange<Input, Output>(
  { current, refresh, onClose }: DialogProps,
  change: (input: Input, params: { path: { mid: string }; header: { 'If-Match': string } }) => Promise<Output>,
) {
  const { mid } = current.data;
  return useGuardedChange<Input, Branch, Output>({
    current,
    refresh,
    change: (input, etag) => change(input, { path: { mid }, header: { 'If-Match': etag } }),
    onDone: onClose,
  });
}

/** Both versions and a choice, if somebody else has changed the branch meanwhile. */
const conflictOf = (
  { conflict, overrule }: Pick<ReturnType<typeof useBranchChange>, 'conflict' | 'overrule'>,
  onClose: () => void,
  mine: Record<string, unknown> = {},
) => conflict && <ConflictNotice conflict={conflict} mine={mine} onApply={overrule} onDrop={onClose} />;

/** The edited fields by name: the first is another in responses. */
const EDITED = { branch_name: 'merchant_name', area: 'area', city: 'city' } as const;
type Edited = keyof typeof EDITED;
const edited = Object.keys(EDITED) as Edited[];

export function EditDialog(props: DialogProps) {
  const { current, onClose } = props;
  const { api } = useActing();
  // What the person began with, also when the branch has been read again.
  const [seen] = useState(current.data);
  const before = (name: Edited): string => seen[EDITED[name]] ?? '';
  const form = useForm({
    initialValues: { branch_name: before('branch_name'), area: before('area'), city: before('city') },
    validate: (values) => fieldErrors('updateBranch', values),
  });
  const change = useBranchChange(props, (body: Partial<Record<Edited, string | null>>, params) =>
    resultOf(api.PATCH('/ext/api/v1/merchants/{mid}', { params, body })).then(tagged),
  );
  const refused = refusedFields(change.error);
  const changed = edited.filter((name) => form.values[name].trim() !== before(name));
  const newValue = (name: Edited) => form.values[name].trim() || null;
  const submit = () => {
    if (form.validate().hasErrors) return;
    if (changed.length === 0) onClose();
    else change.submit(Object.fromEntries(changed.map((name) => [name, newValue(name)])));
  };
  return (
    <ActionDialog
      {...change}
      title={texts.edit.title}
      submit={texts.edit.submit}
      onClose={onClose}
      onSubmit={submit}
      conflict={conflictOf(change, onClose, Object.fromEntries(changed.map((name) => [EDITED[name], newValue(name)])))}
    >
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

export function ArchiveDialog(props: DialogProps) {
  const { current, onClose } = props;
  const { terminal_count: count } = current.data;
  const { api } = useActing();
  const change = useBranchChange(props, (_: null, params) =>
    bodyOf(api.PATCH('/ext/api/v1/merchants/{mid}/archive', { params })),
  );
  const { none, one, several } = texts.archive.effect;
  return (
    <ActionDialog
      {...change}
      title={texts.archive.title(nameOf(current.data))}
      submit={texts.archive.submit}
      onClose={onClose}
      onSubmit={() => change.submit(null)}
      conflict={conflictOf(change, onClose)}
    >
      <Text>{count === 0 ? none : count === 1 ? one : several(formatNumber(count))}</Text>
    </ActionDialog>
  );
}

export function RestoreDialog(props: DialogProps) {
  const { current, onClose } = props;
  const { api } = useActing();
  const change = useBranchChange(props, (_: null, params) =>
    bodyOf(api.PATCH('/ext/api/v1/merchants/{mid}/restore', { params })),
  );
  return (
    <ActionDialog
      {...change}
      title={texts.restore.title(nameOf(current.data))}
      submit={texts.restore.submit}
      onClose={onClose}
      onSubmit={() => change.submit(null)}
      conflict={conflictOf(change, onClose)}
    >
      <Text>{texts.restore.effect}</Text>
    </ActionDialog>
  );
}

export function AddDialog({ current, onClose }: DialogProps) {
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
