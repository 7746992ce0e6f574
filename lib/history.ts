import { validate as isUuid } from 'uuid';
import type { Acquirer } from './acquirer.ts';
import { cursorAt, positionOf } from './base/cursor.ts';
import { type Branch, getBranch, isAccessible } from './branch.ts';
import { copyKey, type Event, type StoredEvent, toEvent } from './event.ts';
import { lowerBoundId, retentionMs } from './eventId.ts';
import { getItem, getItems, getItemsAndTombstones, type Item, queryItems } from './table/client.ts';
import { branchKey, type Key, NO_ID, terminalKey } from './table/keys.ts';
import { allDone, Conflict, retrying } from './table/retry.ts';
import type { Tombstone } from './table/tombstone.ts';
import { type Terminal, terminalNotFound } from './terminal.ts';

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

/** The partition keys of the histories' indexes. */
const INDEX_KEYS = { branch: 'branch_history', terminal: 'terminal_history' } as const;

/** A sort key after all event ids, which begin with a hexadecimal digit. */
export const END = '~';

/** An id that no event has. */
const NO_EVENT = lowerBoundId(0);

/**
 * Queries the keys of the newest events of a branch or terminal before a position, the newest first, without checking
 * access.
 */
export async function eventsAbout(about: keyof typeof INDEX_KEYS, id: string, before: string, count: number) {
  const named = await queryItems<Key>(
    {
      IndexName: `events-by-${about}`,
      KeyConditionExpression: `${INDEX_KEYS[about]} = :id AND sk < :before`,
      ExpressionAttributeValues: { ':id': id, ':before': before },
      ScanIndexForward: false,
    },
    count,
  );
  // DynamoDB deletes expired items only hours later.
  const oldest = lowerBoundId(Date.now() - retentionMs());
  return named.flatMap(({ pk, sk }) => (sk >= oldest ? [{ pk, sk }] : []));
}

/**
 * Reads an acquirer's copies of events. It always sends a request, so that response times do not reveal others' events.
 */
async function ownCopies(acquirer: string, events: Key[]): Promise<Copy[]> {
  const ids = events.length > 0 ? events.map(({ sk }) => sk) : [NO_EVENT];
  const copies = await getItems<Copy[]>(ids.map((id) => copyKey(acquirer, id)));
  return copies.filter((copy) => copy !== undefined);
}

/** A page of the first `limit` events. */
function pageOf(copies: Copy[], { limit }: HistoryRequest, list: string[]): HistoryPage {
  const events = copies.slice(0, limit).map(toEvent);
  const last = events.at(-1);
  return { events, next: last && copies.length > limit ? cursorAt(last.id, list) : null };
}

const startOf = ({ before }: HistoryRequest, list: string[]): string =>
  before === undefined ? END : positionOf(before, list, 'before');

/**
 * Reads the events of a branch and its terminals, the newest first. Its index can lag by some milliseconds.
 *
 * @throws Problem `not_found` when the branch is not accessible; `invalid_query` for an invalid cursor.
 */
export async function branchHistory(acquirer: Acquirer, mid: string, request: HistoryRequest): Promise<HistoryPage> {
  const list = [acquirer.id, 'branch', mid];
  const start = startOf(request, list);
  await getBranch(acquirer, mid);
  // Both acquirers of a branch have a copy of all of its events.
  const events = await eventsAbout('branch', mid, start, request.limit + 1);
  return pageOf(await ownCopies(acquirer.id, events), request, list);
}

/**
 * Reads the events of a terminal from the times when it was accessible to the acquirer, the newest first. Its index can
 * lag by some milliseconds. The history of a deleted terminal stays readable for the acquirers that could access it
 * last.
 *
 * @throws Problem `not_found` when the terminal is not accessible; `invalid_query` for an invalid cursor.
 */
export async function terminalHistory(acquirer: Acquirer, tid: string, request: HistoryRequest): Promise<HistoryPage> {
  const list = [acquirer.id, 'terminal', tid];
  const start = startOf(request, list);
  if (!isUuid(tid)) throw terminalNotFound();
  return retrying(async () => {
    const { items, tombstones } = await getItemsAndTombstones<[Terminal]>([terminalKey(tid)]);
    const [terminal] = items;
    // Includes the event at the cursor, which holds its terminal's creation time.
    const count = request.limit + 2;
    const [branch, events] = await allDone([
      getItem<Branch>(branchKey(terminal?.mid ?? NO_ID)),
      eventsAbout('terminal', tid, `${start}${END}`, count),
    ]);
    if (!(branch && isAccessible(branch, acquirer))) {
      // Also if the terminal does not exist, so that the response time of a 404 reveals nothing.
      const newest = start === END ? events : await eventsAbout('terminal', tid, END, 1);
      const [last] = await ownCopies(acquirer.id, newest.slice(0, 1));
      if (terminal || !isDeletion(last, tombstones[0])) throw terminalNotFound();
    }
    const [changes, creation] = await allDone([
      ownCopies(acquirer.id, events),
      creationsOf(acquirer.id, tid, terminal?.created_at),
    ]);
    // The index also has events from times when the terminal was not accessible to this acquirer.
    for (let more = events; changes.length < count && more.length === count; ) {
      more = await eventsAbout('terminal', tid, (more.at(-1) as Key).sk, count);
      changes.push(...(await ownCopies(acquirer.id, more)));
    }
    // Creations older than the last of these changes are left to later pages: there may be changes between them.
    const end = changes.length < count ? '' : (changes.at(-1) as Copy).sk;
    const earlier = new Set(changes.map((copy) => copy.terminal_created_at));
    earlier.delete(terminal?.created_at);
    const creations = await allDone([...earlier].map((time) => creationsOf(acquirer.id, tid, time, end)));
    const copies = [...changes, ...creation, ...creations.flat()].filter(({ sk }) => sk < start && sk >= end);
    return pageOf(
      copies.sort((a, b) => (a.sk < b.sk ? 1 : -1)),
      request,
      list,
    );
  });
}

/**
 * Whether the newest event of a deleted terminal is its deletion, and the acquirer has a copy of it.
 *
 * @param last The acquirer's copy of the newest event, if it has one.
 * @throws Conflict when the index does not have the deletion yet.
 */
function isDeletion(last: Copy | undefined, tombstone: Tombstone | undefined): boolean {
  if (!last) return false;
  const { type, at } = toEvent(last);
  if (tombstone && at < tombstone.deleted_at && type !== 'terminal.left')
    throw new Conflict('The index of events lags behind');
  return type === 'terminal.deleted';
}

/**
 * Reads the event that created a terminal, unless it is older than `end`: an event of the creation time that lists the
 * terminal. An acquirer that the terminal joined later has none.
 */
export async function creationsOf(acquirer: string, tid: string, created_at: string | undefined, end = '') {
  const time = Date.parse(created_at ?? '');
  const [from, to] = time >= Date.now() - retentionMs() ? [lowerBoundId(time), lowerBoundId(time + 1)] : ['', ''];
  if (to <= end) return [];
  const copies = await queryItems<Copy>({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': copyKey(acquirer, from).pk, ':from': from, ':to': to },
    ConsistentRead: true,
  });
  return copies.filter((copy) => createdBy(toEvent(copy)).some((terminal) => terminal.tid === tid));
}

/** The terminals that an event created. */
function createdBy({ type, data }: Event): { tid: string }[] {
  if (type === 'terminals.created') return data as { tid: string }[];
  return type === 'branch.created' ? (data as { terminals: { tid: string }[] }).terminals : [];
}
