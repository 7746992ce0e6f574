import { Alert, Anchor, Group, Skeleton, Text } from '@mantine/core';
import { KeyRound, Pause, Pencil, Play, Rewind, Send, Trash2, TriangleAlert } from 'lucide-react';
import { Link, useParams } from 'wouter';
import { isProblem } from '../../api/request.ts';
import { type DialogProps, refreshed } from '../../changes/useGuardedDialog.tsx';
import { Details } from '../../resources/Details.tsx';
import { useWebhook, type Webhook } from '../../resources/data.ts';
import { Loaded } from '../../resources/Loaded.tsx';
import { NotThere, PageTitle } from '../../resources/PageTitle.tsx';
import { guideUrl } from '../../resources/paths.ts';
import { Lines } from '../../resources/Timeline.tsx';
import { useMay } from '../../session/session.ts';
import { Actions } from '../../shared/Actions.tsx';
import { ownValue, useDialog } from '../../shared/address.ts';
import { CopyText, Identifier } from '../../shared/Copy.tsx';
import { formatMinute } from '../../shared/format.ts';
import { Section } from '../../shared/Section.tsx';
import { Time, useNow } from '../../shared/Time.tsx';
import { Attempts } from './Attempts.tsx';
import {
  DeleteDialog,
  EditDialog,
  PauseDialog,
  ResumeDialog,
  RewindDialog,
  RotateDialog,
  TestDialog,
} from './dialogs.tsx';
import { HealthBadge } from './HealthBadge.tsx';
import { adviceOf, nameOf, type State, sentencesOf, stateOf } from './health.ts';

/** By the name of its dialog in the address. */
const ACTIONS = {
  test: { label: 'Send a test', icon: Send, Dialog: TestDialog },
  edit: { label: 'Edit', icon: Pencil, Dialog: EditDialog },
  pause: { label: 'Pause', icon: Pause, Dialog: PauseDialog },
  resume: { label: 'Resume', icon: Play, Dialog: ResumeDialog, as: 'filled' as const },
  rotate: { label: 'Rotate secret', icon: KeyRound, Dialog: RotateDialog, as: 'more' as const },
  rewind: { label: 'Send again', icon: Rewind, Dialog: RewindDialog, as: 'more' as const },
  delete: { label: 'Delete', icon: Trash2, Dialog: DeleteDialog, as: 'more' as const, isDangerous: true },
};

const offeredIn = (state: State): (keyof typeof ACTIONS)[] => [
  'test',
  'edit',
  ...(state === 'paused' || state === 'disabled' ? (['resume'] as const) : (['pause'] as const)),
  'rotate',
  'rewind',
  'delete',
];

const COLORS: Partial<Record<State, string>> = { fails: 'red', disabled: 'red', suspended: 'yellow', paused: 'gray' };

/** How it is and, if it does not deliver, what to do. */
function Health({ webhook }: { webhook: Webhook }) {
  const now = useNow();
  const state = stateOf(webhook);
  const color = COLORS[state];
  const sentences = sentencesOf(webhook, now);
  if (!color) return <Text>{sentences.join(' ')}</Text>;
  const isFailing = state === 'fails' || state === 'disabled';
  const advice = isFailing && webhook.latest_attempt && adviceOf(webhook.latest_attempt);
  return (
    <Alert color={color} variant="light" className="wraps" icon={isFailing && <TriangleAlert size={18} />}>
      {[sentences[0], advice, ...sentences.slice(1)].filter(Boolean).map((sentence) => (
        <Text key={sentence as string}>{sentence}</Text>
      ))}
      {state === 'disabled' && <Text>Once your server works, resume it: it goes on where it stopped.</Text>}
      {state === 'suspended' && (
        <Anchor href={guideUrl('support')} target="_blank">
          Ask support
        </Anchor>
      )}
    </Alert>
  );
}

const Address = ({ url }: Pick<Webhook, 'url'>) => (
  <Group gap="xs" wrap="nowrap" align="flex-start">
    <Text className="identifier wraps" lineClamp={3} translate="no">
      {url}
    </Text>
    <CopyText text={url} />
  </Group>
);

function View({ current, refresh }: Omit<DialogProps<Webhook>, 'onClose'>) {
  const webhook = current.data;
  const { id, url, latest_attempt, old_secret_ends_at } = webhook;
  const [dialog, open, close] = useDialog();
  const mayManage = useMay('manage_webhooks');
  const { Dialog } = (mayManage && ownValue(ACTIONS, dialog)) || {};
  const state = stateOf(webhook);
  const actions = offeredIn(state).map((name) => ({ ...ACTIONS[name], onClick: () => open(name) }));
  return (
    <>
      <PageTitle
        title={nameOf(webhook)}
        isName
        badge={<HealthBadge state={state} size="lg" />}
        trail={[['Webhooks', '/webhooks']]}
        actions={mayManage && <Actions actions={actions} />}
      />
      <Health webhook={webhook} />
      <Section title="Details">
        <Details
          rows={[
            ['url', <Address key="url" url={url} />],
            ['All changes delivered before', formatMinute(webhook.delivered_to)],
            webhook.events_kept_until !== null && [
              'Changes that wait are kept until',
              formatMinute(webhook.events_kept_until),
            ],
            old_secret_ends_at !== null && ['The old secret signs until', formatMinute(old_secret_ends_at)],
            ['Webhook ID', <Identifier key="id" text={id} />],
            ['created_at', <Time key="created" at={webhook.created_at} />],
            ['updated_at', <Time key="updated" at={webhook.updated_at} />],
          ]}
        />
      </Section>
      <Section title="Attempts of the last seven days">
        <Attempts id={id} latest={latest_attempt?.at} />
      </Section>
      {Dialog && <Dialog key={id} current={current} refresh={refresh} onClose={close} />}
    </>
  );
}

export default function WebhookView() {
  const { id = '' } = useParams();
  const query = useWebhook(id);
  if (isProblem(query.error, 'not_found'))
    return (
      <NotThere title="This webhook does not exist">
        It was deleted, or it belongs to somebody else.{' '}
        <Anchor component={Link} href="/webhooks">
          All webhooks
        </Anchor>
      </NotThere>
    );
  return (
    <Loaded
      query={query}
      heading="Webhook"
      outline={
        <>
          <Skeleton height={32} width={280} />
          <Lines count={8} />
        </>
      }
    >
      {(current) => <View key={id} current={current} refresh={() => refreshed(query)} />}
    </Loaded>
  );
}
