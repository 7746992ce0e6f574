import type { Acquirer } from '../acquirers/acquirer.ts';
import { cursorAt, positionOf } from '../base/cursor.ts';
import { lowerBoundId, retentionMs, SLACK_MS, timeOfId } from '../base/eventId.ts';
import { Problem } from '../base/problem.ts';
import { HORIZON_MS, timeText } from '../base/time.ts';
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

/**
 * Adds to a page the events after one position and up to another, strongly consistent, until it is full.
 *
 * @param first The most events that the first request to the table reads; by default as many as the page has room for.
 */
export async function addEvents(
  page: EventPage,
  acquirer: string,
  { after, to, first }: { after: string; to: string; first?: number },
): Promise<void> {
  const last = monthOf(to);
  for (let month = monthOf(after); month <= last && page.room > 0; month = monthBeside(month, 1)) {
    const range = {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :after AND :to',
      ExpressionAttributeValues: {
        ':pk': eventKey(acquirer, month, '').pk,
        // The trailing space excludes `after` itself, but no id that starts with it.
        ':after': `${after} `,
        ':to': to,
      },
      ConsistentRead: true,
    };
    for await (const copies of queryPages<Item<StoredEvent>>(range, page.room, first)) {
      page.add(copies);
      if (page.room === 0) break;
    }
  }
}

/** Identifies the list of an acquirer's events, for its cursors. */
export const feedOf = (acquirer: string): string[] => [acquirer, 'events'];

/** The position where the feed ends now: all events before it are shown, and none behind it. */
export const feedEnd = (now = Date.now()): string => lowerBoundId(now - FEED.horizonMs);

/**
 * Whether events after a position may have expired. That is not detected for some days after the retention was raised:
 * docs/operations.md.
 */
export const mayHaveExpired = (position: string): boolean => timeOfId(position) < Date.now() - retentionMs() - SLACK_MS;

/**
 * Reads an acquirer's events after a cursor, the oldest first. None is missed: an event is shown only when no earlier
 * one can still be stored, and reads are strongly consistent. A page with `up_to_date: false` never changes, and may
 * have less than `limit` events: its body has at most 1 MB. Costs one read unit if there is nothing new, otherwise one
 * per 4 KB of events.
 *
 * @param after A cursor; `now` for events from now on; `undefined` to start with the oldest retained event.
 * @throws Problem `invalid_query` unless `after` is a cursor of this acquirer's events; `cursor_expired` when events
 *   after it may have expired.
 */
export async function readEvents({ id }: Acquirer, after: string | undefined, limit: number): Promise<FeedPage> {
  const list = feedOf(id);
  const end = feedEnd();
  const from =
    after === undefined
      ? lowerBoundId(Date.now() - retentionMs())
      : after === 'now'
        ? end
        : positionOf(after, list, 'after');
  if (mayHaveExpired(from))
    throw new Problem(
      'cursor_expired',
      'Events after this cursor may have expired. Get a cursor with after=now, read the lists, then continue from ' +
        'that cursor.',
    );
  const page = new EventPage(limit);
  // The cursor may come from a process whose clock is ahead.
  const isAhead = from >= end;
  if (!isAhead) await addEvents(page, id, { after: from, to: end });
  const { events, room } = page;
  const last = events.at(-1);
  if (last && room === 0) return { events, next: cursorAt(last.id, list), up_to_date: false, complete_to: last.at };
  const reached = isAhead ? from : end;
  return { events, next: cursorAt(reached, list), up_to_date: true, complete_to: timeText(timeOfId(reached)) };
}
