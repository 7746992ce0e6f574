import { apply, type Event } from '../../../../docs/client/apply.ts';
import { type Api, UNATTENDED } from '../api.ts';
import { createPatience, Interrupted, type Patience } from '../estate/patience.ts';
import type { Noted } from './noted.ts';
import { BRANCH, ChunkedMap, SCHEMA, TERMINAL } from './replica.ts';
import { type Branch, type Row, rowOf, type Terminal } from './row.ts';
import { readSeen } from './seen.ts';

export type FleetState =
  /** It is read for the first time. What has been read so far can be used. */
  | { kind: 'walking'; terminals: number; branches: number }
  /** It has every change before this time. Those of others appear about 25 seconds after they are made. */
  | { kind: 'following'; completeTo: string }
  /** More than 50,000 terminals or branches: use the lists and the search of the service. */
  | { kind: 'too_large' }
  | { kind: 'failed'; error: unknown; retry: () => void };

export interface Fleet {
  rows: readonly Row[];
  branches: ReadonlyMap<string, Branch>;
  state: FleetState;
}

/** Where the estate of an acquirer is stored for a person. Each of its functions runs in one transaction. */
export interface FleetStorage {
  /** Whether this tab stores. Of several tabs, one does. */
  isOwn(): boolean;
  /** Reads all entries, and the generation, which changes when the estate is forgotten. */
  load(): Promise<{ generation: string; entries: Map<string, unknown> }>;
  /**
   * Stores entries, with `isAnew` in place of all others.
   *
   * @returns Whether they were stored: not if the generation is another one.
   */
  save(generation: string, entries: [key: string, value: unknown][], isAnew: boolean): Promise<boolean>;
}

interface EngineOptions {
  api: Api;
  /** Opens what is stored. If that fails, the estate is only in memory. */
  openStorage: () => Promise<FleetStorage>;
  /** Ends it. */
  signal: AbortSignal;
  /** Resolves when the feed is to be read again. */
  pause: () => Promise<unknown>;
  onChange: () => void;
}

/** What is stored beside the chunks, in the same transaction. */
interface Meta {
  schema: string;
  /** Empty during a walk. */
  cursor: string;
  completeTo: string;
  seenTo: string;
  /** When it was too large, in milliseconds since 1970. */
  tooLargeAt?: number;
}

/** An own change that the feed may not have reached; without a value, it was deleted. */
interface Own<Value> {
  at: string;
  value: Value | undefined;
}

/** The most terminals, the most branches, and the sizes of the pages of a walk. Tests reduce them. */
export const SIZES = { most: 50_000, branches: 100, terminals: 1_000 };
/** How long an estate that was too large is not read again. */
const DAY_MS = 24 * 60 * 60 * 1000;
const SEEN_EVERY_MS = 10 * 60 * 1000;
/** How much of the time before is read again: a check can be stored a little later, by another clock. */
const SEEN_AGAIN_MS = 5 * 60 * 1000;
const STORED_EVERY_MS = 60_000;
const PROGRESS_EVERY_MS = 200;
const BRANCH_PAGES_AT_ONCE = 4;

const seenTime = (): string => new Date(Date.now() - SEEN_AGAIN_MS).toISOString();

class TooLarge extends Error {}

/** An estate in memory that is read once, then follows the feed, and shows own changes before the feed has them. */
export class FleetEngine {
  fleet: Fleet = { rows: [], branches: new Map(), state: { kind: 'walking', terminals: 0, branches: 0 } };
  readonly #options: EngineOptions;
  readonly #terminals = new ChunkedMap<Terminal>(TERMINAL);
  readonly #branches = new ChunkedMap<Branch>(BRANCH);
  readonly #rows = new Map<string, Row>();
  readonly #own = { terminals: new Map<string, Own<Terminal>>(), branches: new Map<string, Own<Branch>>() };
  #meta: Meta = { schema: SCHEMA, cursor: '', completeTo: '', seenTo: '' };
  #seenReadAt = 0;
  /** Where it is stored, unless it is not or no more. */
  #stored: { storage: FleetStorage; generation: string; isAnew: boolean } | undefined;
  #storing: Promise<void> = Promise.resolve();
  #storedAt = 0;
  #progressAt = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Loads what is stored, then reads and follows the estate until it is ended or fails. */
  async run(): Promise<void> {
    await this.#load().catch(() => this.#clear());
    await this.#goOn();
  }

  async #goOn(): Promise<void> {
    const { signal } = this.#options;
    try {
      if (Date.now() - (this.#meta.tooLargeAt ?? 0) < DAY_MS) throw new TooLarge();
      for (;;) {
        if (this.#meta.cursor === '') await this.#walk();
        await this.#follow(createPatience({ signal }));
        this.#clear();
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TooLarge)) return this.#publish({ kind: 'failed', error, retry: () => void this.#goOn() });
      this.#clear();
      this.#meta.tooLargeAt = Date.now();
      this.#publish({ kind: 'too_large' });
      await this.#store();
    }
  }

  #clear(): void {
    this.#terminals.clear();
    this.#branches.clear();
    this.#meta = { schema: SCHEMA, cursor: '', completeTo: '', seenTo: '' };
    if (this.#stored) this.#stored.isAnew = true;
  }

  async #load(): Promise<void> {
    const storage = await this.#options.openStorage();
    // Another tab can store something else until this one does.
    const isOwn = storage.isOwn();
    const { generation, entries } = await storage.load();
    this.#stored = { storage, generation, isAnew: true };
    const meta = entries.get('meta') as Meta | undefined;
    if (meta?.schema !== SCHEMA || (meta.cursor === '' && !meta.tooLargeAt)) return;
    const chunksOf = (kind: string) => {
      const chunks: string[] = [];
      for (let text = entries.get(`${kind}0`); text !== undefined; text = entries.get(`${kind}${chunks.length}`))
        chunks.push(text as string);
      return chunks;
    };
    this.#branches.load(chunksOf('branches'));
    this.#terminals.load(chunksOf('terminals'));
    this.#meta = meta;
    this.#stored.isAnew = !isOwn;
    if (meta.cursor !== '') this.#publish({ kind: 'following', completeTo: meta.completeTo });
  }

  /** Stores what has changed with its cursor. If that fails, as on a full disk, what is stored stays, older but right. */
  #store(): Promise<void> {
    this.#storing = this.#storing.then(async () => {
      const stored = this.#stored;
      if (!stored?.storage.isOwn()) return;
      const { isAnew } = stored;
      stored.isAnew = false;
      this.#storedAt = Date.now();
      const entries: [string, unknown][] = [['meta', { ...this.#meta }]];
      for (const [chunk, text] of this.#branches.unstored({ all: isAnew })) entries.push([`branches${chunk}`, text]);
      for (const [chunk, text] of this.#terminals.unstored({ all: isAnew })) entries.push([`terminals${chunk}`, text]);
      const isDone = await stored.storage.save(stored.generation, entries, isAnew).catch(() => false);
      if (!isDone) this.#stored = undefined;
    });
    return this.#storing;
  }

  /** Reads the lists. With the events after the cursor that it gets before, the estate is exact. */
  async #walk(): Promise<void> {
    const { api, signal } = this.#options;
    const failed = new AbortController();
    const patience = createPatience({ signal: AbortSignal.any([signal, failed.signal]) });
    this.#clear();
    this.#progress();
    const seenTo = seenTime();
    try {
      const query = { after: 'now' };
      const events = await patience(() => api.GET('/ext/api/v1/events', { params: { query }, headers: UNATTENDED }));
      if (events.problem) throw new Interrupted(events.problem);
      await Promise.all([this.#walkBranches(patience), this.#walkTerminals(patience)]);
      const { next, complete_to } = events.data.meta;
      this.#meta = { schema: SCHEMA, cursor: next, completeTo: complete_to, seenTo };
      await this.#store();
    } finally {
      failed.abort();
    }
  }

  async #walkBranches(patience: Patience): Promise<void> {
    const { api } = this.#options;
    const read = async (page: number) => {
      const params = { query: { sort: 'asc', per_page: SIZES.branches, page } } as const;
      const { data, problem } = await patience(() => api.GET('/ext/api/v1/merchants', { params, headers: UNATTENDED }));
      if (problem) throw new Interrupted(problem);
      if (data.meta.total > SIZES.most) throw new TooLarge();
      for (const branch of data.data) this.#branches.set(branch.mid, branch);
      this.#progress();
      await this.#store();
      return data.meta.total;
    };
    // Branches that are created meanwhile come last, and the feed has them.
    const pages = Math.ceil((await read(1)) / SIZES.branches);
    const others = Array.from({ length: Math.max(0, pages - 1) }, (_, at) => at + 2).values();
    const readOn = async () => {
      for (const page of others) await read(page);
    };
    await Promise.all(Array.from({ length: BRANCH_PAGES_AT_ONCE }, readOn));
  }

  async #walkTerminals(patience: Patience): Promise<void> {
    const { api } = this.#options;
    for (let after: string | null | undefined; after !== null; ) {
      const params = { query: { limit: SIZES.terminals, ...(after !== undefined && { after }) } };
      const { data, problem } = await patience(() => api.GET('/ext/api/v1/terminals', { params, headers: UNATTENDED }));
      if (problem) throw new Interrupted(problem);
      for (const terminal of data.data) this.#terminals.set(terminal.tid, terminal);
      this.#checkSize();
      this.#progress();
      await this.#store();
      after = data.meta.next;
    }
  }

  #checkSize(): void {
    if (Math.max(this.#terminals.size, this.#branches.size) > SIZES.most) throw new TooLarge();
  }

  #progress(): void {
    if (this.fleet.state.kind === 'walking' && Date.now() - this.#progressAt < PROGRESS_EVERY_MS) return;
    this.#progressAt = Date.now();
    this.#publish({ kind: 'walking', terminals: this.#terminals.size, branches: this.#branches.size });
  }

  /** Applies the events after the cursor, page by page. Returns when the cursor has expired. */
  async #follow(patience: Patience): Promise<void> {
    const { api, pause } = this.#options;
    for (;;) {
      const { cursor } = this.#meta;
      const params = { query: { after: cursor } };
      const { data, problem } = await patience(() => api.GET('/ext/api/v1/events', { params, headers: UNATTENDED }));
      if (problem?.code === 'cursor_expired' || problem?.code === 'invalid_query') return;
      if (problem) throw new Interrupted(problem);
      const replica = { branches: this.#branches, terminals: this.#terminals, cursor };
      for (const event of data.data) apply(replica, event);
      const { next, complete_to, up_to_date } = data.meta;
      Object.assign(this.#meta, { cursor: next, completeTo: complete_to });
      this.#checkSize();
      this.#dropOwn(complete_to);
      if (up_to_date) {
        await this.#readSeen(patience);
        this.#publish({ kind: 'following', completeTo: complete_to });
      }
      if (data.data.length > 0 || Date.now() - this.#storedAt > STORED_EVERY_MS) await this.#store();
      if (up_to_date) await pause();
    }
  }

  /** Reads when terminals were last seen, which is in no event. */
  async #readSeen(patience: Patience): Promise<void> {
    if (Date.now() - this.#seenReadAt < SEEN_EVERY_MS) return;
    const seenTo = seenTime();
    for (const { tid, last_seen_at } of await readSeen(this.#options.api, patience, this.#meta.seenTo)) {
      const terminal = this.#terminals.get(tid);
      if (terminal && last_seen_at > (terminal.last_seen_at ?? ''))
        this.#terminals.set(tid, { ...terminal, last_seen_at });
    }
    this.#seenReadAt = Date.now();
    this.#meta.seenTo = seenTo;
  }

  /** Shows own changes until the feed has passed them. */
  note(changes: Noted[]): void {
    if (this.fleet.state.kind === 'too_large') return;
    for (const { terminal, branch, deletedTid = terminal?.tid, at } of changes) {
      // The response to a repeated request is that to the first one.
      if (at < this.#meta.completeTo) continue;
      if (branch) this.#noteBranch(branch, at);
      if (deletedTid !== undefined) this.#noteTerminal(deletedTid, terminal, at);
    }
    this.#publish(this.fleet.state);
  }

  #noteTerminal(tid: string, terminal: object | undefined, at: string): void {
    const { last_seen_at = null } = this.#terminals.get(tid) ?? {};
    const value = terminal && this.#terminals.compact({ last_seen_at, ...terminal });
    this.#own.terminals.set(tid, { at, value });
    this.#terminals.changed.add(tid);
  }

  /** Archiving and restoring a branch changes its terminals too. */
  #noteBranch(branch: Branch, at: string): void {
    const { mid, status } = branch;
    const before = this.fleet.branches.get(mid);
    this.#own.branches.set(mid, { at, value: this.#branches.compact(branch) });
    this.#branches.changed.add(mid);
    if (!before || before.status === status) return;
    const rows = this.fleet.rows.filter(({ terminal }) => terminal.mid === mid);
    const terminals = new Map(rows.map(({ terminal }) => [terminal.tid, terminal]));
    const changes = { archived_at: before.archived_at };
    const event = { type: `branch.${status === 'active' ? 'restored' : status}`, at, branch, data: branch, changes };
    apply({ branches: new Map(), terminals, cursor: '' }, event as unknown as Event);
    for (const { terminal } of rows) {
      const changed = terminals.get(terminal.tid);
      if (changed !== terminal) this.#noteTerminal(terminal.tid, changed, at);
    }
  }

  #dropOwn(completeTo: string): void {
    const { terminals, branches } = this.#own;
    for (const [own, { changed }] of [[terminals, this.#terminals] as const, [branches, this.#branches] as const])
      for (const [key, { at }] of own)
        if (at < completeTo) {
          own.delete(key);
          changed.add(key);
        }
  }

  /** Makes the rows anew of what has changed. */
  #publish(state: FleetState): void {
    let { rows, branches } = this.fleet;
    const mids = this.#branches.changed;
    const tids = this.#terminals.changed;
    if (mids.size > 0) {
      const shown = new Map(branches);
      for (const mid of mids) setOrDelete(shown, mid, shownOf(this.#branches.get(mid), this.#own.branches.get(mid)));
      branches = shown;
      for (const { terminal } of rows) if (mids.has(terminal.mid)) tids.add(terminal.tid);
    }
    for (const tid of tids) {
      const terminal = shownOf(this.#terminals.get(tid), this.#own.terminals.get(tid));
      setOrDelete(this.#rows, tid, terminal && rowOf(terminal, branches.get(terminal.mid)));
    }
    if (tids.size > 0) rows = [...this.#rows.values()];
    mids.clear();
    tids.clear();
    this.fleet = { rows, branches, state };
    this.#options.onChange();
  }
}

/** What is shown: an own change, unless what was read is newer. */
const shownOf = <Value extends { updated_at: string }>(known: Value | undefined, own: Own<Value> | undefined) =>
  own && (!known || known.updated_at <= own.at) ? own.value : known;

function setOrDelete<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
