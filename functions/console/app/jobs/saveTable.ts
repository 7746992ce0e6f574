import { type Format, saveExport } from '../bulk/export.ts';
import type { Cell } from '../files/csv.ts';
import { save } from '../shared/save.ts';

/** How many rows are written at once. */
const CHUNK = 1_000;

/** Saves a table, whose first row has the names of its columns, as a file. */
export async function saveTable([header = [], ...rows]: Cell[][], format: Format, name: string): Promise<void> {
  async function* chunks() {
    yield [header];
    for (let at = 0; at < rows.length; at += CHUNK) yield rows.slice(at, at + CHUNK);
  }
  const file = await saveExport(chunks(), format);
  if (file) save(file, name);
}
