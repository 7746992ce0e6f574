import { Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { ArrowUp, Pause, Play } from 'lucide-react';
import { useRef, useState } from 'react';
import { useMay } from '../../session/session.ts';
import { useAddress } from '../../shared/address.ts';
import { type BranchNames, type Event, useActivity } from '../../shared/data.ts';
import { formatNumber } from '../../shared/format.ts';
import { Loaded } from '../../shared/Loaded.tsx';
import { PageTitle } from '../../shared/PageTitle.tsx';
import { Section } from '../../shared/Section.tsx';
import { useNow } from '../../shared/Time.tsx';
import { Events, Lines } from '../../shared/Timeline.tsx';
import { Chart } from './Chart.tsx';
import { byDay, dayName, spanOf } from './days.ts';
import { authorIdOf, Filters, kindOf } from './Filters.tsx';

const LIMIT = 50;
const REFETCH_MS = 10_000;
const HEADER_PX = 60;

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

function countText(shown: number, loaded: number, isFiltered: boolean, hasMore: boolean): string {
  const count = formatNumber(loaded);
  const isOne = loaded === 1;
  if (hasMore) {
    const newest = `newest ${isOne ? 'change' : `${count} changes`}.`;
    return isFiltered ? `${formatNumber(shown)} of the ${newest}` : `The ${newest}`;
  }
  if (isFiltered) return `${formatNumber(shown)} of ${isOne ? 'one change' : `all ${count} changes`}.`;
  return isOne ? 'One change.' : `${count} changes.`;
}

/** What an activity without changes says. */
function emptyText(day: string | null, mid: string | null, mayChange: boolean): string {
  if (day) return 'Nothing changed on this day.';
  if (mid) return 'Nothing that happened to this branch is kept.';
  return `Nothing has changed yet.${mayChange ? ' Create a branch, or import a list of them.' : ''}`;
}

type Activity = ReturnType<typeof useActivity>;

function Stream({
  data: { events, branches },
  query: { hasNextPage, isFetchingNextPage, fetchNextPage },
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
  const [mid, who, day] = [values.get('mid'), values.get('who'), values.get('day')];
  const kind = kindOf(values);
  const isFiltered = Boolean(kind || who);
  const matches = (event: Event) => (!kind || event.type === kind) && (!who || authorIdOf(event) === who);
  const { visible, held, release } = useHeld(events, isHeld);
  const shown = visible.filter(matches);
  const waiting = held.filter(matches).length;
  const [opened] = useState(events[0]?.id ?? '');
  const arrived = shown.filter(({ id }) => id > opened).length;
  const isEmpty = events.length === 0 && !hasNextPage;
  const newOnes = (count: number) => (count === 1 ? 'One new change' : `${formatNumber(count)} new changes`);
  return (
    <Stack gap="lg">
      <Group gap="sm" mih={28}>
        <Text c="dimmed" role="status">
          {isEmpty ? emptyText(day, mid, mayChange) : countText(shown.length, visible.length, isFiltered, hasNextPage)}
          {arrived > 0 && <VisuallyHidden> {newOnes(arrived)}</VisuallyHidden>}
        </Text>
        {(isFiltered || mid || day) && (
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => change({ mid: null, kind: null, who: null, day: null })}
          >
            Clear filters
          </Button>
        )}
      </Group>
      <Chart events={shown} since={hasNextPage ? events.at(-1)?.at : undefined} />
      <div ref={top} tabIndex={-1} className="stream">
        <div className="arrivals" role="status">
          {waiting > 0 && (
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
              {newOnes(waiting)}
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
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load earlier
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** The view of all changes, as they happen. */
export default function Activity() {
  const [values, change] = useAddress();
  const mid = values.get('mid');
  const isPaused = values.get('live') === 'off';
  const span = spanOf(values.get('day'));
  const query = useActivity({ ...(mid && { mid }), ...span }, { limit: LIMIT, refetchMs: REFETCH_MS });
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
      <Stack gap="lg">
        <Filters events={query.data?.events ?? NONE} branches={query.data?.branches ?? NO_BRANCHES} />
        <Loaded query={query} outline={<Lines count={12} />}>
          {(data) => <Stream key={`${mid} ${span?.since}`} data={data} query={query} isHeld={isScrolled || isPaused} />}
        </Loaded>
      </Stack>
    </>
  );
}
