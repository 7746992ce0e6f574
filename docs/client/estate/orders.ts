/*
 * Orders of rows: one by a text is kept and mended; one by numbers is made from another, without comparing.
 */

/** Rows in ascending order, and how many of them have a value. Those without one come last. */
export interface Order {
  rows: Uint32Array;
  valued: number;
}

/** If more than this part of the rows has changed, they are sorted anew. */
const MOST_MENDED = 1 / 8;

/** The order of rows by their texts, and of those with the same text, or none, by number. */
export class TextOrder {
  readonly #textOf: (row: number) => string | undefined;
  #rows: Uint32Array | undefined;
  #valueless = new Uint32Array();
  #changed = new Set<number>();

  /** @param textOf The text of a row; empty if it has none, `undefined` if the row is not shown. */
  constructor(textOf: (row: number) => string | undefined) {
    this.#textOf = textOf;
  }

  change(row: number): void {
    if (this.#rows) this.#changed.add(row);
  }

  /** @param end All rows are before it. */
  get(end: number): Order {
    if (!this.#rows || this.#changed.size > MOST_MENDED * end) this.#sort(end);
    else if (this.#changed.size > 0) this.#mend(end);
    this.#changed.clear();
    const [valued, valueless] = [this.#rows as Uint32Array, this.#valueless];
    const rows = new Uint32Array(valued.length + valueless.length);
    rows.set(valued);
    rows.set(valueless, valued.length);
    return { rows, valued: valued.length };
  }

  /** Rows that are shown, in those that have a text and the others. */
  #parted(rows: Iterable<number>): [sorted: [row: number, text: string][], valueless: number[]] {
    const valued: [number, string][] = [];
    const valueless: number[] = [];
    for (const row of rows) {
      const text = this.#textOf(row);
      if (text) valued.push([row, text]);
      else if (text !== undefined) valueless.push(row);
    }
    valued.sort(([row, text], [other, otherText]) => compare(text, otherText) || row - other);
    return [valued, valueless];
  }

  #sort(end: number): void {
    const [valued, valueless] = this.#parted(Array(end).keys());
    this.#rows = Uint32Array.from(valued, ([row]) => row);
    this.#valueless = Uint32Array.from(valueless);
  }

  #mend(end: number): void {
    const isChanged = new Uint8Array(end);
    for (const row of this.#changed) isChanged[row] = 1;
    const [added, valueless] = this.#parted(this.#changed);
    const kept = (this.#rows as Uint32Array).filter((row) => isChanged[row] === 0);
    const rows = new Uint32Array(kept.length + added.length);
    let from = 0;
    for (const [at, [row, text]] of added.entries()) {
      const to = this.#placeOf(row, text, kept, from);
      rows.set(kept.subarray(from, to), from + at);
      rows[to + at] = row;
      from = to;
    }
    rows.set(kept.subarray(from), from + added.length);
    this.#rows = rows;
    const others = this.#valueless.filter((row) => isChanged[row] === 0);
    this.#valueless = Uint32Array.from([...others, ...valueless]).sort();
  }

  /** How many of sorted rows come before a row. Those before `from` do. */
  #placeOf(row: number, text: string, rows: Uint32Array, from: number): number {
    let [least, most] = [from, rows.length];
    while (least < most) {
      const middle = (least + most) >>> 1;
      const other = rows[middle] as number;
      if ((compare(this.#textOf(other) as string, text) || other - row) < 0) least = middle + 1;
      else most = middle;
    }
    return least;
  }
}

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/** For each row before an end, its place in an order; `NaN` without a value. */
export function placesIn({ rows, valued }: Order, end: number): Float64Array {
  const places = new Float64Array(end).fill(Number.NaN);
  for (let place = 0; place < valued; place += 1) places[rows[place] as number] = place;
  return places;
}

const DIGITS = 65_536;

/**
 * Orders rows by numbers of theirs, which are whole and not negative, or `NaN` if they have none. Rows with the same
 * number stay in their order. It is a radix sort: a pass for each 16 bits.
 */
export function sortedBy(rows: Uint32Array, numbers: Float64Array): Order {
  const all = new Uint32Array(rows.length);
  let valued = 0;
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (let at = 0; at < rows.length; at += 1) {
    const number = numbers[rows[at] as number] as number;
    if (Number.isNaN(number)) continue;
    all[valued] = rows[at] as number;
    valued += 1;
    if (number < least) least = number;
    if (number > most) most = number;
  }
  for (let at = 0, end = valued; end < rows.length; at += 1)
    if (Number.isNaN(numbers[rows[at] as number])) {
      all[end] = rows[at] as number;
      end += 1;
    }
  let sorted = all.slice(0, valued);
  let next = new Uint32Array(valued);
  for (let unit = 1; unit <= most - least; unit *= DIGITS) {
    sortByDigit(sorted, next, (row) => Math.floor(((numbers[row] as number) - least) / unit) % DIGITS);
    [sorted, next] = [next, sorted];
  }
  all.set(sorted);
  return { rows: all, valued };
}

function sortByDigit(from: Uint32Array, to: Uint32Array, digitOf: (row: number) => number): void {
  const digits = new Uint16Array(from.length);
  /** Where the next row with each digit goes. */
  const places = new Uint32Array(DIGITS + 1);
  for (let at = 0; at < from.length; at += 1) {
    const digit = digitOf(from[at] as number);
    digits[at] = digit;
    (places[digit + 1] as number) += 1;
  }
  for (let digit = 0; digit < DIGITS; digit += 1) (places[digit + 1] as number) += places[digit] as number;
  for (let at = 0; at < from.length; at += 1) {
    const digit = digits[at] as number;
    to[places[digit] as number] = from[at] as number;
    (places[digit] as number) += 1;
  }
}
