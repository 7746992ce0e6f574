import type { Acquirer } from '../acquirers/acquirer.ts';
import { cursorAt, positionOf } from '../base/cursor.ts';
import { lowerBoundId, retentionMs } from '../base/eventId.ts';
import { getBranch } from '../branches/branch.ts';
import { type Item, queryPages } from '../table/client.ts';
import { historyOf } from '../table/keys.ts';
import { type Event, EventPage, type StoredEvent } from './event.ts';

/*
 * A history consists of the acquirer's own copies of events, so it is the same whatever others did: see
 * docs/decisions/0025-events.md. Its indexes can lag by some milliseconds.
 */

/** A page of a history, the newest events first. */
export interface HistoryPage {
  events: Event[];
  /** Cursor of the next page; `null` at the end. */
  next: string | null;
}

/** The requested page: the newest `limit` events, or the newest before a cursor. */
export interface HistoryRequest {
  before?: string | undefined;
  limit: number;
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
export const startOf = ({ before }: HistoryRequest, list: string[]): string =>
  before === undefined ? END : positionOf(before, list, 'before');

/** A page of a list. */
export const historyPage = (events: Event[], hasMore: boolean, list: string[]): HistoryPage => {
  const last = events.at(-1);
  return { events, next: last && hasMore ? cursorAt(last.id, list) : null };
};

/**
 * Reads the events of a branch and its terminals, the newest first.
 *
 * @throws Problem `not_found` when the branch is not accessible; `invalid_query` for an invalid cursor.
 */
export async function branchHistory(acquirer: Acquirer, mid: string, request: HistoryRequest): Promise<HistoryPage> {
  const list = [acquirer.id, 'branch', mid];
  const start = startOf(request, list);
  await getBranch(acquirer, mid);
  const page = new EventPage(request.limit);
  for await (const copies of queryPages<Copy>(eventsAbout('branch', acquirer.id, mid, start), request.limit + 1)) {
    page.add(retained(copies));
    if (page.isCut) break;
  }
  return historyPage(page.events, page.isCut, list);
}
