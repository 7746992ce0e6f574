import { randomBytes } from 'node:crypto';
import type { Criteria, Row } from '../../../docs/client/estate/estate.ts';
import type { Api } from '../../../functions/console/app/api/client.ts';
import { EstateFeed, type EstateStore, type Kept } from '../../../functions/console/app/estate/feed.ts';
import { summaryOf } from '../../../functions/console/app/estate/questions.ts';
import { deflated, inflated } from '../../../functions/console/app/kept/deflate.ts';
import { open, seal } from '../../../functions/console/app/kept/seal.ts';
import { problem, type Wire } from '../consoleImport/estate.ts';

/** What a browser keeps, which its tabs share: sealed records, and in plain text their generation. */
export class Browser {
  readonly records = new Map<string, string | Uint8Array>();
  /** Those of the session. */
  owner = newOwner();
  isFull = false;
  readonly tabs = new Set<Tab>();
  /** Resolves when no tab leads. */
  #led: Promise<void> = Promise.resolve();

  /** Opens a record, and throws if it cannot be opened with the key of the session. */
  async read(record: string): Promise<string> {
    return inflated(await open(this.owner, record, this.records.get(record) as Uint8Array));
  }

  async write(record: string, text: string): Promise<void> {
    this.records.set(record, await seal(this.owner, record, await deflated(text)));
  }

  /** Runs something while no other tab does, as a Web Lock. */
  lead(tab: AbortSignal, run: () => Promise<void>): Promise<void> {
    const leading = this.#led.then(() => (tab.aborted ? undefined : run()));
    this.#led = leading.catch(() => {});
    return leading;
  }

  storeOf(tab: AbortSignal): EstateStore {
    return {
      load: async (records) => {
        if (!this.records.has('generation')) this.records.set('generation', crypto.randomUUID());
        const generation = this.records.get('generation') as string;
        const kept = new Map(this.records);
        return {
          generation,
          records: records ?? [...kept.keys()].filter((record) => record !== 'generation'),
          open: async (record) => {
            const value = kept.get(record);
            return value && inflated(await open(this.owner, record, value as Uint8Array));
          },
        };
      },
      save: async (generation, entries, isAnew) => {
        const records: [string, Uint8Array][] = [];
        for await (const [record, text] of entries)
          records.push([record, await seal(this.owner, record, await deflated(text))]);
        if (this.isFull || tab.aborted) throw new Error('The quota is exceeded, or the tab is closed.');
        if (this.records.get('generation') !== generation) return false;
        if (isAnew) this.records.clear();
        for (const [record, value] of [['generation', generation], ...records] as const)
          this.records.set(record, value);
        return true;
      },
    };
  }
}

export const newOwner = () => ({
  person: { id: 'a person' },
  acquirer: { id: 'an acquirer', browser_key: randomBytes(32).toString('base64url') },
});

const ALL: Criteria = { text: '', filters: {}, sort: { by: 'terminal_id', isDescending: false } };

/** A tab of the console, in which an estate is shown. */
export class Tab {
  feed!: EstateFeed;
  isOffline = false;
  isExpired = false;
  /** In place of the browser's. */
  store: EstateStore | undefined;
  readonly #browser: Browser;
  readonly #client: (wire: Wire) => Api;
  #stop = new AbortController();
  #wake = () => {};

  constructor(browser: Browser, client: (wire: Wire) => Api) {
    this.#browser = browser;
    this.#client = client;
    browser.tabs.add(this);
    this.open();
  }

  open(): void {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const api = this.#client(async ({ url }, send) => {
      if (this.isOffline) throw new TypeError('fetch failed');
      if (!this.isExpired || !/events\?after=(?!now)/.test(url)) return send();
      this.isExpired = false;
      return problem(400, 'cursor_expired');
    });
    this.feed = new EstateFeed({
      api,
      store: this.store ?? this.#browser.storeOf(signal),
      lead: (run) => this.#browser.lead(signal, run),
      tell: (kept) => {
        for (const tab of this.#browser.tabs) if (tab !== this) tab.#hear(kept);
      },
      signal,
      // Whoever leads lets another tab lead after each page of events.
      pause: async () => false,
      attended: () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        return promise;
      },
      summaryOf: (estate) => summaryOf(estate, Date.now()),
      onChange: () => {},
    });
    void this.feed.run();
  }

  #hear(kept: Kept): void {
    if (!this.#stop.signal.aborted) this.feed.kept(structuredClone(kept));
  }

  close(): void {
    this.#stop.abort();
    this.#wake();
  }

  get rows(): Row[] {
    return this.feed.estate.terminalsIn(ALL, { from: 0, to: 1_000_000 }).rows;
  }

  /** Lets it read the feed until it is in a state. */
  async until(kind: EstateFeed['state']['kind'], isReached: (feed: EstateFeed) => boolean = () => true): Promise<this> {
    for (;;) {
      const { feed } = this;
      if (feed.state.kind === kind && isReached(feed)) return this;
      if (feed.state.kind === 'failed') throw feed.state.error;
      this.#wake();
      await new Promise((done) => setTimeout(done, 5));
    }
  }

  /** Lets it read the feed until it has everything before a time. */
  completeTo(time: string): Promise<this> {
    return this.until('following', ({ state }) => state.kind === 'following' && state.completeTo > time);
  }
}
