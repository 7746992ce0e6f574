import { Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { withoutInvisible } from '../../../../../lib/base/invisible.ts';
import { resultOf } from '../../api/request.ts';
import { ActionDialog } from '../../changes/ActionDialog.tsx';
import { useGuardedDialog } from '../../changes/useGuardedDialog.tsx';
import { refusedFields } from '../../fields/refusals.ts';
import { useFields } from '../../fields/useFields.ts';
import { STATUSES } from '../../fields/wording.ts';
import { type ListedBranch, nameOf } from '../../resources/data.ts';
import { useActing } from '../../session/session.ts';
import { Strong } from '../../shared/Strong.tsx';
import { BranchPicker } from './BranchPicker.tsx';
import { type TerminalDialog, useRequests } from './requests.ts';

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
        send: (...how) => move(before.mid, ...how),
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
          <Strong>{nameOf(target)}</Strong>. It stays {STATUSES[status].toLowerCase()}.
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
    undo: () => ({ text: `Terminal ${terminal_id} was archived.`, send: (...how) => restore(null, ...how) }),
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
        ? { text: `Terminal ${terminal_id} was restored.`, send: (...how) => archive(archive_reason, ...how) }
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
