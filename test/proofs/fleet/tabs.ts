import type { Api } from '../../../functions/console/app/api.ts';
import { type Fleet, FleetEngine, type FleetStorage } from '../../../functions/console/app/fleet/engine.ts';
import { Copies, problem, type Wire } from '../consoleImport/estate.ts';

/* Tabs of the console that follow an estate while anything can happen to them. */

/** What is stored in a browser, which its tabs share. */
export class Browser {
  entries = new Copies();
  holder: AbortSignal | undefined;
  isFull = false;

  openFor(tab: AbortSignal): FleetStorage {
    return {
      isOwn: () => {
        if (!this.holder || this.holder.aborted) this.holder = tab;
        return this.holder === tab && !tab.aborted;
      },
      load: async () => {
        if (!this.entries.has('generation')) this.entries.set('generation', crypto.randomUUID());
        return { generation: this.entries.get('generation') as string, entries: structuredClone(new Map(this.entries)) };
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

  /** As when a person signs out. */
  forget(): void {
    this.entries = new Copies();
  }
}

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
    this.engine = new FleetEngine({
      api: this.#client(async ({ url }, send) => {
        if (this.isOffline) throw new TypeError('fetch failed');
        if (this.isExpired && /events\?after=(?!now)/.test(url)) {
          this.isExpired = false;
          return problem(400, 'cursor_expired');
        }
        return send();
      }),
      openStorage: async () => this.#browser.openFor(signal),
      signal,
      pause: () => new Promise<void>((wake) => (this.#wake = wake)),
      onChange: () => {},
    });
    void this.engine.run();
  }

  close(): void {
    this.#stop.abort();
    this.#wake();
  }

  /** Lets it read the feed until it has everything before a time. */
  async completeTo(time: string): Promise<Fleet> {
    for (;;) {
      const { state } = this.engine.fleet;
      if (state.kind === 'failed') throw state.error;
      if (state.kind === 'following' && state.completeTo > time) return this.engine.fleet;
      this.#wake();
      await new Promise((done) => setTimeout(done, 5));
    }
  }
}
