import type { StoredEvent } from '../../../lib/event.ts';
import { DAY_MS, SLACK_MS, timeOfId } from '../../../lib/eventId.ts';
import { acquirerOfEvent, branchKey, type Key, terminalKey } from '../../../lib/table/keys.ts';
import { digestOf, digestOfBranch, digestOfFields, type Status, statusTold } from './digests.ts';
import { bodyOf, type EventBody, terminalsIn } from './eventBody.ts';
import { type InspectedItem, ownerOf } from './inspect.ts';
import { isEventId } from './keyParts.ts';

/** The last event of a branch or a terminal. */
interface Last {
  id: string;
  type: EventBody['type'];
}
export type LastOfBranch = Last & { shown: number };
/** Of a terminal that is deleted, nothing is left to tell. */
export type LastOfTerminal = Last & { fields?: number; status?: Status };

/** A number of things and the sum of their digests, which tells which ones they were in whatever order. */
export interface Tally {
  count: number;
  sum: number;
}

/** The events of one branch that one acquirer has. */
export interface View extends Tally {
  mid: string;
  viewer: string;
  /** Whether some are in the indexes of the histories, and whether some are not. */
  isIndexed: boolean;
  isUnindexed: boolean;
}

/** Sums up to this number and 2^48 are exact. */
const SUMS = 2 ** 48;

const count = (tally: Tally, digest: number): void => {
  tally.count += 1;
  tally.sum = (tally.sum + digest) % SUMS;
};

/** For how many days something is kept that ends at `ttl`, in seconds. */
export const daysOf = (at: number, ttl: number): number => Math.round((ttl * 1000 - SLACK_MS - at) / DAY_MS);

/**
 * What events tell. They are read in no order, and there may be many times as many as branches and terminals, so of each
 * of those only its last event is kept, and of all others nothing but sums.
 */
export class Trail {
  readonly branches = new Map<string, LastOfBranch>();
  readonly terminals = new Map<string, LastOfTerminal>();
  /** Branches and terminals that changed twice at one time. */
  readonly doubled: [thing: Key, at: number][] = [];
  readonly departures = new Map<string, Tally>();
  readonly histories = new Map<string, Tally>();
  readonly #views = new Map<string, View>();
  #began = Number.POSITIVE_INFINITY;
  #keptMs = Number.POSITIVE_INFINITY;
  readonly #now: number;
  readonly #horizon: number;

  constructor(now: number, horizonMs: number) {
    this.#now = now;
    this.#horizon = now - horizonMs;
  }

  /** Whether nothing of that time, in milliseconds, or before can be stored any more. */
  isPast(time: number): boolean {
    return time < this.#horizon;
  }

  /**
   * Whether a change at that time, in milliseconds, has an event. Before the oldest one there were none. If stages have
   * kept events for different numbers of days, the smallest counts.
   */
  isOnRecord(time: number): boolean {
    return time >= this.#began && time > this.#now - this.#keptMs;
  }

  /** The events of a branch that an acquirer has; `undefined` for none. */
  viewOf(mid: string, viewer: string): View | undefined {
    return this.#views.get(`${mid}\n${viewer}`);
  }

  views(): Iterable<View> {
    return this.#views.values();
  }

  add({ key, kind, attributes }: InspectedItem): void {
    if (!isEventId(key.sk)) return;
    const at = timeOfId(key.sk);
    if (kind === 'event') this.#addEvent(acquirerOfEvent(key), key.sk, attributes as StoredEvent);
    if (kind === 'reassignment' && this.#isComplete(at, attributes as StoredEvent))
      count(tallyIn(this.histories, ownerOf(key)), digestOf(key.sk));
  }

  /** Whether all items of an event are there by now, and none of them is deleted while the table is read. */
  #isComplete(at: number, { ttl }: StoredEvent): boolean {
    return this.isPast(at) && ttl * 1000 - SLACK_MS > this.#now;
  }

  #addEvent(viewer: string, id: string, stored: StoredEvent): void {
    const body = bodyOf(stored.body);
    const at = timeOfId(id);
    this.#began = Math.min(this.#began, at);
    this.#keptMs = Math.min(this.#keptMs, daysOf(at, stored.ttl) * DAY_MS);
    const isIndexed = stored.branch_history !== undefined;
    if (isIndexed) this.#addLast(id, body);
    if (!this.#isComplete(at, stored)) return;

    const { type, branch, data, changes, by, request_id } = body;
    const common = [id, by.acquirer, request_id];
    const left = ({ tid, terminal_id }: { tid: string; terminal_id: string }) =>
      digestOf([...common, tid, terminal_id]);
    if (type === 'terminal.left') count(this.#viewIn(branch.mid, viewer), left(data));
    // Whoever sees where it came from sees the same change as whoever sees it arrive.
    const comes = type === 'terminal.reassigned' || type === 'terminal.joined';
    if (type === 'terminal.reassigned' && changes?.mid) {
      count(this.#viewIn(changes.mid, viewer), left(data));
      if (isIndexed) count(tallyIn(this.departures, changes.mid), digestOf(id));
    }
    const view = this.#viewIn(branch.mid, viewer);
    view.isIndexed ||= isIndexed;
    view.isUnindexed ||= !isIndexed;
    if (type !== 'terminal.left')
      count(view, digestOf([...common, branch.status, data, ...(comes ? [] : [type, changes])]));
  }

  #viewIn(mid: string, viewer: string): View {
    const name = `${mid}\n${viewer}`;
    const view = this.#views.get(name) ?? { mid, viewer, isIndexed: false, isUnindexed: false, count: 0, sum: 0 };
    this.#views.set(name, view);
    return view;
  }

  /** Keeps of an event what it tells of branches and terminals, unless a later one is known. */
  #addLast(id: string, body: EventBody): void {
    const { type, branch, data } = body;
    if (type === 'branch.created' || type === 'branch.archived')
      this.#keep(this.branches, branchKey(branch.mid), { id, type, shown: digestOfBranch(data) });
    if (type === 'terminal.deleted') this.#keep(this.terminals, terminalKey(data.tid), { id, type });
    for (const terminal of terminalsIn(body)) {
      const status = statusTold(terminal, branch.status);
      this.#keep(this.terminals, terminalKey(terminal.tid), { id, type, fields: digestOfFields(terminal), status });
    }
  }

  #keep<L extends Last>(last: Map<string, L>, thing: Key, event: L): void {
    const known = last.get(ownerOf(thing));
    if (known && known.id !== event.id && timeOfId(known.id) === timeOfId(event.id))
      this.doubled.push([thing, timeOfId(event.id)]);
    if (!known || known.id < event.id) last.set(ownerOf(thing), event);
  }
}

function tallyIn(tallies: Map<string, Tally>, name: string): Tally {
  const tally = tallies.get(name) ?? { count: 0, sum: 0 };
  tallies.set(name, tally);
  return tally;
}
