import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { lowerBoundId, retentionMs, upperBoundId } from '../base/eventId.ts';
import { HORIZON_MS } from '../base/time.ts';
import { field, listOf } from '../base/values.ts';
import { type BranchSummary, shownBranchSummary, summariesOf } from '../branches/branch.ts';
import { type Event, EventPage, monthBeside, monthOf } from '../events/event.ts';
import { queryPages } from '../table/client.ts';
import { eventKey } from '../table/keys.ts';
import { type Copy, type HistoryPage, type HistoryRequest, historyPage, startOf } from './historyPage.ts';
import { shownEvent } from './shownEvent.ts';

/** The most events of a page. Each mentions at most two branches, and one BatchGetItem reads 100. */
export const MOST_EVENTS = 50;

export const shownActivity = v.object({
  events: listOf(shownEvent, MOST_EVENTS),
  branches: field(
    listOf(shownBranchSummary, 2 * MOST_EVENTS),
    'The branches that the events mention, as they are now. Those that are not accessible to you are left out.',
  ),
});

/** The most months that a request reads: each takes a query, also without events. */
const MOST_MONTHS = 6;

/**
 * Queries the events of an acquirer in a month, from one position to another, which is included. The newest come first.
 */
const eventsIn = (acquirer: string, month: string, from: string, to: string) => ({
  KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
  ExpressionAttributeValues: { ':pk': eventKey(acquirer, month, '').pk, ':from': from, ':to': to },
  ScanIndexForward: false,
  ConsistentRead: true,
});

/**
 * Reads an acquirer's events, the newest first, strongly consistent. Unlike the feed, it includes those after which
 * earlier ones can still be stored.
 *
 * A page can have fewer than `limit` events, or none, although there are more: it ends after {@link MOST_MONTHS}
 * months, and as an {@link EventPage} does. `next` then continues there. Costs one read unit per 4 KB of events, and at
 * least one per month.
 *
 * @throws Problem `invalid_query` for an invalid cursor.
 */
export async function newestEvents({ id }: Acquirer, request: HistoryRequest): Promise<HistoryPage> {
  const list = [id, 'activity'];
  const position = startOf(request, list);
  // The clock of the process that stored the newest event may be ahead.
  const newest = lowerBoundId(Date.now() + HORIZON_MS);
  const start = position < newest ? position : newest;
  const end = lowerBoundId(Math.max(Date.now() - retentionMs(), request.since ?? 0));
  const last = monthOf(end);
  const page = new EventPage(request.limit, request);
  if (start < end) return historyPage(page, false, list);
  let month = monthOf(start);
  for (let read = 0; read < MOST_MONTHS && month >= last && !page.isCut; read += 1) {
    for await (const copies of queryPages<Copy>(eventsIn(id, month, end, start), page.room + 2)) {
      page.add(copies.filter(({ sk }) => sk < start));
      if (page.isCut) break;
    }
    month = monthBeside(month, -1);
  }
  if (page.isCut || month < last) return historyPage(page, page.isCut, list);
  const readTo = Date.parse(monthBeside(month, 1));
  return historyPage({ events: page.events, last: upperBoundId(readTo - 1) }, true, list);
}

/** The MIDs that events mention. What `data` shows is in the event's branch. */
const midsIn = (events: Event[]): Set<string> =>
  new Set(
    events.flatMap(({ branch, changes }) => [branch.mid, (changes as { mid?: string } | null)?.mid ?? branch.mid]),
  );

/** Summarizes the branches that events mention and that are accessible to the acquirer now. */
export const branchesIn = (acquirer: Acquirer, events: Event[]): Promise<BranchSummary[]> =>
  summariesOf(acquirer, midsIn(events));
