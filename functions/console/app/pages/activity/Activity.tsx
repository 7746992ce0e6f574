import { Button, Group, SegmentedControl, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ArrowUp } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { UNATTENDED } from '../../api/client.ts';
import { useAuthorOf } from '../../resources/authors.ts';
import {
  type BranchNames,
  type Event,
  MOST_EVENTS,
  readEvents,
  type Subject,
  useActivity,
} from '../../resources/data.ts';
import { Loaded } from '../../resources/Loaded.tsx';
import { PageTitle } from '../../resources/PageTitle.tsx';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { runsOf } from '../../resources/runs.ts';
import { Events, Lines } from '../../resources/Timeline.tsx';
import { useActing, useMay } from '../../session/session.ts';
import { useAddress } from '../../shared/address.ts';
import { formatNumber } from '../../shared/format.ts';
import { ListedCount } from '../../shared/ListedCount.tsx';
import { Section } from '../../shared/Section.tsx';
import { useNow } from '../../shared/Time.tsx';
import { AccessChanges } from './AccessChanges.tsx';
import { byDay, dayName } from './days.ts';
import { ExportChanges, ExportProgress } from './Export.tsx';
import { shownText, useEarlier } from './earlier.ts';
import { exportEvents } from './exportEvents.ts';
import { FILTERS, Filters, filtersOf } from './Filters.tsx';
import { ReadOn } from './ReadOn.tsx';

const REFETCH_MS = 10_000;

const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, null]));

const NONE: Event[] = [];
const NO_BRANCHES: BranchNames = new Map();

type Data = NonNullable<ReturnType<typeof useActivity>['data']>;

/** What happened since the activity was read: looks every ten seconds, until that fails. */
function useNews(filters: Subject, { events, complete_to }: Data) {
  const { api, acquirer } = useActing();
  const since = [complete_to, filters.since ?? ''].sort().at(-1) as string;
  const { data, error, refetch } = useQuery({
    queryKey: [acquirer.id, 'activity', filters, 'since', since],
    queryFn: ({ signal }) =>
      readEvents(api, { ...filters, limit: MOST_EVENTS, since }, { signal, headers: UNATTENDED }),
    initialData: { events: NONE, branches: [], next: null, read_to: null, complete_to },
    refetchInterval: ({ state }) => state.status !== 'error' && REFETCH_MS,
  });
  const known = new Set(events.map(({ id }) => id));
  const count = data.events.filter(({ id }) => !known.has(id)).length;
  const text = count === 1 ? 'One new change' : `${formatNumber(count)}${data.next ? '+' : ''} new changes`;
  return { count, text, error, refetch };
}

/** The changes that were read. What is new waits behind a button: it would move what a person reads. */
function Stream({ data, query }: { data: Data; query: ReturnType<typeof useActivity> }) {
  const { events, branches, read_to } = data;
  const { hasNextPage, isFetchingNextPage } = query;
  const [values, change] = useAddress();
  const mayChange = useMay('change');
  const now = useNow();
  const top = useRef<HTMLDivElement>(null);
  const filters = filtersOf(values);
  const isFiltered = Object.keys(filters).length > 0;
  const news = useNews(filters, data);
  const { since = null, until } = filters;
  // The filtered days may cut a batch, too.
  const runs = useMemo(() => runsOf(events, read_to ?? since, until), [events, read_to, since, until]);
  // An entry is read to its end, so that it counts all of its changes.
  const reading = useEarlier(query, runs.length);
  const isNew = !isFiltered && events.length === 0 && !hasNextPage;
  const nothing = `Nothing has changed yet.${mayChange ? ' Create a branch, or import a list of them.' : ''}`;
  return (
    <Stack gap="lg">
      {news.error && <ProblemNotice error={news.error} onRetry={() => void news.refetch()} />}
      <ListedCount
        text={isNew ? nothing : shownText(events.length, read_to)}
        onClear={isFiltered && (() => change(NO_FILTERS))}
      />
      <div ref={top} tabIndex={-1} className="stream">
        <div className="arrivals" role="status">
          {news.count > 0 && (
            <Button
              size="compact-md"
              radius="xl"
              leftSection={<ArrowUp size={14} />}
              onClick={() => {
                scrollTo({ top: 0 });
                top.current?.focus({ preventScroll: true });
                reading.stop();
                void query.restart();
              }}
            >
              {news.text}
            </Button>
          )}
        </div>
        <Stack gap="xl" align="stretch">
          {[...byDay(runs)].map(([day, ofDay]) => (
            <Section key={day} title={dayName(day, now)}>
              <Events runs={ofDay} branches={branches} subject={{}} />
            </Section>
          ))}
        </Stack>
      </div>
      {hasNextPage && (
        <Group>
          <ReadOn
            label={isFiltered ? 'Search earlier' : 'Load earlier'}
            isReading={isFetchingNextPage}
            reading={reading}
          />
        </Group>
      )}
    </Stack>
  );
}

function Changes() {
  const { api } = useActing();
  const authorOf = useAuthorOf();
  const [values] = useAddress();
  const filters = filtersOf(values);
  const query = useActivity(filters, { limit: MOST_EVENTS, refetchOnWindowFocus: false });
  return (
    <Stack gap="lg">
      <Filters events={query.data?.events ?? NONE} branches={query.data?.branches ?? NO_BRANCHES}>
        <ExportChanges
          what="Activity"
          exportSpan={(span, control) => exportEvents(api, authorOf, { ...filters, ...span }, control)}
        />
      </Filters>
      <ExportProgress what="Activity" />
      <Loaded query={query} outline={<Lines count={12} />}>
        {(data) => <Stream key={JSON.stringify(filters)} data={data} query={query} />}
      </Loaded>
    </Stack>
  );
}

export default function Activity() {
  const [values, change] = useAddress();
  const isAdmin = useMay('administer');
  const isOfAccess = isAdmin && values.get('of') === 'access';
  return (
    <>
      <PageTitle title="Activity">What people and programs change, as it happens.</PageTitle>
      {isAdmin && (
        <SegmentedControl
          aria-label="Changes of"
          maw={480}
          data={[
            { value: '', label: 'Branches and terminals' },
            { value: 'access', label: 'Keys, people, webhooks' },
          ]}
          value={isOfAccess ? 'access' : ''}
          // Who and when apply to both, but partners change no access.
          onChange={(of) =>
            change({ on: null, type: null, of, ...(values.get('who')?.startsWith('partner.') && { who: null }) })
          }
        />
      )}
      {isOfAccess ? <AccessChanges /> : <Changes />}
    </>
  );
}
