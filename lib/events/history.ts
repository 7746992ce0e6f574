import { validate as isUuid } from 'uuid';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { cursorAt, positionOf } from '../base/cursor.ts';
import { type Branch, getBranch, isAccessible } from '../branches/branch.ts';
import { getItem, getItems, type Item, queryItems, queryPages } from '../table/client.ts';
import { branchKey, historyOf, terminalKey } from '../table/keys.ts';
import { allDone } from '../table/retry.ts';
import { type Terminal, terminalNotFound } from '../terminals/terminal.ts';
import { copyKey, type Event, EventPage, type StoredEvent } from './event.ts';
import { lowerBoundId, retentionMs } from './eventId.ts';

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

type Copy = Item<StoredEvent>;

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
const retained = <T extends { sk: string }>(copies: T[]): T[] => {
  const oldest = lowerBoundId(Date.now() - retentionMs());
  return copies.filter(({ sk }) => sk >= oldest);
};

const startOf = ({ before }: HistoryRequest, list: string[]): string =>
  before === undefined ? END : positionOf(before, list, 'before');

const shown = (events: Event[], hasMore: boolean, list: string[]): HistoryPage => {
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
  return shown(page.events, page.isCut, list);
}

/**
 * Reads the events of a terminal that the acquirer has seen, the newest first. So the history of a terminal that was
 * deleted, or that left for a branch of another acquirer, stays readable.
 *
 * @throws Problem `not_found` when the acquirer has seen no event of it, and it is not accessible; `invalid_query` for
 *   an invalid cursor.
 */
export async function terminalHistory(acquirer: Acquirer, tid: string, request: HistoryRequest): Promise<HistoryPage> {
  const list = [acquirer.id, 'terminal', tid];
  const start = startOf(request, list);
  if (!isUuid(tid)) throw terminalNotFound();
  // Includes the event at the cursor, which may name the creation that comes next.
  const most = request.limit + 2;
  const [terminal, found] = await allDone([
    getItem<Terminal>(terminalKey(tid)),
    queryItems<Copy>(eventsAbout('terminal', acquirer.id, tid, `${start}${END}`), most),
  ]);
  const { changes, creations, hasMore } = withCreations(terminal, retained(found), most);
  const wanted = creations.filter((id) => id < start);
  // Without changes that the acquirer has seen, the branch decides whether it may know of the terminal.
  const [branch, ...created] = await getItems<[Branch, ...Copy[]]>([
    changes.length === 0 && terminal ? branchKey(terminal.mid) : undefined,
    ...wanted.map((id) => copyKey(acquirer.id, id)),
  ]);
  const copies = [...changes.filter(({ sk }) => sk < start), ...created.filter((copy) => copy !== undefined)];
  if (copies.length === 0 && !(branch && isAccessible(branch, acquirer))) throw terminalNotFound();
  const page = new EventPage(request.limit);
  page.add(copies.sort((a, b) => (a.sk < b.sk ? 1 : -1)));
  return shown(page.events, page.isCut || hasMore, list);
}

/** The most creations that a page reads, each with at most a quarter of a MB. */
const MOST_CREATIONS = 4;

/**
 * The creations among the events of a terminal. An event that created several terminals is in the history of none, but
 * each of the terminals and their later events name it. A TID can have been created many times: the changes end before
 * one that names a creation too many.
 *
 * @param most The length of `found` if there may be more events.
 */
function withCreations(terminal: Terminal | undefined, found: Copy[], most: number) {
  const creations = new Set([terminal?.creation_event]);
  const changes: Copy[] = [];
  for (const change of found) {
    if (creations.add(change.creation_event).size > MOST_CREATIONS) break;
    changes.push(change);
  }
  const hasMore = changes.length < found.length || found.length === most;
  // There may be changes between the last of these and its creation.
  const end = hasMore ? (changes.at(-1) as Copy).sk : lowerBoundId(Date.now() - retentionMs());
  return { changes, creations: [...creations].filter((id) => id !== undefined && id >= end) as string[], hasMore };
}
