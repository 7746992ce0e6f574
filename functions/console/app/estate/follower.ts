import { apply, type Event } from '../../../../docs/client/apply.ts';
import { type Api, UNATTENDED as headers } from '../api/client.ts';
import { Interrupted } from '../api/interrupted.ts';
import type { Noted } from '../api/ownChanges.ts';
import { createPatience, type Patience } from '../api/patience.ts';
import { terminalPages } from '../api/terminalPages.ts';
import { LISTED_BRANCH, LISTED_TERMINAL } from '../fields/fields.ts';
import { ReplicaMap, SCHEMA } from './replica.ts';
import { type Branch, Row, type Terminal } from './row.ts';

export type EstateState =
  /** It is read for the first time. What has been read so far can be used. */
  | { kind: 'walking'; terminals: number; branches: number }
  /** It has every change before this time. Those of others appear about 25 seconds after they are made. */
  | { kind: 'following'; completeTo: string }
  /** More than 50,000 terminals or branches: use the lists and the search of the service. */
  | { kind: 'too_large' }
  | { kind: 'failed'; error: unknown; retry: () => void };

export interface Estate {
  rows: readonly Row[];
  branches: ReadonlyMap<string, Branch>;
  state: EstateState;
  /** Whether all of it is in memory, also after reading the feed has failed. */
  isComplete: boolean;
  /** Whether the browser keeps it until the next visit, as far as it is known. */
  isKept: boolean;
}

/**
 * Where the estate of an acquirer is stored for a person. Each of its functions runs in one transaction, or rejects in
 * time.
 */
export interface EstateStorage {
  /** Whether this tab stores. Of several tabs, one does. */
  isOwn(): boolean;
  /** Reads all entries, and the generation, which changes when the estate is forgotten. */
  load(): Promise<{ generation: string; entries: Map<string, string> }>;
  /** Stores entries, with `isAnew` in place of all others. Returns `false` if the generation is another one. */
  save(generation: string, entries: [key: string, text: string][], isAnew: boolean): Promise<boolean>;
}

interface FollowerOptions {
  api: Api;
  /** Opens what is stored. If that fails, as in a private window, the estate is only in memory. */
  openStorage: () => Promise<EstateStorage>;
  /** Ends it. */
  signal: AbortSignal;
  /** Resolves when the feed is to be read again. */
  pause: () => Promise<unknown>;
  onChange: () => void;
}

/** What is stored beside the chunks, in the same transaction. */
interface Meta {
  schema: string;
  /** Empty if the estate was not read. */
  cursor: string;
  completeTo: string;
  seenTo: string;
  /** When it was too large, in milliseconds since 1970. */
  tooLargeAt?: number;
}
const NOTHING: Meta = { schema: SCHEMA, cursor: '', completeTo: '', seenTo: '' };

/** The most terminals, the most branches, and the sizes of the pages of a walk. Tests reduce them. */
export const SIZES = { most: 50_000, branches: 100, terminals: 1_000 };
const BRANCH_PAGES_AT_ONCE = 4;
const PROGRESS_EVERY_MS = 200;
const SEEN_EVERY_MS = 10 * 60_000;
/** How long an estate that was too large is not read again. */
const TOO_LARGE_MS = 24 * 60 * 60_000;

/** From when on times last seen are read again: a check is stored a little later, by another clock. */
const seenTime = (): string => new Date(Date.now() - 60_000).toISOString();

class TooLarge extends Error {}

/** An estate of which nothing is read yet. */
export const UNREAD: Estate = {
  rows: [],
  branches: new Map(),
  state: { kind: 'walking', terminals: 0, branches: 0 },
  isComplete: false,
  isKept: true,
};

/** An estate in memory that is read once, then follows the feed, and shows own changes before the feed has them. */
export class EstateFollower {
  estate = UNREAD;
  readonly #options: FollowerOptions;
  readonly #terminals = new ReplicaMap<Terminal>(LISTED_TERMINAL);
  readonly #branches = new ReplicaMap<Branch>(LISTED_BRANCH);
  readonly #rows = new Map<string, Row>();
  #meta = NOTHING;
  /** Where it is stored, unless it is not or no more. */
  #stored: { storage: EstateStorage; generation: string; isAnew: boolean } | undefined;
  #isKept = true;
  #seenAt = 0;
  #progressAt = 0;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Loads what is stored, then reads and follows the estate until it is ended or fails. */
  async run(): Promise<void> {
    await this.#load().catch(() => {
      this.#clear();
      this.#isKept = false;
    });
    await this.#goOn();
  }

  async #goOn(): Promise<void> {
    const { signal } = this.#options;
    try {
      if (Date.now() - (this.#meta.tooLargeAt ?? 0) < TOO_LARGE_MS) throw new TooLarge();
      for (;;) {
        if (this.#meta.cursor === '') await this.#walk();
        await this.#follow(createPatience({ signal }));
        this.#clear();
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TooLarge)) return this.#publish({ kind: 'failed', error, retry: () => void this.#goOn() });
      const { tooLargeAt = Date.now() } = this.#meta;
      this.#clear({ ...NOTHING, tooLargeAt });
      this.#publish({ kind: 'too_large' });
      await this.#store();
    }
  }

  #clear(meta = NOTHING): void {
    this.#terminals.clear();
    this.#branches.clear();
    this.#meta = meta;
    if (this.#stored) this.#stored.isAnew = true;
  }

  async #load(): Promise<void> {
    const storage = await this.#options.openStorage();
    const isOwn = storage.isOwn();
    const { generation, entries } = await storage.load();
    this.#stored = { storage, generation, isAnew: true };
    const meta: Meta | undefined = JSON.parse(entries.get('meta') ?? 'null') ?? undefined;
    if (meta?.schema !== SCHEMA) return;
    this.#branches.load('branches', entries);
    this.#terminals.load('terminals', entries);
    this.#meta = meta;
    // Another tab may store something else until this one does.
    this.#stored.isAnew = !isOwn;
    if (meta.cursor !== '') this.#publish({ kind: 'following', completeTo: meta.completeTo });
  }

  /**
   * Stores what has changed with its cursor. If that fails, as on a full disk, what is stored stays, older but right.
   */
  async #store(): Promise<void> {
    if (!this.#stored?.storage.isOwn()) return;
    const { storage, generation, isAnew } = this.#stored;
    this.#stored.isAnew = false;
    const chunks = [...this.#branches.unstored('branches', isAnew), ...this.#terminals.unstored('terminals', isAnew)];
    const isDone = await storage
      .save(generation, [['meta', JSON.stringify(this.#meta)], ...chunks], isAnew)
      .catch(() => false);
    if (isDone) return;
    this.#stored = undefined;
    this.#isKept = false;
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
      const params = { query: { after: 'now' } };
      const { data, problem } = await patience(() => api.GET('/ext/api/v1/events', { params, headers }));
      if (problem) throw new Interrupted(problem);
      await Promise.all([this.#walkBranches(patience), this.#walkTerminals(patience)]);
      this.#meta = { ...NOTHING, cursor: data.meta.next, completeTo: data.meta.complete_to, seenTo };
      await this.#store();
    } finally {
      failed.abort();
    }
  }

  async #walkBranches(patience: Patience): Promise<void> {
    const { api } = this.#options;
    const read = async (page: number) => {
      const params = { query: { sort: 'asc', per_page: SIZES.branches, page } } as const;
      const { data, problem } = await patience(() => api.GET('/ext/api/v1/merchants', { params, headers }));
      if (problem) throw new Interrupted(problem);
      if (data.meta.total > SIZES.most) throw new TooLarge();
      for (const branch of data.data) this.#branches.set(branch.mid, branch);
      this.#progress();
      return data.meta.total;
    };
    // Branches that are created meanwhile come last, and the feed has them.
    const pages = Math.ceil((await read(1)) / SIZES.branches);
    const others = Array.from({ length: Math.max(0, pages - 1) }, (_, at) => at + 2).values();
    await Promise.all(
      Array.from({ length: BRANCH_PAGES_AT_ONCE }, async () => {
        for (const page of others) await read(page);
      }),
    );
  }

  async #walkTerminals(patience: Patience): Promise<void> {
    for await (const page of terminalPages(this.#options.api, patience, SIZES.terminals, headers)) {
      for (const terminal of page) this.#terminals.set(terminal.tid, terminal);
      this.#checkSize();
      this.#progress();
    }
  }

  #checkSize(): void {
    if (Math.max(this.#terminals.size, this.#branches.size) > SIZES.most) throw new TooLarge();
  }

  #progress(): void {
    if (Date.now() - this.#progressAt < PROGRESS_EVERY_MS) return;
    this.#progressAt = Date.now();
    this.#publish({ kind: 'walking', terminals: this.#terminals.size, branches: this.#branches.size });
  }

  /**
   * Applies the events after the cursor, page by page. Returns when a walk is needed, as when the cursor has expired.
   */
  async #follow(patience: Patience): Promise<void> {
    const { api, pause } = this.#options;
    for (;;) {
      const params = { query: { after: this.#meta.cursor } };
      const { data, problem } = await patience(() => api.GET('/ext/api/v1/events', { params, headers }));
      if (problem?.code === 'cursor_expired' || problem?.code === 'invalid_query') return;
      if (problem) throw new Interrupted(problem);
      const { next: cursor, complete_to: completeTo, up_to_date } = data.meta;
      for (const event of data.data) apply({ branches: this.#branches, terminals: this.#terminals, cursor }, event);
      for (const map of [this.#branches, this.#terminals]) map.pass(completeTo);
      this.#meta = { ...this.#meta, cursor, completeTo };
      this.#checkSize();
      await this.#store();
      if (!up_to_date) continue;
      this.#publish({ kind: 'following', completeTo });
      if (Date.now() - this.#seenAt > SEEN_EVERY_MS) await this.#readSeen().catch(() => {});
      await pause();
    }
  }

  /** Reads when terminals were last seen, which is in no event. If that fails, it is read later. */
  async #readSeen(): Promise<void> {
    const seenTo = seenTime();
    const { seenTo: since } = this.#meta;
    for (let after: string | null | undefined; after !== null; ) {
      const query = { ...(since && { since }), ...(after !== undefined && { after }) };
      const page = await this.#options.api.GET('/console/api/last-seen', { params: { query }, headers });
      if (!page.data) return;
      for (const { tid, last_seen_at } of page.data.data) {
        const terminal = this.#terminals.get(tid);
        if (terminal && last_seen_at > (terminal.last_seen_at ?? ''))
          this.#terminals.set(tid, { ...terminal, last_seen_at });
      }
      after = page.data.meta.next;
    }
    this.#seenAt = Date.now();
    this.#meta = { ...this.#meta, seenTo };
  }

  /** Shows own changes until the feed has passed them. */
  note(changes: Noted[]): void {
    if (this.estate.state.kind === 'too_large') return;
    for (const { terminal, branch, deletedTid, at } of changes) {
      // The response to a repeated request is that to the first one.
      if (at < this.#meta.completeTo) continue;
      if (branch) this.#noteBranch(branch, at);
      if (terminal) this.#terminals.note(terminal.tid, at, terminal);
      if (deletedTid !== undefined) this.#terminals.note(deletedTid, at, undefined);
    }
    this.#publish(this.estate.state);
  }

  /** Archiving and restoring a branch changes its terminals too. */
  #noteBranch(branch: Branch, at: string): void {
    const before = this.#branches.shown(branch.mid);
    this.#branches.note(branch.mid, at, branch);
    if (!before || before.status === branch.status) return;
    const rows = this.estate.rows.filter(({ terminal }) => terminal.mid === branch.mid);
    const terminals = new Map(rows.map(({ terminal }) => [terminal.tid, terminal]));
    const type = branch.status === 'archived' ? 'branch.archived' : 'branch.restored';
    const event = { type, at, branch, data: branch, changes: { archived_at: before.archived_at } };
    apply({ branches: new Map(), terminals, cursor: '' }, event as unknown as Event);
    for (const { terminal } of rows) {
      const changed = terminals.get(terminal.tid);
      if (changed !== terminal) this.#terminals.note(terminal.tid, at, changed);
    }
  }

  /** Makes the rows anew of what has changed. */
  #publish(state: EstateState): void {
    let { rows, branches } = this.estate;
    const [mids, tids] = [this.#branches.changed, this.#terminals.changed];
    if (mids.size > 0) {
      const shown = new Map(branches);
      for (const mid of mids) setOrDelete(shown, mid, this.#branches.shown(mid));
      branches = shown;
      for (const { terminal } of rows) if (mids.has(terminal.mid)) tids.add(terminal.tid);
    }
    for (const tid of tids) {
      const terminal = this.#terminals.shown(tid);
      setOrDelete(this.#rows, tid, terminal && new Row(terminal, branches.get(terminal.mid)));
    }
    if (tids.size > 0) rows = [...this.#rows.values()];
    mids.clear();
    tids.clear();
    this.estate = { rows, branches, state, isComplete: this.#meta.cursor !== '', isKept: this.#isKept };
    this.#options.onChange();
  }
}

function setOrDelete<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
