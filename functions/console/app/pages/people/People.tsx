import { Badge, Group, Text } from '@mantine/core';
import { Plus } from 'lucide-react';
import { usePeople } from '../../resources/data.ts';
import { Loaded } from '../../resources/Loaded.tsx';
import { AdminsOnly, PageTitle } from '../../resources/PageTitle.tsx';
import { personRoles } from '../../resources/roles.ts';
import { useActing, useMay } from '../../session/session.ts';
import { Actions } from '../../shared/Actions.tsx';
import { useItemDialog } from '../../shared/address.ts';
import { actionsColumn, type Column, ColumnMinute, Rows } from '../../shared/Rows.tsx';
import { Section } from '../../shared/Section.tsx';
import { Day } from '../../shared/Time.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';
import { type Invitation, InviteDialog, type Person, RemoveDialog, RevokeDialog, RoleDialog } from './dialogs.tsx';
import { useIsOnlyAdmin } from './LeaveDialog.tsx';

type Open = (action: string, id: string) => void;

const role = {
  name: 'Role',
  width: '14%',
  narrow: 'second' as const,
  cell: (each: Pick<Person, 'role'>) => <span>{personRoles[each.role].name}</span>,
};

/** `own` is the person who looks. The only admin can give up nothing. */
const peopleColumns = (open: Open, own: string, isOnlyAdmin: boolean): Column<Person>[] => [
  {
    name: 'Person',
    width: '42%',
    narrow: 'first',
    cell: ({ id, name, email }) => (
      <>
        <Group gap="sm">
          <Text fw={600} className="wraps">
            <Verbatim>{name}</Verbatim>
          </Text>
          {id === own && (
            <Badge variant="light" color="gray">
              {isOnlyAdmin ? 'You, the only admin' : 'You'}
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
  { name: 'Joined', width: '17%', narrow: 'hidden', cell: ({ joined_at }) => <Day at={joined_at} /> },
  {
    name: 'Last sign-in',
    width: '18%',
    narrow: 'second',
    cell: ({ signed_in_at }) => <ColumnMinute name="Last sign-in" at={signed_in_at} />,
  },
  actionsColumn(
    ({ name }) => name,
    ({ id }) =>
      id === own && isOnlyAdmin
        ? []
        : [
            { label: 'Change role', onClick: () => open('role', id) },
            { label: id === own ? 'Leave' : 'Remove', isDangerous: true, onClick: () => open('remove', id) },
          ],
  ),
];

const invitationColumns = (open: Open): Column<Invitation>[] => [
  { name: 'Address', width: '42%', narrow: 'first', cell: ({ email }) => email },
  role,
  { name: 'Invited', width: '17%', narrow: 'hidden', cell: ({ created_at }) => <Day at={created_at} /> },
  {
    name: 'Ends',
    width: '18%',
    narrow: 'second',
    cell: ({ expires_at }) => <ColumnMinute name="Ends" at={expires_at} />,
  },
  actionsColumn(
    ({ email }) => email,
    ({ id }) => [{ label: 'Revoke', isDangerous: true, onClick: () => open('revoke', id) }],
  ),
];

function PeopleOfAcquirer() {
  const { person } = useActing();
  const query = usePeople();
  const keyOf = (each: { id: string }) => each.id;
  const { action, item: current, open, close } = useItemDialog(query.data?.people, keyOf);
  const { item: invitation } = useItemDialog(query.data?.invitations, keyOf);
  const people = { label: 'People', columns: peopleColumns(open, person.id, useIsOnlyAdmin()), keyOf };
  return (
    <>
      <PageTitle
        title="People"
        guide="people-and-roles"
        actions={<Actions actions={[{ label: 'Invite', icon: Plus, as: 'filled', onClick: () => open('invite') }]} />}
      >
        They sign in with your company’s account. Their names are in the activity.
      </PageTitle>
      <Loaded query={query} outline={<Rows {...people} rows={undefined} />}>
        {(data) => (
          <>
            <Rows {...people} rows={data.people} />
            {data.invitations.length > 0 && (
              <Section title="Open invitations">
                <Rows
                  label="Open invitations"
                  columns={invitationColumns(open)}
                  keyOf={keyOf}
                  rows={data.invitations}
                />
              </Section>
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

export default function People() {
  return useMay('administer') ? <PeopleOfAcquirer /> : <AdminsOnly title="People" guide="people-and-roles" />;
}
