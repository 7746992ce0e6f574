import * as v from 'valibot';
import type { Acquirer } from './acquirer.ts';
import { cursorAt, positionOf } from './base/cursor.ts';
import { Problem } from './base/problem.ts';
import { HORIZON_MS } from './base/time.ts';
import { boolean, field, listOf, shownCursor, shownText, time, uuidValue } from './base/values.ts';
import { listedBranch, shownBranch } from './branch.ts';
import { shownCreatedBranch } from './branchCreation.ts';
import { EVENT_TYPES, type Event, type EventType, monthBeside, monthOf, type StoredEvent, toEvent } from './event.ts';
import { idsFrom, retentionMs, SLACK_MS, timeOfId } from './eventId.ts';
import { type Item, queryItems } from './table/client.ts';
import { eventKey } from './table/keys.ts';
import { deletedTerminal, shownTerminal } from './terminal.ts';

/** How old an event has to be, in milliseconds, to be shown: none before it can still arrive then. Tests show them sooner. */
export const FEED = { horizonMs: HORIZON_MS };

/** `data` of an event, by its type: what the operation returned. */
const DATA = {
  'branch.created': shownCreatedBranch,
  'branch.archived': shownBranch,
  'terminals.created': listOf(shownTerminal, 40),
  'terminal.updated': shownTerminal,
  'terminal.archived': shownTerminal,
  'terminal.restored': shownTerminal,
  'terminal.reassigned': shownTerminal,
  'terminal.deleted': deletedTerminal,
  'terminal.left': deletedTerminal,
  'terminal.joined': shownTerminal,
} satisfies Record<EventType, v.GenericSchema>;

/** Fields that an event can say were changed. */
const { mid, serial_no, terminal_model, payment_app, acquirer_name } = shownTerminal.entries;
const changedFields = { mid, serial_no, terminal_model, payment_app, acquirer_name };

/** An event of one type. */
// @__NO_SIDE_EFFECTS__
const shownEventOf = <T extends EventType>(type: T) =>
  v.object({
    id: field(uuidValue, 'UUID of the event. Events sort by it, and everybody who sees the event sees the same id.'),
    type: v.literal(type),
    at: field(time, 'When it happened (RFC 3339, UTC): the time that the change gave to the resource.'),
    branch: field(
      v.object({ mid: listedBranch.entries.mid, status: listedBranch.entries.status }),
      'The branch that the event is about, or whose terminals it is about, and its status then. Archiving an active branch also archives its active terminals.',
    ),
    data: field(DATA[type] as v.GenericSchema, 'What the operation returned: the resource after the change.'),
    changes: field(
      v.nullable(v.partial(v.object(changedFields))),
      'The fields that changed, with their previous values. `null` except for updates and reassignments.',
    ),
    by: field(
      v.object({ acquirer: uuidValue, key_id: v.nullable(shownText), key_label: v.nullable(shownText) }),
      'Who made the change. The API key is shown only to the acquirer that owns it.',
    ),
    request_id: field(shownText, 'The `X-Request-Id` of the request that made the change.'),
  });

/** An event, by its type. */
export const shownEvents = EVENT_TYPES.map(shownEventOf);

/** `meta` of a page of events. */
export const shownEventsMeta = v.object({
  next: field(shownCursor, 'Cursor of the next page.'),
  up_to_date: field(boolean, 'Whether these are all events so far. If `false`, read on at once.'),
  complete_to: field(time, 'Every event before this time is on this page or an earlier one (RFC 3339, UTC).'),
});

/** A part of an acquirer's events. */
export interface FeedPage {
  events: Event[];
  /** Cursor to go on from. */
  next: string;
  /** Whether these were all events that can be shown by now. */
  up_to_date: boolean;
  /** Every event before this time is on this page or on one before it. */
  complete_to: string;
}

const timeText = (time: number): string => new Date(time).toISOString();

/** The first `limit` events behind one place and before another. Strongly consistent: what was stored is found. */
async function eventsBetween(acquirer: string, after: string, before: string, limit: number) {
  const found: Item<StoredEvent>[] = [];
  const last = monthOf(before);
  for (let month = monthOf(after); month <= last && found.length < limit; month = monthBeside(month, 1)) {
    const { pk } = eventKey(acquirer, month, '');
    const range = {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :after AND :before',
      // A blank sorts before whatever goes on a place, and the place itself is left out.
      ExpressionAttributeValues: { ':pk': pk, ':after': `${after} `, ':before': before },
      ConsistentRead: true,
    };
    found.push(...(await queryItems<Item<StoredEvent>>(range, limit - found.length)));
  }
  return found;
}

/**
 * The events of an acquirer behind a cursor, the oldest first. Nothing is left out: an event is shown once none before
 * it can still be stored, and is read strongly consistent. A page with `up_to_date: false` is the same whenever it is read
 * again.
 *
 * One read unit when there is nothing new, and one for each 4 KB of events: about ten for 100. A page that goes on into
 * another month takes one more.
 *
 * @param after A cursor; `now` for the events from now on; without one, the oldest that are kept.
 * @param limit The most events.
 * @throws Problem `invalid_query` for what is no cursor of this acquirer's events; `cursor_expired` when events behind it may
 *   be gone. For some days after the number of days was raised, that is not known: docs/operations.md.
 */
export async function readEvents({ id }: Acquirer, after: string | undefined, limit: number): Promise<FeedPage> {
  const list = [id, 'events'];
  const oldest = Date.now() - retentionMs();
  const horizon = Date.now() - FEED.horizonMs;
  const end = idsFrom(horizon);
  const from = after === undefined ? idsFrom(oldest) : after === 'now' ? end : positionOf(after, list, 'after');
  if (timeOfId(from) < oldest - SLACK_MS)
    throw new Problem(
      'cursor_expired',
      'Events after this cursor may be gone. Get a cursor with after=now, read the lists, and go on from that cursor.',
    );
  // Another process, whose clock is ahead, may have given the cursor.
  const isAhead = from >= end;
  const found = isAhead ? [] : await eventsBetween(id, from, end, limit);
  const events = found.map(toEvent);
  const last = events.at(-1);
  if (last && events.length === limit)
    return { events, next: cursorAt(last.id, list), up_to_date: false, complete_to: last.at };
  const place = isAhead ? from : end;
  return { events, next: cursorAt(place, list), up_to_date: true, complete_to: timeText(timeOfId(place)) };
}
