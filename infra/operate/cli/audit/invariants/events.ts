import { timeOfId } from '../../../../../lib/base/eventId.ts';
import * as keys from '../../../../../lib/table/keys.ts';
import { bodyOf, branchIn, shownStatus, type Tally, terminalsIn } from '../events.ts';
import { ownerOf } from '../inspect.ts';
import { acrossItems, type Detail, type Invariants, overall, perItem } from '../invariant.ts';
import { isEventId } from '../keyParts.ts';
import type { Item, Summary } from '../kinds.ts';
import type { Snapshot } from '../snapshot.ts';
import type { LastOfBranch, LastOfTerminal } from '../trail.ts';

const timeText = (id: string): string => new Date(timeOfId(id)).toISOString();

const isAlike = (one: Tally | undefined, other: Tally | undefined): boolean =>
  one?.count === other?.count && one?.sum === other?.sum;

/** Checks each event by itself, unless its id has no time. */
const each = (check: (event: Item<'event'>, key: keys.Key) => Detail | Detail[]) =>
  perItem(['event'], (event, key) => isEventId(key.sk) && check(event, key));

/** A branch or terminal as it is stored, with its last event. */
interface Recorded {
  key: keys.Key;
  updated_at: string;
  last: LastOfBranch | LastOfTerminal | undefined;
  /** The time of the last event that changed it, in milliseconds; 0 without any. */
  changed: number;
  /** Whether the last event has the data that are stored. */
  matches: boolean;
}

/** All branches and terminals except those that changed during the scan, which may have seen half of the change. */
function* recorded(all: Snapshot): Generator<Recorded> {
  const { trail } = all;
  const isAtRest = ({ updated_at, changed }: Recorded) => trail.isPast(Date.parse(updated_at)) && trail.isPast(changed);
  for (const [{ updated_at, shown }, key] of all.valid('branch')) {
    const last = trail.branches.get(ownerOf(key));
    const changed = trail.changes.get(ownerOf(key)) ?? 0;
    const found = { key, updated_at, last, changed, matches: last?.shown === shown };
    if (isAtRest(found)) yield found;
  }
  for (const [terminal, key] of all.valid('terminal')) {
    const last = trail.terminals.get(ownerOf(key));
    const branch = all.get('branch', keys.branchKey(terminal.mid)) ?? {};
    const [changed, matches] = [last ? timeOfId(last.id) : 0, matchesEvent(terminal, last, branch)];
    const found = { key, updated_at: terminal.updated_at, last, changed, matches };
    if (isAtRest(found)) yield found;
  }
}

/** Whether a terminal has the data of its last event, given that its branch may have been archived or restored since. */
function matchesEvent(
  terminal: Summary<'terminal'>,
  last: LastOfTerminal | undefined,
  branch: Partial<Summary<'branch'>>,
): boolean {
  if (!last?.status || last.fields !== terminal.fields || last.creation_event !== terminal.creation_event) return false;
  return JSON.stringify(shownStatus(last.status, branch)) === JSON.stringify(shownStatus(terminal, branch));
}

/** Branches and terminals that have events but no item, each with its last event. Deleted terminals are left out. */
function* missing(all: Snapshot): Generator<[keys.Key, LastOfBranch | LastOfTerminal]> {
  const { branches, terminals } = all.trail;
  for (const [mid, last] of branches) if (!all.get('branch', keys.branchKey(mid))) yield [keys.branchKey(mid), last];
  for (const [tid, last] of terminals)
    if (last.type !== 'terminal.deleted' && !all.get('terminal', keys.terminalKey(tid)))
      yield [keys.terminalKey(tid), last];
}

/** Invariants of events, and of branches and terminals with regard to their events. Leaves out the last seconds. */
export const EVENTS: Invariants = {
  event_time: [
    'The time of an event is that of the change in its body.',
    each((event, { sk }) => {
      const body = bodyOf(event.body);
      const at = timeText(sk);
      const changed = [branchIn(body) ?? [], terminalsIn(body)].flat();
      const other = changed.map(({ updated_at }) => updated_at).find((time) => time !== at);
      return other !== undefined && `The change in its body has the time ${other}; expected ${at}.`;
    }),
  ],
  event_author: [
    'A copy of an event names the API key or the person if and only if the copy belongs to the acquirer of that key or person.',
    each(({ body }, key) => {
      const { by } = bodyOf(body);
      const parts = [by.key_id, by.key_label].filter((part) => part !== null).length;
      if (keys.acquirerIn(key) !== by.acquirer)
        return [
          parts > 0 && `It names an API key of ${by.acquirer}.`,
          by.person !== null && `It names a person of ${by.acquirer}.`,
        ];
      if (by.person) return parts > 0 && 'It names both an API key and a person.';
      return parts < 2 && 'It names neither an API key nor a person.';
    }),
  ],
  creation_event: [
    'The event that a terminal, or an event of it, names as its creation has the time of its creation.',
    perItem(['terminal', 'event'], (item) => {
      const { created_at } = 'body' in item ? (terminalsIn(bodyOf(item.body))[0] ?? {}) : item;
      const at = item.creation_event && timeText(item.creation_event);
      return at && created_at && at !== created_at && `Its creation_event has the time ${at}; expected ${created_at}.`;
    }),
  ],
  event_viewers: [
    'Only the payment provider and the distributor of a branch have events of it.',
    overall(function* (all) {
      for (const [history, { count }] of all.trail.copies) {
        const [viewer = '', mid = ''] = history.split('#');
        const branch = all.get('branch', keys.branchKey(mid));
        const acquirer = keys.longUuid(viewer);
        yield [
          keys.branchKey(mid),
          ![branch?.payment_provider, branch?.distributor].includes(acquirer) &&
            `${acquirer} is neither its payment provider nor its distributor, but has ${count} of its events.`,
        ];
      }
    }),
  ],
  event_copies: [
    'The payment provider and the distributor of a branch have the same events of it.',
    acrossItems(['branch'], ({ payment_provider, distributor }, key, { trail: { copies } }) => {
      if (!distributor) return;
      const [provided, distributed] = [payment_provider, distributor].map((acquirer) =>
        copies.get(keys.historyOf(acquirer, ownerOf(key))),
      );
      const counts = `payment provider ${provided?.count ?? 0}, distributor ${distributed?.count ?? 0}`;
      return !isAlike(provided, distributed) && `The copies of its events differ (${counts}).`;
    }),
  ],
  event_departures: [
    "Each reassignment is in its acquirer's history of the branch that the terminal left.",
    overall(function* ({ trail: { departures, histories } }) {
      for (const history of new Set([...departures.keys(), ...histories.keys()])) {
        const [, mid = ''] = history.split('#');
        const [events, named] = [departures.get(history), histories.get(history)];
        const counts = `events ${events?.count ?? 0}, in it ${named?.count ?? 0}`;
        yield [
          keys.branchKey(mid),
          !isAlike(events, named) && `The reassignments from it in the history ${history} differ (${counts}).`,
        ];
      }
    }),
  ],
  event_once: [
    'No two events of a branch or terminal have the same time.',
    overall(function* ({ trail }) {
      for (const [key, at] of trail.duplicates.values())
        yield [key, `It has two events of ${new Date(at).toISOString()}.`];
    }),
  ],
  last_event: [
    'A branch or terminal has the data of its last event.',
    overall(function* (all) {
      for (const { key, updated_at, last, changed, matches } of recorded(all)) {
        const stored = Date.parse(updated_at);
        if (stored > changed) continue;
        if (last && !matches) yield [key, `It differs from its last event, ${last.type} of ${timeText(last.id)}.`];
        else if (stored < changed)
          yield [key, `Its updated_at is ${updated_at}, but it has an event of ${new Date(changed).toISOString()}.`];
      }
      for (const [key, { id, type }] of missing(all)) {
        const time = timeOfId(id);
        // An older event may have been retained for longer than that of the deletion.
        const isLast = all.trail.isPast(time) && all.trail.isOnRecord(time);
        yield [key, isLast && `It does not exist, but its last event is ${type} of ${timeText(id)}.`];
      }
    }),
  ],
  on_record: [
    'A branch or terminal that has changed since the oldest event has an event of its last change.',
    overall(function* (all) {
      for (const { key, updated_at, changed } of recorded(all)) {
        const stored = Date.parse(updated_at);
        const isMissing = all.trail.isOnRecord(stored) && changed < stored;
        yield [key, isMissing && `Its change at ${updated_at} has no event.`];
      }
    }),
  ],
};
