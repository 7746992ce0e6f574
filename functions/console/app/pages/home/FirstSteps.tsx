import { Button, Group, List, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useApiKeys, usePeople } from '../../resources/data.ts';
import { useActing, useMay } from '../../session/session.ts';
import { formatNumber } from '../../shared/format.ts';
import { Section } from '../../shared/Section.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';

const Step = ({ title, text, children }: { title: string; text: string; children: ReactNode }) => (
  <List.Item className="step">
    <Stack gap="sm" align="flex-start">
      <Title order={3}>{title}</Title>
      <Text c="dimmed">{text}</Text>
      {children}
    </Stack>
  </List.Item>
);

const Lead = ({ to, isMain = false, children }: { to: string; isMain?: boolean; children: string }) => (
  <Button component={Link} href={to} variant={isMain ? 'filled' : 'default'}>
    {children}
  </Button>
);

const There = ({ count, one, several }: { count: number; one: string; several: string }) =>
  count > 0 && <Text size="sm">{count === 1 ? one : `There are ${formatNumber(count)} ${several}.`}</Text>;

/** What to do first as an acquirer that has no branches: as far as the person may. */
export function FirstSteps() {
  const { acquirer } = useActing();
  const mayChange = useMay('change');
  const isAdmin = useMay('administer');
  const { data: { people, invitations } = { people: [], invitations: [] } } = usePeople(isAdmin);
  const { data: keys = [] } = useApiKeys(isAdmin);
  if (!mayChange)
    return (
      <Section title="There are no branches yet">
        <Text c="dimmed">
          Operators and admins of <Verbatim>{acquirer.name}</Verbatim> can import them.
        </Text>
      </Section>
    );
  return (
    <Section title="First steps">
      <List type="ordered" className="steps">
        <Step
          title="Import your branches"
          text="From a workbook or a CSV file, with their terminals. It is checked before anything is stored."
        >
          <Group gap="sm">
            <Lead to="/import" isMain>
              Import a file
            </Lead>
            <Lead to="/new-branch">Create one branch</Lead>
          </Group>
        </Step>
        {isAdmin && (
          <>
            <Step
              title="Invite your colleagues"
              text="They sign in with their own accounts, and may do what their role permits."
            >
              <There count={people.length - 1} one="There is one colleague." several="colleagues" />
              <There count={invitations.length} one="One invitation is open." several="open invitations" />
              <Lead to="/people?do=invite">Invite a person</Lead>
            </Step>
            <Step title="Create an API key" text="With it, your programs and tills use the API.">
              <There count={keys.length} one="There is one API key." several="API keys" />
              <Lead to="/keys?do=create">Create a key</Lead>
            </Step>
          </>
        )}
      </List>
    </Section>
  );
}
