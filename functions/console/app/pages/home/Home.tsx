import { Anchor, Skeleton, Stack } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { MOST_EVENTS, useActivity } from '../../resources/data.ts';
import { Loaded } from '../../resources/Loaded.tsx';
import { PageTitle } from '../../resources/PageTitle.tsx';
import { runsOf } from '../../resources/runs.ts';
import { Events, Lines } from '../../resources/Timeline.tsx';
import { Section } from '../../shared/Section.tsx';

const LATEST = 8;

/** It comes with the code of the estate, after the first view. */
const EstateOverview = lazy(async () => ({ default: (await import('../estatePages.ts')).EstateOverview }));

const Outline = () => (
  <Stack gap="xl">
    <Skeleton height={76} />
    <Lines count={3} />
    <Lines count={6} />
  </Stack>
);

/** The first view: where to begin, how the estate is, and what happened last. */
export function Home() {
  const query = useActivity({}, { limit: MOST_EVENTS, isOnePage: true });
  return (
    <>
      <PageTitle title="Find a terminal or a branch">
        Type the ID on the sticker of a terminal, its serial number, a MID, or a few words of a branch into the box
        above.
      </PageTitle>
      <Suspense fallback={<Outline />}>
        <EstateOverview />
      </Suspense>
      <Section
        title="Latest changes"
        end={
          <Anchor component={Link} href="/activity" size="sm">
            All activity
          </Anchor>
        }
      >
        <Loaded query={query} outline={<Lines count={6} />}>
          {({ events, branches, read_to }) => (
            <Events runs={runsOf(events, read_to).slice(0, LATEST)} branches={branches} subject={{}} />
          )}
        </Loaded>
      </Section>
    </>
  );
}
