import { Button, Group, SegmentedControl, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { ArrowUp, Pause, Play } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useMay } from '../../session/session.ts';
import { useAddress } from '../../shared/address.ts';
import { type BranchNames, type Event, useActivity } from '../../shared/data.ts';
import { formatNumber, formatTime } from '../../shared/format.ts';
import { Loaded } from '../../shared/Loaded.tsx';
import { PageTitle } from '../../shared/PageTitle.tsx';
import { Section } from '../../shared/Section.tsx';
import { useNow } from '../../shared/Time.tsx';
import { Events, Lines } from '../../shared/Timeline.tsx';
import { AccessChanges } from './AccessChanges.tsx';
import { byDay, dayName } from './days.ts';
import { FILTERS, Filters, filtersOf } from './Filters.tsx';

const LIMIT = 50;
const REFETCH_MS = 10_000;
const HEADER_PX = 60;

/** Clears the filters in the address. */
const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, null]));

const NONE: Event[] = [];
const NO_BRANCHES: BranchNames = new Map();

/**
 * Holds back events that arrive while a person reads further down, or has paused: they would move what is read.
 *
 * @param events The newest first.
 */
function useHeld(events: Event[], isHeld: boolean) {
  const newest = events[0]?.id ?? '';
  const [last, setLast] = useState(newest);
  if (!isHeld && last !== newest) setLast(newest);
  const held = events.filter(({ id }) => id > last);
  const isNothingElse = held.length === events.length;
  return {
    visible: isNothingElse ? events : events.slice(held.length),
    held: isNothingElse ? NONE : held,
    release: () => setLast(newest),
  };
}

/** How many changes are shown, and how far back they were read or searched. */
function countText(count: number, isFiltered: boolean, read_to: string | null): string {
  const changes = count === 1 ? 'One change' : `${formatNumber(count)} changes`;
  if (read_to === null) return count === 0 ? 'No change that matches is kept.' : `${changes}.`;
  if (!isFiltered) return `The newest ${count === 1 ? 'change' : changes}.`;
  return `${count === 0 ? 'No change' : changes} since ${formatTime(read_to)}.`;
}

type Activity = ReturnType<typeof useActivity>;

function Stream({
  data: { events, branches, read_to },
  query: { hasNextPage, isFetchingNextPage, fetchNextPage, error },
  isHeld,
}: {
  data: NonNullable<Activity['data']>;
  query: Activity;
  isHeld: boolean;
}) {
  const [values, change] = useAddress();
  const mayChange = useMay('change');
  const now = useNow();
  const top = useRef<HTMLDivElement>(null);
  const isFiltered = Object.keys(filtersOf(values)).length > 0;
  const { visible: shown, held, release } = useHeld(events, isHeld);
  // Goes on through pages without a match. The count of events at which a person asked for earlier ones; none to stop.
  const [askedAt, setAskedAt] = useState<number | null>(0);
  const isSearching = hasNextPage && !error && events.length === askedAt;
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) void fetchNextPage();
  }, [isSearching, isFetchingNextPage, fetchNextPage]);
  const [opened] = useState(events[0]?.id ?? '');
  const arrived = shown.filter(({ id }) => id > opened).length;
  const isNew = !isFiltered && events.length === 0 && !hasNextPage;
  const nothing = `Nothing has changed yet.${mayChange ? ' Create a branch, or import a list of them.' : ''}`;
  const newOnes = (count: number) => (count === 1 ? 'One new change' : `${formatNumber(count)} new changes`);
  return (
    <Stack gap="lg">
      <Group gap="sm" mih={28}>
        <Text c="dimmed" role="status">
          {isNew ? nothing : countText(shown.length, isFiltered, read_to)}
          {arrived > 0 && <VisuallyHidden> {newOnes(arrived)}</VisuallyHidden>}
        </Text>
        {isFiltered && (
          <Button size="compact-sm" variant="subtle" onClick={() => change(NO_FILTERS)}>
            Clear filters
          </Button>
        )}
      </Group>
      <div ref={top} tabIndex={-1} className="stream">
        <div className="arrivals" role="status">
          {held.length > 0 && (
            <Button
              size="compact-md"
              radius="xl"
              leftSection={<ArrowUp size={14} />}
              onClick={() => {
                release();
                scrollTo({ top: 0 });
                top.current?.focus({ preventScroll: true });
              }}
            >
              {newOnes(held.length)}
            </Button>
          )}
        </div>
        <Stack gap="xl" align="stretch">
          {[...byDay(shown)].map(([day, ofDay]) => (
            <Section key={day} title={dayName(day, now)}>
              <Events events={ofDay} branches={branches} subject={{}} />
            </Section>
          ))}
        </Stack>
      </div>
      {hasNextPage && (
        <Group>
          <Button
            variant="default"
            loading={isFetchingNextPage && !isFiltered}
            onClick={() => setAskedAt(isSearching ? null : events.length)}
          >
            {isFiltered ? (isSearching ? 'Stop' : 'Search earlier') : 'Load earlier'}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** All changes of branches and terminals, as they happen. */
function Changes({ isHeld }: { isHeld: boolean }) {
  const [values] = useAddress();
  const filters = filtersOf(values);
  const query = useActivity(filters, { limit: LIMIT, refetchMs: REFETCH_MS });
  return (
    <Stack gap="lg">
      <Filters events={query.data?.events ?? NONE} branches={query.data?.branches ?? NO_BRANCHES} />
      <Loaded query={query} outline={<Lines count={12} />}>
        {(data) => <Stream key={JSON.stringify(filters)} data={data} query={query} isHeld={isHeld} />}
      </Loaded>
    </Stack>
  );
}

/** The view of what has changed. */
export default function Activity() {
  const [values, change] = useAddress();
  const isAdmin = useMay('administer');
  const isOfAccess = isAdmin && values.get('of') === 'access';
  const isPaused = values.get('live') === 'off';
  const { ref, entry } = useIntersection<HTMLDivElement>({ threshold: 1, rootMargin: `-${HEADER_PX}px 0px 0px` });
  const isScrolled = entry !== null && entry.intersectionRatio < 1;
  return (
    <>
      <div ref={ref}>
        <PageTitle
          title="Activity"
          actions={
            <Button
              variant="default"
              leftSection={isPaused ? <Play size={16} /> : <Pause size={16} />}
              onClick={() => change({ live: isPaused ? null : 'off' }, { replace: true })}
            >
              {isPaused ? 'Continue' : 'Pause'}
            </Button>
          }
        >
          {isPaused
            ? 'Paused. New changes wait until you want them.'
            : 'What people and programs change, as it happens.'}
        </PageTitle>
      </div>
      {isAdmin && (
        <SegmentedControl
          aria-label="Changes of"
          data={[
            { value: '', label: 'Branches and terminals' },
            { value: 'access', label: 'API keys and people' },
          ]}
          value={isOfAccess ? 'access' : ''}
          onChange={(of) => change({ ...NO_FILTERS, of })}
        />
      )}
      {isOfAccess ? <AccessChanges /> : <Changes isHeld={isScrolled || isPaused} />}
    </>
  );
}
