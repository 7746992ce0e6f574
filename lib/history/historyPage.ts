import { cursorAt, positionOf } from '../base/cursor.ts';
import { lowerBoundId, retentionMs, timeOfId } from '../base/eventId.ts';
import type { Event, EventPage, Matches, StoredEvent } from '../events/event.ts';
import type { Item } from '../table/client.ts';
import { historyOf } from '../table/keys.ts';

/*
 * A history consists of the acquirer's own copies of events, so it is the same whatever others did: see
 * docs/decisions/0025-events.md. Its indexes can lag by some milliseconds.
 */

/** A page of a history, the newest events first. */
export interface HistoryPage {
  events: Event[];
  /** Cursor of the next page; `null` at the end. */
  next: string | null;
  /** The time down to which all events were read; `null` at the end. */
  read_to: string | null;
}

/** The requested page: the newest `limit` events, or the newest before a cursor. */
export interface HistoryRequest {
  before?: string | undefined;
  /**
   * Times in milliseconds since 1970: events before `until`, unless there is a cursor, and none needed before `since`.
   */
  until?: number | undefined;
  since?: number | undefined;
  limit: number;
  /** Which events the page has: it reads at most MOST_READ to find them. */
  matches?: Matches | undefined;
}

/** An acquirer's copy of an event. */
export type Copy = Item<StoredEvent>;

/** A sort key after all event ids, which begin with a hexadecimal digit. */
export const END = '~';

/** Queries the newest events of an acquirer about a branch or terminal before a position, the newest first. */
export const eventsAbout = (about: 'branch' | 'terminal', acquirer: string, id: string, before: string) => ({
  IndexName: `events-by-${about}`,
  KeyConditionExpression: `${about}_history = :history AND sk < :before`,
  ExpressionAttributeValues: { ':history': historyOf(acquirer, id), ':before': before },
  ScanIndexForward: false,
});

/** Drops expired events, which DynamoDB deletes only hours later. */
export const retained = <T extends { sk: string }>(copies: T[]): T[] => {
  const oldest = lowerBoundId(Date.now() - retentionMs());
  return copies.filter(({ sk }) => sk >= oldest);
};

/** The position before which the requested page begins. */
export function startOf({ before, until }: HistoryRequest, list: string[]): string {
  if (before !== undefined) return positionOf(before, list, 'before');
  return until === undefined ? END : lowerBoundId(until);
}

/** A page that continues at a position, if there is more. */
export const historyPage = (
  { events, last: position }: Pick<EventPage, 'events' | 'last'>,
  hasMore: boolean,
  list: string[],
): HistoryPage =>
  position === undefined || !hasMore
    ? { events, next: null, read_to: null }
    : { events, next: cursorAt(position, list), read_to: new Date(timeOfId(position)).toISOString() };
