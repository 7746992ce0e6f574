import { writeXlsxStream } from 'hucre/xlsx';
import type { Cell } from './csv.ts';
import { guardText } from './guard.ts';

/** A text with what a reader would take for the code of a character, and what XML cannot hold, as such codes. */
const escaped = (text: string): string =>
  text
    .replaceAll(/_(?=x[0-9A-F]{4}_)/gi, '_x005F_')
    .replaceAll(/[\uFFFE\uFFFF]/g, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase()}_`);

const textOf = (cell: Cell): string | null => {
  if (cell == null) return null;
  return typeof cell === 'object' ? cell.error : escaped(guardText(String(cell)));
};

/** How many characters a column is wide: as its first texts need, within these. */
const WIDTHS = { least: 12, most: 60 };
const widthOf = (texts: (string | null)[]): number =>
  Math.min(WIDTHS.most, Math.max(WIDTHS.least, ...texts.map((text) => (text?.length ?? 0) + 2)));

/** A workbook of one sheet. All cells are texts, so that a spreadsheet changes no digit and calculates nothing. */
export async function* workbookBytes(chunks: AsyncIterable<Cell[][]>): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const iterator = chunks[Symbol.asyncIterator]();
  const chunk = async (): Promise<Cell[][] | undefined> => (await iterator.next()).value ?? undefined;
  const textsOf = (some: Cell[][] = []) => some.map((row) => row.map(textOf));
  const [header = [], ...others]: Cell[][] = (await chunk()) ?? [];
  const first = textsOf([...others, ...((await chunk()) ?? [])]);
  async function* texts(): AsyncGenerator<(string | null)[], void> {
    yield* first;
    for (let next = await chunk(); next; next = await chunk()) yield* textsOf(next);
  }
  const columns = header.map((name, at) => ({
    header: escaped(String(name)),
    numFmt: '@',
    width: widthOf([String(name), ...first.map((row) => row[at] ?? null)]),
  }));
  const stream = writeXlsxStream(texts(), { name: 'Export', columns, freezePane: { rows: 1 } });
  const reader = (stream as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
