import { Anchor, Badge, Skeleton, Stack, Text } from '@mantine/core';
import { Clock, Plus } from 'lucide-react';
import { Link } from 'wouter';
import { keyText } from '../../resources/authors.ts';
import { useApiKeys, useRefused } from '../../resources/data.ts';
import { Loaded } from '../../resources/Loaded.tsx';
import { AdminsOnly, PageTitle } from '../../resources/PageTitle.tsx';
import { keyRoles } from '../../resources/roles.ts';
import { useMay } from '../../session/session.ts';
import { Actions } from '../../shared/Actions.tsx';
import { useItemDialog } from '../../shared/address.ts';
import { capitalized, formatDay, formatNumber, formatTime } from '../../shared/format.ts';
import { actionsColumn, type Column, ColumnTime, Rows } from '../../shared/Rows.tsx';
import { Day, useNow } from '../../shared/Time.tsx';
import { reasonOf } from '../requests/texts.ts';
import {
  type ApiKey,
  CreateDialog,
  endOf,
  isRecent,
  notUsed,
  OR_LATER,
  RevokeDialog,
  RotateDialog,
} from './dialogs.tsx';

/** Which key a rotation replaced or replaces it, and what is to be done before it ends. */
function Rotation({ current, keys }: { current: ApiKey; keys: ApiKey[] }) {
  const now = useNow();
  const { key_id, replaces, expires_at, last_used_at } = current;
  const earlier = keys.find((each) => each.key_id === replaces);
  const later = keys.find((each) => each.replaces === key_id);
  return (
    <>
      {earlier && <Text size="sm">Replaces {endOf(earlier)}</Text>}
      {later && <Text size="sm">Replaced by {endOf(later)}</Text>}
      {expires_at !== null && (
        <>
          <Badge variant="light" color="yellow" leftSection={<Clock size={12} />}>
            Ends {formatDay(expires_at)}
          </Badge>
          <Text size="sm">
            It works until {formatTime(expires_at)}.{' '}
            {isRecent(last_used_at, now)
              ? 'It was used in the last day: switch to the new key.'
              : 'It was not used in the last day.'}
          </Text>
        </>
      )}
    </>
  );
}

function LastUse(key: ApiKey) {
  const now = useNow();
  if (key.last_used_at === null) return <span>{notUsed(key, now)}</span>;
  return (
    <>
      <ColumnTime name="Last used" at={key.last_used_at} />
      {isRecent(key.last_used_at, now) && (
        <Text size="sm" c="dimmed">
          {OR_LATER}
        </Text>
      )}
    </>
  );
}

type Refused = Pick<ReturnType<typeof useRefused>, 'data' | 'error'>;

/** When a request of a key was last refused, and why, as far as that was read. */
function LastRefusal({ of: { key_id }, refused: { data, error } }: { of: ApiKey; refused: Refused }) {
  const found = data?.requests.find((request) => request.key_id === key_id);
  if (found)
    return (
      <>
        <ColumnTime name="Last refused" at={found.at} />
        <Anchor component={Link} href={`/requests?key=${key_id}`} size="sm" className="alone">
          {capitalized(reasonOf(found))}
        </Anchor>
      </>
    );
  if (error) return <span>Could not be read</span>;
  if (!data) return <Skeleton height={20} width="80%" />;
  const read = formatNumber(data.requests.length);
  return (
    <span>{data.isComplete ? 'Not refused in the last 30 days' : `Not among the last ${read} refused requests`}</span>
  );
}

const columnsOf = (open: (action: string, id: string) => void, keys: ApiKey[], refused: Refused): Column<ApiKey>[] => [
  {
    name: 'Label',
    width: '28%',
    narrow: 'first',
    cell: (key) => (
      <Stack gap="xs" align="flex-start">
        <div>
          <Text fw={600} className="wraps" translate="no">
            {key.label}
          </Text>
          <Text span c="dimmed" className="identifier" translate="no">
            {key.ends_with && `apk_…${key.ends_with} · `}
            {key.key_id}
          </Text>
        </div>
        <Rotation current={key} keys={keys} />
      </Stack>
    ),
  },
  {
    name: 'What it may do',
    width: '23%',
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
  { name: 'Created', width: '12%', narrow: 'hidden', cell: ({ created_at }) => <Day at={created_at} /> },
  { name: 'Last used', width: '13%', narrow: 'second', cell: (key) => <LastUse {...key} /> },
  {
    name: 'Last refused',
    width: '15%',
    narrow: 'below',
    cell: (key) => <LastRefusal of={key} refused={refused} />,
  },
  actionsColumn(
    (key) => `key ${keyText(key)}`,
    ({ key_id, expires_at }) => [
      ...(expires_at === null ? [{ label: 'Rotate', onClick: () => open('rotate', key_id) }] : []),
      { label: 'Revoke', isDangerous: true, onClick: () => open('revoke', key_id) },
    ],
  ),
];

function KeysOfAcquirer() {
  const query = useApiKeys();
  const refused = useRefused({});
  const keyOf = ({ key_id }: ApiKey) => key_id;
  const { action, item: current, open, close } = useItemDialog(query.data, keyOf);
  const list = { label: 'API keys', columns: columnsOf(open, query.data ?? [], refused), keyOf };
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
            <Rows {...list} rows={keys} />
          )
        }
      </Loaded>
      {action === 'create' && <CreateDialog onClose={close} />}
      {action === 'rotate' && current && <RotateDialog current={current} onClose={close} />}
      {action === 'revoke' && current && <RevokeDialog current={current} keys={query.data ?? []} onClose={close} />}
    </>
  );
}

export default function Keys() {
  return useMay('administer') ? <KeysOfAcquirer /> : <AdminsOnly title="API keys" guide="api-keys" />;
}
