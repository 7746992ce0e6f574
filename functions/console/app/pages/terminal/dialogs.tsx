import { Text, Textarea, TextInput } from '@mantine/core';
import { Fragment, useState } from 'react';
import { withoutInvisible } from '../../../../../lib/base/invisible.ts';
import { resultOf } from '../../api/request.ts';
import { ActionDialog } from '../../changes/ActionDialog.tsx';
import { type DialogProps, type Guard, useGuardedDialog } from '../../changes/useGuardedDialog.tsx';
import { fieldErrors } from '../../fields/fieldErrors.ts';
import { EDITED_OF_TERMINAL, type TerminalField } from '../../fields/fields.ts';
import { refusedFields, takenSerials } from '../../fields/refusals.ts';
import { useFields } from '../../fields/useFields.ts';
import { REQUIRED, STATUSES } from '../../fields/wording.ts';
import { type Branch, type ListedBranch, nameOf, type Terminal } from '../../resources/data.ts';
import { SerialHolders } from '../../resources/SerialHolders.tsx';
import { TerminalInput } from '../../resources/TerminalInput.tsx';
import { useActing } from '../../session/session.ts';
import { Strong } from '../../shared/Strong.tsx';
import { BranchPicker } from './BranchPicker.tsx';

export interface TerminalDialog extends DialogProps<Terminal> {
  branch: Branch | undefined;
}

interface Update {
  body: Partial<Record<keyof Edited, string | null>>;
  reason?: string;
}

function useRequests(tid: string) {
  const { api } = useActing();
  const path = { tid };
  return {
    move: (mid: string, header: Guard) =>
      resultOf(api.POST('/ext/api/v1/terminals/{tid}/reassign', { params: { path, header }, body: { mid } })),
    archive: (reason: string, header: Guard) =>
      resultOf(api.PATCH('/ext/api/v1/terminals/{tid}/archive', { params: { path, header }, body: { reason } })),
    restore: (_: null, header: Guard) =>
      resultOf(api.PATCH('/ext/api/v1/terminals/{tid}/restore', { params: { path, header } })),
    update: ({ body, reason }: Update, header: Guard) =>
      resultOf(
        api.PATCH('/ext/api/v1/terminals/{tid}', {
          params: { path, header, query: reason ? { reason } : {} },
          body,
        }),
      ),
  };
}

export function MoveDialog(props: TerminalDialog) {
  const { current, branch } = props;
  const { terminal_id, mid, tid, status } = current.data;
  const { move } = useRequests(tid);
  const [target, setTarget] = useState<ListedBranch>();
  const [isTried, setIsTried] = useState(false);
  const { send, dialog } = useGuardedDialog(props, move, {
    isIdempotent: true,
    mine: target && { mid: target.mid },
    undo: (before) =>
      target && {
        text: `Terminal ${terminal_id} was moved to ${nameOf(target)}.`,
        send: (header) => move(before.mid, header),
      },
  });
  const refused = refusedFields(dialog.error)['mid'];
  return (
    <ActionDialog
      {...dialog}
      title={`Move terminal ${terminal_id}`}
      submit="Move"
      onSubmit={() => {
        setIsTried(true);
        if (target) send(target.mid);
      }}
    >
      <BranchPicker
        from={mid}
        chosen={target}
        onChoose={setTarget}
        error={refused ?? (isTried && !target ? 'Choose a branch.' : undefined)}
      />
      {target && (
        <Text className="wraps">
          The terminal <Strong>{terminal_id}</Strong> moves from <Strong>{branch ? nameOf(branch) : mid}</Strong> to{' '}
          <Strong>{nameOf(target)}</Strong>. It stays {STATUSES[status].toLocaleLowerCase()}.
        </Text>
      )}
    </ActionDialog>
  );
}

export function ArchiveDialog(props: TerminalDialog) {
  const { current } = props;
  const { terminal_id, tid } = current.data;
  const { archive, restore } = useRequests(tid);
  const form = useFields('archiveTerminal', { reason: '' });
  const { send, dialog } = useGuardedDialog(props, archive, {
    undo: () => ({ text: `Terminal ${terminal_id} was archived.`, send: (header) => restore(null, header) }),
  });
  return (
    <ActionDialog
      {...dialog}
      title={`Archive terminal ${terminal_id}`}
      submit="Archive"
      onSubmit={() => form.check() && send(form.values.reason)}
    >
      <Text>It is no longer active for processing. You can restore it at any time.</Text>
      <Textarea
        {...form.field('reason', dialog.error)}
        label="Why?"
        placeholder="For example: Broken screen"
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
  const { archive, restore } = useRequests(tid);
  const { send, dialog } = useGuardedDialog(props, restore, {
    // One that was archived with its branch would be archived by itself.
    undo: ({ archived_at, archive_reason }) =>
      archive_reason && branch && archived_at !== branch.archived_at
        ? { text: `Terminal ${terminal_id} was restored.`, send: (header) => archive(archive_reason, header) }
        : undefined,
  });
  const name = <Strong>{branch ? nameOf(branch) : mid}</Strong>;
  return (
    <ActionDialog {...dialog} title={`Restore terminal ${terminal_id}`} submit="Restore" onSubmit={() => send(null)}>
      <Text className="wraps">
        {branch?.status === 'archived' ? (
          <>It is active for processing again, although its branch {name} is archived.</>
        ) : (
          <>It is active for processing again, at {name}.</>
        )}
      </Text>
    </ActionDialog>
  );
}

type Edited = Record<Exclude<TerminalField, 'terminal_id'>, string>;
const EDITED = EDITED_OF_TERMINAL as (keyof Edited)[];

/** The edited fields that differ from what the person saw. An empty one clears the field. */
const changedOf = (values: Partial<Edited>, before: Terminal): Partial<Record<keyof Edited, string | null>> =>
  Object.fromEntries(
    EDITED.filter((field) => field in values && (values[field] ?? '').trim() !== (before[field] ?? '')).map((field) => [
      field,
      values[field]?.trim() || null,
    ]),
  );

/** Edits fields of a terminal. `isRequired`: there must be a serial number. */
function useEdit(props: TerminalDialog, initial: Partial<Edited> & { reason?: string }, { isRequired = false } = {}) {
  const { current, onClose } = props;
  const { tid, terminal_id } = current.data;
  const { update } = useRequests(tid);
  // What the person began with: `current` also becomes what somebody else makes of it.
  const [before] = useState(current.data);
  const form = useFields(
    (values) => ({
      ...fieldErrors('updateTerminal', values),
      ...(isRequired && !values.serial_no?.trim() && { serial_no: REQUIRED }),
    }),
    initial,
  );
  const mine = changedOf(form.values, before);
  const { send, dialog } = useGuardedDialog(props, update, {
    mine,
    undo: (old, { body }) => ({
      text: `Terminal ${terminal_id} was changed.`,
      send: (header) =>
        update(
          { body: Object.fromEntries(EDITED.filter((name) => name in body).map((name) => [name, old[name]])) },
          header,
        ),
    }),
  });
  const onSubmit = () => {
    if (!form.check()) return;
    if (Object.keys(mine).length === 0) onClose();
    else send({ body: mine, reason: form.values.reason?.trim() ?? '' });
  };
  return {
    field: (name: keyof typeof form.values) => form.field(name, dialog.error),
    holders: <SerialHolders serials={takenSerials(dialog.error, form.values)} />,
    dialog: { ...dialog, onSubmit },
  };
}

export function EditDialog(props: TerminalDialog) {
  const { terminal_id, ...terminal } = props.current.data;
  const { field, dialog, holders } = useEdit(
    props,
    Object.fromEntries(EDITED.map((name) => [name, terminal[name] ?? ''])) as Edited,
  );
  return (
    <ActionDialog {...dialog} title={`Edit terminal ${terminal_id}`} submit="Save">
      {EDITED.map((name, at) => (
        <Fragment key={name}>
          <TerminalInput name={name} {...field(name)} data-autofocus={at === 0 || undefined} />
          {name === 'serial_no' && holders}
        </Fragment>
      ))}
    </ActionDialog>
  );
}

export function SwapDialog(props: TerminalDialog) {
  const { terminal_id, terminal_model, serial_no } = props.current.data;
  const { field, dialog, holders } = useEdit(
    props,
    { serial_no: '', terminal_model: terminal_model ?? '', reason: '' },
    { isRequired: true },
  );
  return (
    <ActionDialog {...dialog} title={`Swap the device of terminal ${terminal_id}`} submit="Swap">
      <Text>
        For a new device that takes over the terminal ID.{' '}
        {serial_no === null ? (
          'It has no serial number now.'
        ) : (
          <>
            The serial number <Strong>{serial_no}</Strong> becomes free.
          </>
        )}{' '}
        If the new device has a terminal ID of its own, add it to the branch, then archive this one.
      </Text>
      <TextInput {...field('serial_no')} label="Serial number of the new device" required data-autofocus />
      {holders}
      <TextInput {...field('terminal_model')} />
      <TextInput {...field('reason')} label="Why? (optional)" placeholder="For example: Broken screen" />
    </ActionDialog>
  );
}

export function DeleteDialog(props: TerminalDialog) {
  const { current } = props;
  const { terminal_id, tid } = current.data;
  const { api } = useActing();
  const [typed, setTyped] = useState('');
  const { send, dialog } = useGuardedDialog(props, (_: null, { 'If-Match': etag }) =>
    resultOf(api.DELETE('/ext/api/v1/terminals/{tid}', { params: { path: { tid }, header: { 'If-Match': etag } } })),
  );
  return (
    <ActionDialog
      {...dialog}
      title={`Delete terminal ${terminal_id}`}
      submit="Delete for good"
      isDangerous
      isDisabled={withoutInvisible(typed).trim() !== terminal_id}
      onSubmit={() => send(null)}
    >
      <Text>
        It is removed for good. Its timeline stays readable, and its terminal ID and serial number can be used again. To
        take it out of service for a while, archive it instead.
      </Text>
      <TextInput
        label={
          <>
            To confirm, type <Strong>{terminal_id}</Strong>
          </>
        }
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-confirms
        data-autofocus
      />
    </ActionDialog>
  );
}
