import { LISTED_BRANCH, LISTED_TERMINAL } from '../fields/fields.ts';

/** The fields of an item, and of each whether many items have the same value. The first is the key. */
type Fields<Value> = Record<keyof Value, { isShared: boolean }>;

/** What was stored with other fields is not read. */
export const SCHEMA = JSON.stringify([Object.keys(LISTED_TERMINAL), Object.keys(LISTED_BRANCH)]);

const texts = new Map<unknown, unknown>();

/** A text that is equal, and the same for all. It takes less memory, and is compared faster. */
function shared(text: unknown): unknown {
  const known = texts.get(text);
  if (known === undefined) texts.set(text, text);
  return known ?? text;
}

/** In how many chunks items are stored, so that a change rewrites few of them. */
const CHUNKS = 256;

function chunkOf(key: string): number {
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = (hash * 31 + key.charCodeAt(at)) % 65_521;
  return hash % CHUNKS;
}

/** Items by key, as the feed has them, with own changes on top until the feed has passed them. */
export class ReplicaMap<Value extends { updated_at: string }> extends Map<string, Value> {
  /** The keys of items that may be shown differently. Whoever has seen to that clears it. */
  readonly changed = new Set<string>();
  readonly #fields: [name: string, isShared: boolean][];
  readonly #own = new Map<string, { at: string; value: Value | undefined }>();
  readonly #unstored = new Set<number>();

  constructor(fields: Fields<Value>) {
    super();
    this.#fields = Object.entries<{ isShared: boolean }>(fields).map(([name, { isShared }]) => [name, isShared]);
  }

  /** An item with the values of the fields. What is missing is `null`. */
  #made(values: unknown[]): Value {
    const item: Record<string, unknown> = {};
    for (let at = 0; at < this.#fields.length; at += 1) item[this.#fields[at]?.[0] as string] = values[at] ?? null;
    return item as Value;
  }

  /** An item with exactly the fields. */
  #compact(item: object): Value {
    const values = item as Record<string, unknown>;
    return this.#made(this.#fields.map(([name, isShared]) => (isShared ? shared(values[name]) : values[name])));
  }

  #change(key: string): void {
    this.changed.add(key);
    this.#unstored.add(chunkOf(key));
  }

  override set(key: string, value: object): this {
    this.#change(key);
    return super.set(key, this.#compact(value));
  }

  override delete(key: string): boolean {
    this.#change(key);
    return super.delete(key);
  }

  override clear(): void {
    for (const key of this.keys()) this.changed.add(key);
    super.clear();
  }

  /** What is shown: an own change, unless what was read is newer. */
  shown(key: string): Value | undefined {
    const known = this.get(key);
    const own = this.#own.get(key);
    return own && (!known || known.updated_at <= own.at) ? own.value : known;
  }

  /** Shows an own change that was made at a time. Without a value, the item was deleted. */
  note(key: string, at: string, value: object | undefined): void {
    // A response to a change lacks what only lists have.
    this.#own.set(key, { at, value: value && this.#compact({ ...this.get(key), ...value }) });
    this.changed.add(key);
  }

  /** Ends own changes that were made before a time. */
  pass(completeTo: string): void {
    for (const [key, { at }] of this.#own) if (at < completeTo && this.#own.delete(key)) this.changed.add(key);
  }

  /**
   * The chunks that have changed, or all, by their names, as JSON, which is read faster than objects. Empty ones are
   * among them, so that their number is always the same. A chunk begins with the texts that its items share. They have
   * the place of the text.
   */
  unstored(prefix: string, isAll: boolean): [name: string, json: string][] {
    if (!isAll && this.#unstored.size === 0) return [];
    const groups = Map.groupBy(this, ([key]) => chunkOf(key));
    const chunks = isAll ? [...Array(CHUNKS).keys()] : [...this.#unstored];
    this.#unstored.clear();
    return chunks.map((chunk) => {
      const places = new Map<unknown, number>();
      const placeOf = (text: unknown) => places.get(text) ?? places.set(text, places.size).size - 1;
      const items = (groups.get(chunk) ?? []).map(([, item]) =>
        Object.values(item).map((value, at) => (this.#fields[at]?.[1] ? placeOf(value) : value)),
      );
      return [`${prefix}${chunk}`, JSON.stringify([[...places.keys()], ...items])];
    });
  }

  load(prefix: string, entries: Map<string, string>): void {
    const sharedAt = this.#fields.flatMap(([, isShared], at) => (isShared ? [at] : []));
    for (const [name, json] of entries) {
      if (!name.startsWith(prefix)) continue;
      const [texts = [], ...items] = JSON.parse(json) as unknown[][];
      const known = texts.map(shared);
      for (const values of items) {
        for (const at of sharedAt) values[at] = known[values[at] as number];
        super.set(values[0] as string, this.#made(values));
        this.changed.add(values[0] as string);
      }
    }
  }
}
