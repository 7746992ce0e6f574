import type { Acquirer } from '../acquirers/acquirer.ts';
import { cursorAt, positionOf } from '../base/cursor.ts';
import { lowerBoundId, retentionMs, SLACK_MS, timeOfId } from '../base/eventId.ts';
import { Problem } from '../base/problem.ts';
import { HORIZON_MS } from '../base/time.ts';
import { type Item, queryPages } from '../table/client.ts';
import { eventKey } from '../table/keys.ts';
import { type Event, EventPage, monthBeside, monthOf, type StoredEvent } from './event.ts';

/** Minimum age of a shown event, in milliseconds: by then no earlier event can still be stored. Tests reduce it. */
export const FEED = { horizonMs: HORIZON_MS };

export interface FeedPage {
  events: Event[];
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
 * one can still be stored, and reads are strongly consistent. A page with `up_to_date: false` never changes, and may
 * have less than `limit` events: its body has at most 1 MB. Costs one read unit if there is nothing new, otherwise one
 * per 4 KB of events.
 *
 * @param after A cursor; `now` for events from now on; `undefined` to start with the oldest retained event.
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
      'Events after this cursor may have expired. Get a cursor with after=now, read the lists, then continue from ' +
        'that cursor.',
    );
  // The cursor may come from a process whose clock is ahead.
  const isAhead = from >= end;
  const { events, room } = isAhead ? new EventPage(limit) : await eventsBetween(id, from, end, limit);
  const last = events.at(-1);
  if (last && room === 0) return { events, next: cursorAt(last.id, list), up_to_date: false, complete_to: last.at };
  const reached = isAhead ? from : end;
  return { events, next: cursorAt(reached, list), up_to_date: true, complete_to: timeText(timeOfId(reached)) };
}
