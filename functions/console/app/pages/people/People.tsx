import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { bodyOf } from '../../request.ts';
import { useActing, useMay } from '../../session/session.ts';
import { AdminsOnly } from '../../shared/AdminsOnly.tsx';
import { formatDay } from '../../shared/format.ts';
import { useItemDialog } from '../../shared/itemDialog.ts';
import { Loaded } from '../../shared/Loaded.tsx';
import { PageTitle } from '../../shared/PageTitle.tsx';
import { RowMenu } from '../../shared/RowMenu.tsx';
import { type Column, Rows } from '../../shared/Rows.tsx';
import { personRoles } from '../../shared/roleTexts.ts';
import { Time } from '../../shared/Time.tsx';
import { type Invitation, InviteDialog, type Person, RemoveDialog, RevokeDialog, RoleDialog } from './dialogs.tsx';
import { texts } from './texts.ts';

type Open = (action: string, id: string) => void;

const role = {
  name: texts.role,
  width: '14%',
  narrow: 'second' as const,
  cell: (each: Pick<Person, 'role'>) => personRoles[each.role].name,
};

const peopleColumns = (open: Open, own: string): Column<Person>[] => [
  {
    name: texts.name,
    width: '42%',
    narrow: 'first',
    cell: ({ id, name, email }) => (
      <>
        <Group gap="sm">
          <Text fw={600} className="wraps">
            <bdi>{name}</bdi>
          </Text>
          {id === own && (
            <Badge variant="light" color="gray">
              {texts.you}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed" className="wraps">
          {email}
        </Text>
      </>
    ),
  },
  role,
  {
    name: texts.joined,
    width: '17%',
    narrow: 'hidden',
    cell: ({ joined_at }) => <time dateTime={joined_at}>{formatDay(joined_at)}</time>,
  },
  {
    name: texts.signedIn,
    width: '18%',
    narrow: 'second',
    cell: ({ signed_in_at }) => (
      <>
        <span className="rows-label">{texts.signedIn}</span>
        <Time at={signed_in_at} capitalized />
      </>
    ),
  },
  {
    name: texts.actions,
    width: '9%',
    narrow: 'end',
    cell: ({ id, name }) => (
      <RowMenu
        label={texts.actionsOf(name)}
        actions={[
          { label: texts.change.action, onClick: () => open('role', id) },
          { label: texts.removal.action, isDangerous: true, onClick: () => open('remove', id) },
        ]}
      />
    ),
  },
];

const invitationColumns = (open: Open): Column<Invitation>[] => [
  {
    name: texts.email,
    width: '42%',
    narrow: 'first',
    cell: ({ email }) => <Text className="wraps">{email}</Text>,
  },
  role,
  {
    name: texts.invited,
    width: '17%',
    narrow: 'hidden',
    cell: ({ created_at }) => <time dateTime={created_at}>{formatDay(created_at)}</time>,
  },
  {
    name: texts.ends,
    width: '18%',
    narrow: 'second',
    cell: ({ expires_at }) => (
      <>
        <span className="rows-label">{texts.ends}</span>
        <Time at={expires_at} capitalized />
      </>
    ),
  },
  {
    name: texts.actions,
    width: '9%',
    narrow: 'end',
    cell: ({ id, email }) => (
      <RowMenu
        label={texts.actionsOf(email)}
        actions={[{ label: texts.revocation.action, isDangerous: true, onClick: () => open('revoke', id) }]}
      />
    ),
  },
];

function PeopleOfAcquirer() {
  const { api, acquirer, person } = useActing();
  const query = useQuery({
    queryKey: [acquirer.id, 'people'],
    queryFn: async ({ signal }) => (await bodyOf(api.GET('/console/api/people', { signal }))).data,
  });
  const keyOf = (each: { id: string }) => each.id;
  const { action, item: current, open, close } = useItemDialog(query.data?.people, keyOf);
  const { item: invitation } = useItemDialog(query.data?.invitations, keyOf);
  const people = { label: texts.title, columns: peopleColumns(open, person.id), keyOf };
  return (
    <>
      <PageTitle
        title={texts.title}
        guide="people-and-roles"
        actions={
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => open('invite')}>
            {texts.invite}
          </Button>
        }
      >
        {texts.intro}
      </PageTitle>
      <Loaded query={query} outline={<Rows {...people} rows={undefined} />}>
        {(data) => (
          <>
            <Rows {...people} rows={data.people} />
            {data.invitations.length > 0 && (
              <Stack gap="md" component="section">
                <Title order={2}>{texts.invitations}</Title>
                <Rows
                  label={texts.invitations}
                  columns={invitationColumns(open)}
                  keyOf={keyOf}
                  rows={data.invitations}
                />
              </Stack>
            )}
          </>
        )}
      </Loaded>
      {action === 'invite' && <InviteDialog onClose={close} />}
      {action === 'role' && current && <RoleDialog current={current} onClose={close} />}
      {action === 'remove' && current && <RemoveDialog current={current} onClose={close} />}
      {action === 'revoke' && invitation && <RevokeDialog current={invitation} onClose={close} />}
    </>
  );
}

/** The view of the people of an acquirer and its open invitations. */
export default function People() {
  return useMay('administer') ? <PeopleOfAcquirer /> : <AdminsOnly title={texts.title} guide="people-and-roles" />;
}
