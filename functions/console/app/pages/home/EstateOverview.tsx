import { Anchor, Group, List, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { FIRST, type Figures, retryEstate, useAnswer, useEstateStatus } from '../../estate/estatePage.ts';
import { MOST } from '../../estate/most.ts';
import { branchesText, terminalsText } from '../../fields/wording.ts';
import { shownError } from '../../jobs/job.ts';
import { keyText, useKeyOf } from '../../resources/authors.ts';
import { useApiKeys, useBranches, useRefused, useWebhooks } from '../../resources/data.ts';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { paths } from '../../resources/paths.ts';
import { Lines } from '../../resources/Timeline.tsx';
import { useActing, useMay } from '../../session/session.ts';
import { formatMinute, formatNumber } from '../../shared/format.ts';
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

const DAY_MS = 86_400_000;
const KEY_DAYS = 14;
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

function Bars({ facet, figures }: { facet: 'city' | 'terminal_model'; figures: Figures | undefined }) {
  const { total, most, rows } = figures?.[facet] ?? { total: 0, most: 0, rows: undefined };
  const { label, name } = FACETS[facet];
  return (
    <Section
      title={`By ${label.toLowerCase()}`}
      gap="sm"
      className="grows"
      end={
        <Anchor component={Link} href={`/terminals?group=${name}`} size="sm" aria-label={`All terminals by ${name}`}>
          {total > FIRST.figures.most ? `All ${formatNumber(total)}` : 'All'}
        </Anchor>
      }
    >
      {rows ? (
        <div className="bars">
          {rows.map(([value, count]) => (
            <Link key={value} href={estatePath({ [facet]: [value] })}>
              <bdi className="wraps">{valueLabel(facet, value)}</bdi>
              <Bar share={count / most} />
              <span>{formatNumber(count)}</span>
            </Link>
          ))}
        </div>
      ) : (
        <Lines count={FIRST.figures.most} />
      )}
    </Section>
  );
}

const countOf = (figures: Figures, facet: 'status' | 'seen', value: string): number =>
  new Map(figures[facet]).get(value) ?? 0;

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
 * What needs somebody. Without `figures`, the estate is not known, or is empty.
 *
 * @param isCounting Whether figures will come.
 * @param counted How many terminals are counted so far, while they are read.
 */
function Needs({
  figures,
  isCounting,
  counted,
}: {
  figures: Figures | undefined;
  isCounting: boolean;
  counted: number | undefined;
}) {
  const acting = useActing();
  const read = [useFailingWebhooks(), useRefusedKeys(), useEndingKeys()];
  const { data: imported } = useQuery(importQuery(acting));
  const { data: changed } = useQuery(changeQuery(acting));
  const unseen = figures ? countOf(figures, 'seen', 'week') : 0;
  const idle = figures?.idle ?? 0;
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
  const isWaiting = isReading || isCounting;
  if (shown.length === 0 && !figures && !isWaiting) return null;
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
function Glance({ figures }: { figures: Figures | undefined }) {
  const count = (facet: 'status' | 'seen', value: string) => figures && countOf(figures, facet, value);
  return (
    <>
      <div className="figures">
        <Figure label="All terminals" href="/terminals" count={figures?.terminals} />
        <Figure label="Active" href={estatePath({ status: ['active'] })} count={count('status', 'active')} />
        <Figure label="Archived" href={estatePath({ status: ['archived'] })} count={count('status', 'archived')} />
        <Figure label="Never seen" href={estatePath({ seen: ['never'] })} count={count('seen', 'never')} />
        <Figure label="All branches" href="/branches" count={figures?.branches} />
      </div>
      {figures?.terminals !== 0 && (
        <Group align="flex-start" gap="xxl">
          <Bars facet="city" figures={figures} />
          <Bars facet="terminal_model" figures={figures} />
        </Group>
      )}
    </>
  );
}

/** What is known of an estate that is too large to be counted here: its branches, as the service counts them. */
function TooLarge() {
  const { data, dataUpdatedAt } = useBranches({ page: 1, sort: 'desc', search: '' });
  const total = data?.meta.total;
  const manyTerminals = `more than ${terminalsText(MOST.terminals)}`;
  const manyBranches = `more than ${branchesText(MOST.branches)}`;
  const text = () => {
    if (total === undefined) return `You have ${manyTerminals} or ${manyBranches}: too many to count here.`;
    const known = `${branchesText(total)} as of ${formatMinute(new Date(dataUpdatedAt).toISOString())}`;
    if (total > MOST.branches) return `${known}. Terminals of ${manyBranches} are not counted here.`;
    return `${known}, with ${manyTerminals}: too many to count here.`;
  };
  return <Text c="dimmed">{text()}</Text>;
}

export default function EstateOverview() {
  const { state, isComplete, hasSummary, terminals } = useEstateStatus();
  const isKnown = isComplete || hasSummary;
  const { data } = useAnswer('figures', { now: useNow(), ...FIRST.figures }, { isAsked: isKnown });
  const figures = isKnown ? data : undefined;
  const isEmpty = figures?.branches === 0;
  const isShown = (isKnown || state.kind === 'walking') && !isEmpty;
  return (
    <>
      {state.kind === 'failed' && <ProblemNotice error={shownError(state.error)} onRetry={retryEstate} />}
      {isEmpty && <FirstSteps />}
      <Needs
        figures={isEmpty ? undefined : figures}
        isCounting={isShown && !figures}
        counted={state.kind === 'walking' ? terminals : undefined}
      />
      {state.kind === 'too_large' && <TooLarge />}
      {isShown && <Glance figures={figures} />}
    </>
  );
}
