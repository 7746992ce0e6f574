import { Anchor, Avatar, Button, Group, List, Skeleton, Stack, Timeline as Steps, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useActing } from '../session/session.ts';
import { paths } from './address.ts';
import { CopyText } from './Copy.tsx';
import { type BranchNames, type Event, nameOf, type Subject, useActivity } from './data.ts';
import { EVENTS } from './events.ts';
import { formatNumber } from './format.ts';
import { Loaded } from './Loaded.tsx';
import { Time } from './Time.tsx';
import { labelOf } from './wording.ts';

/** Who made a change, as a person would say it: a name, a key, or another acquirer. */
export function authorOf({ by }: Event, own: string): string {
  if (by.acquirer !== own) return by.acquirer_name;
  if (by.person) return by.person.name ?? 'A former colleague';
  return by.key_label === null ? by.acquirer_name : `API key “${by.key_label}”`;
}

/** A branch by name, with a link if it is accessible. */
export function BranchLink({ mid, branches }: { mid: string; branches: BranchNames }) {
  const branch = branches.get(mid);
  const name = branch ? nameOf(branch) : mid;
  return branch ? (
    <Anchor component={Link} href={paths.branch(mid)} inherit className="wraps">
      <bdi>{name}</bdi>
    </Anchor>
  ) : (
    <bdi>{name}</bdi>
  );
}

/** The terminals that an event created. */
const createdBy = ({ type, data }: Event) =>
  type === 'terminals.created' ? data : type === 'branch.created' ? data.terminals : [];

const terminalsText = (count: number): string => (count === 1 ? 'a terminal' : `${formatNumber(count)} terminals`);

/** What an event is about: `it` in its own timeline. */
function What({ event, subject, branches }: { event: Event; subject: Subject; branches: BranchNames }) {
  const { data, branch } = event;
  if (!Array.isArray(data) && 'tid' in data) {
    if (data.tid === subject.tid) return 'it';
    const name = `terminal ${data.terminal_id}`;
    const isGone = event.type === 'terminal.deleted' || event.type === 'terminal.left';
    return isGone ? (
      name
    ) : (
      <Anchor component={Link} href={paths.terminal(data.tid)} inherit className="wraps">
        {name}
      </Anchor>
    );
  }
  return branch.mid === subject.mid ? 'it' : <BranchLink mid={branch.mid} branches={branches} />;
}

/** Puts values into a sentence at `{name}`. */
const filled = (sentence: string, values: Record<string, ReactNode>): ReactNode[] =>
  sentence.split(/\{(\w+)\}/).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never change their order
    <Fragment key={at}>{at % 2 === 0 ? part : values[part]}</Fragment>
  ));

/** What happened, as a sentence. */
function EventSentence({ event, subject, branches }: { event: Event; subject: Subject; branches: BranchNames }) {
  const own = useActing().acquirer.id;
  const created = createdBy(event);
  const values: Record<string, ReactNode> = {
    who: (
      <Text span fw={600} c="bright" inherit>
        <bdi>{authorOf(event, own)}</bdi>
      </Text>
    ),
    what: <What event={event} subject={subject} branches={branches} />,
    branch: <BranchLink mid={event.branch.mid} branches={branches} />,
    terminals: terminalsText(created.length),
    reason: event.type === 'terminal.archived' ? <bdi>{event.data.archive_reason}</bdi> : null,
    from: <BranchLink mid={event.changes?.mid ?? ''} branches={branches} />,
    to: <BranchLink mid={event.branch.mid} branches={branches} />,
  };
  const { sentence: text, ofTerminal } = EVENTS[event.type];
  const isOfTerminal = subject.tid !== undefined && ofTerminal !== undefined;
  const sentence = filled(isOfTerminal ? ofTerminal : text, values);
  const isWithTerminals = !isOfTerminal && event.type === 'branch.created' && created.length > 0;
  return isWithTerminals ? (
    <>
      {sentence}, with {values['terminals']}
    </>
  ) : (
    sentence
  );
}

/** The fields that an update changed, with the values before and after. */
function Changes({ event: { type, changes, data } }: { event: Event }) {
  if (!changes || !type.endsWith('.updated')) return null;
  const after = data as Record<string, unknown>;
  const value = (of: unknown) => <bdi>{typeof of === 'string' ? of : 'None'}</bdi>;
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

/** The colours of events that stand out: something no longer works, or no longer exists. Others are grey. */
const GRAVE: Record<string, string> = { archived: 'yellow', left: 'yellow', deleted: 'red' };

/** Events as a timeline, the newest first. */
export function Events({ events, branches, subject }: { events: Event[]; branches: BranchNames; subject: Subject }) {
  if (events.length === 0) return <Text c="dimmed">Nothing has happened yet, or what happened is no longer kept.</Text>;
  return (
    <Steps bulletSize={24} lineWidth={1} active={-1}>
      {events.map((event) => {
        const { icon: Icon } = EVENTS[event.type];
        const [, verb = ''] = event.type.split('.');
        return (
          <Steps.Item
            key={event.id}
            bullet={
              <Avatar size={24} color={GRAVE[verb] ?? 'gray'}>
                <Icon size={12} />
              </Avatar>
            }
          >
            <Group gap="0 8px" c={verb in GRAVE ? 'bright' : 'dimmed'}>
              <div className="grows wraps">
                <EventSentence event={event} subject={subject} branches={branches} />
                <Changes event={event} />
              </div>
              <Group gap="xs" c="dimmed">
                <Text size="sm">
                  <Time at={event.at} />
                </Text>
                <CopyText text={event.request_id} label="Copy request ID" />
              </Group>
            </Group>
          </Steps.Item>
        );
      })}
    </Steps>
  );
}

/** The outline of a list that is being read. */
export const Lines = ({ count }: { count: number }) => (
  <Stack gap="md">
    {Array.from({ length: count }, (_, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: all lines are alike
      <Skeleton key={at} height={16} width={`${90 - ((at * 17) % 40)}%`} />
    ))}
  </Stack>
);

/** The timeline of a terminal or of a branch. */
export function Timeline({ subject }: { subject: Subject }) {
  const query = useActivity(subject);
  return (
    <Loaded query={query} outline={<Lines count={4} />}>
      {({ events, branches }) => (
        <Stack gap="md" align="flex-start">
          <Events events={events} branches={branches} subject={subject} />
          {query.hasNextPage && (
            <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Load earlier
            </Button>
          )}
        </Stack>
      )}
    </Loaded>
  );
}
