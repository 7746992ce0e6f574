import type { Column, KeyColumn, TextColumn, Value } from './columns.ts';

/** How many rows are stored together. A change rewrites the chunk of its row. */
export const CHUNK_ROWS = 2_048;

export const chunkOf = (row: number): number => Math.floor(row / CHUNK_ROWS);

/** What a row is. One that is held has its key, and nothing else of it is shown. */
const FREE = 0;
export const SHOWN = 1;
const HELD = 2;

interface Own<Item> {
  at: string;
  value: Item | undefined;
  /** What the feed says. */
  fed: Item | undefined;
}

interface TableOptions<Item> {
  key: KeyColumn;
  /** All fields, the key first. */
  columns: Record<keyof Item & string, Column>;
  /** What is made of each item, and is no field of it. */
  derived?: { column: TextColumn; textOf: (item: Item) => string };
  /** Rows keep their numbers when they are removed, because others have them. */
  isReferred?: boolean;
  /** Called after a row has changed. */
  onChange: (row: number) => void;
}

/** A chunk as it is stored: how many rows it has until its last, which of them are free, which are held, and columns. */
type Packed = [length: number, free: number[], held: number[], ...columns: unknown[]];

/**
 * Items in columns. It has what the feed says (`get`, `set`, `delete`), and shows own changes in place of that until the
 * feed has passed them.
 */
export class Table<Item extends { updated_at: string }> {
  /** Of each row, whether it is {@link SHOWN}. */
  states = new Uint8Array();
  /** All rows are before it. */
  end = 0;
  /** How many are shown. */
  size = 0;
  /** The chunks that have changed since they were packed. */
  readonly unstored = new Set<number>();
  readonly #options: TableOptions<Item>;
  readonly #columns: [name: string, column: Column][];
  /** Those that are stored. */
  readonly #all: Column[];
  readonly #own = new Map<string, Own<Item>>();
  readonly #free: number[] = [];

  constructor(options: TableOptions<Item>) {
    this.#options = options;
    this.#columns = Object.entries<Column>(options.columns);
    this.#all = [...Object.values<Column>(options.columns), ...(options.derived ? [options.derived.column] : [])];
  }

  /** The shown item of a row. */
  at(row: number): Item | undefined {
    return this.states[row] === SHOWN ? this.#read(row) : undefined;
  }

  /** The row of a key; -1 if there is none. */
  rowOf(key: string): number {
    return this.#options.key.rowOf(key);
  }

  /** The row of a key, which is held if it is new. */
  heldRow(key: string): number {
    const known = this.rowOf(key);
    if (known !== -1) return known;
    const row = this.#newRow();
    this.#hold(row, key);
    this.unstored.add(chunkOf(row));
    return row;
  }

  /** The keys of own changes. */
  own(): Iterable<string> {
    return this.#own.keys();
  }

  get(key: string): Item | undefined {
    const own = this.#own.get(key);
    return own ? own.fed : this.at(this.rowOf(key));
  }

  /** @param chunks Where its chunk is noted as changed. */
  set(key: string, item: Item, chunks = this.unstored): this {
    this.#feed(key, item, chunks);
    return this;
  }

  delete(key: string): boolean {
    const isKnown = this.get(key) !== undefined;
    this.#feed(key, undefined, this.unstored);
    return isKnown;
  }

  /** Removes everything, while there are no own changes. */
  clear(): void {
    for (let row = 0; row < this.end; row += 1) if (this.states[row] !== FREE) this.#empty(row);
    this.#free.length = 0;
    this.end = 0;
    this.unstored.clear();
  }

  #feed(key: string, fed: Item | undefined, chunks: Set<number>): void {
    const own = this.#own.get(key);
    if (own) own.fed = fed && this.#compact(fed);
    const row = this.#place(key, own ? shownOf(own) : fed, fed);
    if (row !== -1) chunks.add(chunkOf(row));
  }

  /** Shows an own change that was made at a time. Without a value, the item was deleted. */
  note(key: string, at: string, value: object | undefined): void {
    const fed = this.get(key);
    // A response to a change lacks what only lists have.
    const own = { at, value: value && this.#compact({ ...fed, ...value }), fed };
    this.#own.set(key, own);
    this.#place(key, shownOf(own), fed);
  }

  /** Ends own changes that were made before a time. */
  pass(completeTo: string): void {
    for (const [key, { at, fed }] of this.#own)
      if (at < completeTo && this.#own.delete(key)) this.#place(key, fed, fed);
  }

  /** Does something with what the feed says alone. */
  withoutOwn<T>(work: () => T): T {
    const own = [...this.#own];
    this.#own.clear();
    for (const [key, { fed }] of own) this.#place(key, fed, fed);
    const done = work();
    for (const [key, { at, value }] of own) this.note(key, at, value);
    return done;
  }

  /** A chunk as JSON, while there are no own changes: {@link withoutOwn}. */
  pack(chunk: number): string {
    const rows = rowsIn(chunk);
    const used = rows.filter((row) => this.states[row] !== FREE);
    const length = 1 + rows.findLastIndex((row) => this.states[row] !== FREE);
    const offsetsOf = (state: number) =>
      rows.slice(0, length).flatMap((row, offset) => (this.states[row] === state ? offset : []));
    const columns = this.#all.map((column) => column.pack(used));
    return JSON.stringify([length, offsetsOf(FREE), offsetsOf(HELD), ...columns] satisfies Packed);
  }

  /** Takes a packed chunk in place of what the feed said of its rows, while there are no own changes. */
  unpack(chunk: number, json: string): void {
    const [length, free, held, ...columns]: Packed = JSON.parse(json);
    const rows = rowsIn(chunk);
    this.#grow(chunk * CHUNK_ROWS + CHUNK_ROWS);
    for (const row of rows) if (this.states[row] !== FREE) this.#empty(row);
    const isFree = new Set(free);
    const used = rows.filter((_, offset) => offset < length && !isFree.has(offset));
    for (const [at, column] of this.#all.entries()) column.unpack(used, columns[at]);
    for (const row of used) this.states[row] = SHOWN;
    for (const offset of held) this.states[rows[offset] as number] = HELD;
    this.size += used.length - held.length;
    this.end = Math.max(this.end, chunk * CHUNK_ROWS + length);
    for (const row of used) this.#options.onChange(row);
    for (const row of rows.toReversed()) if (this.states[row] === FREE) this.#free.push(row);
    this.unstored.delete(chunk);
  }

  /** An item with exactly the fields. What is missing is `null`. */
  #compact(item: object): Item {
    const values = item as Record<string, Value | undefined>;
    return Object.fromEntries(this.#columns.map(([name]) => [name, values[name] ?? null])) as unknown as Item;
  }

  #read(row: number): Item {
    const item: Record<string, Value> = {};
    for (const [name, column] of this.#columns) item[name] = column.get(row);
    return item as unknown as Item;
  }

  /**
   * Gives a key what is shown of it, if anything. What the feed has keeps its row.
   *
   * @returns Its row; -1 if it has none and had none.
   */
  #place(key: string, shown: Item | undefined, fed: Item | undefined): number {
    const known = this.rowOf(key);
    const item = shown ?? fed;
    if (!item) {
      if (known !== -1) this.#remove(known);
      return known;
    }
    const row = known === -1 ? this.#newRow() : known;
    const values = item as unknown as Record<string, Value | undefined>;
    for (const [name, column] of this.#columns) column.set(row, values[name] ?? null);
    const { derived } = this.#options;
    derived?.column.set(row, derived.textOf(item));
    this.size += Number(shown !== undefined) - Number(this.states[row] === SHOWN);
    this.states[row] = shown ? SHOWN : HELD;
    this.#options.onChange(row);
    return row;
  }

  #newRow(): number {
    for (let row = this.#free.pop(); row !== undefined; row = this.#free.pop())
      if (this.states[row] === FREE) {
        this.end = Math.max(this.end, row + 1);
        return row;
      }
    this.end += 1;
    this.#grow(this.end);
    return this.end - 1;
  }

  /** One that others refer to keeps its number and its key. */
  #remove(row: number): void {
    const { key, isReferred } = this.#options;
    const name = key.get(row);
    this.#empty(row);
    if (isReferred) this.#hold(row, name);
    else this.#free.push(row);
  }

  #hold(row: number, key: Value): void {
    for (const column of this.#all) column.set(row, column === this.#options.key ? key : null);
    this.states[row] = HELD;
    this.#options.onChange(row);
  }

  #empty(row: number): void {
    this.size -= Number(this.states[row] === SHOWN);
    this.states[row] = FREE;
    this.#options.key.clear(row);
    this.#options.onChange(row);
  }

  #grow(rows: number): void {
    if (rows <= this.states.length) return;
    const room = Math.max(CHUNK_ROWS, 2 ** Math.ceil(Math.log2(rows)));
    const states = new Uint8Array(room);
    states.set(this.states);
    this.states = states;
    for (const column of this.#all) column.grow(room);
  }
}

const rowsIn = (chunk: number): number[] => Array.from({ length: CHUNK_ROWS }, (_, at) => chunk * CHUNK_ROWS + at);

/** What is shown: an own change, unless what was read is newer. */
const shownOf = <Item extends { updated_at: string }>({ at, value, fed }: Own<Item>): Item | undefined =>
  !fed || fed.updated_at <= at ? value : fed;
