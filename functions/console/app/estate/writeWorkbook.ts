import { writeXlsxStream } from 'hucre/xlsx';
import type { Cell } from './csv.ts';

/** A workbook of one sheet. All cells are texts, so that a spreadsheet changes no digit and calculates nothing. */
export async function* workbookBytes(chunks: AsyncIterable<Cell[][]>): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const iterator = chunks[Symbol.asyncIterator]();
  const [header = [], ...rows]: Cell[][] = (await iterator.next()).value ?? [];
  const textsOf = (some: Cell[][]) => some.map((row) => row.map((cell) => (cell == null ? null : String(cell))));
  async function* texts(): AsyncGenerator<(string | null)[], void> {
    yield* textsOf(rows);
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield* textsOf(next.value);
  }
  const columns = header.map((name) => ({ header: String(name), numFmt: '@', width: 20 }));
  const stream = writeXlsxStream(texts(), { name: 'Export', columns, freezePane: { rows: 1 } });
  const reader = (stream as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
