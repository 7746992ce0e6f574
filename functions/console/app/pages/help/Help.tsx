import { Anchor, Badge, Group, List, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useActing } from '../../session/session.ts';
import { Details } from '../../shared/Details.tsx';
import { fill } from '../../shared/fill.tsx';
import { guideUrl } from '../../shared/guide.ts';
import { PageTitle } from '../../shared/PageTitle.tsx';
import { personRoles } from '../../shared/roleTexts.ts';
import { texts as shared } from '../../shared/texts.ts';
import { Shortcuts } from '../../shell/Shortcuts.tsx';
import { texts as shell } from '../../shell/texts.ts';
import { texts } from './texts.ts';

const toView = (path: string, name: string) => (
  <Anchor component={Link} href={path} inherit>
    {name}
  </Anchor>
);

/** The links in steps. */
const VIEWS = {
  branches: toView('/branches', shell.branches),
  import: toView('/import', shell.importing),
  people: toView('/people', shell.people),
  keys: toView('/keys', shell.keys),
  activity: toView('/activity', shell.activity),
};

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <Stack gap="sm" component="section">
    <Title order={2}>{title}</Title>
    {children}
  </Stack>
);

/** The view that says what to do. */
export default function Help() {
  const { role: own } = useActing().acquirer;
  return (
    <>
      <PageTitle title={texts.title} guide="the-console">
        {texts.intro}
      </PageTitle>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xxl" verticalSpacing="xl">
        {texts.calls.map(({ title, steps, guide }) => (
          <Section key={title} title={title}>
            <List type="ordered" spacing="xs">
              {steps.map((step) => (
                <List.Item key={step}>{fill(step, VIEWS)}</List.Item>
              ))}
            </List>
            <Anchor href={guide} target="_blank" size="sm" aria-label={texts.guideTo(title)}>
              {shared.guide}
            </Anchor>
          </Section>
        ))}
        <Section title={texts.roles}>
          <Details
            rows={Object.entries(personRoles).map(([role, { name, detail }]) => [
              name,
              <Group key={role} gap="sm">
                {detail}
                {role === own && (
                  <Badge variant="light" color="gray">
                    {texts.yours}
                  </Badge>
                )}
              </Group>,
            ])}
          />
        </Section>
        <Section title={texts.shortcuts}>
          <Shortcuts />
        </Section>
      </SimpleGrid>
      <Section title={texts.support}>
        <Text maw={640}>
          {fill(texts.requestId, {
            support: (
              <Anchor href={guideUrl('support')} target="_blank" inherit>
                {texts.supportLink}
              </Anchor>
            ),
          })}
        </Text>
      </Section>
    </>
  );
}
