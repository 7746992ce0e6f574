import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ConsoleSchemas } from '../../api.ts';
import { useNow } from '../../clock.ts';
import { bodyOf } from '../../request.ts';
import { useActing } from '../../session/session.ts';
import { ActionDialog } from '../../shared/ActionDialog.tsx';
import { Choices } from '../../shared/Choices.tsx';
import { formatRelative, formatTime } from '../../shared/format.ts';
import { keyRoles } from '../../shared/roleTexts.ts';
import { fieldErrors, refusedFields } from '../../shared/rules.ts';
import { showOnce } from '../../shared/ShownOnce.tsx';
import { useChange } from '../../shared/useChange.ts';
import { texts } from './texts.ts';

export type ApiKey = ConsoleSchemas['ApiKey'];
/** A key that was just created, with the end of the one that it replaces. */
type Issued = ConsoleSchemas['CreatedApiKey'] & Partial<Pick<ConsoleSchemas['RotatedApiKey'], 'rotated'>>;

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const { api, acquirer } = useActing();
  const form = useForm({
    initialValues: { label: '', role: 'till' as ApiKey['role'] },
    validate: (values) => fieldErrors('createKey', values),
  });
  const change = useChange(async (body: typeof form.values) =>
    showIssued((await bodyOf(api.POST('/console/api/keys', { body }))).data, acquirer.id),
  );
  return (
    <ActionDialog
      {...change}
      {...texts.creation}
      onClose={onClose}
      onSubmit={() => {
        const { label, role } = form.values;
        if (!form.validate().hasErrors) change.mutate({ label: label.trim(), role }, { onSuccess: onClose });
      }}
    >
      <TextInput
        {...form.getInputProps('label')}
        error={form.errors['label'] ?? refusedFields(change.error)['label']}
        label={texts.creation.label}
        description={texts.creation.about}
        autoComplete="off"
        data-autofocus
      />
      <Choices
        label={texts.role}
        choices={keyRoles}
        value={form.values.role}
        onChange={(role) => form.setValues({ role })}
      />
    </ActionDialog>
  );
}

type Overlap = keyof typeof texts.rotation.choices;

export function RotateDialog({ current: { key_id: id, label }, onClose }: { current: ApiKey; onClose: () => void }) {
  const { api, acquirer } = useActing();
  const [overlap, setOverlap] = useState<Overlap>('24');
  const change = useChange(async (overlap_hours: number) =>
    showIssued(
      (await bodyOf(api.POST('/console/api/keys/{id}/rotate', { params: { path: { id } }, body: { overlap_hours } })))
        .data,
      acquirer.id,
    ),
  );
  return (
    <ActionDialog
      {...change}
      title={texts.rotation.title(label)}
      submit={texts.rotation.submit}
      onClose={onClose}
      onSubmit={() => change.mutate(Number(overlap), { onSuccess: onClose })}
    >
      <Text>{texts.rotation.effect}</Text>
      <Choices
        isFirst
        label={texts.rotation.overlap}
        choices={texts.rotation.choices}
        value={overlap}
        onChange={setOverlap}
      />
    </ActionDialog>
  );
}

export function RevokeDialog({
  current: { key_id: id, label, last_used_at, expires_at },
  onClose,
}: {
  current: ApiKey;
  onClose: () => void;
}) {
  const { api } = useActing();
  const now = useNow();
  const { revocation } = texts;
  const change = useChange((key: string) =>
    bodyOf(api.DELETE('/console/api/keys/{id}', { params: { path: { id: key } } })),
  );
  const use = last_used_at === null ? revocation.unused : revocation.used(formatRelative(last_used_at, now));
  return (
    <ActionDialog
      {...change}
      title={revocation.title(label)}
      submit={revocation.submit}
      isDangerous
      onClose={onClose}
      onSubmit={() => change.mutate(id, { onSuccess: onClose })}
    >
      <Text>{revocation.effect}</Text>
      <Text>
        {use} {texts.late} {expires_at === null && revocation.rather}
      </Text>
    </ActionDialog>
  );
}

/** A request that shows that a key works, as its role permits. It reads the key, which is in no history of the shell. */
function firstCall(role: Issued['role'], acquirer_id: string): string {
  const check = { amount: 1, currency: 'EUR', card_id: 'test', card_pseudo_token: 'test', terminal_id: 'TEST' };
  const [path, body] =
    role === 'till'
      ? ['/api/v1/host/member-check', ` \\\n  -d '${JSON.stringify({ ...check, acquirer_id })}'`]
      : ['/ext/api/v1/merchants', ''];
  return `read -rs API_KEY && curl -H "API-KEY: $API_KEY" \\\n  "${location.origin}${path}"${body}`;
}

function effectOf({ rotated }: Issued): string {
  if (!rotated) return texts.issued.works;
  return rotated.expires_at === null
    ? texts.issued.worksInstead
    : texts.issued.worksBeside(formatTime(rotated.expires_at));
}

/** Shows a new key. It is in no cache: a change returns nothing. */
function showIssued(issued: Issued, acquirer_id: string): void {
  showOnce({
    title: texts.issued.title(issued.label),
    about: (
      <Text>
        <Text span fw={600} inherit>
          {texts.issued.once}
        </Text>{' '}
        {effectOf(issued)}
      </Text>
    ),
    values: [
      { label: texts.issued.key, text: issued.api_key },
      { label: texts.issued.call, text: firstCall(issued.role, acquirer_id) },
    ],
    done: texts.issued.done,
  });
}
