import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleSchemas } from '../../api/client.ts';
import { bodyOf } from '../../api/request.ts';
import { ActionDialog, ConfirmDialog } from '../../changes/ActionDialog.tsx';
import { showOnce } from '../../changes/ShownOnce.tsx';
import { useChange } from '../../changes/useChange.ts';
import { useFields } from '../../fields/useFields.ts';
import { personRoles } from '../../resources/roles.ts';
import { useActing } from '../../session/session.ts';
import { Choices } from '../../shared/Choices.tsx';
import { formatTime } from '../../shared/format.ts';
import { Strong } from '../../shared/Strong.tsx';
import { LeaveDialog } from './LeaveDialog.tsx';

export type Person = ConsoleSchemas['Person'];
export type Invitation = ConsoleSchemas['Invitation'];

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { api } = useActing();
  const form = useFields('invitePerson', { email: '', role: 'viewer' as Person['role'] });
  const { email, role } = form.values;
  const change = useChange(async (body: typeof form.values) =>
    showLink((await bodyOf(api.POST('/console/api/invitations', { body }))).data),
  );
  return (
    <ActionDialog
      {...change}
      title="Invite a person"
      submit="Create invitation"
      onClose={onClose}
      onSubmit={() => form.check() && change.mutate({ email: email.trim(), role }, { onSuccess: onClose })}
    >
      <TextInput
        {...form.field('email', change.error)}
        label="E-mail address"
        description="The address of the account with which they sign in."
        data-autofocus
      />
      <Choices
        label="What they may do"
        choices={personRoles}
        value={role}
        onChange={(chosen) => form.set({ role: chosen })}
      />
    </ActionDialog>
  );
}

function showLink({ email, expires_at, link }: ConsoleSchemas['CreatedInvitation']): void {
  showOnce({
    title: 'Give them this link',
    about: (
      <>
        <Text className="wraps">
          <Text span fw={600} c="bright" inherit>
            No mail is sent.
          </Text>{' '}
          Give the link to <Strong>{email}</Strong> yourself, for example in a chat. It works until{' '}
          {formatTime(expires_at)}, and only for an account with this address.
        </Text>
        <Text c="dimmed">It is not shown again. If it gets lost, invite the same address once more.</Text>
      </>
    ),
    values: [{ label: 'Invitation link', text: link }],
    done: 'Done',
  });
}

export function RoleDialog({ current: { id, name, role }, onClose }: { current: Person; onClose: () => void }) {
  const { api, person } = useActing();
  const [chosen, setChosen] = useState(role);
  const change = useChange((body: { role: Person['role'] }) =>
    bodyOf(api.PATCH('/console/api/people/{id}', { params: { path: { id } }, body })),
  );
  const losesAdmin = id === person.id && chosen !== 'admin';
  return (
    <ActionDialog
      {...change}
      title={`Role of ${name}`}
      submit="Change role"
      isDangerous={losesAdmin}
      onClose={onClose}
      onSubmit={() => (chosen === role ? onClose() : change.mutate({ role: chosen }, { onSuccess: onClose }))}
    >
      <Choices isFirst label="What they may do" choices={personRoles} value={chosen} onChange={setChosen} />
      <Text>
        {losesAdmin
          ? 'You can no longer manage API keys, people and webhooks. Only another admin can give you this role back.'
          : 'It applies within 30 seconds.'}
      </Text>
    </ActionDialog>
  );
}

export function RemoveDialog({ current: { id, name }, onClose }: { current: Person; onClose: () => void }) {
  const { api, person } = useActing();
  if (id === person.id) return <LeaveDialog onClose={onClose} />;
  return (
    <ConfirmDialog
      title={`Remove ${name}`}
      submit="Remove"
      send={() => bodyOf(api.DELETE('/console/api/people/{id}', { params: { path: { id } } }))}
      onClose={onClose}
    >
      <Text>
        They lose access within 30 seconds, and their invitations end. What they did stays in the activity, under their
        name.
      </Text>
    </ConfirmDialog>
  );
}

export function RevokeDialog({ current: { id, email }, onClose }: { current: Invitation; onClose: () => void }) {
  const { api } = useActing();
  return (
    <ConfirmDialog
      title="Revoke an invitation"
      submit="Revoke"
      send={() => bodyOf(api.DELETE('/console/api/invitations/{id}', { params: { path: { id } } }))}
      onClose={onClose}
    >
      <Text className="wraps">
        The link that <Strong>{email}</Strong> was given no longer works.
      </Text>
    </ConfirmDialog>
  );
}
