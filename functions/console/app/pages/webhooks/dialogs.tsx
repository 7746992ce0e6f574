import { Alert, Anchor, Text, TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { bodyOf, resultOf } from '../../api/request.ts';
import { ActionDialog } from '../../changes/ActionDialog.tsx';
import { showOnce } from '../../changes/ShownOnce.tsx';
import { useChange } from '../../changes/useChange.ts';
import { type DialogProps, type Guard, useGuardedDialog } from '../../changes/useGuardedDialog.tsx';
import { refusedFields } from '../../fields/refusals.ts';
import { useFields } from '../../fields/useFields.ts';
import { REQUIRED } from '../../fields/wording.ts';
import type { Tagged, Webhook } from '../../resources/data.ts';
import { guideUrl } from '../../resources/paths.ts';
import { useActing } from '../../session/session.ts';
import { Choices } from '../../shared/Choices.tsx';
import { formatDuration, formatTime } from '../../shared/format.ts';
import { Strong } from '../../shared/Strong.tsx';
import { adviceOf, answerOf, hostOf, isDelivered, stateOf } from './health.ts';

type WebhookDialog = DialogProps<Webhook>;

/** What a person changes of a webhook. Attempts change nothing of it, and are no conflict. */
const settingsOf = ({ data: { url, description, status, updated_at }, etag }: Tagged<Webhook>) => ({
  data: { url, description, status, updated_at },
  etag,
});
type Settings = ReturnType<typeof settingsOf>['data'];

const guarded = ({ current, refresh, onClose }: WebhookDialog): DialogProps<Settings> => ({
  current: settingsOf(current),
  refresh: async () => settingsOf(await refresh()),
  onClose,
});

/** The changes of a webhook. */
function useRequests(id: string) {
  const { api } = useActing();
  const path = { id };
  return {
    update: (body: Partial<Pick<Settings, 'url' | 'description'>> & { status?: 'active' | 'paused' }, header: Guard) =>
      resultOf(api.PATCH('/ext/api/v1/webhooks/{id}', { params: { path, header }, body })),
    rewind: (after: string, header: Guard) =>
      resultOf(api.POST('/ext/api/v1/webhooks/{id}/rewind', { params: { path, header }, body: { after } })),
    // A replay would have no secret, so it is sent without an `Idempotency-Key`.
    rotate: ({ 'If-Match': etag }: Guard) =>
      resultOf(api.POST('/ext/api/v1/webhooks/{id}/rotate', { params: { path, header: { 'If-Match': etag } } })),
    remove: ({ 'If-Match': etag }: Guard) =>
      resultOf(api.DELETE('/ext/api/v1/webhooks/{id}', { params: { path, header: { 'If-Match': etag } } })),
  };
}

/** Shows a new secret. It is in no cache: a change returns nothing. */
function showSecret(title: string, secret: string | null, effect: string): void {
  showOnce({
    title,
    about: (
      <Text>
        <Text span fw={600} c="bright" inherit>
          Copy it to the secret store of your server now. It is never shown again.
        </Text>{' '}
        With it, your server checks that a delivery is ours. {effect}{' '}
        <Anchor href={guideUrl('webhooks')} target="_blank" inherit>
          Guide
        </Anchor>
      </Text>
    ),
    values: [{ label: 'Secret', text: secret ?? '' }],
    done: 'I have stored it',
  });
}

const blank = (text: string): string | null => text.trim() || null;

/** The service says best what is wrong with an address. */
const rules = ({ url }: { url: string }): Record<string, string> => (url.trim() === '' ? { url: REQUIRED } : {});

const AddressField = (field: TextInputProps) => (
  <TextInput type="url" inputMode="url" placeholder="https://" maxLength={2_048} data-autofocus {...field} />
);
const DescriptionField = (field: TextInputProps) => (
  <TextInput description="What it is for, so that your colleagues know it. Optional." maxLength={255} {...field} />
);

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const { api } = useActing();
  const form = useFields(rules, { url: '', description: '' });
  const change = useChange(async (body: { url: string; description: string | null }) => {
    const { data } = await bodyOf(api.POST('/ext/api/v1/webhooks', { body }));
    showSecret('The secret of the new webhook', data.secret, 'Then send a test on the page of the webhook.');
  });
  const { url, description } = form.values;
  return (
    <ActionDialog
      {...change}
      title="Create a webhook"
      submit="Create webhook"
      onClose={onClose}
      onSubmit={() =>
        form.check() && change.mutate({ url: url.trim(), description: blank(description) }, { onSuccess: onClose })
      }
    >
      <Text>
        It begins with the changes from now on. Until your server takes one, the changes after it wait, so that none is
        lost or overtaken.
      </Text>
      <AddressField
        {...form.field('url', change.error)}
        description="Where your server takes deliveries: HTTPS, and reachable from the internet."
      />
      <DescriptionField {...form.field('description', change.error)} />
    </ActionDialog>
  );
}

export function EditDialog(props: WebhookDialog) {
  const { update } = useRequests(props.current.data.id);
  // What the person began with, also when the webhook has been read again.
  const [seen] = useState(props.current.data);
  const form = useFields(rules, { url: seen.url, description: seen.description ?? '' });
  const { url, description } = form.values;
  const body = {
    ...(url.trim() !== seen.url && { url: url.trim() }),
    ...(blank(description) !== seen.description && { description: blank(description) }),
  };
  const { send, dialog } = useGuardedDialog(guarded(props), update, {
    mine: body,
    undo: (old, sent) => ({
      text: 'The webhook was changed.',
      send: (header) =>
        update(
          {
            ...('url' in sent && { url: old.url }),
            ...('description' in sent && { description: old.description }),
          },
          header,
        ),
    }),
  });
  const submit = () => {
    if (!form.check()) return;
    if (Object.keys(body).length === 0) props.onClose();
    else send(body);
  };
  return (
    <ActionDialog {...dialog} title="Edit the webhook" submit="Save" onSubmit={submit}>
      <AddressField
        {...form.field('url', dialog.error)}
        description="What waits is sent to the new address. The secret stays the same."
      />
      <DescriptionField {...form.field('description', dialog.error)} />
    </ActionDialog>
  );
}

export function PauseDialog(props: WebhookDialog) {
  const { update } = useRequests(props.current.data.id);
  const { send, dialog } = useGuardedDialog(guarded(props), update, {
    undo: () => ({ text: 'The webhook was paused.', send: (header) => update({ status: 'active' }, header) }),
  });
  return (
    <ActionDialog {...dialog} title="Pause the webhook" submit="Pause" onSubmit={() => send({ status: 'paused' })}>
      <Text>
        Nothing is sent until you resume it. Changes wait meanwhile, and are sent then. How long they are kept is shown
        on this page.
      </Text>
    </ActionDialog>
  );
}

export function ResumeDialog(props: WebhookDialog) {
  const webhook = props.current.data;
  const { update } = useRequests(webhook.id);
  const { send, dialog } = useGuardedDialog(guarded(props), update);
  return (
    <ActionDialog {...dialog} title="Resume the webhook" submit="Resume" onSubmit={() => send({ status: 'active' })}>
      <Text>
        The changes since {formatTime(webhook.delivered_to)} are sent within a minute, in order. If your server does not
        work yet, they wait on.
      </Text>
    </ActionDialog>
  );
}

export function RotateDialog(props: WebhookDialog) {
  const webhook = props.current.data;
  const { rotate } = useRequests(webhook.id);
  const { send, dialog } = useGuardedDialog(guarded(props), async (_: null, header) => {
    const { data, response } = await rotate(header);
    const { secret, old_secret_ends_at } = data.data;
    showSecret(
      'The new secret',
      secret,
      old_secret_ends_at === null ? '' : `The old one signs too until ${formatTime(old_secret_ends_at)}.`,
    );
    return { response };
  });
  return (
    <ActionDialog {...dialog} title="Rotate the secret" submit="Rotate secret" onSubmit={() => send(null)}>
      <Text>
        You get a new secret. For 24 hours, each delivery is signed with both, so that nothing stops while your server
        gets the new one.
      </Text>
      <Text>If somebody else knows the old one, delete this webhook and create another instead.</Text>
    </ActionDialog>
  );
}

export function DeleteDialog(props: WebhookDialog) {
  const webhook = props.current.data;
  const { remove } = useRequests(webhook.id);
  const { send, dialog } = useGuardedDialog(guarded(props), (_: null, header) => remove(header));
  return (
    <ActionDialog {...dialog} title="Delete the webhook" submit="Delete" isDangerous onSubmit={() => send(null)}>
      <Text className="wraps">
        Nothing more is sent to <Strong>{hostOf(webhook)}</Strong>. What waits for it is dropped, and its attempts are
        no longer shown. This cannot be undone. To stop it for a while, pause it instead.
      </Text>
    </ActionDialog>
  );
}

/** What a test shows, and what it means for what waits. */
function TestResult({
  outcome,
  webhook,
}: {
  outcome: { status: number | null; error: string | null; duration_ms: number };
  webhook: Webhook;
}) {
  const isGood = isDelivered(outcome);
  const state = stateOf(webhook);
  const effect =
    state === 'delivers' || state === 'fails'
      ? 'If changes wait, they are sent within a minute.'
      : 'Nothing is sent until it is resumed.';
  return (
    <Alert color={isGood ? 'teal' : 'red'} role="status" className="wraps">
      <Text fw={600}>
        {isGood ? 'It works: your' : 'Your'} server {answerOf(outcome)}, after {formatDuration(outcome.duration_ms)}.
      </Text>
      <Text>{isGood ? effect : adviceOf(outcome)}</Text>
    </Alert>
  );
}

export function TestDialog({ current: { data: webhook }, onClose }: WebhookDialog) {
  const { api } = useActing();
  const change = useChange(
    async (_: null) =>
      (await bodyOf(api.POST('/ext/api/v1/webhooks/{id}/test', { params: { path: { id: webhook.id } } }))).data,
  );
  return (
    <ActionDialog
      {...change}
      title="Send a test"
      submit={change.data ? 'Send another' : 'Send a test'}
      cancel={change.data ? 'Done' : 'Cancel'}
      onClose={onClose}
      onSubmit={() => change.mutate(null)}
    >
      <Text className="wraps">
        A signed delivery without changes is sent to <Strong>{hostOf(webhook)}</Strong> now.
      </Text>
      {change.data && !change.isPending && <TestResult outcome={change.data} webhook={webhook} />}
    </ActionDialog>
  );
}

const FROM = {
  time: { name: 'Since a time' },
  oldest: { name: 'Everything that is kept' },
  cursor: { name: 'After a cursor', detail: 'For developers.' },
};

/** A time as a field for dates and times has it, in the browser's time zone: the locale of Sweden writes it so. */
const localTime = (time: number): string =>
  new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' }).format(time).replace(' ', 'T');

const DAY_MS = 86_400_000;
const ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

export function RewindDialog(props: WebhookDialog) {
  const webhook = props.current.data;
  const { rewind } = useRequests(webhook.id);
  const [from, setFrom] = useState<keyof typeof FROM>('time');
  const form = useFields(
    ({ since, after }) => ({
      ...(from === 'time' && Number.isNaN(Date.parse(since)) && { since: 'Enter a date and a time.' }),
      ...(from === 'cursor' && after.trim() === '' && { after: REQUIRED }),
    }),
    { since: localTime(Date.now() - DAY_MS), after: '' },
  );
  const { send, dialog } = useGuardedDialog(guarded(props), rewind);
  const { since, after } = form.values;
  const time = Date.parse(since);
  const isForward = from === 'time' && time > Date.parse(webhook.delivered_to);
  const chosen = () => (from === 'oldest' ? 'oldest' : from === 'cursor' ? after.trim() : new Date(time).toISOString());
  return (
    <ActionDialog
      {...dialog}
      title="Send changes again"
      submit={isForward ? 'Skip changes' : 'Send again'}
      isDangerous={isForward}
      onSubmit={() => form.check() && send(chosen())}
    >
      <Text>All changes before {formatTime(webhook.delivered_to)} are delivered.</Text>
      <Choices isFirst label="What to send again" choices={FROM} value={from} onChange={setFrom} />
      {from === 'time' && (
        <TextInput
          {...form.field('since', { since: refusedFields(dialog.error)['after'] ?? '' })}
          label="Since"
          type="datetime-local"
          description={`In your time zone, ${ZONE}.`}
        />
      )}
      {from === 'cursor' && (
        <TextInput
          {...form.field('after', dialog.error)}
          label="Cursor"
          description="meta.next of a delivery, or of a page of the feed."
        />
      )}
      <Text>
        {isForward
          ? 'This is later than what is delivered: changes between are skipped, and never sent.'
          : 'They are sent in order, the oldest first, before newer ones. Your server gets them twice: it must drop ' +
            'those that it has, by their ids.'}
      </Text>
    </ActionDialog>
  );
}
