import { withoutInvisible } from '../../../../lib/base/invisible.ts';
import { TERMINAL_FIELDS, type TerminalField } from '../fields/fields.ts';
import { ignoredColumns, knownColumns, matchColumns } from '../fields/matchColumns.ts';
import { formatNumber } from '../shared/format.ts';
import { FORMULA_TEXT, isError, PLACEHOLDER, unguardCsv, unguardText } from './guard.ts';
import { Oddities } from './oddities.ts';
import { decode, HEADER_WITHIN, type Parsed, parseText } from './parseText.ts';
import { MAX_BYTES, MAX_COLUMNS, MAX_ROWS, UnreadableFile } from './unreadable.ts';
import type { Sheet } from './workbook.ts';

/** A row of a file: the line on which it begins, and a text for each column of the header. */
export interface TableRow {
  line: number;
  cells: string[];
  /** The columns whose cell shows an error of a spreadsheet. */
  errors?: number[];
}

export interface TableFile {
  header: string[];
  rows: TableRow[];
  /** What was odd and is corrected, a sentence each. */
  notes: string[];
}

/** Terminals that were pasted, each with the fields of its cells. */
export interface Pasted {
  terminals: Partial<Record<TerminalField, string>>[];
  notes: string[];
}

/** The text of a cell in NFC, without what a spreadsheet or an export of ours put around it. */
function clean(cell: string, odd: Oddities, unguard: (text: string) => string): string {
  let text = cell.trim();
  const [, inner] = FORMULA_TEXT.exec(text) ?? [];
  if (inner !== undefined) {
    odd.add('formula');
    text = inner.replaceAll('""', '"').trim();
  }
  // Names keep what joins their letters. A cell that only looks empty is empty.
  if (isBlank(text)) return '';
  const shown = withoutInvisible(text).trim();
  if (PLACEHOLDER.test(shown)) {
    odd.add('placeholder', { text: shown });
    return '';
  }
  return unguard(text).normalize('NFC');
}

/** A header has so many columns of which the names are known, unless it is the first line. */
const HEADER_KNOWN = 2;

/** The place of the record with the names of the columns; -1 if there is none. */
const headerIn = (records: readonly Parsed[]): number => records.slice(0, HEADER_WITHIN).findIndex(isHeader);
const isHeader = ({ record }: Parsed): boolean => knownColumns(record) >= HEADER_KNOWN;

const beginsWith = (bytes: Uint8Array, ...start: number[]): boolean => start.every((byte, at) => bytes[at] === byte);

/**
 * Whether a file is a zip, as workbooks are.
 *
 * @throws UnreadableFile if it is a compound file: an old workbook, or one with a password.
 */
function isWorkbook(bytes: Uint8Array): boolean {
  if (beginsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) throw new UnreadableFile('locked');
  return beginsWith(bytes, 0x50, 0x4b, 0x03, 0x04);
}

/** The name of a cell by its line, from 1, and its column, from 0. */
function cellName(line: number, column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? `${last}${line}` : cellName(line, Math.floor(column / 26) - 1).replace(/(?=\d)/, last);
}

/** Up to three names, and how many more there are. */
const someOf = (names: string[]): string =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${formatNumber(names.length - 3)} more` : names.join(', ');

/** Refuses what a sheet does not say plainly, from its header on, and notes what a person may not expect. */
function checkSheet({ rows, merged, hiddenColumns, unseen }: Sheet, odd: Oddities): void {
  const [header] = rows.slice(Math.max(0, headerIn(rows)));
  if (!header) return;
  const table = rows.filter(({ line }) => line >= header.line);
  if (header.beyond !== undefined) throw new UnreadableFile('too_many_columns');
  const wide = table.find(({ beyond }) => beyond !== undefined);
  if (wide) throw new UnreadableFile('more_cells', { cell: cellName(wide.line, wide.beyond as number) });
  const unresolved = table.flatMap(({ line, unresolved }) => unresolved.map((column) => cellName(line, column)));
  if (unresolved.length > 0) throw new UnreadableFile('no_result', { about: someOf(unresolved) });
  const records = new Map(rows.map(({ line, record }) => [line, record]));
  const ranges = merged.filter(
    ({ line, column, lastLine }) => lastLine >= header.line && !isBlank(records.get(line)?.[column - 1] ?? ''),
  );
  if (ranges.length > 0) throw new UnreadableFile('merged', { about: someOf(ranges.map(({ name }) => name)) });
  odd.add('hiddenRows', { count: table.filter(({ isHidden }) => isHidden).length });
  const isHidden = (column: number) => hiddenColumns.some(([first, last]) => first <= column && column <= last);
  odd.add('hiddenColumns', { count: header.record.filter((_, at) => isHidden(at + 1)).length });
  odd.add('unseen', { count: unseen });
}

/** The rows of the first sheet of a workbook that has a header, or else of the first that is not empty. */
async function parseWorkbook(bytes: Uint8Array, odd: Oddities): Promise<Parsed[]> {
  // Loaded for a workbook only.
  const { readWorkbook } = await import('./workbook.ts');
  const { sheets, hiddenSheets } = readWorkbook(bytes);
  const sheet = sheets.find(({ rows }) => headerIn(rows) >= 0) ?? sheets[0];
  odd.add('hiddenSheets', { count: hiddenSheets });
  if (!sheet) return [];
  odd.add('sheets', { text: sheet.name, count: sheets.length - 1 });
  const rowCount = sheet.rowCount - Math.max(0, headerIn(sheet.rows)) - 1;
  if (rowCount > MAX_ROWS) throw new UnreadableFile('too_many_rows', { about: formatNumber(rowCount) });
  checkSheet(sheet, odd);
  return sheet.rows;
}

const isBlank = (cell: string): boolean => withoutInvisible(cell).trim() === '';
const hasCells = ({ cells }: TableRow): boolean => cells.some((cell) => cell !== '');

/** The rows below a header of so many columns. Empty ones are skipped. */
const rowsOf = (records: Parsed[], columns: number, odd: Oddities, unguard = unguardCsv): TableRow[] =>
  records
    .map(({ line, record, errors: known = [] }) => {
      if (record.length > columns) odd.add('beyond');
      const texts = Array.from({ length: columns }, (_, at) => record[at] ?? '');
      const errors = texts.flatMap((text, at) => (known.includes(at) || isError(text) ? at : []));
      const cells = texts.map((text, at) => (errors.includes(at) ? text.trim() : clean(text, odd, unguard)));
      return { line, cells, ...(errors.length > 0 && { errors }) };
    })
    .filter(hasCells);

/**
 * Reads an Excel workbook (`.xlsx`) or a CSV file with a header. CSV is delimited by commas, semicolons, tabs or what
 * its first line names (`sep=;`). The header is the first row with two columns of which the names are known, or else
 * the first row. Cells are trimmed, missing ones at the end of a row are empty, and empty rows are skipped. A newline
 * in a cell becomes LF.
 *
 * @throws UnreadableFile if it is too large, cannot be read, or has no rows or too many.
 */
export async function readTable(file: Blob): Promise<TableFile> {
  if (file.size > MAX_BYTES) throw new UnreadableFile('too_large');
  const odd = new Oddities();
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isText = !isWorkbook(bytes);
  const records = isText ? parseText(decode(bytes, odd), odd) : await parseWorkbook(bytes, odd);
  const above = Math.max(0, headerIn(records));
  // Names that are only found further down are no names of a table without a header.
  if (above === 0 && knownColumns(records[0]?.record ?? []) === 0 && records.some(isHeader))
    throw new UnreadableFile('late_header', { line: records.find(isHeader)?.line });
  odd.add('above', { count: above });
  const [{ record: header } = { record: [] }, ...below] = records.slice(above);
  if (header.length > MAX_COLUMNS) throw new UnreadableFile('too_many_columns');
  for (const { line, record } of below) {
    const column = record.findIndex((cell, place) => place >= header.length && !isBlank(cell));
    if (column < 0) continue;
    throw new UnreadableFile('more_cells', isText ? { line, column: column + 1 } : { cell: cellName(line, column) });
  }
  const rows = rowsOf(below, header.length, odd, isText ? unguardCsv : unguardText);
  if (rows.length === 0) throw new UnreadableFile('no_rows');
  if (rows.length > MAX_ROWS)
    throw new UnreadableFile('too_many_rows', { about: `more than ${formatNumber(MAX_ROWS)}` });
  return { header: header.map((name) => name.trim()), rows, notes: odd.notes() };
}

/**
 * Reads terminals as they are pasted from a spreadsheet or a CSV file: by the names of a header if there is one, or
 * else in the order of {@link TERMINAL_FIELDS}. A cell of several lines becomes one line.
 *
 * @throws UnreadableFile if it is too large or has a syntax error.
 */
export function readPaste(text: string): Pasted {
  if (text.length > MAX_BYTES) throw new UnreadableFile('too_large');
  const odd = new Oddities();
  const records = parseText(text, odd, text.includes('\t') ? '\t' : undefined);
  const header = headerIn(records);
  odd.add('above', { count: header });
  const [first] = records;
  // A column that is pasted with its name.
  const isNamed = records.length > 1 && first && matchColumns(first.record).join() === 'terminal_id';
  const at = isNamed ? 0 : header;
  const names = records[at]?.record;
  const width = Math.max(0, ...records.map(({ record }) => record.length));
  const mapping: readonly (string | null)[] = names ? matchColumns(names) : TERMINAL_FIELDS.slice(0, width);
  const fields = mapping.map((field) => TERMINAL_FIELDS.find((each) => each === field) ?? null);
  const terminals = rowsOf(records.slice(at + 1), fields.length, odd)
    .map(({ cells }) =>
      cells.flatMap((cell, place) => {
        const field = fields[place];
        return field ? [[field, cell.replaceAll(/\s*\n\s*/g, ' ')] as const] : [];
      }),
    )
    .map((values): Pasted['terminals'][number] => Object.fromEntries(values));
  const ignored = ignoredColumns(names ?? [], fields).filter((name) => !isBlank(name));
  return { terminals, notes: [...odd.notes(), ...(ignored.length > 0 ? [`Left out: ${ignored.join(', ')}.`] : [])] };
}
