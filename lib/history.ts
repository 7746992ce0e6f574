import { validate as isUuid } from 'uuid';
import type { Acquirer } from './acquirer.ts';
import { cursorAt, positionOf } from './base/cursor.ts';
import { type Branch, getBranch, isAccessible } from './branch.ts';
import { copyKey, type Event, type StoredEvent, toEvent } from './event.ts';
import { idsFrom, retentionMs } from './eventId.ts';
import { getItem, getItems, getItemsAndTombstones, type Item, queryItems } from './table/client.ts';
import { branchKey, type Key, NO_ID, terminalKey } from './table/keys.ts';
import { allDone, Contention, retrying } from './table/retry.ts';
import type { Tombstone } from './table/tombstone.ts';
import { type Terminal, terminalNotFound } from './terminal.ts';

/** A part of a history, the newest events first. */
export interface HistoryPage {
  events: Event[];
  /** Cursor to go on from, unless this is the end. */
  next: string | null;
}

/** Which part of a history is wanted: the newest `limit` events, or those before a cursor. */
export interface HistoryRequest {
  before?: string | undefined;
  limit: number;
}

type Copy = Item<StoredEvent>;

/** The keys of the histories' indexes, which are named after what they are about. */
const INDEX_KEYS = { branch: 'branch_history', terminal: 'terminal_history' } as const;

/** Sorts behind whatever begins with a hexadecimal digit, as the ids of events do. */
export const END = '~';

/** No event has this id: what is read in its place finds nothing. */
const NO_EVENT = idsFrom(0);

/** The keys of the newest events about a branch or terminal before a place, newest first, whoever sees them. */
export async function eventsAbout(about: keyof typeof INDEX_KEYS, thing: string, before: string, count: number) {
  const named = await queryItems<Key>(
    {
      IndexName: `events-by-${about}`,
      KeyConditionExpression: `${INDEX_KEYS[about]} = :thing AND sk < :before`,
      ExpressionAttributeValues: { ':thing': thing, ':before': before },
      ScanIndexForward: false,
    },
    count,
  );
  // The table deletes what has expired only hours later.
  const oldest = idsFrom(Date.now() - retentionMs());
  return named.flatMap(({ pk, sk }) => (sk >= oldest ? [{ pk, sk }] : []));
}

/** An acquirer's own copies of events. It takes a request in any case, so that its time does not tell of others' events. */
async function ownCopies(acquirer: string, events: Key[]): Promise<Copy[]> {
  const ids = events.length > 0 ? events.map(({ sk }) => sk) : [NO_EVENT];
  const copies = await getItems<Copy[]>(ids.map((id) => copyKey(acquirer, id)));
  return copies.filter((copy) => copy !== undefined);
}

/** The first `limit` of some events, newest first. */
function pageOf(copies: Copy[], { limit }: HistoryRequest, list: string[]): HistoryPage {
  const events = copies.slice(0, limit).map(toEvent);
  const last = events.at(-1);
  return { events, next: last && copies.length > limit ? cursorAt(last.id, list) : null };
}

const startOf = ({ before }: HistoryRequest, list: string[]): string =>
  before === undefined ? END : positionOf(before, list, 'before');

/**
 * What happened to a branch and its terminals, newest first. It may be some milliseconds behind, as its index is.
 *
 * @throws Problem `not_found` when the branch is not accessible; `invalid_query` for what is no cursor of this history.
 */
export async function branchHistory(acquirer: Acquirer, mid: string, request: HistoryRequest): Promise<HistoryPage> {
  const list = [acquirer.id, 'branch', mid];
  const start = startOf(request, list);
  await getBranch(acquirer, mid);
  // Both acquirers of a branch see all that happens to it.
  const events = await eventsAbout('branch', mid, start, request.limit + 1);
  return pageOf(await ownCopies(acquirer.id, events), request, list);
}

/**
 * What happened to a terminal while it was accessible to the acquirer, newest first. It may be some milliseconds behind, as
 * its index is. That of a deleted terminal stays readable for those to whom it was accessible last.
 *
 * @throws Problem `not_found` when the terminal is not accessible; `invalid_query` for what is no cursor of this history.
 */
export async function terminalHistory(acquirer: Acquirer, tid: string, request: HistoryRequest): Promise<HistoryPage> {
  const list = [acquirer.id, 'terminal', tid];
  const start = startOf(request, list);
  if (!isUuid(tid)) throw terminalNotFound();
  return retrying(async () => {
    const { items, tombstones } = await getItemsAndTombstones<[Terminal]>([terminalKey(tid)]);
    const [terminal] = items;
    // With the event at the cursor: it tells when its terminal was created.
    const count = request.limit + 2;
    const [branch, events] = await allDone([
      getItem<Branch>(branchKey(terminal?.mid ?? NO_ID)),
      eventsAbout('terminal', tid, `${start}${END}`, count),
    ]);
    if (!(branch && isAccessible(branch, acquirer))) {
      // Whether there is such a terminal or not, so that the time which a 404 takes does not tell.
      const newest = start === END ? events : await eventsAbout('terminal', tid, END, 1);
      const [last] = await ownCopies(acquirer.id, newest.slice(0, 1));
      if (terminal || !isDeletion(last, tombstones[0])) throw terminalNotFound();
    }
    const [changes, creation] = await allDone([
      ownCopies(acquirer.id, events),
      creationsOf(acquirer.id, tid, terminal?.created_at),
    ]);
    // The index also names events from times when the terminal was somebody else's.
    for (let more = events; changes.length < count && more.length === count; ) {
      more = await eventsAbout('terminal', tid, (more.at(-1) as Key).sk, count);
      changes.push(...(await ownCopies(acquirer.id, more)));
    }
    // Of what is older than these changes there may be more than a creation.
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
 * Whether the newest event of a terminal that is gone is its deletion, and the acquirer saw it.
 *
 * @param last The acquirer's own copy of that event, if it has one.
 * @throws Contention when the terminal was deleted since, and the index does not show that yet.
 */
function isDeletion(last: Copy | undefined, tombstone: Tombstone | undefined): boolean {
  if (!last) return false;
  const { type, at } = toEvent(last);
  if (tombstone && at < tombstone.deleted_at && type !== 'terminal.left')
    throw new Contention('The index of events is behind');
  return type === 'terminal.deleted';
}

/**
 * The event by which a terminal was created, unless it is older than `end`: that of its time which names it. There is none
 * for an acquirer that the terminal joined later.
 */
export async function creationsOf(acquirer: string, tid: string, created_at: string | undefined, end = '') {
  const time = Date.parse(created_at ?? '');
  const [from, to] = time >= Date.now() - retentionMs() ? [idsFrom(time), idsFrom(time + 1)] : ['', ''];
  if (to <= end) return [];
  const copies = await queryItems<Copy>({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': copyKey(acquirer, from).pk, ':from': from, ':to': to },
    ConsistentRead: true,
  });
  return copies.filter((copy) => createdBy(toEvent(copy)).some((terminal) => terminal.tid === tid));
}

/** The terminals that an event tells the creation of. */
function createdBy({ type, data }: Event): { tid: string }[] {
  if (type === 'terminals.created') return data as { tid: string }[];
  return type === 'branch.created' ? (data as { terminals: { tid: string }[] }).terminals : [];
}
