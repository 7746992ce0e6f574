import { Button, Stack, Text } from '@mantine/core';
import { Plus } from 'lucide-react';
import { useWebhooks, type Webhook } from '../../resources/data.ts';
import { Nothing } from '../../resources/ListPages.tsx';
import { Loaded } from '../../resources/Loaded.tsx';
import { PageTitle } from '../../resources/PageTitle.tsx';
import { paths } from '../../resources/paths.ts';
import { useMay } from '../../session/session.ts';
import { Actions } from '../../shared/Actions.tsx';
import { useDialog } from '../../shared/address.ts';
import { type Column, Rows } from '../../shared/Rows.tsx';
import { useNow } from '../../shared/Time.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';
import { CreateDialog } from './dialogs.tsx';
import { HealthBadge } from './HealthBadge.tsx';
import { sentencesOf, stateOf } from './health.ts';

/** The service takes no more of an acquirer. */
const MOST = 5;

function Health({ webhook }: { webhook: Webhook }) {
  const now = useNow();
  return (
    <Stack gap="xs" align="flex-start">
      <HealthBadge state={stateOf(webhook)} />
      <Text size="sm" className="wraps">
        {sentencesOf(webhook, now).join(' ')}
      </Text>
    </Stack>
  );
}

const COLUMNS: Column<Webhook>[] = [
  {
    name: 'Webhook',
    width: '46%',
    narrow: 'first',
    cell: ({ url, description }) => (
      <>
        {description !== null && (
          <Text fw={600} lineClamp={2} className="wraps">
            <Verbatim>{description}</Verbatim>
          </Text>
        )}
        <Text lineClamp={2} className="wraps" {...(description !== null && { size: 'sm', c: 'dimmed', fw: 400 })}>
          <Verbatim>{url}</Verbatim>
        </Text>
      </>
    ),
  },
  { name: 'How it is', narrow: 'below', cell: (webhook) => <Health webhook={webhook} /> },
];

const LIST = {
  label: 'Webhooks',
  columns: COLUMNS,
  keyOf: ({ id }: Webhook) => id,
  hrefOf: ({ id }: Webhook) => paths.webhook(id),
};

export default function Webhooks() {
  const query = useWebhooks({ isFollowed: true });
  const mayManage = useMay('manage_webhooks');
  const [dialog, open, close] = useDialog();
  const create = () => open('create');
  const count = query.data?.length;
  const isFull = count === MOST;
  const isOffered = mayManage && count !== 0 && !isFull;
  return (
    <>
      <PageTitle
        title="Webhooks"
        guide="webhooks"
        actions={
          isOffered && <Actions actions={[{ label: 'Create webhook', icon: Plus, as: 'filled', onClick: create }]} />
        }
      >
        Each change of your branches and terminals is sent to a server of yours, in order, soon after it is made.
      </PageTitle>
      <Loaded query={query} outline={<Rows {...LIST} rows={undefined} />}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <Nothing
              title="There are no webhooks"
              detail={
                'Your programs ask for changes, or get none. With a webhook they need not ask. Before you create one, ' +
                'a developer of yours sets up the server that takes them.'
              }
            >
              {mayManage && (
                <Button leftSection={<Plus size={16} />} onClick={create}>
                  Create webhook
                </Button>
              )}
            </Nothing>
          ) : (
            <>
              <Rows {...LIST} rows={webhooks} />
              {isFull && mayManage && (
                <Text c="dimmed">There can be no more than {MOST}. To create another one, delete one of these.</Text>
              )}
            </>
          )
        }
      </Loaded>
      {dialog === 'create' && mayManage && <CreateDialog onClose={close} />}
    </>
  );
}
