import { DAY_MS, expiryOf, timeOfId } from '../../../../lib/eventId.ts';
import { acquirerOfEvent, branchKey, type Key, terminalKey } from '../../../../lib/table/keys.ts';
import { shownStatus } from '../digests.ts';
import { bodyOf, terminalsIn } from '../eventBody.ts';
import { ownerOf } from '../inspect.ts';
import { alone, differs, type Invariant, type Violated } from '../invariant.ts';
import { isEventId } from '../keyParts.ts';
import type { Item, Summary } from '../kinds.ts';
import type { Snapshot } from '../snapshot.ts';
import { daysOf, type LastOfBranch, type LastOfTerminal, type Tally } from '../trail.ts';

const timeText = (id: string): string => new Date(timeOfId(id)).toISOString();

const isAlike = (one: Tally | undefined, other: Tally | undefined): boolean =>
  one?.count === other?.count && one?.sum === other?.sum;

/** Judges each event by itself, unless its id tells no time. */
const each = (judge: (event: Item<'event'>, key: Key) => Violated | Violated[]) =>
  alone(['event'], (event, key) => isEventId(key.sk) && judge(event, key));

/** A branch or terminal as it is stored, with its last event. */
interface Recorded {
  key: Key;
  updated_at: string;
  last?: LastOfBranch | LastOfTerminal | undefined;
  /** Whether the last event tells what is stored. */
  isTold: boolean;
}

/** All branches and terminals, except for those that changed while the table was read: those may have been seen by halves. */
function* recorded(all: Snapshot): Generator<Recorded> {
  const { trail } = all;
  const isAtRest = ({ updated_at, last }: Recorded) =>
    trail.isPast(Date.parse(updated_at)) && (!last || trail.isPast(timeOfId(last.id)));
  for (const [branch, key] of all.of('branch')) {
    const { updated_at = '', shown } = branch;
    const last = trail.branches.get(ownerOf(key));
    const found = { key, updated_at, last, isTold: last?.shown === shown };
    if (!all.isMalformed(key) && isAtRest(found)) yield found;
  }
  for (const [terminal, key] of all.of('terminal')) {
    const { updated_at = '', mid = '' } = terminal;
    const last = trail.terminals.get(ownerOf(key));
    const branch = all.get('branch', branchKey(mid)) ?? {};
    const found = { key, updated_at, last, isTold: isTold(terminal, last, branch) };
    if (!all.isMalformed(key) && isAtRest(found)) yield found;
  }
}

/** Whether an event tells what is stored of a terminal; its branch may have been archived since. */
function isTold(
  terminal: Summary<'terminal'>,
  last: LastOfTerminal | undefined,
  branch: Summary<'branch'> | object,
): boolean {
  if (!last?.status || last.fields !== terminal.fields) return false;
  return JSON.stringify(shownStatus(last.status, branch)) === JSON.stringify(shownStatus(terminal, branch));
}

/** The last events of what is not there. */
function* lost(all: Snapshot): Generator<[Key, LastOfBranch | LastOfTerminal]> {
  const { branches, terminals } = all.trail;
  for (const [mid, last] of branches) if (!all.get('branch', branchKey(mid))) yield [branchKey(mid), last];
  for (const [tid, last] of terminals)
    if (last.type !== 'terminal.deleted' && !all.get('terminal', terminalKey(tid))) yield [terminalKey(tid), last];
}

/** What holds of events, and of branches and terminals by their events. Those of the last seconds are not judged yet. */
export const EVENTS: Invariant[] = [
  {
    name: 'event_ttl',
    holds: 'An event is kept for whole days, and an hour.',
    ...alone(['event', 'reassignment'], ({ ttl }, { sk }) => {
      if (!isEventId(sk)) return;
      const at = timeOfId(sk);
      return differs('ttl', ttl, expiryOf(timeText(sk), Math.max(daysOf(at, ttl), 1) * DAY_MS));
    }),
  },
  {
    name: 'event_time',
    holds: 'An event has the time that it gives to what it changed.',
    ...each((event, { sk }) => {
      const body = bodyOf(event.body);
      const at = timeText(sk);
      const given = [
        ...(body.type === 'branch.archived' ? [body.data.archived_at] : []),
        ...terminalsIn(body).map(({ updated_at }) => updated_at),
      ];
      const other = given.find((time) => time !== at);
      return other !== undefined && `It changed something at ${other}; ${at} would be right.`;
    }),
  },
  {
    name: 'event_author',
    holds: 'An event names an API key to the acquirer that the key belongs to, and to no other.',
    ...each(({ body }, key) => {
      const { by } = bodyOf(body);
      const isOwn = acquirerOfEvent(key) === by.acquirer;
      if (isOwn) return (by.key_id === null || by.key_label === null) && 'It does not name the API key.';
      return (by.key_id !== null || by.key_label !== null) && `It names an API key of ${by.acquirer}.`;
    }),
  },
  {
    name: 'event_history',
    holds: 'An event is in the histories of its branch and of its one terminal, if at all.',
    ...each(({ branch_history, terminal_history, terminal_created_at, ...event }) => {
      const body = bodyOf(event.body);
      const isOfOne = !['branch.created', 'branch.archived', 'terminals.created'].includes(body.type);
      const { tid, created_at = terminal_created_at } = (isOfOne ? body.data : {}) as Record<string, string>;
      return [
        branch_history !== undefined && differs('branch_history', branch_history, body.branch.mid),
        differs('terminal_history', terminal_history, branch_history && tid),
        differs(
          'terminal_created_at',
          terminal_created_at,
          isOfOne ? (created_at ?? 'that of its terminal') : undefined,
        ),
      ];
    }),
  },
  {
    name: 'event_index',
    holds: "Of each event, the payment provider's copy is in the indexes of the histories, and no other.",
    *together(all) {
      for (const { mid, viewer, isIndexed, isUnindexed } of all.trail.views()) {
        const { payment_provider } = all.get('branch', branchKey(mid)) ?? {};
        const isProvider = viewer === payment_provider;
        const violation: Violated = isProvider
          ? isUnindexed && `Of its payment provider's events, some are not in the indexes.`
          : isIndexed && `Events of ${viewer}, which is not its payment provider, are in the indexes.`;
        yield [branchKey(mid), payment_provider && violation];
      }
    },
  },
  {
    name: 'event_viewers',
    holds: 'Whoever has events of a branch is its payment provider or its distributor.',
    *together(all) {
      for (const { mid, viewer, count } of all.trail.views()) {
        const branch = all.get('branch', branchKey(mid));
        const isViewer = branch && [branch.payment_provider, branch.distributor].includes(viewer);
        yield [
          branchKey(mid),
          !isViewer && `${viewer} is neither its payment provider nor its distributor, and has ${count} of its events.`,
        ];
      }
    },
  },
  {
    name: 'event_copies',
    holds: 'The payment provider and the distributor of a branch have the same events of it.',
    *together(all) {
      for (const [{ payment_provider = '', distributor }, key] of all.of('branch')) {
        if (!distributor) continue;
        const ofProvider = all.trail.viewOf(ownerOf(key), payment_provider);
        const ofDistributor = all.trail.viewOf(ownerOf(key), distributor);
        const counts = `There are ${ofProvider?.count ?? 0} and ${ofDistributor?.count ?? 0}, or they differ.`;
        yield [key, !isAlike(ofProvider, ofDistributor) && counts];
      }
    },
  },
  {
    name: 'event_departures',
    holds: 'Each reassignment is in the history of the branch that the terminal left.',
    *together({ trail: { departures, histories } }) {
      for (const mid of new Set([...departures.keys(), ...histories.keys()])) {
        const [events, named] = [departures.get(mid), histories.get(mid)];
        const violation = `Of ${events?.count ?? 0} reassignments from it, its history names ${named?.count ?? 0}, or others.`;
        yield [branchKey(mid), !isAlike(events, named) && violation];
      }
    },
  },
  {
    name: 'event_once',
    holds: 'A branch or terminal has one event of one time at the most.',
    together: ({ trail }) =>
      trail.doubled.map(([key, at]): [Key, Violated] => [key, `It has two of ${new Date(at).toISOString()}.`]),
  },
  {
    name: 'last_event',
    holds: 'The last event of a branch or terminal tells what it is like.',
    *together(all) {
      for (const { key, updated_at, last, isTold } of recorded(all)) {
        const isOlder = !last || Date.parse(updated_at) > timeOfId(last.id);
        yield [key, !isOlder && !isTold && `${last.type} of ${timeText(last.id)} tells something else.`];
      }
      for (const [key, { id, type }] of lost(all)) {
        const time = timeOfId(id);
        // An older one may have been kept for longer than that of the deletion.
        const isLast = all.trail.isPast(time) && all.trail.isOnRecord(time);
        yield [key, isLast && `It is not there, and ${type} of ${timeText(id)} tells that it is.`];
      }
    },
  },
  {
    name: 'on_record',
    holds: 'A branch or terminal that has changed since the oldest event has an event of its last change.',
    *together(all) {
      for (const { key, updated_at, last } of recorded(all)) {
        const changed = Date.parse(updated_at);
        const isMissing = all.trail.isOnRecord(changed) && !(last && timeOfId(last.id) >= changed);
        yield [key, isMissing && `There is none of its change at ${updated_at}.`];
      }
    },
  },
];
