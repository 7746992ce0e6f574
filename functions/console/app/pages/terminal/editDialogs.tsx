import { Text, TextInput } from '@mantine/core';
import { Fragment, useState } from 'react';
import { ActionDialog } from '../../changes/ActionDialog.tsx';
import { useGuardedDialog } from '../../changes/useGuardedDialog.tsx';
import { fieldErrors } from '../../fields/fieldErrors.ts';
import { EDITED_OF_TERMINAL, type TerminalField } from '../../fields/fields.ts';
import { takenSerials } from '../../fields/refusals.ts';
import { useFields } from '../../fields/useFields.ts';
import { REQUIRED } from '../../fields/wording.ts';
import type { Terminal } from '../../resources/data.ts';
import { SerialHolders } from '../../resources/SerialHolders.tsx';
import { TerminalInput } from '../../resources/TerminalInput.tsx';
import { SerialInUse } from '../../search/InUse.tsx';
import { ScanButton } from '../../search/ScanButton.tsx';
import { Strong } from '../../shared/Strong.tsx';
import { type TerminalDialog, useRequests } from './requests.ts';

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
      send: (...how) =>
        update(
          { body: Object.fromEntries(EDITED.filter((name) => name in body).map((name) => [name, old[name]])) },
          ...how,
        ),
    }),
  });
  const onSubmit = () => {
    if (!form.check()) return;
    if (Object.keys(mine).length === 0) onClose();
    else send({ body: mine, reason: form.values.reason?.trim() ?? '' });
  };
  const refused = takenSerials(dialog.error, form.values);
  const serial = form.values.serial_no?.trim() ?? '';
  return {
    field: (name: keyof typeof form.values) => form.field(name, dialog.error),
    holders:
      refused.length > 0 ? (
        <SerialHolders serials={refused} />
      ) : (
        <SerialInUse serial={serial === before.serial_no ? '' : serial} />
      ),
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
  const serial = field('serial_no');
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
      <TextInput
        {...serial}
        label="Serial number of the new device"
        required
        data-autofocus
        rightSection={<ScanButton onScan={([code = '']) => serial.onChange(code)} />}
      />
      {holders}
      <TextInput {...field('terminal_model')} />
      <TextInput {...field('reason')} label="Why? (optional)" placeholder="For example: Broken screen" />
    </ActionDialog>
  );
}
