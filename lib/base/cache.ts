/** How long a process caches an API key or a reference list, in milliseconds. */
export const CACHE_MS = 30_000;

/**
 * A cache with an expiry per entry and a maximum number of entries. It goes by the monotonic clock: setting the wall
 * clock neither extends an entry nor revives one.
 */
export class Cache<T> {
  readonly #values = new Map<string, { value: T; until: number }>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(name: string): T | undefined {
    const cached = this.#values.get(name);
    return cached && cached.until > performance.now() ? cached.value : undefined;
  }

  /** Caches a value for `ms`, at most {@link CACHE_MS}. Evicts the oldest values if there are too many. */
  set(name: string, value: T, ms = CACHE_MS): void {
    const now = performance.now();
    // A map keeps the place of a value that it replaces, and this one is no longer among the oldest.
    this.#values.delete(name);
    this.#values.set(name, { value, until: now + Math.min(ms, CACHE_MS) });
    for (const [oldest, { until }] of this.#values) {
      if (this.#values.size <= this.#most && until > now) return;
      this.#values.delete(oldest);
    }
  }

  clear(): void {
    this.#values.clear();
  }
}
