import type { Branch, Terminal } from './row.ts';

/** The fields of an item, and of each whether many items have the same value. */
type Fields<Value> = Record<keyof Value, boolean>;

const STATUS = { status: true, created_at: false, updated_at: false, archived_at: true };
export const TERMINAL: Fields<Terminal> = {
  ...{ tid: false, terminal_id: false, serial_no: false },
  ...{ terminal_model: true, payment_app: true, acquirer_name: true, mid: true },
  ...{ ...STATUS, archive_reason: true, last_seen_at: true },
};
export const BRANCH: Fields<Branch> = {
  ...{ mid: true, merchant_name: false, area: true, city: true, master_merchant_name: true, master_merchant_id: true },
  ...STATUS,
};

/** Stored chunks that were written for other fields are not read. */
export const SCHEMA = JSON.stringify([Object.keys(TERMINAL), Object.keys(BRANCH)]);

/** How many items a chunk has at most. */
const CHUNK = 256;

const texts = new Map<string, string>();

/** A text that is equal, and the same for all. It takes less memory, and is compared faster. */
function shared(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  const known = texts.get(text);
  if (known === undefined) texts.set(text, text);
  return known ?? text;
}

/** A map that knows what has changed, and is stored in chunks, so that a change rewrites few of them. */
export class ChunkedMap<Value extends object> extends Map<string, Value> {
  /** The keys whose values have changed. Whoever has seen them clears it. */
  readonly changed = new Set<string>();
  readonly #fields: [name: string, isShared: boolean][];
  readonly #chunks: Set<string>[] = [];
  readonly #chunkOf = new Map<string, number>();
  readonly #unstored = new Set<number>();

  /** @param fields The key is the first of them. */
  constructor(fields: Fields<Value>) {
    super();
    this.#fields = Object.entries<boolean>(fields);
  }

  /** A value with exactly the fields. What is missing is `null`. */
  compact(value: object): Value {
    return this.#made((name) => (value as Record<string, unknown>)[name]);
  }

  #made(read: (name: string, at: number) => unknown): Value {
    const value: Record<string, unknown> = {};
    this.#fields.forEach(([name, isShared], at) => {
      const field = read(name, at) ?? null;
      value[name] = isShared ? shared(field) : field;
    });
    return value as Value;
  }

  override set(key: string, value: object): this {
    return this.#put(key, this.compact(value));
  }

  #put(key: string, value: Value): this {
    let chunk = this.#chunkOf.get(key);
    if (chunk === undefined) {
      chunk = Math.max(0, this.#chunks.length - 1);
      if ((this.#chunks[chunk]?.size ?? CHUNK) >= CHUNK) chunk = this.#chunks.push(new Set()) - 1;
      this.#chunks[chunk]?.add(key);
      this.#chunkOf.set(key, chunk);
    }
    this.#unstored.add(chunk);
    this.changed.add(key);
    return super.set(key, value);
  }

  override delete(key: string): boolean {
    const chunk = this.#chunkOf.get(key);
    if (chunk === undefined) return false;
    this.#chunks[chunk]?.delete(key);
    this.#chunkOf.delete(key);
    this.#unstored.add(chunk);
    this.changed.add(key);
    return super.delete(key);
  }

  override clear(): void {
    for (const key of [...this.keys()]) this.delete(key);
    this.#chunks.length = 0;
    this.#unstored.clear();
  }

  /** The chunks to store, as texts by number, which then count as stored. Texts are read faster than objects. */
  unstored({ all }: { all: boolean }): [chunk: number, text: string][] {
    const chunks = all ? [...this.#chunks.keys()] : [...this.#unstored];
    this.#unstored.clear();
    return chunks.map((chunk) => [
      chunk,
      JSON.stringify(Array.from(this.#chunks[chunk] ?? [], (key) => Object.values(this.get(key) as Value))),
    ]);
  }

  /** Reads stored chunks into an empty map. They count as stored. */
  load(chunks: string[]): void {
    for (const text of chunks) {
      const rows = JSON.parse(text) as unknown[][];
      this.#chunks.push(new Set());
      for (const row of rows)
        this.#put(
          row[0] as string,
          this.#made((_, at) => row[at]),
        );
    }
    this.#unstored.clear();
  }
}
