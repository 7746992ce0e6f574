import { Badge, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Clock, Plus } from 'lucide-react';
import { useNow } from '../../clock.ts';
import { bodyOf } from '../../request.ts';
import { useActing, useMay } from '../../session/session.ts';
import { AdminsOnly } from '../../shared/AdminsOnly.tsx';
import { formatDay, formatRelative, formatTime } from '../../shared/format.ts';
import { useItemDialog } from '../../shared/itemDialog.ts';
import { Loaded } from '../../shared/Loaded.tsx';
import { PageTitle } from '../../shared/PageTitle.tsx';
import { RowMenu } from '../../shared/RowMenu.tsx';
import { type Column, Rows } from '../../shared/Rows.tsx';
import { keyRoles } from '../../shared/roleTexts.ts';
import { Time } from '../../shared/Time.tsx';
import { type ApiKey, CreateDialog, RevokeDialog, RotateDialog } from './dialogs.tsx';
import { texts } from './texts.ts';

const DAY_MS = 86_400_000;

/** That a key was rotated, and what is to be done before it ends. */
function Ending({ last_used_at, expires_at }: ApiKey) {
  const now = useNow();
  if (expires_at === null) return null;
  const end = formatTime(expires_at);
  const isUsed = last_used_at !== null && now - Date.parse(last_used_at) < DAY_MS;
  return (
    <Stack gap="xs" align="flex-start">
      <Badge variant="light" color="yellow" leftSection={<Clock size={12} aria-hidden />}>
        {texts.ends(formatRelative(expires_at, now))}
      </Badge>
      <Text size="sm">
        {isUsed ? texts.ending.used(formatRelative(last_used_at, now), end) : texts.ending.unused(end)}
      </Text>
    </Stack>
  );
}

const columnsOf = (open: (action: string, id: string) => void): Column<ApiKey>[] => [
  {
    name: texts.label,
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
    name: texts.role,
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
    name: texts.created,
    width: '14%',
    narrow: 'hidden',
    cell: ({ created_at }) => <time dateTime={created_at}>{formatDay(created_at)}</time>,
  },
  {
    name: texts.lastUsed,
    width: '15%',
    narrow: 'second',
    cell: ({ last_used_at }) =>
      last_used_at === null ? (
        texts.unused
      ) : (
        <>
          <span className="rows-label">{texts.lastUsed}</span>
          <Time at={last_used_at} capitalized />
        </>
      ),
  },
  {
    name: texts.actions,
    width: '9%',
    narrow: 'end',
    cell: ({ key_id, label, expires_at }) => (
      <RowMenu
        label={texts.actionsOf(label)}
        actions={[
          ...(expires_at === null ? [{ label: texts.rotation.action, onClick: () => open('rotate', key_id) }] : []),
          { label: texts.revocation.action, isDangerous: true, onClick: () => open('revoke', key_id) },
        ]}
      />
    ),
  },
];

function KeysOfAcquirer() {
  const { api, acquirer } = useActing();
  const query = useQuery({
    queryKey: [acquirer.id, 'keys'],
    queryFn: async ({ signal }) => (await bodyOf(api.GET('/console/api/keys', { signal }))).data,
  });
  const keyOf = ({ key_id }: ApiKey) => key_id;
  const { action, item: current, open, close } = useItemDialog(query.data, keyOf);
  const list = { label: texts.title, columns: columnsOf(open), keyOf };
  return (
    <>
      <PageTitle
        title={texts.title}
        guide="api-keys"
        actions={
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => open('create')}>
            {texts.create}
          </Button>
        }
      >
        {texts.intro}
      </PageTitle>
      <Loaded query={query} outline={<Rows {...list} rows={undefined} />}>
        {(keys) =>
          keys.length === 0 ? (
            <Text>{texts.empty}</Text>
          ) : (
            <Stack gap="md">
              <Rows {...list} rows={keys} />
              <Text size="sm" c="dimmed">
                {texts.late}
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
  return useMay('administer') ? <KeysOfAcquirer /> : <AdminsOnly title={texts.title} guide="api-keys" />;
}
