import { Anchor, Group, Stack, Title } from '@mantine/core';
import { Link } from 'wouter';
import { useActivity } from '../../shared/data.ts';
import { Loaded } from '../../shared/Loaded.tsx';
import { PageTitle } from '../../shared/PageTitle.tsx';
import { Events, Lines } from '../../shared/Timeline.tsx';
import { texts } from './texts.ts';

const LATEST = 8;

/** The first view: where to begin, and what happened last. */
export function Home() {
  const query = useActivity({}, { limit: LATEST });
  return (
    <>
      <PageTitle title={texts.title}>{texts.intro}</PageTitle>
      <Stack gap="md" component="section">
        <Group justify="space-between">
          <Title order={2}>{texts.latest}</Title>
          <Anchor component={Link} href="/activity" size="sm">
            {texts.all}
          </Anchor>
        </Group>
        <Loaded query={query} outline={<Lines count={6} />}>
          {({ events, branches }) => <Events events={events.slice(0, LATEST)} branches={branches} subject={{}} />}
        </Loaded>
      </Stack>
    </>
  );
}
