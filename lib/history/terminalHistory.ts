import { validate as isUuid } from 'uuid';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { allDone } from '../aws/retry.ts';
import { lowerBoundId, retentionMs } from '../base/eventId.ts';
import { type Branch, isAccessible } from '../branches/branch.ts';
import { type Terminal, terminalNotFound } from '../branches/terminal.ts';
import { copyKey, type Event, EventPage, toEvent } from '../events/event.ts';
import { getItem, getItems, queryItems } from '../table/client.ts';
import { branchKey, historyOf, statusHistoryOf, terminalKey } from '../table/keys.ts';
import {
  type Copy,
  END,
  eventsAbout,
  type HistoryPage,
  type HistoryRequest,
  historyPage,
  retained,
  startOf,
} from './historyPage.ts';

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
  const { branch, isSeen, copies, hasMore } = await eventsOfTerminal(acquirer.id, tid, start, request.limit);
  if (!isSeen && !(branch && isAccessible(branch, acquirer))) throw terminalNotFound();
  const page = new EventPage(request.limit, request);
  page.add(copies.slice(0, request.limit));
  return historyPage(page, page.isCut || hasMore || copies.length > request.limit, list);
}

/**
 * Reads an acquirer's copies of the newest events of a terminal before a position, the newest first.
 *
 * @returns `copies`: the page, and at most some more. `hasMore`: whether there may be older ones. `isSeen`: whether the
 *   acquirer has seen an event of the terminal. `branch`: where the terminal is now, if the page has no event of its
 *   own.
 */
export async function eventsOfTerminal(
  acquirer: string,
  tid: string,
  start: string,
  limit: number,
): Promise<{ branch: Branch | undefined; isSeen: boolean; copies: Copy[]; hasMore: boolean }> {
  const [terminal, found, [next]] = await allDone([
    getItem<Terminal>(terminalKey(tid)),
    queryItems<Copy>(eventsAbout('terminal', acquirer, tid, start), limit + 1),
    start === END ? [] : queryItems<Copy>(ownFrom(acquirer, tid, start), 1),
  ]);
  // Where the terminal was before the position, and what created it there.
  const midThere = next ? branchBefore(toEvent(next)) : terminal?.mid;
  const { marks, hasMore } = marksOf((next ?? terminal)?.creation_event, retained(found), start, limit + 1);
  const changes = marks.flatMap(({ copy }) => copy ?? []);
  const creations = marks.filter(({ id, copy }) => !copy && id < start);
  // Without changes that the acquirer has seen, the branch decides whether it may know of the terminal.
  const [[branch, ...created], throughBranches] = await allDone([
    getItems<[Branch, ...Copy[]]>([
      changes.length === 0 && terminal ? branchKey(terminal.mid) : undefined,
      ...creations.map(({ id }) => copyKey(acquirer, id)),
    ]),
    allDone(
      // One more than the page, and the event at the position, which is included.
      staysOf(marks, midThere, hasMore).map((stay) =>
        queryItems<Copy>(statusChanges(acquirer, stay, start), limit + 2),
      ),
    ),
  ]);
  const copies = [
    ...changes,
    ...created.filter((copy) => copy !== undefined),
    ...retained(throughBranches.flat()).filter(({ sk }) => sk < start),
  ].sort((a, b) => (a.sk < b.sk ? 1 : -1));
  return { branch, isSeen: next !== undefined || copies.length > 0, copies, hasMore };
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
 * @param creation The id of the event that created the terminal as it was before the position.
 * @param most The length of `found` if there may be more events.
 */
function marksOf(
  creation: string | undefined,
  found: Copy[],
  start: string,
  most: number,
): { marks: Mark[]; hasMore: boolean } {
  const creations = new Set(creation ? [creation] : []);
  const marks: Mark[] = [];
  let stays = 1;
  for (const copy of found) {
    const event = toEvent(copy);
    if (branchAfter(event) !== branchBefore(event)) stays += 1;
    if (copy.creation_event) creations.add(copy.creation_event);
    if (creations.size > MOST.creations || stays > MOST.stays) break;
    marks.push({ id: copy.sk, copy, event });
  }
  const hasMore = marks.length < found.length || found.length === most;
  // There may be changes between the last of these and its creation.
  const end = hasMore ? (marks.at(-1) as Mark).id : lowerBoundId(Date.now() - retentionMs());
  for (const id of creations) if (id >= end && id <= start) marks.push({ id });
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
 * @param midThere The MID of its branch after the newest of them, unless that event says it.
 */
function staysOf(marks: Mark[], midThere: string | undefined, hasMore: boolean): Stay[] {
  const stays: Stay[] = [];
  // From each event to the next newer one, and then what was before the oldest.
  for (let at = 0; at <= marks.length; at += 1) {
    const [newer, older] = [marks[at - 1], marks[at]];
    if (!older && hasMore) break;
    const last = stays.at(-1);
    const before = newer ? newer.event && branchBefore(newer.event) : midThere;
    const mid = older?.event ? branchAfter(older.event) : before;
    const [from, to] = [older?.id ?? '0', newer?.id ?? END];
    if (mid && last?.mid === mid && last.from === to) last.from = from;
    else if (mid) stays.push({ mid, from, to });
  }
  return stays;
}

/** Queries the events of a terminal alone from a position on, the oldest first. */
const ownFrom = (acquirer: string, tid: string, from: string) => ({
  IndexName: 'events-by-terminal',
  KeyConditionExpression: 'terminal_history = :history AND sk >= :from',
  ExpressionAttributeValues: { ':history': historyOf(acquirer, tid), ':from': from },
});

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
