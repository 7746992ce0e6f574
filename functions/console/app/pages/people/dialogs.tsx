import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ConsoleSchemas } from '../../api.ts';
import { bodyOf } from '../../request.ts';
import { useActing } from '../../session/session.ts';
import { ActionDialog } from '../../shared/ActionDialog.tsx';
import { Choices } from '../../shared/Choices.tsx';
import { fill } from '../../shared/fill.tsx';
import { formatTime } from '../../shared/format.ts';
import { personRoles } from '../../shared/roleTexts.ts';
import { fieldErrors, refusedFields } from '../../shared/rules.ts';
import { showOnce } from '../../shared/ShownOnce.tsx';
import { useChange } from '../../shared/useChange.ts';
import { texts } from './texts.ts';

export type Person = ConsoleSchemas['Person'];
export type Invitation = ConsoleSchemas['Invitation'];

const Address = ({ children }: { children: string }) => (
  <Text span fw={600} inherit className="wraps">
    {children}
  </Text>
);

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { api } = useActing();
  const form = useForm({
    initialValues: { email: '', role: 'viewer' as Person['role'] },
    validate: (values) => fieldErrors('invitePerson', values),
  });
  const change = useChange(async (body: typeof form.values) =>
    showLink((await bodyOf(api.POST('/console/api/invitations', { body }))).data),
  );
  return (
    <ActionDialog
      {...change}
      title={texts.invitation.title}
      submit={texts.invitation.submit}
      onClose={onClose}
      onSubmit={() => {
        const { email, role } = form.values;
        if (!form.validate().hasErrors) change.mutate({ email: email.trim(), role }, { onSuccess: onClose });
      }}
    >
      <TextInput
        {...form.getInputProps('email')}
        error={form.errors['email'] ?? refusedFields(change.error)['email']}
        type="email"
        label={texts.invitation.email}
        description={texts.invitation.about}
        autoComplete="off"
        data-autofocus
      />
      <Choices
        label={texts.invitation.role}
        choices={personRoles}
        value={form.values.role}
        onChange={(role) => form.setValues({ role })}
      />
    </ActionDialog>
  );
}

/** Shows the link of a new invitation. */
function showLink({ email, expires_at, link }: ConsoleSchemas['CreatedInvitation']): void {
  showOnce({
    title: texts.link.title,
    about: (
      <>
        <Text className="wraps">
          <Text span fw={600} inherit>
            {texts.link.unsent}
          </Text>{' '}
          {fill(texts.link.how, { email: <Address>{email}</Address>, end: formatTime(expires_at) })}
        </Text>
        <Text c="dimmed">{texts.link.lost}</Text>
      </>
    ),
    values: [{ label: texts.link.label, text: link }],
    done: texts.link.done,
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
      title={texts.change.title(name)}
      submit={texts.change.submit}
      isDangerous={losesAdmin}
      onClose={onClose}
      onSubmit={() => (chosen === role ? onClose() : change.mutate({ role: chosen }, { onSuccess: onClose }))}
    >
      <Choices isFirst label={texts.change.role} choices={personRoles} value={chosen} onChange={setChosen} />
      <Text>{losesAdmin ? texts.change.own : texts.change.effect}</Text>
    </ActionDialog>
  );
}

export function RemoveDialog({ current: { id, name }, onClose }: { current: Person; onClose: () => void }) {
  const { api, person } = useActing();
  const isOwn = id === person.id;
  const change = useChange(async (removed: string) => {
    await bodyOf(api.DELETE('/console/api/people/{id}', { params: { path: { id: removed } } }));
    if (!isOwn) return;
    // Nothing of this acquirer can be read any more: the console begins anew.
    location.assign('/console');
    await new Promise(() => undefined);
  });
  return (
    <ActionDialog
      {...change}
      title={texts.removal.title(name)}
      submit={texts.removal.submit}
      isDangerous
      onClose={onClose}
      onSubmit={() => change.mutate(id, { onSuccess: onClose })}
    >
      {isOwn && <Text fw={600}>{texts.removal.own}</Text>}
      <Text>{texts.removal.effect}</Text>
    </ActionDialog>
  );
}

export function RevokeDialog({ current: { id, email }, onClose }: { current: Invitation; onClose: () => void }) {
  const { api } = useActing();
  const change = useChange((revoked: string) =>
    bodyOf(api.DELETE('/console/api/invitations/{id}', { params: { path: { id: revoked } } })),
  );
  return (
    <ActionDialog
      {...change}
      title={texts.revocation.title}
      submit={texts.revocation.submit}
      isDangerous
      onClose={onClose}
      onSubmit={() => change.mutate(id, { onSuccess: onClose })}
    >
      <Text className="wraps">{fill(texts.revocation.effect, { email: <Address>{email}</Address> })}</Text>
    </ActionDialog>
  );
}
