import type { Api } from '../../../functions/console/app/api.ts';
import { type Fleet, FleetEngine, type FleetStorage } from '../../../functions/console/app/fleet/engine.ts';
import { Copies, problem, type Wire } from '../consoleImport/estate.ts';

/** What is stored in a browser, which its tabs share. Copies are made as IndexedDB does. */
export class Browser {
  entries = new Copies();
  isFull = false;
  #holder: AbortSignal | undefined;

  storageOf(tab: AbortSignal): FleetStorage {
    return {
      isOwn: () => {
        if (this.#holder?.aborted !== false) this.#holder = tab;
        return this.#holder === tab && !tab.aborted;
      },
      load: async () => {
        if (!this.entries.has('generation')) this.entries.set('generation', crypto.randomUUID());
        return {
          generation: this.entries.get('generation') as string,
          entries: structuredClone(new Map(this.entries)),
        };
      },
      save: async (generation, entries, isAnew) => {
        if (this.isFull) throw new Error('The quota is exceeded.');
        if (this.entries.get('generation') !== generation) return false;
        if (isAnew) this.entries.clear();
        for (const [key, value] of [['generation', generation], ...entries] as const) this.entries.set(key, value);
        return true;
      },
    };
  }
}

/** A tab of the console, in which an estate is shown. */
export class Tab {
  engine!: FleetEngine;
  isOffline = false;
  isExpired = false;
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
    const openStorage = async () => this.#browser.storageOf(signal);
    this.engine = new FleetEngine({ api, openStorage, signal, pause, onChange: () => {} });
    void this.engine.run();
  }

  close(): void {
    this.#stop.abort();
    this.#wake();
  }

  /** Lets it read the feed until it is in a state. */
  async until(kind: Fleet['state']['kind'], isReached: (fleet: Fleet) => boolean = () => true): Promise<Fleet> {
    for (;;) {
      const { fleet } = this.engine;
      if (fleet.state.kind === kind && isReached(fleet)) return fleet;
      if (fleet.state.kind === 'failed') throw fleet.state.error;
      this.#wake();
      await new Promise((done) => setTimeout(done, 5));
    }
  }

  /** Lets it read the feed until it has everything before a time. */
  completeTo(time: string): Promise<Fleet> {
    return this.until('following', ({ state }) => state.kind === 'following' && state.completeTo > time);
  }
}
