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
    <Lines count={3} />
    <Skeleton height={76} />
    <Lines count={6} />
  </Stack>
);

/** The first view: what needs somebody, how the estate is, and what happened last. */
export function Home() {
  const query = useActivity({}, { limit: MOST_EVENTS, isOnePage: true });
  return (
    <>
      <PageTitle title="Home" />
      <Suspense fallback={<Outline />}>
        <EstateOverview />
      </Suspense>
      {query.data?.events.length !== 0 && (
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
      )}
    </>
  );
}
