import { writeXlsxStream } from 'hucre/xlsx';
import type { Cell } from './csv.ts';
import { guardText } from './guard.ts';

/** A text with what a reader would take for the code of a character, and what XML cannot hold, as such codes. */
const escaped = (text: string): string =>
  text
    .replaceAll(/_(?=x[0-9A-F]{4}_)/gi, '_x005F_')
    .replaceAll(/[\uFFFE\uFFFF]/g, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase()}_`);

/** A workbook of one sheet. All cells are texts, so that a spreadsheet changes no digit and calculates nothing. */
export async function* workbookBytes(chunks: AsyncIterable<Cell[][]>): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const iterator = chunks[Symbol.asyncIterator]();
  const [header = [], ...rows]: Cell[][] = (await iterator.next()).value ?? [];
  const textsOf = (some: Cell[][]) =>
    some.map((row) => row.map((cell) => (cell == null ? null : escaped(guardText(String(cell))))));
  async function* texts(): AsyncGenerator<(string | null)[], void> {
    yield* textsOf(rows);
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield* textsOf(next.value);
  }
  const columns = header.map((name) => ({ header: String(name), numFmt: '@', width: 20 }));
  const stream = writeXlsxStream(texts(), { name: 'Export', columns, freezePane: { rows: 1 } });
  const reader = (stream as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
