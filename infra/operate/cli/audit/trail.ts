import { DAY_MS, SLACK_MS, timeOfId } from '../../../../lib/base/eventId.ts';
import type { Event, EventType, StoredEvent } from '../../../../lib/events/event.ts';
import * as keys from '../../../../lib/table/keys.ts';
import type { WordEntryItem } from '../../../../lib/table/wordEntries.ts';
import * as events from './events.ts';
import { type InspectedItem, ownerOf } from './inspect.ts';
import { isEventId, retentionDays, searchableIn } from './keyParts.ts';

interface Last {
  id: string;
  type: EventType;
}
export type LastOfBranch = Last & { shown: number };
/** Only `id` and `type` are present if the terminal was deleted. */
export type LastOfTerminal = Last & { fields?: number; status?: events.Status; creation_event?: string | undefined };

/** Events that leave the branch unchanged in responses. */
const ONLY_TERMINALS = new Set<EventType>(['terminal.updated', 'terminal.archived', 'terminal.restored']);

/**
 * Summarizes events while they are read, in any order. They can outnumber branches and terminals many times, so it
 * holds the last event of each of those, and only counts and sums of all events.
 */
export class Trail {
  readonly branches = new Map<string, LastOfBranch>();
  readonly terminals = new Map<string, LastOfTerminal>();
  /** The time of the last event that changed what is shown of a branch, in milliseconds, by MID. */
  readonly changes = new Map<string, number>();
  /** The search entries of a branch or master merchant for an acquirer, by {@link events.nameOfEntries}. */
  readonly entries: Record<keys.WordList, Map<string, events.Tally>> = {
    BRANCHES: new Map(),
    MASTER_MERCHANTS: new Map(),
  };
  /** Branches and terminals with two events of the same time, once for all copies. */
  readonly duplicates = new Map<string, [key: keys.Key, at: number]>();
  /** An acquirer's copies of the events of a branch, by its {@link keys.historyOf} the branch. */
  readonly copies = new Map<string, events.Tally>();
  /** Reassignments by the history that they belong to, and those that are in it. */
  readonly departures = new Map<string, events.Tally>();
  readonly histories = new Map<string, events.Tally>();
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

  add({ key, kind, attributes }: InspectedItem): void {
    if (kind === 'word_entry') this.#addWord(key, attributes as unknown as WordEntryItem);
    if ((kind !== 'event' && kind !== 'reassignment') || !isEventId(key.sk)) return;
    const at = timeOfId(key.sk);
    const stored = attributes as unknown as StoredEvent;
    if (kind === 'event') this.#addEvent(keys.acquirerIn(key), key.sk, stored);
    if (kind === 'reassignment' && this.#isComplete(at, stored))
      events.addTo(this.histories, ownerOf(key), one(digestOfCopy(key.sk, stored)));
  }

  /** Whether all items of an event are stored by now, and none of them expires during the scan. */
  #isComplete(at: number, { ttl }: StoredEvent): boolean {
    return this.isPast(at) && ttl * 1000 - SLACK_MS > this.#now;
  }

  #addEvent(acquirer: string, id: string, stored: StoredEvent): void {
    const body = events.bodyOf(stored.body);
    const at = timeOfId(id);
    this.#oldest = Math.min(this.#oldest, at);
    this.#retentionMs = Math.min(this.#retentionMs, retentionDays(at, stored.ttl) * DAY_MS);
    this.#addLast(id, body, stored.creation_event);
    if (!this.#isComplete(at, stored)) return;

    const { type, branch, data, changes, by, request_id } = body;
    const addCopy = (mid: string, digest: number) =>
      events.addTo(this.copies, keys.historyOf(acquirer, mid), one(digest));
    const common = [id, by.acquirer, by.acquirer_name, request_id, stored.creation_event];
    const { tid, terminal_id } = data as { tid?: string; terminal_id?: string };
    const departure = events.digestOf([...common, tid, terminal_id]);
    const formerMid = type === 'terminal.reassigned' && events.formerMidIn(body);
    if (formerMid) {
      addCopy(formerMid, departure);
      events.addTo(this.departures, keys.historyOf(acquirer, formerMid), one(digestOfCopy(id, stored)));
    }
    // `terminal.reassigned` and `terminal.joined` are copies of the same change.
    const isArrival = type === 'terminal.reassigned' || type === 'terminal.joined';
    const shown = events.digestOf([...common, branch, data, ...(isArrival ? [] : [type, changes])]);
    addCopy(branch.mid, type === 'terminal.left' ? departure : shown);
  }

  #addWord(key: keys.Key, entry: WordEntryItem): void {
    const each = searchableIn({ ...key, ...entry });
    if (!each) return;
    const [word] = key.sk.split('#');
    const entries = events.tallyOfEntries(each, key.sk.includes('#') ? [word as string] : undefined);
    events.addTo(this.entries[each.list], events.nameOfEntries(each), entries);
  }

  /** Records an event as the last one of its branch or terminals, unless a later one is known. */
  #addLast(id: string, body: Event, creation: string | undefined): void {
    const { type, branch, data } = body;
    for (const mid of ONLY_TERMINALS.has(type) ? [] : [branch.mid, events.formerMidIn(body)])
      if (mid) this.changes.set(mid, Math.max(this.changes.get(mid) ?? 0, timeOfId(id)));
    const shown = events.branchIn(body);
    if (shown)
      this.#setLast(this.branches, keys.branchKey(branch.mid), { id, type, shown: events.digestOfBranch(shown) });
    if (type === 'terminal.deleted')
      this.#setLast(this.terminals, keys.terminalKey((data as { tid: string }).tid), { id, type });
    const terminals = events.terminalsIn(body);
    const creation_event = terminals.length > 1 ? id : creation;
    for (const terminal of terminals) {
      const [fields, status] = [events.digestOfFields(terminal), events.statusInEvent(terminal, branch)];
      this.#setLast(this.terminals, keys.terminalKey(terminal.tid), { id, type, fields, status, creation_event });
    }
  }

  #setLast<L extends Last>(last: Map<string, L>, key: keys.Key, event: L): void {
    const known = last.get(ownerOf(key));
    if (known && known.id !== event.id && timeOfId(known.id) === timeOfId(event.id))
      this.duplicates.set(`${key.pk}\n${timeOfId(event.id)}`, [key, timeOfId(event.id)]);
    if (!known || known.id < event.id) last.set(ownerOf(key), event);
  }
}

const one = (digest: number): events.Tally => ({ count: 1, sum: digest });

const digestOfCopy = (id: string, { body }: StoredEvent): number =>
  events.digestOf([id, Buffer.from(body).toString('base64')]);
