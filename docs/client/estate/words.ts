import { CHUNK_ROWS, chunkOf } from './table.ts';

interface Chunk {
  text: string;
  /** Where each row begins, and where the last one ends. */
  starts: Uint32Array;
}

/** How many results are kept, and of which part of all rows it takes less time to search each than to search all. */
const MOST_KEPT = 16;
const FEW = 1 / 8;

/**
 * The words of all rows, each after a space, in one text for each chunk. To search one text takes less time than to search
 * that of each row. Texts are made when they are needed.
 */
export class Words {
  readonly #wordsOf: (row: number) => string;
  readonly #chunks: (Chunk | undefined)[] = [];
  /** The rows that have a text. */
  readonly #found = new Map<string, Uint32Array>();

  /** @param wordsOf The words of a row; empty if it has none. */
  constructor(wordsOf: (row: number) => string) {
    this.#wordsOf = wordsOf;
  }

  /** A row has changed. */
  change(row: number): void {
    this.#chunks[chunkOf(row)] = undefined;
    if (this.#found.size > 0) this.#found.clear();
  }

  /** Makes the texts of one more chunk before an end. Returns whether there was one. */
  prepare(end: number): boolean {
    for (let chunk = 0; chunk * CHUNK_ROWS < end; chunk += 1) {
      if (this.#chunks[chunk]) continue;
      this.#chunkAt(chunk);
      return true;
    }
    return false;
  }

  #chunkAt(chunk: number): Chunk {
    const known = this.#chunks[chunk];
    if (known) return known;
    const starts = new Uint32Array(CHUNK_ROWS + 1);
    const texts = Array.from({ length: CHUNK_ROWS }, (_, at) => this.#wordsOf(chunk * CHUNK_ROWS + at));
    for (const [at, { length }] of texts.entries()) starts[at + 1] = (starts[at] as number) + length;
    const made = { text: `${texts.join('')} `, starts };
    this.#chunks[chunk] = made;
    return made;
  }

  /** The rows before an end that have a text, in their order. */
  find(sought: string, end: number): Uint32Array {
    const known = this.#found.get(sought);
    if (known) return known;
    // A row with a text has each part of it.
    const [fewest] = [...this.#found]
      .filter(([part, { length }]) => sought.includes(part) && length < FEW * end)
      .map(([, rows]) => rows)
      .sort((one, other) => one.length - other.length);
    const found = fewest ? fewest.filter((row) => this.#has(row, sought)) : this.#scan(sought, end);
    for (const oldest of this.#found.keys()) if (this.#found.size >= MOST_KEPT) this.#found.delete(oldest);
    this.#found.set(sought, found);
    return found;
  }

  #has(row: number, sought: string): boolean {
    const { text, starts } = this.#chunkAt(chunkOf(row));
    const at = row % CHUNK_ROWS;
    return text.slice(starts[at], (starts[at + 1] as number) + 1).includes(sought);
  }

  #scan(sought: string, end: number): Uint32Array {
    const rows = new Uint32Array(end);
    let count = 0;
    for (let chunk = 0; chunk * CHUNK_ROWS < end; chunk += 1) {
      const { text, starts } = this.#chunkAt(chunk);
      let row = 0;
      for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, starts[row + 1])) {
        while ((starts[row + 1] as number) <= at) row += 1;
        rows[count] = chunk * CHUNK_ROWS + row;
        count += 1;
      }
    }
    return rows.slice(0, count);
  }
}
