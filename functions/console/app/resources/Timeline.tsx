import { Anchor, Avatar, Button, Group, List, Skeleton, Stack, Timeline as Steps, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { labelOf, terminalsText } from '../fields/wording.ts';
import { useActing } from '../session/session.ts';
import { CopyText } from '../shared/Copy.tsx';
import { formatNumber } from '../shared/format.ts';
import { Strong } from '../shared/Strong.tsx';
import { Time } from '../shared/Time.tsx';
import { Verbatim } from '../shared/Verbatim.tsx';
import { type BranchNames, type Event, nameOf, type Subject, useActivity } from './data.ts';
import { EVENTS } from './events.ts';
import { Loaded } from './Loaded.tsx';
import { paths } from './paths.ts';
import { type Run, runsOf } from './runs.ts';

export const FORMER = 'A former colleague';

/** A key as people tell it from others: after a rotation, two have the same label. Events have only the label. */
export const keyText = ({
  label,
  ends_with,
}: {
  label: string | null;
  ends_with?: string | null | undefined;
}): string => `“${label}”${ends_with ? ` …${ends_with}` : ''}`;
export const keyName = (label: string, ends_with?: string): string => `API key ${keyText({ label, ends_with })}`;

/** Who made a change, as a person would say it: a name, a key, or another acquirer. */
export function authorOf({ by }: Event, own: string): string {
  if (by.acquirer !== own) return by.acquirer_name;
  if (by.person) return by.person.name ?? FORMER;
  return by.key_label === null ? by.acquirer_name : keyName(by.key_label);
}

export function BranchLink({ mid, branches }: { mid: string; branches: BranchNames }) {
  const branch = branches.get(mid);
  const name = branch ? nameOf(branch) : mid;
  return branch ? (
    <Anchor component={Link} href={paths.branch(mid)} inherit className="wraps">
      <Verbatim>{name}</Verbatim>
    </Anchor>
  ) : (
    <Verbatim>{name}</Verbatim>
  );
}

type Named = { tid: string; terminal_id: string };

const createdBy = ({ type, data }: Event): Named[] =>
  type === 'terminals.created' ? data : type === 'branch.created' ? data.terminals : [];

export const terminalsIn = (event: Event): Named[] => ('tid' in event.data ? [event.data] : createdBy(event));

const Links = ({ terminals }: { terminals: Named[] }) =>
  terminals.map(({ tid, terminal_id }, at) => (
    <Fragment key={tid}>
      {at > 0 && ', '}
      <Anchor component={Link} href={paths.terminal(tid)} inherit className="wraps">
        <Verbatim>{terminal_id}</Verbatim>
      </Anchor>
    </Fragment>
  ));

const FEW = 3;

/** Puts values into a sentence at `{name}`. */
export const filled = (sentence: string, values: Record<string, ReactNode>): ReactNode[] =>
  sentence.split(/\{(\w+)\}/).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never change their order
    <Fragment key={at}>{at % 2 === 0 ? part : values[part]}</Fragment>
  ));

type Shown = { subject: Subject; branches: BranchNames };

/** What happened in a run, as a sentence: what its events have in common, and how many things they are about. */
function RunSentence({ run, subject, branches }: Shown & { run: Run }) {
  const own = useActing().acquirer.id;
  const [event] = run;
  const { type, branch } = event;
  const common = (ids: string[], one: ReactNode, many: string) => {
    const { size } = new Set(ids);
    return size > 1 ? `${formatNumber(size)} ${many}` : one;
  };
  const branchesOf = (mids: string[], one: ReactNode = <BranchLink mid={mids[0] ?? ''} branches={branches} />) =>
    common(mids, one, 'branches');
  const terminalsOf = (terminals: Named[], isGone = false) =>
    terminals.length > FEW ? (
      terminalsText(terminals.length)
    ) : (
      <>
        {terminals.length > 1 ? 'terminals' : 'terminal'}{' '}
        {isGone ? terminals[0]?.terminal_id : <Links terminals={terminals} />}
      </>
    );
  const mids = run.map((each) => each.branch.mid);
  const tids = run.flatMap(({ data }) => ('tid' in data ? data.tid : []));
  const isOne = type === 'terminal.deleted' || type === 'terminal.left';
  const created = run.flatMap(createdBy);
  const reasons = run.map((each) => (each.type === 'terminal.archived' && each.data.archive_reason) || '');
  const { sentence, ofTerminal } = EVENTS[type];
  const isWithTerminals = type === 'branch.created' && created.length > 0;
  const ofAny = isWithTerminals ? `${sentence}, with {terminals}` : sentence;
  return filled((subject.tid !== undefined && ofTerminal) || ofAny, {
    who: <Strong>{authorOf(event, own)}</Strong>,
    what:
      tids.length > 0
        ? common(tids, tids[0] === subject.tid ? 'it' : terminalsOf(terminalsIn(event), isOne), 'terminals')
        : branchesOf(mids, branch.mid === subject.mid ? 'it' : undefined),
    branch: branchesOf(mids),
    from: branchesOf(run.map(({ changes }) => changes?.mid ?? '')),
    terminals: terminalsOf(created),
    reason: common(reasons, <bdi>{reasons[0]}</bdi>, 'reasons'),
  });
}

function Changes({ event: { type, changes, data } }: { event: Event }) {
  if (!changes || !type.endsWith('.updated')) return null;
  const after = data as Record<string, unknown>;
  const value = (of: unknown) => <Verbatim>{typeof of === 'string' ? of : 'None'}</Verbatim>;
  return (
    <List size="sm" c="dimmed" listStyleType="none">
      {Object.entries(changes).map(([field, before]) => (
        <List.Item key={field} className="wraps">
          {labelOf(field)}: {value(before)} → {value(after[field])}
        </List.Item>
      ))}
    </List>
  );
}

const Reason = ({ reason }: Event) =>
  reason && (
    <Text size="sm" className="wraps">
      “<bdi>{reason}</bdi>”
    </Text>
  );

/** What the sentence of a run leaves out, which a button shows: its single events, or more than a few terminals. */
function Rest({ run, ...shown }: Shown & { run: Run }) {
  const [isOpen, { toggle }] = useDisclosure();
  const created = run.flatMap(createdBy);
  const isRun = run.length > 1;
  if (!isRun && (created.length <= FEW || shown.subject.tid !== undefined)) return null;
  return (
    <>
      <Button size="compact-sm" variant="default" aria-expanded={isOpen} onClick={toggle}>
        {isRun ? `${formatNumber(run.length)} changes` : terminalsText(created.length)} {isOpen ? '▴' : '▾'}
      </Button>
      {isOpen && (isRun ? <Entries {...shown} runs={run.map((event) => [event])} /> : <Links terminals={created} />)}
    </>
  );
}

/** The colours of events that stand out: something no longer works, or no longer exists. Others are grey. */
const GRAVE: Record<string, string> = { archived: 'yellow', left: 'yellow', deleted: 'red' };

/**
 * An entry of a timeline, its time at the end of the line: how long ago, unless it is given. No component: Timeline sets
 * properties of its items.
 */
export const entryOf = (
  { id, at, icon: Icon, color = 'gray' }: { id: string; at: string; icon: LucideIcon; color?: string | undefined },
  sentence: ReactNode,
  { time = <Time at={at} />, end, more }: { time?: ReactNode; end?: ReactNode; more?: ReactNode } = {},
) => (
  <Steps.Item
    key={id}
    bullet={
      <Avatar size={24} color={color}>
        <Icon size={12} />
      </Avatar>
    }
  >
    <Group gap="0 8px" c={color === 'gray' ? 'dimmed' : 'bright'}>
      <div className="grows wraps">{sentence}</div>
      <Group gap="xs" wrap="nowrap" c="dimmed">
        <Text size="sm">{time}</Text>
        {end}
      </Group>
    </Group>
    {more}
  </Steps.Item>
);

const Entries = ({ runs, ...shown }: Shown & { runs: Run[] }) => (
  <Steps bulletSize={24} lineWidth={1} active={-1}>
    {runs.map((run) => {
      const [event, ...others] = run;
      const isOne = others.length === 0;
      const [, verb = ''] = event.type.split('.');
      const look = { id: run.at(-1)?.id ?? event.id, at: event.at, icon: EVENTS[event.type].icon, color: GRAVE[verb] };
      const sentence = (
        <>
          <RunSentence run={run} {...shown} />
          {isOne && <Changes event={event} />}
          {isOne && <Reason {...event} />}
        </>
      );
      return entryOf(look, sentence, {
        end: isOne && <CopyText text={event.request_id} label="Copy request ID" />,
        more: <Rest run={run} {...shown} />,
      });
    })}
  </Steps>
);

/** Events as a timeline, the newest first. */
export const Events = ({ events, ...shown }: Shown & { events: Event[] }) =>
  events.length === 0 ? (
    <Text c="dimmed">There are no changes, or they are no longer kept.</Text>
  ) : (
    <Entries {...shown} runs={runsOf(events)} />
  );

export const Lines = ({ count }: { count: number }) => (
  <Stack gap="md">
    {Array.from({ length: count }, (_, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: all lines are alike
      <Skeleton key={at} height={16} width={`${90 - ((at * 17) % 40)}%`} />
    ))}
  </Stack>
);

export const LoadEarlier = ({
  query,
}: {
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
}) =>
  query.hasNextPage && (
    <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
      Load earlier
    </Button>
  );

export function Timeline({ subject }: { subject: Subject }) {
  const query = useActivity(subject);
  return (
    <Loaded query={query} outline={<Lines count={4} />}>
      {({ events, branches }) => (
        <Stack gap="md" align="flex-start">
          <Events events={events} branches={branches} subject={subject} />
          <LoadEarlier query={query} />
        </Stack>
      )}
    </Loaded>
  );
}
