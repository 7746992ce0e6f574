import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { cursorAt, positionOf } from '../base/cursor.ts';
import { lowerBoundId, retentionMs, SLACK_MS, timeOfId } from '../base/eventId.ts';
import { Problem } from '../base/problem.ts';
import { HORIZON_MS } from '../base/time.ts';
import { boolean, extend, field, listOf, shownFeedCursor, shownText, time, uuidValue } from '../base/values.ts';
import { listedBranch, shownBranch } from '../branches/branch.ts';
import { shownCreatedBranch } from '../branches/createBranch.ts';
import { type Item, queryPages } from '../table/client.ts';
import { eventKey } from '../table/keys.ts';
import { deletedTerminal, shownTerminal } from '../terminals/terminal.ts';
import { EVENT_TYPES, type Event, EventPage, type EventType, monthBeside, monthOf, type StoredEvent } from './event.ts';

/** Minimum age of a shown event, in milliseconds: by then no earlier event can still be stored. Tests reduce it. */
export const FEED = { horizonMs: HORIZON_MS };

/** `data` of an event, by type: what the operation returned. */
const DATA = {
  'branch.created': shownCreatedBranch,
  'branch.updated': shownBranch,
  'branch.archived': shownBranch,
  'branch.restored': shownBranch,
  'terminals.created': listOf(shownTerminal, 40),
  'terminal.updated': shownTerminal,
  'terminal.archived': shownTerminal,
  'terminal.restored': shownTerminal,
  'terminal.reassigned': shownTerminal,
  'terminal.deleted': deletedTerminal,
  'terminal.left': deletedTerminal,
  'terminal.joined': shownTerminal,
} satisfies Record<EventType, v.GenericSchema>;

/** Fields that `changes` of an event can have. */
const changedFields = extend(
  v.pick(shownBranch, ['merchant_name', 'area', 'city', 'status', 'archived_at']),
  v.pick(shownTerminal, ['mid', 'serial_no', 'terminal_model', 'payment_app', 'acquirer_name']).entries,
);

/** An event of one type. */
const shownEventOf = <T extends EventType>(type: T) =>
  v.object({
    id: field(
      uuidValue,
      'UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.',
    ),
    type: v.literal(type),
    at: field(time, 'When it happened (RFC 3339, UTC): the time that the resource shows for the change.'),
    branch: field(
      v.pick(listedBranch, ['mid', 'status', 'archived_at']),
      'The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those.',
    ),
    data: field(DATA[type] as v.GenericSchema, 'What the operation returned: the resource after the change.'),
    changes: field(
      v.nullable(v.partial(changedFields)),
      'The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches.',
    ),
    by: field(
      v.object({
        acquirer: uuidValue,
        acquirer_name: shownText,
        key_id: v.nullable(shownText),
        key_label: v.nullable(shownText),
        person: v.nullable(v.object({ id: uuidValue, name: v.nullable(shownText) })),
      }),
      'Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed.',
    ),
    request_id: field(shownText, 'The `X-Request-Id` of the request that made the change.'),
  });

/** An event in a response. */
export const shownEvent = v.variant('type', EVENT_TYPES.map(shownEventOf));

/** `meta` of a page of events. */
export const shownEventsMeta = v.object({
  next: field(shownFeedCursor, 'Cursor of the next page.'),
  up_to_date: field(boolean, 'Whether these are all events so far. If `false`, request the next page at once.'),
  complete_to: field(time, 'Every event before this time is on this page or an earlier one (RFC 3339, UTC).'),
});

/** A page of an acquirer's events. */
export interface FeedPage {
  events: Event[];
  /** Cursor of the next page. */
  next: string;
  /** Whether these are all events that can be shown so far. */
  up_to_date: boolean;
  /** Every event before this time is on this page or an earlier one. */
  complete_to: string;
}

const timeText = (time: number): string => new Date(time).toISOString();

/** Reads a page of the events after one position and before another, strongly consistent. */
async function eventsBetween(acquirer: string, after: string, before: string, limit: number): Promise<EventPage> {
  const page = new EventPage(limit);
  const last = monthOf(before);
  for (let month = monthOf(after); month <= last && page.room > 0; month = monthBeside(month, 1)) {
    const range = {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :after AND :before',
      ExpressionAttributeValues: {
        ':pk': eventKey(acquirer, month, '').pk,
        // The trailing space excludes `after` itself, but no id that starts with it.
        ':after': `${after} `,
        ':before': before,
      },
      ConsistentRead: true,
    };
    for await (const copies of queryPages<Item<StoredEvent>>(range, page.room)) {
      page.add(copies);
      if (page.room === 0) break;
    }
  }
  return page;
}

/**
 * Reads an acquirer's events after a cursor, the oldest first. None is missed: an event is shown only when no earlier
 * one can still be stored, and reads are strongly consistent. A page with `up_to_date: false` never changes. It may
 * have less than `limit` events: it ends before one with which its body would exceed 1 MB.
 *
 * Costs one read unit if there is nothing new, otherwise one per 4 KB of events (about ten for 100). A page that
 * continues into another month costs one more.
 *
 * @param after A cursor; `now` for events from now on; `undefined` to start with the oldest retained event.
 * @param limit The most events to return.
 * @throws Problem `invalid_query` unless `after` is a cursor of this acquirer's events; `cursor_expired` when events
 *   after it may have expired. That is not detected for some days after the retention was raised: docs/operations.md.
 */
export async function readEvents({ id }: Acquirer, after: string | undefined, limit: number): Promise<FeedPage> {
  const list = [id, 'events'];
  const oldest = Date.now() - retentionMs();
  const horizon = Date.now() - FEED.horizonMs;
  const end = lowerBoundId(horizon);
  const from = after === undefined ? lowerBoundId(oldest) : after === 'now' ? end : positionOf(after, list, 'after');
  if (timeOfId(from) < oldest - SLACK_MS)
    throw new Problem(
      'cursor_expired',
      'Events after this cursor may have expired. Get a cursor with after=now, read the lists, then continue from that cursor.',
    );
  // The cursor may come from a process whose clock is ahead.
  const isAhead = from >= end;
  const { events, room } = isAhead ? new EventPage(limit) : await eventsBetween(id, from, end, limit);
  const last = events.at(-1);
  if (last && room === 0) return { events, next: cursorAt(last.id, list), up_to_date: false, complete_to: last.at };
  const place = isAhead ? from : end;
  return { events, next: cursorAt(place, list), up_to_date: true, complete_to: timeText(timeOfId(place)) };
}
