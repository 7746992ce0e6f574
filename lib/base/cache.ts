/** How long a process caches an API key or a reference list, in milliseconds. */
export const CACHE_MS = 30_000;

/**
 * An in-memory cache with an expiry per entry and a maximum number of entries. It goes by the monotonic clock, so
 * setting the wall clock back neither extends an entry nor makes an expired one valid again.
 */
export class Cache<T> {
  readonly #values = new Map<string, { value: T; until: number }>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the cached value, or `undefined` if there is none or it has expired. */
  get(name: string): T | undefined {
    const cached = this.#values.get(name);
    return cached && cached.until > performance.now() ? cached.value : undefined;
  }

  /**
   * Caches a value for {@link CACHE_MS}. Evicts the oldest values if there are too many.
   *
   * @param ms A shorter time, in milliseconds.
   */
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

  /** Removes all values, as in a new process. */
  clear(): void {
    this.#values.clear();
  }
}
