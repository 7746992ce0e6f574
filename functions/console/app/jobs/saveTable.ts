import { type Format, saveExport } from '../bulk/export.ts';
import type { Cell } from '../files/csv.ts';
import { save } from '../shared/save.ts';

/** How many rows are read and written at once. */
const CHUNK = 1_000;

/** A table in chunks, of which the first has the names of the columns. The rows of each other one are read when it is written. */
export async function* inChunks<Item>(
  columns: Cell[],
  items: readonly Item[],
  rowsOf: (some: Item[]) => Cell[][] | Promise<Cell[][]>,
): AsyncGenerator<Cell[][], void> {
  yield [columns];
  for (let at = 0; at < items.length; at += CHUNK) yield await rowsOf(items.slice(at, at + CHUNK));
}

/** Saves a table in chunks, of which the first has the names of the columns, as a file. */
export async function saveTable(chunks: AsyncIterable<Cell[][]>, format: Format, name: string): Promise<void> {
  const file = await saveExport(chunks, format);
  if (file) save(file, name);
}
