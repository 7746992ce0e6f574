import { apply } from '../../../../docs/client/apply.ts';
import { Estate, type Noted } from '../../../../docs/client/estate/estate.ts';
import { type Api, UNATTENDED as headers } from '../api/client.ts';
import { Interrupted } from '../api/interrupted.ts';
import { createPatience, type Patience } from '../api/patience.ts';
import { type Share, shareOf } from '../api/share.ts';
import { LISTED_BRANCH, LISTED_TERMINAL } from '../fields/fields.ts';
import { MOST } from './most.ts';

export type EstateState =
  /** What the browser keeps is read. What has been read so far can be used. */
  | { kind: 'loading' }
  /** It is read from the service. What has been read so far can be used. */
  | { kind: 'walking' }
  /** It has every change before this time. Those of others appear about 25 seconds after they are made. */
  | { kind: 'following'; completeTo: string }
  /** More than {@link SIZES.most}: use the lists and the search of the service. */
  | { kind: 'too_large' }
  | { kind: 'failed'; error: unknown };

/** A record: the state of what is kept, or a chunk of it. */
type Entry = [record: string, text: string];

/** What the browser keeps of an estate, as it was at one time. */
interface Snapshot {
  /** Changes when the estate is forgotten. */
  generation: string;
  /** Opens a record; `undefined` if there is none. Throws if it cannot be opened. */
  open(record: string): Promise<string | undefined>;
  records: string[];
}

/** Where the estate of an acquirer is kept for a person. Each of its functions runs in one transaction, or rejects in time. */
export interface EstateStore {
  /** Reads all records, or some. */
  load(records?: string[]): Promise<Snapshot>;
  /** Keeps records, with `isAnew` in place of all others. Returns `false` if the generation is another one. */
  save(generation: string, entries: AsyncIterable<Entry>, isAnew: boolean): Promise<boolean>;
}

/** What tabs of a person tell each other: what was kept, as which revision. */
export interface Kept {
  revision: number;
  /** In place of all others. */
  isAnew: boolean;
  records: string[];
}

interface FeedOptions {
  api: Api;
  /** Where it is kept. If that fails, as in a private window, the estate is only in memory. */
  store: EstateStore;
  /** Runs something while no other tab of the person does. It waits for them. */
  lead: (run: () => Promise<void>) => Promise<void>;
  /** Tells the other tabs what was kept. */
  tell: (kept: Kept) => void;
  /** Ends it. */
  signal: AbortSignal;
  /** Resolves when the feed is to be read again: `false` if nobody looks at this tab, so that another one may lead. */
  pause: () => Promise<boolean>;
  /** Resolves once somebody looks at this tab. */
  attended: () => Promise<void>;
  /** What is kept of a whole estate to be shown first at the next visit, as JSON. */
  summaryOf: (estate: Estate) => string;
  onChange: () => void;
}

/** What is kept beside the chunks, in the same transaction. */
interface Meta {
  form: string;
  /** Counts what was kept. */
  revision: number;
  /** Empty if nothing was read. */
  cursor: string;
  completeTo: string;
  seenTo: string;
  /** What is still to be read of the lists; absent once they were read. */
  walk?: Walk;
  /** When it was too large, in milliseconds since 1970. */
  tooLargeAt?: number;
}

interface Walk {
  /** How many of the first branches were read; `null` once all were. */
  branches: number | null;
  /** The last terminal that was read; `null` once all were. */
  terminals: string | null;
}

/** What was kept in another form is read anew. */
const FORM = JSON.stringify([1, Object.keys(LISTED_TERMINAL), Object.keys(LISTED_BRANCH)]);
const META = 'meta';
const SUMMARY = 'summary';
const CHUNK = /\d$/;
const NOTHING: Meta = { form: FORM, revision: 0, cursor: '', completeTo: '', seenTo: '' };

/** The most that is kept, and the sizes of the pages of a walk. Tests reduce them. */
export const SIZES = { most: MOST, branches: 100, terminals: 1_000 };
/** The tokens that a page takes, by its size. */
const TAKEN = {
  branches: [[100, 6]],
  terminals: [
    [1_000, 30],
    [100, 8],
  ],
} as const;
const LEAST_PAGE = 10;
const BRANCH_PAGES_AT_ONCE = 4;
const PROGRESS_EVERY_MS = 200;
/** How often it is kept that nothing has changed, and how far a walk is. Tests change it. */
export const KEEP_EVERY_MS = { following: 60_000, walking: 3_000 };
const SEEN_EVERY_MS = 10 * 60_000;
/** How often times last seen are kept, which changes most chunks. */
const KEEP_SEEN_EVERY_MS = 60 * 60_000;
/** How long an estate that was too large is not read again. */
const TOO_LARGE_MS = 24 * 60 * 60_000;
/** How many chunks are taken or packed before something else may happen. */
const CHUNKS_AT_ONCE = 4;

/** From when on times last seen are read again: a check is stored a little later, by another clock. */
const seenTime = (): string => new Date(Date.now() - 60_000).toISOString();

const turn = () => new Promise((done) => setTimeout(done));

class TooLarge extends Error {}

/**
 * Reads an estate and follows it: first what the browser keeps, then the lists, from where it stopped, then the feed. One tab
 * of a person does, and keeps it. The others take what it has kept.
 */
export class EstateFeed {
  readonly estate = new Estate();
  state: EstateState = { kind: 'loading' };
  /** Whether the browser keeps it until the next visit, as far as it is known. */
  isKept = true;
  /** While what is kept is read: what was to be shown first. */
  summary: string | undefined;
  readonly #options: FeedOptions;
  #meta = NOTHING;
  #generation = '';
  /** Whether what is kept is replaced. */
  #isAnew = true;
  #seenAt = 0;
  /** Up to when times last seen are in memory. Those that are kept are older. */
  #seenTo = '';
  #seenKeptAt = Date.now();
  #progressAt = 0;
  #keptAt = 0;
  #isKeeping = false;
  /** Resolves when this tab has taken what others have kept. */
  #taking: Promise<unknown> = Promise.resolve();

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Whether all of it is in memory, also after reading the feed has failed. */
  get isComplete(): boolean {
    return this.#meta.cursor !== '' && this.#meta.walk === undefined && this.state.kind !== 'loading';
  }

  /** Reads and follows the estate until it is ended or fails. */
  async run(): Promise<void> {
    this.#taking = this.#load();
    await this.#taking;
    await this.#goOn();
  }

  async #goOn(): Promise<void> {
    const { signal, lead, attended } = this.#options;
    while (!signal.aborted) {
      const followKept = async () => {
        // Another tab may have kept more until now.
        await this.#taking;
        await this.#catchUp();
        await this.#follow();
      };
      // What is not kept, no other tab can take.
      await (this.isKept ? lead(followKept) : this.#follow()).catch((error: unknown) => this.#fail(error));
      if (this.state.kind === 'failed' || this.state.kind === 'too_large') return;
      await attended();
    }
  }

  /** Reads again after it has failed. */
  retry(): void {
    if (this.state.kind === 'failed') void this.#goOn();
  }

  #fail(error: unknown): void {
    if (!this.#options.signal.aborted) this.#publish({ kind: 'failed', error });
  }

  /** Reads until nobody looks at this tab, or until another one should lead. */
  async #follow(): Promise<void> {
    const { signal } = this.#options;
    try {
      if (Date.now() - (this.#meta.tooLargeAt ?? 0) < TOO_LARGE_MS) throw new TooLarge();
      for (;;) {
        if (this.#meta.cursor === '' || this.#meta.walk) await this.#walk();
        const outcome = await this.#readFeed(createPatience({ signal }));
        if (outcome === 'resting') return;
        this.#clear();
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TooLarge)) return this.#fail(error);
      const { tooLargeAt = Date.now() } = this.#meta;
      this.#clear({ tooLargeAt });
      this.#publish({ kind: 'too_large' });
      await this.#keep();
    }
  }

  #clear(meta: Partial<Meta> = {}): void {
    this.estate.clear();
    this.#meta = { ...NOTHING, revision: this.#meta.revision, ...meta };
    this.#seenTo = '';
    this.#isAnew = true;
  }

  /** Reads what is kept. If that fails, the estate is only in memory from now on. */
  #kept(records?: string[]): Promise<Snapshot> {
    return this.#options.store.load(records).catch((error: unknown) => {
      this.isKept = false;
      throw error;
    });
  }

  /** Takes what another tab has kept, unless this one has it. */
  async #catchUp(): Promise<void> {
    const meta = await this.#kept([META]).then(metaIn, () => undefined);
    if (this.isKept && (meta?.revision ?? 0) !== this.#meta.revision) await this.#load();
  }

  /** Takes all that the browser keeps, chunk by chunk. */
  async #load(): Promise<void> {
    const { signal } = this.#options;
    try {
      await this.#loadSummary();
      const snapshot = await this.#kept();
      this.#generation = snapshot.generation;
      this.#clear();
      const meta = await metaIn(snapshot);
      if (!meta) return;
      await this.#take(snapshot, inOrder(snapshot.records.filter((record) => CHUNK.test(record))));
      if (signal.aborted) return;
      this.#meta = meta;
      this.#isAnew = false;
      this.summary = undefined;
      this.#publishKept();
    } catch {
      // What cannot be opened is replaced.
      this.#clear();
    } finally {
      this.summary = undefined;
    }
  }

  /** Takes what is to be shown first, before all else. */
  async #loadSummary(): Promise<void> {
    if (this.state.kind !== 'loading') return;
    const snapshot = await this.#kept([META, SUMMARY]);
    const meta = await metaIn(snapshot);
    if (!meta || meta.walk || meta.cursor === '') return;
    this.summary = await snapshot.open(SUMMARY);
    this.#publish(this.state);
  }

  async #take(snapshot: Snapshot, names: string[]): Promise<void> {
    for (let at = 0; at < names.length && !this.#options.signal.aborted; at += CHUNKS_AT_ONCE) {
      const some = names.slice(at, at + CHUNKS_AT_ONCE);
      const opened = await Promise.all(some.map(async (name) => [name, (await snapshot.open(name)) ?? ''] as const));
      this.estate.unpack(opened);
      this.#progress();
      await turn();
    }
  }

  /** Shows the state of what was taken. */
  #publishKept(): void {
    const { cursor, walk, completeTo, tooLargeAt } = this.#meta;
    if (tooLargeAt !== undefined) this.#publish({ kind: 'too_large' });
    else if (cursor !== '' && !walk) this.#publish({ kind: 'following', completeTo });
    else this.#publish({ kind: 'walking' });
  }

  /** Takes what another tab has kept. */
  kept({ revision, isAnew, records }: Kept): void {
    this.#taking = this.#taking.then(async () => {
      if (revision <= this.#meta.revision || this.#options.signal.aborted) return;
      if (isAnew || revision > this.#meta.revision + 1) return this.#load();
      const snapshot = await this.#options.store.load([META, ...records]);
      const meta = await metaIn(snapshot);
      if (meta?.revision !== revision || snapshot.generation !== this.#generation) return this.#load();
      const opened = records.map(async (name) => [name, (await snapshot.open(name)) ?? ''] as const);
      this.estate.unpack(await Promise.all(opened));
      this.#meta = meta;
      this.#isAnew = false;
      if (meta.completeTo) this.estate.pass(meta.completeTo);
      this.#publishKept();
    });
    this.#taking = this.#taking.catch((error: unknown) => this.#fail(error));
  }

  /** Keeps what has changed with its cursor. If that fails, as on a full disk, what is kept stays, older but right. */
  async #keep(): Promise<void> {
    if (!this.isKept || this.#isKeeping) return;
    const { store, tell } = this.#options;
    this.#isKeeping = true;
    this.#keptAt = Date.now();
    const isSeen = this.#keptAt - this.#seenKeptAt > KEEP_SEEN_EVERY_MS;
    if (isSeen) this.#seenKeptAt = this.#keptAt;
    const isAnew = this.#isAnew;
    this.#isAnew = false;
    const revision = this.#meta.revision + 1;
    this.#meta = { ...this.#meta, revision, ...(isSeen && { seenTo: this.#seenTo }) };
    // What is read while chunks are packed is newer than this, and is read again.
    const meta = JSON.stringify(this.#meta);
    const records: string[] = [];
    const { estate, isComplete } = this;
    const { summaryOf } = this.#options;
    async function* entries(): AsyncGenerator<Entry> {
      yield [META, meta];
      if (isComplete) yield [SUMMARY, summaryOf(estate)];
      for (const table of ['terminals', 'branches'] as const)
        for (const name of estate.unstored(table, { isSeen })) {
          records.push(name);
          yield* estate.pack([name]);
        }
    }
    const isDone = await store.save(this.#generation, entries(), isAnew).catch(() => false);
    this.#isKeeping = false;
    if (isDone) tell({ revision, isAnew, records });
    else this.isKept = false;
  }

  /** Reads the lists, from where it stopped. With the events after the cursor that it gets before, the estate is exact. */
  async #walk(): Promise<void> {
    const { api, signal } = this.#options;
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    const share = shareOf(createPatience({ signal: stop }), stop);
    this.#publish({ kind: 'walking' });
    try {
      const seenTo = seenTime();
      const params = { query: { after: 'now' } };
      const { data, problem } = await share.patience(() => api.GET('/ext/api/v1/events', { params, headers }));
      if (problem) throw new Interrupted(problem);
      if (!this.#meta.walk) {
        this.#clear({ cursor: data.meta.next, completeTo: data.meta.complete_to, seenTo });
        this.#meta.walk = { branches: 0, terminals: '' };
      }
      const { walk } = this.#meta as { walk: Walk };
      await Promise.all([this.#walkBranches(walk, share), this.#walkTerminals(walk, share)]);
      delete this.#meta.walk;
      // It is kept with the first events after it.
      this.#keptAt = 0;
    } finally {
      failed.abort();
    }
  }

  async #walkBranches(walk: Walk, share: Share): Promise<void> {
    if (walk.branches === null) return;
    const { api } = this.#options;
    const size = sizeOf('branches', share);
    const read = async (page: number) => {
      const params = { query: { sort: 'asc', per_page: size, page } } as const;
      const { data, problem } = await share.patience(() => api.GET('/ext/api/v1/merchants', { params, headers }));
      if (problem) throw new Interrupted(problem);
      if (data.meta.total > SIZES.most.branches) throw new TooLarge();
      for (const branch of data.data) this.estate.branches.set(branch.mid, branch);
      done.add(page);
      // Branches are never deleted, so those of earlier pages stay there.
      while (done.has(1 + (walk.branches as number) / size)) (walk.branches as number) += size;
      await this.#progressOfWalk();
      return data.meta.total;
    };
    const done = new Set<number>();
    walk.branches -= walk.branches % size;
    const first = 1 + walk.branches / size;
    // Branches that are created meanwhile come last, and the feed has them.
    const pages = Math.ceil((await read(first)) / size);
    const others = Array.from({ length: Math.max(0, pages - first) }, (_, at) => first + 1 + at).values();
    await Promise.all(
      Array.from({ length: BRANCH_PAGES_AT_ONCE }, async () => {
        for (const page of others) await read(page);
      }),
    );
    walk.branches = null;
  }

  async #walkTerminals(walk: Walk, share: Share): Promise<void> {
    const { api } = this.#options;
    while (walk.terminals !== null) {
      const limit = sizeOf('terminals', share);
      const params = { query: { limit, ...(walk.terminals !== '' && { after: walk.terminals }) } };
      const { data, problem } = await share.patience(() => api.GET('/ext/api/v1/terminals', { params, headers }));
      if (problem) throw new Interrupted(problem);
      for (const terminal of data.data)
        this.estate.terminals.set(terminal.tid, { ...terminal, last_seen_at: terminal.last_seen_at ?? null });
      walk.terminals = data.meta.next;
      this.#checkSize();
      await this.#progressOfWalk();
    }
  }

  #checkSize(): void {
    const { terminals, branches } = this.estate;
    if (terminals.size > SIZES.most.terminals || branches.size > SIZES.most.branches) throw new TooLarge();
  }

  /** Shows how far a walk is, and keeps it. */
  async #progressOfWalk(): Promise<void> {
    this.#progress();
    if (Date.now() - this.#keptAt > KEEP_EVERY_MS.walking) await this.#keep();
  }

  #progress(): void {
    if (Date.now() - this.#progressAt < PROGRESS_EVERY_MS) return;
    this.#progressAt = Date.now();
    this.#publish(this.state);
  }

  /**
   * Applies the events after the cursor, page by page.
   *
   * @returns Why it ends: nobody looks at this tab, or a walk is needed, as when the cursor has expired.
   */
  async #readFeed(patience: Patience): Promise<'resting' | 'expired'> {
    const { api, pause } = this.#options;
    for (;;) {
      const params = { query: { after: this.#meta.cursor } };
      const { data, problem } = await patience(() => api.GET('/ext/api/v1/events', { params, headers }));
      if (problem?.code === 'cursor_expired' || problem?.code === 'invalid_query') return 'expired';
      if (problem) throw new Interrupted(problem);
      const { next: cursor, complete_to: completeTo, up_to_date } = data.meta;
      const isNew = data.data.length > 0;
      for (const event of data.data) apply(this.estate, event);
      this.estate.pass(completeTo);
      this.#meta = { ...this.#meta, cursor, completeTo };
      this.#checkSize();
      if (isNew || Date.now() - this.#keptAt > KEEP_EVERY_MS.following) await this.#keep();
      if (!up_to_date) continue;
      this.#publish({ kind: 'following', completeTo });
      if (Date.now() - this.#seenAt > SEEN_EVERY_MS) {
        this.#seenAt = Date.now();
        // Changes do not wait for many pages of times.
        void this.#readSeen().catch(() => {});
      }
      if (!(await pause())) return 'resting';
    }
  }

  /** Reads when terminals were last seen, which is in no event. If that fails, it is read the next time. */
  async #readSeen(): Promise<void> {
    const { api, signal } = this.#options;
    const share = shareOf(createPatience({ signal }), signal);
    const seenTo = seenTime();
    const since = this.#seenTo || this.#meta.seenTo;
    for (let after: string | null | undefined; after !== null; ) {
      const query = { ...(since && { since }), ...(after !== undefined && { after }) };
      const { data, problem } = await share.patience(() =>
        api.GET('/console/api/last-seen', { params: { query }, headers }),
      );
      if (problem) throw new Interrupted(problem);
      for (const { tid, last_seen_at } of data.data) this.estate.see(tid, last_seen_at);
      after = data.meta.next;
    }
    this.#seenTo = seenTo;
    this.#publish(this.state);
  }

  /** Shows own changes until the feed has passed them. */
  note(changes: Noted[]): void {
    if (this.state.kind === 'too_large') return;
    // The response to a repeated request is that to the first one.
    for (const change of changes) if (change.at >= this.#meta.completeTo) this.estate.note(change);
    this.#publish(this.state);
  }

  #publish(state: EstateState): void {
    this.state = state;
    this.#options.onChange();
  }
}

/** The state of what is kept; `undefined` if it is of another form, or cannot be opened. */
async function metaIn(snapshot: Snapshot): Promise<Meta | undefined> {
  const text = await snapshot.open(META).catch(() => undefined);
  const meta: Meta | undefined = text === undefined ? undefined : JSON.parse(text);
  return meta?.form === FORM ? meta : undefined;
}

/** Chunks of branches first, to which terminals refer, then each from the first. */
const inOrder = (names: string[]): string[] =>
  names.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }));

/** How long pages are, so that one takes at most half of the limit. */
function sizeOf(list: 'branches' | 'terminals', { half }: Share): number {
  const [size = LEAST_PAGE] = TAKEN[list].find(([, taken]) => taken <= half()) ?? [];
  return Math.min(size, SIZES[list]);
}
