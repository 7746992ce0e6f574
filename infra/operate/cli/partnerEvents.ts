import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { listAcquirers } from '../../../lib/acquirers/registry.ts';
import { cursorAt } from '../../../lib/base/cursor.ts';
import { lowerBoundId, upperBoundId } from '../../../lib/base/eventId.ts';
import { MID, storedId } from '../../../lib/base/mid.ts';
import type { Branch } from '../../../lib/branches/branch.ts';
import type { Terminal } from '../../../lib/branches/terminal.ts';
import { copyKey, type Event, monthOf, toEvent } from '../../../lib/events/event.ts';
import { newestEvents } from '../../../lib/history/activity.ts';
import { type Copy, END, eventsAbout } from '../../../lib/history/historyPage.ts';
import { eventsOfTerminal as readTerminal } from '../../../lib/history/terminalHistory.ts';
import type { RecordPage } from '../../../lib/record/record.ts';
import { getItem, getItems, queryItems } from '../../../lib/table/client.ts';
import { branchKey, eventKey, terminalKey } from '../../../lib/table/keys.ts';

/** Reads events from the copies of their authors, which include the API key. */
async function asAuthored(copies: Copy[]): Promise<Event[]> {
  const events = copies.map(toEvent);
  const authored = await getItems<Copy[]>(events.map(({ by, id }) => copyKey(by.acquirer, id)));
  return events.map((event, at) => (authored[at] ? toEvent(authored[at]) : event));
}

/** The events of a branch and its terminals, newest first; `undefined` if there is no such branch. */
export async function eventsOfBranch(text: string, { limit, before = END }: RecordPage): Promise<Event[] | undefined> {
  const mid = storedId(text);
  const branch = MID.test(mid) ? await getItem<Branch>(branchKey(mid)) : undefined;
  if (!branch) return undefined;
  return asAuthored(await queryItems<Copy>(eventsAbout('branch', branch.payment_provider, mid, before), limit));
}

/**
 * The events of a terminal under all its payment providers, newest first; `undefined` if there is neither such a
 * terminal nor an event of it.
 */
export async function eventsOfTerminal(tid: string, { limit, before = END }: RecordPage): Promise<Event[] | undefined> {
  const terminal = await getItem<Terminal>(terminalKey(tid));
  const providers = (await listAcquirers()).filter(({ type }) => type === 'PAYMENT_PROVIDER');
  const pages = await Promise.all(
    providers.map(async ({ id }) => {
      const found: Copy[] = [];
      for (let hasMore = true; hasMore && found.length < limit; ) {
        const page = await readTerminal(id, tid, found.at(-1)?.sk ?? before, limit);
        found.push(...page.copies);
        hasMore = page.hasMore;
      }
      return found;
    }),
  );
  const copies = pages.flat();
  if (!terminal && copies.length === 0) return undefined;
  return asAuthored(copies.sort((one, other) => (one.sk < other.sk ? 1 : -1)).slice(0, limit));
}

/** The most events of a page, of which few may be wanted. */
const PAGE = 100;

/** The events that an acquirer can access, newest first; only those whose author is wanted. */
export async function eventsOfAcquirer(
  id: string,
  { limit, before }: RecordPage,
  isWanted: (by: Event['by']) => boolean = () => true,
): Promise<Event[]> {
  const found: Event[] = [];
  let start = before && cursorAt(before, [id, 'activity']);
  do {
    const page = await newestEvents({ id } as Acquirer, { limit: Math.max(limit, PAGE), before: start });
    found.push(...page.events.filter(({ by }) => isWanted(by)));
    start = page.next ?? undefined;
  } while (start && found.length < limit);
  return found.slice(0, limit);
}

/** How far from the time that is said of it an event may be, in milliseconds. */
export const AROUND_MS = 5 * 60_000;

/** The most events that {@link eventOfRequest} reads, for some 1,600 read units. Tests change it. */
export const SEARCHED = { most: 10_000 };

/** The event of a request, among those that an acquirer can access, and whether all around its time were read. */
export interface FoundEvent {
  event: Event | undefined;
  is_complete: boolean;
}

/** Finds the event of a request that an acquirer sent about at a time, in milliseconds. */
export async function eventOfRequest(acquirer: string, requestId: string, time: number): Promise<FoundEvent> {
  const [from, to] = [lowerBoundId(time - AROUND_MS), upperBoundId(time + AROUND_MS)];
  const copies: Copy[] = [];
  for (const month of new Set([monthOf(from), monthOf(to)])) {
    const range = {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':pk': eventKey(acquirer, month, '').pk, ':from': from, ':to': to },
      ConsistentRead: true,
    };
    copies.push(...(await queryItems<Copy>(range, SEARCHED.most - copies.length)));
    if (copies.length >= SEARCHED.most) break;
  }
  const event = copies.map(toEvent).find(({ request_id }) => request_id === requestId);
  return { event, is_complete: copies.length < SEARCHED.most };
}
