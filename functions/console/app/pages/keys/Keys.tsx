import { Badge, Stack, Text } from '@mantine/core';
import { Clock, Plus } from 'lucide-react';
import { useMay } from '../../session/session.ts';
import { Actions } from '../../shared/Actions.tsx';
import { useItemDialog } from '../../shared/address.ts';
import { useApiKeys } from '../../shared/data.ts';
import { formatDay, formatRelative, formatTime } from '../../shared/format.ts';
import { Loaded } from '../../shared/Loaded.tsx';
import { AdminsOnly, PageTitle } from '../../shared/PageTitle.tsx';
import { type Column, ColumnTime, RowMenu, Rows } from '../../shared/Rows.tsx';
import { keyRoles } from '../../shared/roles.ts';
import { useNow } from '../../shared/Time.tsx';
import { type ApiKey, CreateDialog, LATE, RevokeDialog, RotateDialog } from './dialogs.tsx';

const DAY_MS = 86_400_000;

/** That a key was rotated, and what is to be done before it ends. */
function Ending({ last_used_at, expires_at }: ApiKey) {
  const now = useNow();
  if (expires_at === null) return null;
  const end = formatTime(expires_at);
  const isUsed = last_used_at !== null && now - Date.parse(last_used_at) < DAY_MS;
  return (
    <Stack gap="xs" align="flex-start">
      <Badge variant="light" color="yellow" leftSection={<Clock size={12} />}>
        Ends {formatRelative(expires_at, now)}
      </Badge>
      <Text size="sm">
        {isUsed
          ? `It was used ${formatRelative(last_used_at, now)}: switch to the new key before ${end}.`
          : `It works until ${end}, and no use of the last day is recorded.`}
      </Text>
    </Stack>
  );
}

const columnsOf = (open: (action: string, id: string) => void): Column<ApiKey>[] => [
  {
    name: 'Label',
    width: '34%',
    narrow: 'first',
    cell: (key) => (
      <Stack gap="xs">
        <div>
          <Text fw={600} className="wraps">
            {key.label}
          </Text>
          <Text span c="dimmed" className="identifier">
            {key.key_id}
          </Text>
        </div>
        <Ending {...key} />
      </Stack>
    ),
  },
  {
    name: 'What it may do',
    width: '28%',
    narrow: 'second',
    cell: ({ role }) => (
      <>
        {keyRoles[role].name}
        <Text size="sm" c="dimmed" className="rows-wide">
          {keyRoles[role].detail}
        </Text>
      </>
    ),
  },
  {
    name: 'Created',
    width: '14%',
    narrow: 'hidden',
    cell: ({ created_at }) => <time dateTime={created_at}>{formatDay(created_at)}</time>,
  },
  {
    name: 'Last used',
    width: '15%',
    narrow: 'second',
    cell: ({ last_used_at }) =>
      last_used_at === null ? 'No use recorded' : <ColumnTime name="Last used" at={last_used_at} />,
  },
  {
    name: 'Actions',
    width: '9%',
    narrow: 'end',
    cell: ({ key_id, label, expires_at }) => (
      <RowMenu
        label={`Actions for key “${label}”`}
        actions={[
          ...(expires_at === null ? [{ label: 'Rotate', onClick: () => open('rotate', key_id) }] : []),
          { label: 'Revoke', isDangerous: true, onClick: () => open('revoke', key_id) },
        ]}
      />
    ),
  },
];

function KeysOfAcquirer() {
  const query = useApiKeys();
  const keyOf = ({ key_id }: ApiKey) => key_id;
  const { action, item: current, open, close } = useItemDialog(query.data, keyOf);
  const list = { label: 'API keys', columns: columnsOf(open), keyOf };
  return (
    <>
      <PageTitle
        title="API keys"
        guide="api-keys"
        actions={
          <Actions actions={[{ label: 'Create key', icon: Plus, as: 'filled', onClick: () => open('create') }]} />
        }
      >
        Programs send a key with each request. Give each program a key of its own, with no more rights than it needs.
      </PageTitle>
      <Loaded query={query} outline={<Rows {...list} rows={undefined} />}>
        {(keys) =>
          keys.length === 0 ? (
            <Text>There are no keys. Programs cannot send requests until you create one.</Text>
          ) : (
            <Stack gap="md">
              <Rows {...list} rows={keys} />
              <Text size="sm" c="dimmed">
                {LATE}
              </Text>
            </Stack>
          )
        }
      </Loaded>
      {action === 'create' && <CreateDialog onClose={close} />}
      {action === 'rotate' && current && <RotateDialog current={current} onClose={close} />}
      {action === 'revoke' && current && <RevokeDialog current={current} onClose={close} />}
    </>
  );
}

/** The view of the API keys. */
export default function Keys() {
  return useMay('administer') ? <KeysOfAcquirer /> : <AdminsOnly title="API keys" guide="api-keys" />;
}
