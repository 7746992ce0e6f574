import { Anchor, Badge, Group, List, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Details } from '../../resources/Details.tsx';
import { PageTitle } from '../../resources/PageTitle.tsx';
import { guideUrl } from '../../resources/paths.ts';
import { personRoles } from '../../resources/roles.ts';
import { useActing } from '../../session/session.ts';
import { Section } from '../../shared/Section.tsx';
import { Shortcuts } from './Shortcuts.tsx';

const ToView = ({ path, children }: { path: string; children: string }) => (
  <Anchor component={Link} href={path} inherit>
    {children}
  </Anchor>
);

/** What people call about, what to do, and the guide that says more, perhaps with a section of it. */
const Call = ({
  title,
  guide,
  children,
}: {
  title: string;
  guide: [name: string, section?: string];
  children: ReactNode;
}) => (
  <Section title={title} gap="sm">
    <List type="ordered" spacing="xs">
      {children}
    </List>
    <Anchor href={guideUrl(...guide)} target="_blank" size="sm" aria-label={`Guide: ${title}`}>
      Guide
    </Anchor>
  </Section>
);
const Step = List.Item;

export default function Help() {
  const { role: own } = useActing().acquirer;
  return (
    <>
      <PageTitle title="Help" guide="the-console">
        What to do, in the words in which people ask for it.
      </PageTitle>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xxl" verticalSpacing="xl">
        <Call title="The terminal at a shop is dead" guide={['find-a-terminal']}>
          <Step>Type the ID on its sticker, or words of the shop, into the search box.</Step>
          <Step>Open the terminal. Its timeline says what happened to it, and who did it.</Step>
          <Step>If it is archived, restore it. If it is at another branch, move it.</Step>
        </Call>
        <Call title="A shop closes" guide={['close-a-shop']}>
          <Step>
            Find the shop in <ToView path="/branches">Branches</ToView>.
          </Step>
          <Step>If its terminals go to another shop, move them first.</Step>
          <Step>Archive the branch. Its terminals are archived with it. You can undo that.</Step>
        </Call>
        <Call title="A device was swapped" guide={['swap-a-terminal']}>
          <Step>Find the terminal by its ID or its old serial number.</Step>
          <Step>If the new device takes over the terminal ID, choose Swap device, and type the new serial number.</Step>
          <Step>If it has an ID of its own, add it to the branch, then archive the old terminal.</Step>
        </Call>
        <Call title="Import a list of shops" guide={['import-your-estate']}>
          <Step>
            Open <ToView path="/import">Import</ToView>, and choose a spreadsheet.
          </Step>
          <Step>Check that each column has the right field. The console checks all rows, and stores nothing.</Step>
          <Step>Import the good rows. You can close the tab and continue later: no row is created twice.</Step>
        </Call>
        <Call title="An employee leaves" guide={['people-and-roles', 'change-or-remove-a-person']}>
          <Step>
            An admin opens <ToView path="/people">People</ToView>, and removes them. It applies within 30 seconds.
          </Step>
          <Step>
            If they knew an API key, the admin rotates it in <ToView path="/keys">API keys</ToView>.
          </Step>
        </Call>
        <Call title="A key has leaked" guide={['api-keys', 'if-a-key-has-leaked']}>
          <Step>
            An admin opens <ToView path="/keys">API keys</ToView>, creates another key for the program, and revokes the
            leaked one.
          </Step>
          <Step>
            To see what was changed with it, choose it in the filter of <ToView path="/activity">Activity</ToView>.
          </Step>
        </Call>
        <Call title="A program of ours fails" guide={['the-console', 'why-a-request-was-refused']}>
          <Step>
            Open <ToView path="/requests">Requests</ToView>. Choose the day, then the hour in which it failed.
          </Step>
          <Step>Each line says what was tried, and why it was refused. What to do opens the page about it.</Step>
          <Step>Give the address of the details to whoever maintains the program.</Step>
        </Call>
        <Call title="Our system gets no changes" guide={['the-console', 'webhooks']}>
          <Step>
            Open <ToView path="/webhooks">Webhooks</ToView>. Each says whether it delivers and, if not, what your server
            answered.
          </Step>
          <Step>Give that to whoever runs the server. Once it is mended, an admin sends a test.</Step>
          <Step>If it is paused or disabled, an admin resumes it. What has waited is sent then, in order.</Step>
        </Call>
        <Section title="Roles" gap="sm">
          <Details
            rows={Object.entries(personRoles).map(([role, { name, detail }]) => [
              name,
              <Group key={role} gap="sm">
                {detail}
                {role === own && (
                  <Badge variant="light" color="gray">
                    Yours
                  </Badge>
                )}
              </Group>,
            ])}
          />
        </Section>
        <Section title="Keyboard shortcuts" gap="sm" className="of-keys">
          <Shortcuts />
        </Section>
      </SimpleGrid>
      <Section title="When something fails" gap="sm">
        <Text maw={640}>
          The message has a request ID. Copy it, and give it to{' '}
          <Anchor href={guideUrl('support')} target="_blank" inherit>
            support
          </Anchor>
          : it leads to what happened. Typed into the search box, it opens what was refused. In a timeline, the button
          beside a change copies the request ID of that change.
        </Text>
      </Section>
    </>
  );
}
