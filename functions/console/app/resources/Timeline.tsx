import { Anchor, Avatar, Button, Group, List, Skeleton, Stack, Timeline as Steps, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { labelOf, terminalsText } from '../fields/wording.ts';
import { CopyText } from '../shared/Copy.tsx';
import { capitalized, countText } from '../shared/format.ts';
import { Strong } from '../shared/Strong.tsx';
import { Time } from '../shared/Time.tsx';
import { Verbatim } from '../shared/Verbatim.tsx';
import { useAuthorOf } from './authors.ts';
import { type BranchNames, type Event, nameOf, type Subject, useActivity } from './data.ts';
import { shownOf } from './events.ts';
import { Loaded } from './Loaded.tsx';
import { paths } from './paths.ts';
import { createdBy, isUndo, type Named, type Run, runsOf, single, terminalsIn } from './runs.ts';

function BranchLink({ mid, branches }: { mid: string; branches: BranchNames }) {
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

type Seen = { subject: Subject; branches: BranchNames };
type Shown = Seen & { authorOf: (event: Event) => string };

/** What happened in a run, as a sentence: what its events have in common, and how many things they are about. */
function RunSentence({ run: { events, isLeast }, subject, branches, authorOf }: Shown & { run: Run }) {
  const [event] = events;
  const { type, branch } = event;
  const common = (ids: string[], one: ReactNode, many: string) => {
    const count = new Set(ids).size;
    return count > 1 ? `${countText({ count, isLeast })} ${many}` : one;
  };
  const branchesOf = (mids: string[], one: ReactNode = <BranchLink mid={mids[0] ?? ''} branches={branches} />) =>
    common(mids, one, 'branches');
  const terminalsOf = (terminals: Named[], isGone = false) =>
    terminals.length > FEW ? (
      terminalsText(terminals.length, isLeast)
    ) : (
      <>
        {terminals.length > 1 ? 'terminals' : 'terminal'}{' '}
        {isGone ? terminals[0]?.terminal_id : <Links terminals={terminals} />}
      </>
    );
  const mids = events.map((each) => each.branch.mid);
  const tids = events.flatMap(({ data }) => ('tid' in data ? data.tid : []));
  const isOne = type === 'terminal.deleted' || type === 'terminal.left';
  const created = events.flatMap(createdBy);
  const reasons = events.map((each) => (each.type === 'terminal.archived' && each.data.archive_reason) || '');
  const { sentence, ofTerminal } = shownOf(event);
  const isWithTerminals = type === 'branch.created' && created.length > 0;
  const ofAny = isWithTerminals ? `${sentence}, with {terminals}` : sentence;
  const said = (subject.tid !== undefined && ofTerminal) || ofAny;
  return filled(isUndo(event) ? `${said}, to undo a change` : said, {
    who: <Strong>{authorOf(event)}</Strong>,
    what:
      tids.length > 0
        ? common(tids, tids[0] === subject.tid ? 'it' : terminalsOf(terminalsIn(event), isOne), 'terminals')
        : branchesOf(mids, branch.mid === subject.mid ? 'it' : undefined),
    branch: branchesOf(mids),
    from: branchesOf(events.map(({ changes }) => changes?.mid ?? '')),
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

const Reason = (event: Event) =>
  event.reason &&
  !isUndo(event) && (
    <Text size="sm" className="wraps">
      “<bdi>{event.reason}</bdi>”
    </Text>
  );

/** What the sentence of a run leaves out, which a button shows: its single events, or more than a few terminals. */
function Rest({ run: { events, isLeast }, ...shown }: Shown & { run: Run }) {
  const [isOpen, { toggle }] = useDisclosure();
  const created = events.flatMap(createdBy);
  const isRun = events.length > 1;
  if (!isRun && (created.length <= FEW || shown.subject.tid !== undefined)) return null;
  const changes = `${capitalized(countText({ count: events.length, isLeast }))} changes`;
  return (
    <>
      <Button size="compact-sm" variant="default" aria-expanded={isOpen} onClick={toggle}>
        {isRun ? changes : terminalsText(created.length)} {isOpen ? '▴' : '▾'}
      </Button>
      {isOpen && !isRun && <Links terminals={created} />}
      {isOpen && isRun && <Entries {...shown} runs={events.map(single)} />}
      {isOpen && isRun && isLeast && (
        <Text size="sm" c="dimmed">
          There may be more, which are not loaded.
        </Text>
      )}
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
    <Group gap="0 8px" c={color === 'gray' ? 'dimmed' : 'bright'} className="entry">
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
      const [event, ...others] = run.events;
      const isOne = others.length === 0;
      const [, verb = ''] = event.type.split('.');
      const look = { id: event.id, at: event.at, icon: shownOf(event).icon, color: GRAVE[verb] };
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

/** Entries of a timeline, the newest first. */
export function Events(shown: Seen & { runs: Run[] }) {
  const authorOf = useAuthorOf();
  return shown.runs.length === 0 ? (
    <Text c="dimmed">There are no changes, or they are no longer kept.</Text>
  ) : (
    <Entries {...shown} authorOf={authorOf} />
  );
}

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
      {({ events, branches, read_to }) => (
        <Stack gap="md" align="flex-start">
          <Events runs={runsOf(events, read_to)} branches={branches} subject={subject} />
          <LoadEarlier query={query} />
        </Stack>
      )}
    </Loaded>
  );
}
