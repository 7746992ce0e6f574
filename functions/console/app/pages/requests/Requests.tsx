import { Anchor, Button, Group, Skeleton, Stack, Timeline as Steps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { Ban, Gauge, RefreshCw, TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import type { Format } from '../../bulk/export.ts';
import { ExportButton } from '../../jobs/ExportButton.tsx';
import { inChunks, useSaving } from '../../jobs/useSaving.tsx';
import { type RefusedRequest, useRefused } from '../../resources/data.ts';
import { Nothing } from '../../resources/ListPages.tsx';
import { Loaded } from '../../resources/Loaded.tsx';
import { PageTitle } from '../../resources/PageTitle.tsx';
import { paths, problemUrl } from '../../resources/paths.ts';
import { entriesOf } from '../../resources/runs.ts';
import { entryOf, Lines } from '../../resources/Timeline.tsx';
import { useActing } from '../../session/session.ts';
import { useAddress } from '../../shared/address.ts';
import { capitalized, countText, formatClock, formatDay, formatNumber } from '../../shared/format.ts';
import { ListedCount } from '../../shared/ListedCount.tsx';
import { Section } from '../../shared/Section.tsx';
import { fileName } from '../../shared/save.ts';
import { useNow } from '../../shared/Time.tsx';
import { byDay, dayName } from '../activity/days.ts';
import { PrintItems } from '../terminals/SelectionBar.tsx';
import { criteriaOf, FILTERS } from './criteria.ts';
import { Filters } from './Filters.tsx';
import { Hours } from './Hours.tsx';
import { hourCounts } from './hourCounts.ts';
import { REQUEST_COLUMNS, requestRows } from './requestRows.ts';
import { type Names, type RefusedRun, Sentence, useNames } from './Sentence.tsx';
import { titleOf } from './texts.ts';

const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, null]));

/** How entries look that are no mistake of the caller alone. */
const LOOKS: Record<string, { icon: typeof Ban; color: string }> = {
  server_error: { icon: TriangleAlert, color: 'red' },
  rate_limited: { icon: Gauge, color: 'yellow' },
};

const callerOf = ({ key_id, person }: RefusedRequest): string | undefined => key_id ?? person?.id;

const isAlike = (one: RefusedRequest, next: RefusedRequest): boolean =>
  callerOf(one) === callerOf(next) && one.operation === next.operation && one.code === next.code;

/** The time of day of an entry; of several requests, from the first to the last. */
function Clock({ run }: { run: RefusedRun }) {
  const [last, first] = [formatClock(run[0].at), formatClock(run.at(-1)?.at ?? '')];
  return <time dateTime={run[0].at}>{first === last ? last : `${first} – ${last}`}</time>;
}

interface Shown {
  names: Names;
  /** The oldest request that was read, if there are earlier ones: they may belong to its entry. */
  cutAt: RefusedRequest | undefined;
}

/** The single requests of an entry, which a button shows. */
function Each({ run, ...shown }: Shown & { run: RefusedRun }) {
  const [isOpen, { toggle }] = useDisclosure();
  const count = countText({ count: run.length, isLeast: run.at(-1) === shown.cutAt });
  return (
    <>
      <Button size="compact-sm" variant="default" aria-expanded={isOpen} onClick={toggle}>
        {capitalized(count)} requests {isOpen ? '▴' : '▾'}
      </Button>
      {isOpen && <Entries {...shown} runs={run.map((request) => [request])} />}
    </>
  );
}

const Entries = ({ runs, names, cutAt }: Shown & { runs: RefusedRun[] }) => (
  <Steps bulletSize={24} lineWidth={1} active={-1}>
    {runs.map((run) => {
      const [request, ...others] = run;
      const { code, at } = request;
      const look = LOOKS[code] ?? { icon: Ban, color: 'gray' };
      const isCut = others.length > 0 && run.at(-1) === cutAt;
      const sentence = <Sentence run={run} names={names} isComplete={!isCut} />;
      return entryOf({ id: run.at(-1)?.request_id ?? '', at, ...look }, sentence, {
        time: <Clock run={run} />,
        end: (
          <>
            <Anchor size="sm" href={problemUrl(code)} target="_blank" aria-label={`What to do: ${titleOf(code)}`}>
              What to do
            </Anchor>
            {others.length === 0 && (
              <Anchor component={Link} size="sm" href={paths.request(request.request_id)}>
                Details
              </Anchor>
            )}
          </>
        ),
        more: others.length > 0 && <Each run={run} names={names} cutAt={cutAt} />,
      });
    })}
  </Steps>
);

/** How many are listed. */
function listedText(count: number, isComplete: boolean): string {
  const requests = count === 1 ? 'refused request' : 'refused requests';
  if (isComplete) return count === 0 ? 'No refused request matches.' : `${formatNumber(count)} ${requests}.`;
  return count === 0 ? 'None found so far.' : `The newest ${formatNumber(count)} ${requests}. There may be more.`;
}

export default function Requests() {
  const { acquirer } = useActing();
  const queries = useQueryClient();
  const [values, change] = useAddress();
  const now = useNow();
  const { listed, pictured, hours, hour } = criteriaOf(values, now);
  const query = useRefused(listed);
  // The same, unless an hour is chosen.
  const { data: all } = useRefused(pictured);
  const counts = all ? hourCounts(hours, all.requests, all.isComplete) : [];
  const isFiltered = FILTERS.some((name) => values.has(name));
  const requests = query.data?.requests ?? [];
  const names = useNames(requests);
  const saving = useSaving('refused requests');
  const save = (format: Format) => {
    const chunks = inChunks(REQUEST_COLUMNS, requests, requestRows);
    saving.start(chunks, format, fileName(format, 'refused requests', acquirer.name));
  };
  return (
    <>
      <PageTitle
        title="Requests"
        guide="the-console"
        actions={
          <>
            <Button
              variant="default"
              leftSection={<RefreshCw size={16} />}
              loading={query.isRefetching}
              onClick={() => void queries.invalidateQueries({ queryKey: [acquirer.id, 'refused'] })}
            >
              Refresh
            </Button>
            <ExportButton isDisabled={requests.length === 0 || saving.isRunning} onExport={save}>
              <PrintItems />
            </ExportButton>
          </>
        }
      >
        Requests of your programs and people that were refused in the last 30 days.
      </PageTitle>
      <Stack gap="lg">
        {saving.notice}
        <Filters counts={counts} hour={hour} />
        {counts.some(({ count, isKnown }) => count > 0 || !isKnown) && (
          <Hours
            title={
              values.get('day')
                ? `By hour, ${formatDay(new Date(hours[0] ?? 0).toISOString())}`
                : 'By hour, the last 24 hours'
            }
            counts={counts}
            chosen={hour}
            onChoose={(at) => change({ hour: at === hour ? null : new Date(at).toISOString() })}
          />
        )}
        <Loaded
          query={query}
          outline={
            <>
              <Skeleton height={96} />
              <Lines count={12} />
            </>
          }
        >
          {({ isComplete }) =>
            requests.length === 0 && isComplete && !isFiltered ? (
              <Nothing
                title="Nothing was refused"
                detail="If a request of your programs fails, it appears here within a second, with what was wrong and what to do."
              />
            ) : (
              <>
                <ListedCount
                  text={listedText(requests.length, isComplete)}
                  onClear={isFiltered && (() => change(NO_FILTERS))}
                />
                <Stack gap="xl" align="stretch">
                  {[...byDay(requests)].map(([day, ofDay]) => (
                    <Section key={day} title={dayName(day, now)}>
                      <Entries
                        runs={entriesOf(ofDay, isAlike)}
                        names={names}
                        cutAt={isComplete ? undefined : requests.at(-1)}
                      />
                    </Section>
                  ))}
                </Stack>
                {query.hasNextPage && (
                  <Group>
                    <Button
                      variant="default"
                      loading={query.isFetchingNextPage}
                      onClick={() => void query.fetchNextPage()}
                    >
                      {isFiltered ? 'Search earlier' : 'Load earlier'}
                    </Button>
                  </Group>
                )}
              </>
            )
          }
        </Loaded>
      </Stack>
    </>
  );
}
