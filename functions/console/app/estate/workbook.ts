import { unzipSync } from 'fflate';
import { formatValue } from 'hucre';
import { type CellValue, readXlsx, type Sheet } from 'hucre/xlsx';
import { MAX_ROWS, UnreadableFile } from './unreadable.ts';

/** How many bytes all parts of a workbook may inflate to. */
const MOST_INFLATED = 100 * 1024 * 1024;
/** From here on, a number has more digits than the fifteen that a spreadsheet keeps. */
const FIRST_INEXACT = 1e15;

/** Refuses what inflates to too much, by the sizes in its directory. The reader inflates no part beyond its own. */
function checkInflated(bytes: Uint8Array): void {
  let sum = 0;
  unzipSync(bytes, {
    filter({ originalSize, size }) {
      // A part of unknown size has no bound.
      if (originalSize === 0 && size > 2) throw new UnreadableFile('inflated');
      sum += originalSize;
      if (sum > MOST_INFLATED) throw new UnreadableFile('inflated');
      return false;
    },
  });
}

/** A number as it is shown, but with all the digits that it has. One that lost digits is shown by its power of ten. */
function shownNumber(value: number, format: string): string {
  if (Math.abs(value) >= FIRST_INEXACT) return value.toExponential(5).replace('e', 'E');
  const kept = Number(value.toPrecision(15));
  return format === 'General' ? String(kept) : formatValue(kept, format);
}

function shown(value: CellValue, format = 'General'): string {
  if (typeof value === 'number') return shownNumber(value, format);
  if (value instanceof Date) return formatValue(value, format);
  if (typeof value === 'boolean') return String(value).toUpperCase();
  return value ?? '';
}

const rowsOf = ({ rows, cells }: Sheet): string[][] =>
  rows.map((row, at) => row.map((value, column) => shown(value, cells?.get(`${at},${column}`)?.style?.numFmt)));

/** A sheet: a list of texts for each of its rows. */
export interface SheetRows {
  name: string;
  rows: string[][];
}

/** The cells that are read: one column more than allowed, and as many rows with room above the header. */
const RANGE = `A1:CW${MAX_ROWS + 100}`;

/**
 * Reads the visible sheets of an Excel workbook that are not empty. Cells are texts as Excel shows them: a number in
 * the format of its cell, so that one of the format `00000` keeps its zeros.
 *
 * @throws UnreadableFile if it is none, has none, or inflates to too much.
 */
export async function readWorkbook(bytes: Uint8Array): Promise<SheetRows[]> {
  try {
    checkInflated(bytes);
    const { sheets } = await readXlsx(bytes, {
      readStyles: true,
      range: RANGE,
      sheets: ({ hidden, veryHidden }) => !hidden && !veryHidden,
    });
    return sheets
      .filter(({ rows }) => rows.some((row) => row.some((cell) => cell !== null)))
      .map((sheet) => ({ name: sheet.name, rows: rowsOf(sheet) }));
  } catch (error) {
    throw error instanceof UnreadableFile ? error : new UnreadableFile('workbook');
  }
}
