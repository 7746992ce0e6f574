/*
 * Columns: a field of all rows of a table. Rows are numbers. A column takes a tenth of the memory of objects, and is read
 * as fast as memory is.
 */

/** A value of a column. Text is a time in RFC 3339 (UTC, milliseconds), an ID or a word. */
export type Value = string | null;

/** A field of all rows. */
export interface Column {
  get(row: number): Value;
  set(row: number, value: Value): void;
  /** Makes room for so many rows. */
  grow(rows: number): void;
  /** What some rows have, as JSON that compresses well. */
  pack(rows: readonly number[]): unknown;
  unpack(rows: readonly number[], packed: unknown): void;
}

/** The field by which a table finds a row. */
export interface KeyColumn extends Column {
  /** The row of a key; -1 if there is none. */
  rowOf(key: string): number;
  clear(row: number): void;
}

/** Texts of which most differ. */
export class TextColumn implements Column {
  readonly texts: Value[] = [];

  get(row: number): Value {
    return this.texts[row] ?? null;
  }

  set(row: number, value: Value): void {
    this.texts[row] = value;
  }

  grow(): void {}

  pack(rows: readonly number[]): Value[] {
    return rows.map((row) => this.get(row));
  }

  unpack(rows: readonly number[], packed: Value[]): void {
    for (let at = 0; at < rows.length; at += 1) this.texts[rows[at] as number] = packed[at] ?? null;
  }
}

/** Texts that all differ, by which rows are found. */
export class TextKeyColumn extends TextColumn implements KeyColumn {
  readonly #rows = new Map<Value, number>();

  rowOf(key: string): number {
    return this.#rows.get(key) ?? -1;
  }

  override set(row: number, value: Value): void {
    this.clear(row);
    super.set(row, value);
    this.#rows.set(value, row);
  }

  clear(row: number): void {
    const known = this.get(row);
    if (this.#rows.get(known) === row) this.#rows.delete(known);
    this.texts[row] = null;
  }

  override unpack(rows: readonly number[], packed: Value[]): void {
    for (let at = 0; at < rows.length; at += 1) this.set(rows[at] as number, packed[at] ?? null);
  }
}

/** Texts that many rows share: each has a code. Code 0 is no text. */
export class WordColumn implements Column {
  readonly words: Value[] = [null];
  codes = new Uint32Array();
  readonly #codes = new Map<Value, number>([[null, 0]]);

  /** The code of a word; `undefined` if no row has ever had it. */
  codeOf(word: Value): number | undefined {
    return this.#codes.get(word);
  }

  #coded(word: Value): number {
    const code = this.#codes.get(word) ?? this.words.push(word) - 1;
    this.#codes.set(word, code);
    return code;
  }

  get(row: number): Value {
    return this.words[this.codes[row] as number] ?? null;
  }

  set(row: number, value: Value): void {
    this.codes[row] = this.#coded(value);
  }

  grow(rows: number): void {
    this.codes = grown(this.codes, new Uint32Array(rows));
  }

  /** Codes of its own, so that a chunk can be read without the others. */
  pack(rows: readonly number[]): [words: Value[], codes: number[]] {
    const words = new Map<Value, number>();
    const codes = rows.map((row) => {
      const word = this.get(row);
      if (!words.has(word)) words.set(word, words.size);
      return words.get(word) as number;
    });
    return [[...words.keys()], codes];
  }

  unpack(rows: readonly number[], [words, codes]: [Value[], number[]]): void {
    const known = words.map((word) => this.#coded(word));
    for (let at = 0; at < rows.length; at += 1) this.codes[rows[at] as number] = known[codes[at] as number] as number;
  }
}

/** Times, in milliseconds since 1970; `NaN` if there is none. */
export class TimeColumn implements Column {
  times = new Float64Array();

  get(row: number): Value {
    const time = this.times[row] as number;
    return Number.isNaN(time) ? null : new Date(time).toISOString();
  }

  set(row: number, value: Value): void {
    this.times[row] = value === null ? Number.NaN : Date.parse(value);
  }

  grow(rows: number): void {
    this.times = grown(this.times, new Float64Array(rows));
  }

  /** Each as its distance from the one before, of which most are small. */
  pack(rows: readonly number[]): (number | null)[] {
    let before = 0;
    return rows.map((row) => {
      const time = this.times[row] as number;
      if (Number.isNaN(time)) return null;
      const distance = time - before;
      before = time;
      return distance;
    });
  }

  unpack(rows: readonly number[], packed: (number | null)[]): void {
    let time = 0;
    for (let at = 0; at < rows.length; at += 1) {
      const distance = packed[at] ?? null;
      if (distance !== null) time += distance;
      this.times[rows[at] as number] = distance === null ? Number.NaN : time;
    }
  }
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
/** A UUID is four numbers of 32 bits. */
const UUID_WORDS = 4;

/** The numbers of a UUID in small letters; `undefined` if a text is none. */
function numbersOf(uuid: string): [number, number, number, number] | undefined {
  if (!UUID.test(uuid)) return undefined;
  const hex = uuid.replaceAll('-', '');
  const numberAt = (at: number) => Number.parseInt(hex.slice(at, at + 8), 16);
  return [numberAt(0), numberAt(8), numberAt(16), numberAt(24)];
}

const hexOf = (number: number): string => number.toString(16).padStart(8, '0');

/** A hash of all bits, so that UUIDs that differ in a few places only have others. */
const hashOf = (numbers: ArrayLike<number>, from = 0): number => {
  let hash = 0;
  for (let at = from; at < from + UUID_WORDS; at += 1) {
    hash = Math.imul(hash ^ (numbers[at] as number), 0x9e37_79b1);
    hash ^= hash >>> 15;
  }
  return hash;
};

/** UUIDs, and a hash table of the rows that have them. */
export class UuidColumn implements KeyColumn {
  #numbers = new Uint32Array();
  /** Rows plus 1, each at the first place that is free from its hash on. Rows that have another UUID by now are passed over. */
  #places = new Int32Array(16);
  #taken = 0;
  #end = 0;

  rowOf(uuid: string): number {
    const numbers = numbersOf(uuid);
    if (!numbers) return -1;
    const mask = this.#places.length - 1;
    for (let place = hashOf(numbers) & mask; ; place = (place + 1) & mask) {
      const row = (this.#places[place] as number) - 1;
      if (row === -1 || numbers.every((number, at) => number === this.#numbers[row * UUID_WORDS + at])) return row;
    }
  }

  get(row: number): string {
    const hex = Array.from(this.#numbers.subarray(row * UUID_WORDS, (row + 1) * UUID_WORDS), hexOf).join('');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  }

  /** @throws RangeError if it is no UUID. */
  set(row: number, value: Value): void {
    const numbers = numbersOf(value ?? '');
    if (!numbers) throw new RangeError(`${value} is no UUID.`);
    this.#numbers.set(numbers, row * UUID_WORDS);
    this.#place(row);
  }

  /** The table keeps the row at the place of its former UUID, which no longer matches. */
  clear(row: number): void {
    this.#numbers.fill(0, row * UUID_WORDS, (row + 1) * UUID_WORDS);
  }

  #place(row: number): void {
    this.#end = Math.max(this.#end, row + 1);
    if (2 * (this.#taken + 1) > this.#places.length) this.#placeAll();
    else this.#placeIn(row);
  }

  #placeIn(row: number): void {
    const mask = this.#places.length - 1;
    let place = hashOf(this.#numbers, row * UUID_WORDS) & mask;
    while (this.#places[place] !== 0 && this.#places[place] !== row + 1) place = (place + 1) & mask;
    if (this.#places[place] === 0) this.#taken += 1;
    this.#places[place] = row + 1;
  }

  /** Places all rows anew, in at least four times as many places. */
  #placeAll(): void {
    this.#places = new Int32Array(2 ** Math.ceil(Math.log2(4 * (this.#end + 1))));
    this.#taken = 0;
    for (let row = 0; row < this.#end; row += 1) this.#placeIn(row);
  }

  grow(rows: number): void {
    this.#numbers = grown(this.#numbers, new Uint32Array(rows * UUID_WORDS));
  }

  /** The bytes of all, in base64. */
  pack(rows: readonly number[]): string {
    const numbers = new Uint32Array(rows.length * UUID_WORDS);
    for (let at = 0; at < numbers.length; at += 1)
      numbers[at] = this.#numbers[
        (rows[Math.floor(at / UUID_WORDS)] as number) * UUID_WORDS + (at % UUID_WORDS)
      ] as number;
    return btoa(String.fromCharCode(...new Uint8Array(numbers.buffer)));
  }

  unpack(rows: readonly number[], packed: string): void {
    const text = atob(packed);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
    const numbers = new Uint32Array(bytes.buffer);
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] as number;
      for (let word = 0; word < UUID_WORDS; word += 1)
        this.#numbers[row * UUID_WORDS + word] = numbers[at * UUID_WORDS + word] as number;
      this.#place(row);
    }
  }
}

/** The numbers of other rows, such as that of the branch of a terminal. */
export class RowColumn implements Column {
  rows = new Uint32Array();
  readonly #keyOf: (row: number) => Value;
  readonly #rowOf: (key: string) => number;

  /** @param of.rowOf Makes a row of its own for a key that has none. */
  constructor(of: { keyOf: (row: number) => Value; rowOf: (key: string) => number }) {
    this.#keyOf = of.keyOf;
    this.#rowOf = of.rowOf;
  }

  get(row: number): Value {
    return this.#keyOf(this.rows[row] as number);
  }

  set(row: number, value: Value): void {
    this.rows[row] = this.#rowOf(value ?? '');
  }

  grow(rows: number): void {
    this.rows = grown(this.rows, new Uint32Array(rows));
  }

  pack(rows: readonly number[]): number[] {
    return rows.map((row, at) => (this.rows[row] as number) - (this.rows[rows[at - 1] ?? -1] ?? 0));
  }

  unpack(rows: readonly number[], packed: number[]): void {
    let other = 0;
    for (let at = 0; at < rows.length; at += 1) {
      other += packed[at] as number;
      this.rows[rows[at] as number] = other;
    }
  }
}

function grown<Numbers extends Uint8Array | Uint32Array | Float64Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
