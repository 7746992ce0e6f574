import type { StoredEvent } from '../../../lib/events/event.ts';
import { DAY_MS, SLACK_MS, timeOfId } from '../../../lib/events/eventId.ts';
import type { WordEntryItem } from '../../../lib/search/entries.ts';
import {
  acquirerOfEvent,
  branchKey,
  historyOf,
  type Key,
  terminalKey,
  type WordList,
} from '../../../lib/table/keys.ts';
import { digestOf, digestOfBranch, digestOfFields, type Status, statusInEvent } from './digests.ts';
import { bodyOf, type EventBody, isAboutBranch, terminalsIn } from './eventBody.ts';
import { type InspectedItem, ownerOf } from './inspect.ts';
import { isEventId, searchableIn } from './keyParts.ts';
import { add, count, nameOfEntries, type Tally, tallyIn, tallyOfEntries } from './tally.ts';

/** The last event of a branch or a terminal. */
interface Last {
  id: string;
  type: EventBody['type'];
}
export type LastOfBranch = Last & { shown: number };
/** Only `id` and `type` are present if the terminal was deleted. */
export type LastOfTerminal = Last & { fields?: number; status?: Status; creation_event?: string | undefined };

/** The copies that one acquirer has of the events of one branch. */
export interface Copies extends Tally {
  mid: string;
  acquirer: string;
}

/** Events that leave the branch unchanged in responses. */
const ONLY_TERMINALS = new Set<EventBody['type']>(['terminal.updated', 'terminal.archived', 'terminal.restored']);

/** The retention in days of an event of the time `at`, in milliseconds, with a `ttl` in seconds. */
export const retentionDays = (at: number, ttl: number): number => Math.round((ttl * 1000 - SLACK_MS - at) / DAY_MS);

/**
 * Summarizes events while they are read, in any order. They can outnumber branches and terminals many times, so it
 * holds the last event of each of those, and only counts and sums of all events.
 */
export class Trail {
  readonly branches = new Map<string, LastOfBranch>();
  readonly terminals = new Map<string, LastOfTerminal>();
  /** The time of the last event that changed what is shown of a branch, in milliseconds, by MID. */
  readonly changes = new Map<string, number>();
  /** The search entries of a branch or master merchant for an acquirer, by {@link nameOfEntries}. */
  readonly entries: Record<WordList, Map<string, Tally>> = { BRANCHES: new Map(), MASTER_MERCHANTS: new Map() };
  /** Branches and terminals with two events of the same time, once for all copies. */
  readonly duplicates = new Map<string, [key: Key, at: number]>();
  /** Reassignments by the history that they belong to, and those that are in it. */
  readonly departures = new Map<string, Tally>();
  readonly histories = new Map<string, Tally>();
  readonly #copies = new Map<string, Copies>();
  #oldest = Number.POSITIVE_INFINITY;
  #retentionMs = Number.POSITIVE_INFINITY;
  readonly #now: number;
  readonly #horizon: number;

  constructor(now: number, horizonMs: number) {
    this.#now = now;
    this.#horizon = now - horizonMs;
  }

  /** Whether all changes up to a time in milliseconds have been stored. */
  isPast(time: number): boolean {
    return time < this.#horizon;
  }

  /**
   * Whether a change at a time in milliseconds must have an event: it is not before the oldest event, and within the
   * shortest retention of any event.
   */
  isOnRecord(time: number): boolean {
    return time >= this.#oldest && time > this.#now - this.#retentionMs;
  }

  /** An acquirer's copies of the events of a branch; `undefined` for none. */
  copiesOf(mid: string, acquirer: string): Copies | undefined {
    return this.#copies.get(`${mid}\n${acquirer}`);
  }

  copies(): Iterable<Copies> {
    return this.#copies.values();
  }

  add({ key, kind, attributes }: InspectedItem): void {
    if (kind === 'word_entry') this.#addWord(key, attributes as WordEntryItem);
    if (!isEventId(key.sk)) return;
    const at = timeOfId(key.sk);
    if (kind === 'event') this.#addEvent(acquirerOfEvent(key), key.sk, attributes as StoredEvent);
    if (kind === 'reassignment' && this.#isComplete(at, attributes as StoredEvent))
      count(tallyIn(this.histories, ownerOf(key)), digestOfCopy(key.sk, attributes as StoredEvent));
  }

  /** Whether all items of an event are stored by now, and none of them expires during the scan. */
  #isComplete(at: number, { ttl }: StoredEvent): boolean {
    return this.isPast(at) && ttl * 1000 - SLACK_MS > this.#now;
  }

  #addEvent(acquirer: string, id: string, stored: StoredEvent): void {
    const body = bodyOf(stored.body);
    const at = timeOfId(id);
    this.#oldest = Math.min(this.#oldest, at);
    this.#retentionMs = Math.min(this.#retentionMs, retentionDays(at, stored.ttl) * DAY_MS);
    this.#addLast(id, body, stored.creation_event);
    if (!this.#isComplete(at, stored)) return;

    const { type, branch, data, changes, by, request_id } = body;
    const common = [id, by.acquirer, by.acquirer_name, request_id, stored.creation_event];
    const departureOf = ({ tid, terminal_id }: { tid: string; terminal_id: string }) =>
      digestOf([...common, tid, terminal_id]);
    if (type === 'terminal.left') count(this.#copiesIn(branch.mid, acquirer), departureOf(data));
    // `terminal.reassigned` and `terminal.joined` are copies of the same change.
    const isArrival = type === 'terminal.reassigned' || type === 'terminal.joined';
    if (type === 'terminal.reassigned' && changes?.mid) {
      count(this.#copiesIn(changes.mid, acquirer), departureOf(data));
      count(tallyIn(this.departures, historyOf(acquirer, changes.mid)), digestOfCopy(id, stored));
    }
    if (type !== 'terminal.left')
      count(
        this.#copiesIn(branch.mid, acquirer),
        digestOf([...common, branch, data, ...(isArrival ? [] : [type, changes])]),
      );
  }

  #addWord(key: Key, entry: WordEntryItem): void {
    const each = searchableIn({ ...key, ...entry });
    if (!each) return;
    const [word] = key.sk.split('#');
    const entries = tallyOfEntries(each, key.sk.includes('#') ? [word as string] : undefined);
    add(tallyIn(this.entries[each.list], nameOfEntries(each)), entries);
  }

  #copiesIn(mid: string, acquirer: string): Copies {
    const name = `${mid}\n${acquirer}`;
    const copies = this.#copies.get(name) ?? { mid, acquirer, count: 0, sum: 0 };
    this.#copies.set(name, copies);
    return copies;
  }

  /** Records an event as the last one of its branch or terminals, unless a later one is known. */
  #addLast(id: string, body: EventBody, creation: string | undefined): void {
    const { type, branch, data } = body;
    for (const mid of ONLY_TERMINALS.has(type) ? [] : [branch.mid, body.changes?.mid])
      if (mid) this.changes.set(mid, Math.max(this.changes.get(mid) ?? 0, timeOfId(id)));
    if (isAboutBranch(body))
      this.#setLast(this.branches, branchKey(branch.mid), { id, type, shown: digestOfBranch(body.data) });
    if (type === 'terminal.deleted') this.#setLast(this.terminals, terminalKey(data.tid), { id, type });
    const terminals = terminalsIn(body);
    const creation_event = terminals.length > 1 ? id : creation;
    for (const terminal of terminals) {
      const [fields, status] = [digestOfFields(terminal), statusInEvent(terminal, branch)];
      this.#setLast(this.terminals, terminalKey(terminal.tid), { id, type, fields, status, creation_event });
    }
  }

  #setLast<L extends Last>(last: Map<string, L>, key: Key, event: L): void {
    const known = last.get(ownerOf(key));
    if (known && known.id !== event.id && timeOfId(known.id) === timeOfId(event.id))
      this.duplicates.set(`${key.pk}\n${timeOfId(event.id)}`, [key, timeOfId(event.id)]);
    if (!known || known.id < event.id) last.set(ownerOf(key), event);
  }
}

const digestOfCopy = (id: string, { body }: StoredEvent): number =>
  digestOf([id, Buffer.from(body).toString('base64')]);
