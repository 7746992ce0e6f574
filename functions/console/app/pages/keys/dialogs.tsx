import { Alert, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleSchemas } from '../../api/client.ts';
import { bodyOf } from '../../api/request.ts';
import { ActionDialog, ConfirmDialog } from '../../changes/ActionDialog.tsx';
import { showOnce } from '../../changes/ShownOnce.tsx';
import { useChange } from '../../changes/useChange.ts';
import { useFields } from '../../fields/useFields.ts';
import { keyText } from '../../resources/authors.ts';
import { keyRoles } from '../../resources/roles.ts';
import { useActing } from '../../session/session.ts';
import { Choices } from '../../shared/Choices.tsx';
import { formatMinute, formatRelative, formatTime } from '../../shared/format.ts';
import { useNow } from '../../shared/Time.tsx';

export type ApiKey = ConsoleSchemas['ApiKey'];
/** A key that was just created, with the end of the one that it replaces. */
type Issued = ConsoleSchemas['CreatedApiKey'] & Partial<Pick<ConsoleSchemas['RotatedApiKey'], 'rotated'>>;

interface KeyDialog {
  current: ApiKey;
  onClose: () => void;
}

/** A key as a person knows it beside others of its label: by its last characters. */
export const endOf = ({ ends_with }: ApiKey): string => `…${ends_with}`;

const DAY_MS = 86_400_000;

/** What a key without a use says: uses are kept for 400 days. */
export const notUsed = ({ created_at }: ApiKey, now: number): string =>
  now - Date.parse(created_at) < 400 * DAY_MS ? 'Not used yet' : 'Not used for 400 days';

/** A later use is recorded within two hours: see lib/acquirers/keyUse.ts. */
export const OR_LATER = 'or up to two hours later';

export const isRecent = (last_used_at: string | null, now: number): boolean =>
  last_used_at !== null && now - Date.parse(last_used_at) < DAY_MS + 7_200_000;

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const { api, acquirer } = useActing();
  const form = useFields('createKey', { label: '', role: 'till' as ApiKey['role'] });
  const { label, role } = form.values;
  const change = useChange(async (body: typeof form.values) =>
    showIssued((await bodyOf(api.POST('/console/api/keys', { body }))).data, acquirer.id),
  );
  return (
    <ActionDialog
      {...change}
      title="Create an API key"
      submit="Create key"
      onClose={onClose}
      onSubmit={() => form.check() && change.mutate({ label: label.trim(), role }, { onSuccess: onClose })}
    >
      <TextInput
        {...form.field('label', change.error)}
        description="Name the program that uses it, such as till-lisbon. The label is in events and logs."
        data-autofocus
      />
      <Choices
        label="What it may do"
        choices={keyRoles}
        value={role}
        onChange={(chosen) => form.set({ role: chosen })}
      />
    </ActionDialog>
  );
}

const OVERLAPS = {
  '0': { name: 'Not at all', detail: 'If it has leaked. What still uses it fails within 30 seconds.' },
  '24': { name: '24 hours' },
  '168': { name: '7 days' },
  '720': { name: '30 days' },
};

export function RotateDialog({ current, onClose }: KeyDialog) {
  const { key_id: id } = current;
  const { api, acquirer } = useActing();
  const [overlap, setOverlap] = useState<keyof typeof OVERLAPS>('24');
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
      title={`Rotate key ${keyText(current)}`}
      submit="Rotate"
      onClose={onClose}
      onSubmit={() => change.mutate(Number(overlap), { onSuccess: onClose })}
    >
      <Text>
        You get a new key with the same label and role. The old one works on for a while, so that nothing stops.
      </Text>
      <Choices
        isFirst
        label="How long the old key still works"
        choices={OVERLAPS}
        value={overlap}
        onChange={setOverlap}
      />
    </ActionDialog>
  );
}

/** What else a person should know of a rotation before they revoke one of its keys. */
function RotationNotice({ current, keys }: { current: ApiKey; keys: ApiKey[] }) {
  const earlier = keys.find(({ key_id }) => key_id === current.replaces);
  const later = keys.find(({ replaces }) => replaces === current.key_id);
  if (later) return <Text>{endOf(later)} replaces it, and works on.</Text>;
  return (
    earlier?.expires_at && (
      <Alert color="yellow" title="This is the new key">
        It replaces {endOf(earlier)}, which ends on {formatMinute(earlier.expires_at)}. After that, neither works.
      </Alert>
    )
  );
}

export function RevokeDialog({ current, keys, onClose }: KeyDialog & { keys: ApiKey[] }) {
  const { key_id: id, last_used_at, expires_at } = current;
  const { api } = useActing();
  const now = useNow();
  return (
    <ConfirmDialog
      title={`Revoke key ${keyText(current)}`}
      submit="Revoke"
      send={() => bodyOf(api.DELETE('/console/api/keys/{id}', { params: { path: { id } } }))}
      onClose={onClose}
    >
      <RotationNotice current={current} keys={keys} />
      <Text>Whatever uses it stops working within 30 seconds. This cannot be undone.</Text>
      <Text>
        {last_used_at === null
          ? `${notUsed(current, now)}.`
          : `It was last used ${formatRelative(last_used_at, now)}${isRecent(last_used_at, now) ? `, ${OR_LATER}` : ''}.`}{' '}
        {expires_at === null && 'If a program still needs it, rotate it instead.'}
      </Text>
    </ConfirmDialog>
  );
}

/** A request that shows that a key works. It reads the key, which is in no history of the shell. */
function firstCall(role: Issued['role'], acquirer_id: string): string {
  const check = { amount: 1, currency: 'EUR', card_id: 'test', card_pseudo_token: 'test', terminal_id: 'TEST' };
  const [path, body] =
    role === 'till'
      ? ['/api/v1/host/member-check', ` \\\n  -d '${JSON.stringify({ ...check, acquirer_id })}'`]
      : ['/ext/api/v1/merchants', ''];
  return `read -rs API_KEY && curl -H "API-KEY: $API_KEY" \\\n  "${location.origin}${path}"${body}`;
}

function effectOf({ rotated }: Issued): string {
  if (!rotated) return 'It works at once.';
  return rotated.expires_at === null
    ? 'It works at once, and the old key no longer does.'
    : `It works at once. The old key works until ${formatTime(rotated.expires_at)}.`;
}

/** Shows a new key. It is in no cache: a change returns nothing. */
function showIssued(issued: Issued, acquirer_id: string): void {
  showOnce({
    title: `The new key ${keyText(issued)}`,
    about: (
      <Text>
        <Text span fw={600} c="bright" inherit>
          Copy it to your secret store now. It is never shown again.
        </Text>{' '}
        {effectOf(issued)}
      </Text>
    ),
    values: [
      { label: 'API key', text: issued.api_key },
      { label: 'A first call: run it, paste the key, press Enter', text: firstCall(issued.role, acquirer_id) },
    ],
    done: 'I have stored it',
  });
}
