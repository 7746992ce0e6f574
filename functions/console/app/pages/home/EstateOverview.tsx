import { Anchor, Group, List, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import { branchRows } from '../../estate/filterBranches.ts';
import { type Criteria, countFacets, type Facet } from '../../estate/filterRows.ts';
import { type Estate, useEstate } from '../../estate/useEstate.ts';
import { terminalsText } from '../../fields/wording.ts';
import { shownError } from '../../jobs/job.ts';
import { keyText, useKeyOf } from '../../resources/authors.ts';
import { useApiKeys, useRefused, useWebhooks } from '../../resources/data.ts';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { paths } from '../../resources/paths.ts';
import { Lines } from '../../resources/Timeline.tsx';
import { useActing, useMay } from '../../session/session.ts';
import { formatNumber } from '../../shared/format.ts';
import { Section } from '../../shared/Section.tsx';
import { useNow } from '../../shared/Time.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';
import { dayAt, spanOf } from '../activity/span.ts';
import { doneOf, importQuery } from '../import/progress.ts';
import { timesOf, timesText } from '../requests/times.ts';
import { Bar } from '../terminals/Bar.tsx';
import { changeQuery } from '../terminals/changeJob.ts';
import { estatePath, FACETS, valueLabel } from '../terminals/criteria.ts';
import { faultOf, nameOf as webhookName } from '../webhooks/health.ts';
import { FirstSteps } from './FirstSteps.tsx';

const ALL: Criteria = { text: '', filters: {}, sort: { by: 'terminal_id', isDescending: false } };
type Counts = Record<Facet, ReadonlyMap<string, number>>;

const DAY_MS = 86_400_000;
const KEY_DAYS = 14;
const MOST_BARS = 6;
const MOST_KEYS = 3;

const Figure = ({ label, count, href }: { label: string; count: number | undefined; href: string }) => (
  <Link href={href} className="figure">
    <Text c="dimmed" size="sm">
      {label}
    </Text>
    <Text component="div" fz="xl" fw={600}>
      {count === undefined ? <Skeleton height={20} my={4} width={56} /> : formatNumber(count)}
    </Text>
  </Link>
);

function Bars({ facet, counts }: { facet: 'city' | 'terminal_model'; counts: Counts | undefined }) {
  const all = [...(counts?.[facet] ?? [])].sort(([, one], [, other]) => other - one);
  const most = all[0]?.[1] ?? 1;
  const { label, name } = FACETS[facet];
  return (
    <Section
      title={`By ${label.toLowerCase()}`}
      gap="sm"
      className="grows"
      end={
        <Anchor component={Link} href={`/terminals?group=${name}`} size="sm" aria-label={`All terminals by ${name}`}>
          {all.length > MOST_BARS ? `All ${formatNumber(all.length)}` : 'All'}
        </Anchor>
      }
    >
      {counts ? (
        <div className="bars">
          {all.slice(0, MOST_BARS).map(([value, count]) => (
            <Link key={value} href={estatePath({ [facet]: [value] })}>
              <bdi className="wraps">{valueLabel(facet, value, String)}</bdi>
              <Bar share={count / most} />
              <span>{formatNumber(count)}</span>
            </Link>
          ))}
        </div>
      ) : (
        <Lines count={MOST_BARS} />
      )}
    </Section>
  );
}

/** How many active branches have no active terminal. */
const idleIn = (estate: Estate): number =>
  branchRows(estate).filter(({ branch, active }) => branch.status === 'active' && active === 0).length;

type Need = [href: string, text: ReactNode];

/** What needs somebody, or `undefined` while it is being read. */
type Needed = Need[] | undefined;

const areText = (count: number, one: string, several: string) =>
  count === 1 ? one : `${formatNumber(count)} ${several}`;

/** API keys that end soon, as far as the person may see them. */
function useEndingKeys(): Needed {
  const isAdmin = useMay('administer');
  const { data, error } = useApiKeys(isAdmin);
  const now = useNow();
  if (!isAdmin) return [];
  if (error) return [['/keys', 'Whether API keys end could not be read']];
  const soon = (end: string) => Date.parse(end) > now && Date.parse(end) - now < KEY_DAYS * DAY_MS;
  const count = data?.filter(({ expires_at }) => expires_at !== null && soon(expires_at)).length ?? 0;
  const text = `${areText(count, 'An API key ends', 'API keys end')} within ${KEY_DAYS} days`;
  return data && (count > 0 ? [['/keys', text]] : []);
}

const ToView = ({ href, children }: { href: string; children: ReactNode }) => (
  <List.Item>
    <Anchor component={Link} href={href} inherit className="alone">
      <span className="wraps">{children}</span>
    </Anchor>
  </List.Item>
);

/** Webhooks that do not deliver, although nobody of the acquirer has paused them. */
function useFailingWebhooks(): Needed {
  const { data, error } = useWebhooks();
  const failing = data?.flatMap((webhook): Need[] => {
    const fault = faultOf(webhook);
    const text = (
      <>
        The webhook “<Verbatim>{webhookName(webhook)}</Verbatim>” {fault}
      </>
    );
    return fault ? [[paths.webhook(webhook.id), text]] : [];
  });
  return error ? [...(failing ?? []), ['/webhooks', 'Whether your webhooks deliver could not be read']] : failing;
}

/** API keys with refused requests today, those with the most first. People have seen theirs at once. */
function useRefusedKeys(): Needed {
  const keyOf = useKeyOf();
  const day = dayAt(useNow());
  const { since } = spanOf(day) ?? {};
  const { data, error } = useRefused({ ...(since && { from: since }) });
  const byKey = Map.groupBy(data?.requests ?? [], ({ key_id }) => key_id);
  byKey.delete(null);
  const refused = [...byKey]
    .map(([key, requests]) => ({
      key: key ?? '',
      label: requests[0]?.key_label,
      times: timesOf(requests, data?.isComplete),
    }))
    .sort((one, other) => other.times.count - one.times.count);
  const toDay = (params: object) => `/requests?${new URLSearchParams({ ...params, day })}`;
  const keys = refused.slice(0, MOST_KEYS).map(({ key, label, times }): Need => {
    const text = (
      <>
        <Verbatim>{keyText(keyOf(key, label))}</Verbatim> was refused {timesText(times)} today
      </>
    );
    return [toDay({ key }), text];
  });
  const more = refused.length - keys.length;
  const others = more === 1 ? '1 other API key was refused' : `${formatNumber(more)} other API keys were refused`;
  if (error) return [['/requests', 'Whether requests were refused could not be read']];
  if (!data) return undefined;
  if (more > 0) return [...keys, [toDay({}), `${data.isComplete ? 'Also' : 'At least'} ${others} today`]];
  // Earlier ones of today are not read.
  return data.isComplete ? keys : [...keys, [toDay({}), 'Other API keys may have been refused today']];
}

/**
 * What needs somebody. Without `counts`, the estate is not known.
 *
 * @param counted How many terminals are counted so far, while they are.
 */
function Needs({ counts, idle = 0, counted }: { counts?: Counts; idle?: number; counted?: number }) {
  const acting = useActing();
  const read = [useFailingWebhooks(), useRefusedKeys(), useEndingKeys()];
  const { data: imported } = useQuery(importQuery(acting));
  const { data: changed } = useQuery(changeQuery(acting));
  const unseen = counts?.seen.get('week') ?? 0;
  const rows = imported && doneOf(imported.ledger.counts);
  const left = changed ? changed.stored.steps.length - changed.outcomes.size : 0;
  const known: (false | Need)[] = [
    !!rows && rows.done < rows.total && ['/import', `The import of ${imported.stored.fileName} is not finished`],
    left > 0 && ['/terminals', `“${changed?.stored.title}” is not finished: ${terminalsText(left)} left`],
    unseen > 0 && [
      estatePath({ seen: ['week'], status: ['active'] }),
      `${areText(unseen, 'An active terminal was', 'active terminals were')} not seen for 7 days`,
    ],
    idle > 0 && [
      '/branches?status=active&terminals=none',
      `${areText(idle, 'An active branch has', 'active branches have')} no active terminal`,
    ],
  ];
  // All that is read is shown at once: what came later would move what a person reads.
  const isReading = read.includes(undefined);
  const shown = isReading ? [] : [...read.flatMap((needs) => needs ?? []), ...known.filter((need) => need !== false)];
  const isWaiting = isReading || counted !== undefined;
  if (shown.length === 0 && !counts && !isWaiting) return null;
  return (
    <Section
      title="Needs attention"
      end={
        counted !== undefined && (
          <Text size="sm" c="dimmed" role="status">
            {terminalsText(counted)} counted so far
          </Text>
        )
      }
    >
      {shown.length === 0 && !isWaiting && <Text c="dimmed">Nothing now.</Text>}
      <List spacing="sm">
        {shown.map(([href, text]) => (
          <ToView key={href} href={href}>
            {text}
          </ToView>
        ))}
      </List>
      {isWaiting && <Lines count={2} />}
    </Section>
  );
}

/** The estate at a glance. What is not known yet is outlined. */
function Glance({ estate, isComplete, counted }: { estate: Estate; isComplete: boolean; counted: number }) {
  const now = useNow();
  const counts = useMemo(
    () => (isComplete ? countFacets(estate.rows, ALL, now) : undefined),
    [estate, isComplete, now],
  );
  const idle = useMemo(() => (isComplete ? idleIn(estate) : 0), [estate, isComplete]);
  const countOf = (facet: Facet, value: string) => counts && (counts[facet].get(value) ?? 0);
  const isEmpty = counts !== undefined && estate.branches.size === 0;
  return (
    <>
      {isEmpty && <FirstSteps />}
      <Needs {...(isEmpty ? {} : counts ? { counts, idle } : { counted })} />
      {!isEmpty && (
        <>
          <div className="figures">
            <Figure label="All terminals" href="/terminals" count={counts && estate.rows.length} />
            <Figure label="Active" href={estatePath({ status: ['active'] })} count={countOf('status', 'active')} />
            <Figure
              label="Archived"
              href={estatePath({ status: ['archived'] })}
              count={countOf('status', 'archived')}
            />
            <Figure label="Never seen" href={estatePath({ seen: ['never'] })} count={countOf('seen', 'never')} />
            <Figure label="All branches" href="/branches" count={counts && estate.branches.size} />
          </div>
          {(counts === undefined || estate.rows.length > 0) && (
            <Group align="flex-start" gap="xxl">
              <Bars facet="city" counts={counts} />
              <Bars facet="terminal_model" counts={counts} />
            </Group>
          )}
        </>
      )}
    </>
  );
}

export default function EstateOverview() {
  const estate = useEstate();
  const { state } = estate;
  if (state.kind === 'too_large')
    return (
      <>
        <Needs />
        <Text c="dimmed">You have more than 50,000 terminals or branches, too many to count here.</Text>
      </>
    );
  const isComplete = state.kind === 'following' || (state.kind === 'failed' && estate.rows.length > 0);
  return (
    <>
      {state.kind === 'failed' && <ProblemNotice error={shownError(state.error)} onRetry={state.retry} />}
      {isComplete || state.kind === 'walking' ? (
        <Glance
          estate={estate}
          isComplete={isComplete}
          counted={state.kind === 'walking' ? state.terminals : estate.rows.length}
        />
      ) : (
        <Needs />
      )}
    </>
  );
}
