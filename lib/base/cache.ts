/** For how long a process trusts what it has read: an API key, or a reference list. */
export const CACHE_MS = 30_000;

/** Values that a process keeps for a time, by name. */
export class Cache<T> {
  readonly #values = new Map<string, { value: T; until: number }>();

  /** The value of this name, unless its time is over. */
  get(name: string): T | undefined {
    const kept = this.#values.get(name);
    if (kept && kept.until > Date.now()) return kept.value;
    // For good, also by a clock that is set back.
    this.#values.delete(name);
    return undefined;
  }

  /** Keeps a value for {@link CACHE_MS}, or until an earlier time in milliseconds, and forgets all whose time is over. */
  set(name: string, value: T, until = Number.POSITIVE_INFINITY): void {
    const now = Date.now();
    for (const [other, kept] of this.#values) if (kept.until <= now) this.#values.delete(other);
    this.#values.set(name, { value, until: Math.min(now + CACHE_MS, until) });
  }

  /** Forgets everything, as a new process would not know it. */
  clear(): void {
    this.#values.clear();
  }
}
