import { randomBytes } from 'node:crypto';
import type { Api } from '../../../functions/console/app/api/client.ts';
import { type Estate, EstateFollower, type EstateStorage } from '../../../functions/console/app/estate/follower.ts';
import { open, seal } from '../../../functions/console/app/kept/seal.ts';
import { problem, type Wire } from '../consoleImport/estate.ts';

/** What a browser stores, which its tabs share: sealed records, and in plain text their generation. */
export class Browser {
  readonly records = new Map<string, string | Uint8Array>();
  /** Those of the session. */
  owner = newOwner();
  isFull = false;
  /** Resolves when what was to be stored last is stored. */
  saving: Promise<unknown> = Promise.resolve();
  #holder: AbortSignal | undefined;

  /** Opens a record, and throws if it cannot be opened with the key of the session. */
  async read(record: string): Promise<string> {
    return new TextDecoder().decode(await open(this.owner, record, this.records.get(record) as Uint8Array));
  }

  async write(record: string, text: string): Promise<void> {
    this.records.set(record, await seal(this.owner, record, new TextEncoder().encode(text)));
  }

  storageOf(tab: AbortSignal): EstateStorage {
    return {
      isOwn: () => {
        if (this.#holder?.aborted !== false) this.#holder = tab;
        return this.#holder === tab && !tab.aborted;
      },
      load: async () => {
        if (!this.records.has('generation')) this.records.set('generation', crypto.randomUUID());
        const generation = this.records.get('generation') as string;
        const sealed = [...this.records.keys()].filter((record) => record !== 'generation');
        const entries = sealed.map(async (record) => [record, await this.read(record)] as const);
        return { generation, entries: new Map(await Promise.all(entries).catch(() => [])) };
      },
      save: (generation, entries, isAnew) => {
        const saving = this.#save(generation, entries, isAnew);
        this.saving = saving.catch(() => {});
        return saving;
      },
    };
  }

  async #save(...[generation, entries, isAnew]: Parameters<EstateStorage['save']>): Promise<boolean> {
    const sealed = entries.map(
      async ([record, text]) => [record, await seal(this.owner, record, new TextEncoder().encode(text))] as const,
    );
    const records = await Promise.all(sealed);
    if (this.isFull) throw new Error('The quota is exceeded.');
    if (this.records.get('generation') !== generation) return false;
    if (isAnew) this.records.clear();
    for (const [record, value] of [['generation', generation], ...records] as const) this.records.set(record, value);
    return true;
  }
}

export const newOwner = () => ({
  person: { id: 'a person' },
  acquirer: { id: 'an acquirer', browser_key: randomBytes(32).toString('base64url') },
});

/** A tab of the console, in which an estate is shown. */
export class Tab {
  follower!: EstateFollower;
  isOffline = false;
  isExpired = false;
  /** Resolves when it has read what is stored. */
  loaded!: Promise<void>;
  /** In place of the browser's. */
  openStorage: (() => Promise<EstateStorage>) | undefined;
  readonly #browser: Browser;
  readonly #client: (wire: Wire) => Api;
  #stop = new AbortController();
  #wake = () => {};

  constructor(browser: Browser, client: (wire: Wire) => Api) {
    this.#browser = browser;
    this.#client = client;
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
    const pause = () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      return promise;
    };
    const { promise, resolve } = Promise.withResolvers<void>();
    this.loaded = promise;
    const openOwn = async () => {
      const storage = this.#browser.storageOf(signal);
      return { ...storage, load: () => storage.load().finally(() => setImmediate(resolve)) };
    };
    const openStorage = this.openStorage ?? openOwn;
    this.follower = new EstateFollower({ api, openStorage, signal, pause, onChange: () => {} });
    void this.follower.run();
  }

  close(): void {
    this.#stop.abort();
    this.#wake();
  }

  /** Lets it read the feed until it is in a state. */
  async until(kind: Estate['state']['kind'], isReached: (estate: Estate) => boolean = () => true): Promise<Estate> {
    for (;;) {
      const { estate } = this.follower;
      if (estate.state.kind === kind && isReached(estate)) return estate;
      if (estate.state.kind === 'failed') throw estate.state.error;
      this.#wake();
      await new Promise((done) => setTimeout(done, 5));
    }
  }

  /** Lets it read the feed until it has everything before a time. */
  completeTo(time: string): Promise<Estate> {
    return this.until('following', ({ state }) => state.kind === 'following' && state.completeTo > time);
  }
}
