import type { Acquirer } from './acquirer.ts';
import { cursorAt, positionOf } from './base/cursor.ts';
import { Problem } from './base/problem.ts';
import { HORIZON_MS } from './base/time.ts';
import { type Event, monthBeside, monthOf, type StoredEvent, toEvent } from './event.ts';
import { idsFrom, retentionMs, SLACK_MS, timeOfId } from './eventId.ts';
import { type Item, queryItems } from './table/client.ts';
import { eventKey } from './table/keys.ts';

/** How old an event has to be, in milliseconds, to be shown: none before it can still arrive then. Tests show them sooner. */
export const FEED = { horizonMs: HORIZON_MS };

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
