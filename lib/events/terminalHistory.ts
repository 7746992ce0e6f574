import { validate as isUuid } from 'uuid';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { type Branch, isAccessible } from '../branches/branch.ts';
import { getItem, getItems, queryItems } from '../table/client.ts';
import { branchKey, statusHistoryOf, terminalKey } from '../table/keys.ts';
import { allDone } from '../table/retry.ts';
import { type Terminal, terminalNotFound } from '../terminals/terminal.ts';
import { copyKey, type Event, EventPage, type StoredEvent, toEvent } from './event.ts';
import { lowerBoundId, retentionMs } from './eventId.ts';
import {
  type Copy,
  END,
  eventsAbout,
  type HistoryPage,
  type HistoryRequest,
  historyPage,
  retained,
  startOf,
} from './history.ts';

/*
 * A terminal's history consists of the events about the terminal alone, of those that created it with others, and of
 * those that archived or restored its branch while it was there. Only the first are stored as its own.
 */

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
  const { branch, copies, hasMore } = await eventsOfTerminal(acquirer.id, tid, start, request.limit);
  if (copies.length === 0 && !(branch && isAccessible(branch, acquirer))) throw terminalNotFound();
  const page = new EventPage(request.limit);
  page.add(copies);
  return historyPage(page.events, page.isCut || hasMore, list);
}

/**
 * Reads an acquirer's copies of the newest events of a terminal before a position, the newest first.
 *
 * @returns At most some more than `limit`, or fewer although there are more: `hasMore`. Without an event of its own, also
 *   the branch in which the terminal is now.
 */
export async function eventsOfTerminal(
  acquirer: string,
  tid: string,
  start: string,
  limit: number,
): Promise<{ branch: Branch | undefined; copies: Copy[]; hasMore: boolean }> {
  // Includes the event at the position, which may name the creation that comes next.
  const most = limit + 2;
  const [terminal, found] = await allDone([
    getItem<Terminal>(terminalKey(tid)),
    queryItems<Copy>(eventsAbout('terminal', acquirer, tid, `${start}${END}`), most),
  ]);
  const { marks, hasMore } = marksOf(terminal, retained(found), start, most);
  const newest = marks[0]?.event ? undefined : await placeBefore(acquirer, terminal, start);
  const changes = marks.flatMap(({ copy }) => (copy && copy.sk < start ? [copy] : []));
  const creations = marks.filter(({ id, copy }) => !copy && id < start);
  // Without changes that the acquirer has seen, the branch decides whether it may know of the terminal.
  const [[branch, ...created], throughBranches] = await allDone([
    getItems<[Branch, ...Copy[]]>([
      changes.length === 0 && terminal ? branchKey(terminal.mid) : undefined,
      ...creations.map(({ id }) => copyKey(acquirer, id)),
    ]),
    allDone(
      // One more than the page and what follows it: the event at the position is included.
      staysOf(marks, newest, hasMore).map((stay) => queryItems<Copy>(statusChanges(acquirer, stay, start), limit + 2)),
    ),
  ]);
  const copies = [
    ...changes,
    ...created.filter((copy) => copy !== undefined),
    ...retained(throughBranches.flat()).filter(({ sk }) => sk < start),
  ].sort((a, b) => (a.sk < b.sk ? 1 : -1));
  return { branch, copies, hasMore };
}

/** The branch in which a terminal was just before a position: it is there now, or the event at the position says it. */
async function placeBefore(
  acquirer: string,
  terminal: Terminal | undefined,
  start: string,
): Promise<string | undefined> {
  if (start === END) return terminal?.mid;
  const copy = await getItem<StoredEvent>(copyKey(acquirer, start));
  return copy && branchBefore(toEvent(copy));
}

/** An event of a terminal, the newest first: one of its own, or the id of one that created it with others. */
interface Mark {
  id: string;
  copy?: Copy;
  event?: Event;
}

/**
 * The most creations that a page reads, each with at most a quarter of a MB, and the most stays in branches, each of
 * which takes a query.
 */
const MOST = { creations: 4, stays: 5 };

/**
 * The events among those of a terminal with which a page ends. A TID can have been created many times, and moved many
 * times: the page ends before one creation or stay too many.
 *
 * @param most The length of `found` if there may be more events.
 */
function marksOf(
  terminal: Terminal | undefined,
  found: Copy[],
  start: string,
  most: number,
): { marks: Mark[]; hasMore: boolean } {
  const creations = new Set([terminal?.creation_event]);
  const marks: Mark[] = [];
  let stays = 1;
  for (const copy of found) {
    const event = toEvent(copy);
    if (branchAfter(event) !== branchBefore(event)) stays += 1;
    if (creations.add(copy.creation_event).size > MOST.creations || stays > MOST.stays) break;
    marks.push({ id: copy.sk, copy, event });
  }
  const hasMore = marks.length < found.length || found.length === most;
  // There may be changes between the last of these and its creation.
  const end = hasMore ? (marks.at(-1) as Mark).id : lowerBoundId(Date.now() - retentionMs());
  for (const id of creations) if (id !== undefined && id >= end && id <= start) marks.push({ id });
  return { marks: marks.sort((a, b) => (a.id < b.id ? 1 : -1)), hasMore };
}

/** The branch in which a terminal was after an event, as far as the acquirer may know. */
const branchAfter = ({ type, branch }: Event): string | undefined =>
  type === 'terminal.deleted' || type === 'terminal.left' ? undefined : branch.mid;

/** The branch in which a terminal was before an event. */
function branchBefore({ type, branch, changes }: Event): string | undefined {
  if (type === 'branch.created' || type === 'terminals.created' || type === 'terminal.joined') return undefined;
  return type === 'terminal.reassigned' ? (changes as { mid: string }).mid : branch.mid;
}

/** A time in which a terminal was in a branch, between two positions among events. */
interface Stay {
  mid: string;
  from: string;
  to: string;
}

/**
 * The stays of a terminal, from its events.
 *
 * @param newest Its branch after the newest event, unless that event says it.
 */
function staysOf(marks: Mark[], newest: string | undefined, hasMore: boolean): Stay[] {
  const stays: Stay[] = [];
  // From each event to the next newer one, and then what was before the oldest.
  for (let at = 0; at <= marks.length; at += 1) {
    const [newer, older] = [marks[at - 1], marks[at]];
    if (!older && hasMore) break;
    const last = stays.at(-1);
    const before = newer ? newer.event && branchBefore(newer.event) : newest;
    const mid = older?.event ? branchAfter(older.event) : before;
    const [from, to] = [older?.id ?? '0', newer?.id ?? END];
    if (mid && last?.mid === mid && last.from === to) last.from = from;
    else if (mid) stays.push({ mid, from, to });
  }
  return stays;
}

/** Queries the events that archived or restored a branch during a stay and before a position, the newest first. */
const statusChanges = (acquirer: string, { mid, from, to }: Stay, before: string) => ({
  IndexName: 'events-by-terminal',
  KeyConditionExpression: 'terminal_history = :history AND sk BETWEEN :from AND :to',
  ExpressionAttributeValues: {
    ':history': statusHistoryOf(acquirer, mid),
    ':from': from,
    ':to': before < to ? before : to,
  },
  ScanIndexForward: false,
});
