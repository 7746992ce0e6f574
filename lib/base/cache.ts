/** How long a process caches an API key or a reference list, in milliseconds. */
export const CACHE_MS = 30_000;

/** An in-memory cache with an expiry per entry. */
export class Cache<T> {
  readonly #values = new Map<string, { value: T; until: number }>();

  /** Returns the cached value, or `undefined` if there is none or it has expired. */
  get(name: string): T | undefined {
    const cached = this.#values.get(name);
    if (cached && cached.until > Date.now()) return cached.value;
    // An expired value must not become valid again if the clock is set back.
    this.#values.delete(name);
    return undefined;
  }

  /**
   * Caches a value for {@link CACHE_MS}, and removes expired ones.
   *
   * @param until An earlier expiry, in milliseconds since 1970.
   */
  set(name: string, value: T, until = Number.POSITIVE_INFINITY): void {
    const now = Date.now();
    for (const [other, cached] of this.#values) if (cached.until <= now) this.#values.delete(other);
    this.#values.set(name, { value, until: Math.min(now + CACHE_MS, until) });
  }

  /** Removes all values, as in a new process. */
  clear(): void {
    this.#values.clear();
  }
}
