import { CsvError, type Info, type Options, parse } from 'csv-parse/browser/esm/sync';
import { withoutInvisible } from '../../../../lib/base/invisible.ts';
import { ignoredColumns, knownColumns, matchColumns } from '../fields/columns.ts';
import { TERMINAL_FIELDS, type TerminalField } from '../fields/fields.ts';
import { formatNumber } from '../shared/format.ts';
import { ERROR_TEXT, FORMULA_TEXT, PLACEHOLDER, unguardCsv, unguardText } from './guard.ts';
import { MAX_BYTES, MAX_COLUMNS, MAX_ROWS, type Unreadable, UnreadableFile } from './unreadable.ts';
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

/** What is odd in a table and corrected, and how it is said of one and of several. `?` is a text of the table. */
const ODDITIES = {
  above: ['line above the header is left out', 'lines above the header are left out'],
  beyond: [
    'row has cells beyond the last column, which are left out',
    'rows have cells beyond the last column, which are left out',
  ],
  quote: ['cell has a quotation mark in its text', 'cells have a quotation mark in their text'],
  formula: ['cell written as ="…" counts as its text', 'cells written as ="…" count as their text'],
  placeholder: ['cell with “?” counts as empty', 'cells with “?” count as empty'],
  sheets: ['other sheet is left out: only “?” is read', 'other sheets are left out: only “?” is read'],
  hiddenSheets: ['hidden sheet is left out', 'hidden sheets are left out'],
  hiddenRows: ['row is hidden in the workbook, and is read too', 'rows are hidden in the workbook, and are read too'],
  hiddenColumns: [
    'column is hidden in the workbook, and is read too',
    'columns are hidden in the workbook, and are read too',
  ],
  unseen: [
    'cell has a number that its format does not show, and counts as empty',
    'cells have a number that their format does not show, and count as empty',
  ],
} as const;
type Oddity = keyof typeof ODDITIES;

class Oddities {
  readonly #counts = new Map<string, number>();

  add(oddity: Oddity, { text = '', count = 1 } = {}): void {
    const key = `${oddity} ${text}`;
    if (count > 0) this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  notes(): string[] {
    return [...this.#counts].map(([key, count]) => {
      const [oddity = ''] = key.split(' ', 1);
      const words = ODDITIES[oddity as Oddity][count === 1 ? 0 : 1];
      return `${formatNumber(count)} ${words.replace('?', () => key.slice(oddity.length + 1))}.`;
    });
  }
}

/** Decodes UTF-8, or UTF-16 with a byte order mark, which Excel writes as "Unicode text". */
function decode(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes);
  const encoding = first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // It is in another encoding, or no text at all.
  }
  throw new UnreadableFile('encoding');
}

const DELIMITERS = [',', ';', '\t'];
/** A first line that names the delimiter, as Excel writes and reads it. */
const SEPARATOR = /^"?sep=([^\p{L}\p{N}"\n])"?[,;\t]*\n/iu;
/** A header is within so many lines, and has so many columns of which the names are known, unless it is the first. */
const HEADER_WITHIN = 20;
const HEADER_KNOWN = 2;

const quoted = /"[^"]*"/g;

/** The delimiter with which most columns of a header are known, or else the one that the first line has most often. */
function delimiterOf(text: string): string {
  const lines = text.trimStart().split('\n', HEADER_WITHIN);
  const first = (lines[0] ?? '').replaceAll(quoted, '');
  const [best] = DELIMITERS.map((delimiter) => ({
    delimiter,
    known: Math.max(...lines.map((line) => knownColumns(line.split(delimiter, MAX_COLUMNS)))),
    cells: first.split(delimiter).length,
  })).sort((one, other) => other.known - one.known || other.cells - one.cells);
  return best?.delimiter as string;
}

/** What the parser calls them. */
const PARSER_CODES: Partial<Record<string, Unreadable>> = {
  CSV_QUOTE_NOT_CLOSED: 'open_quote',
  CSV_INVALID_CLOSING_QUOTE: 'text_after_quote',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'text_after_quote',
  CSV_MAX_RECORD_SIZE: 'long_row',
};
const LINE_BREAK = /\r\n?|\n/g;
const newlines = (cell: string): number => cell.split('\n').length - 1;

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

/** The most characters of a line. */
const MOST_CHARACTERS = 100_000;

/** A row, the line on which it begins, and the columns whose cell is known to be an error. */
interface Parsed {
  line: number;
  record: string[];
  errors?: number[];
}

/**
 * Reads records. A quotation mark in the middle of a cell is text, such as `10"`, unless it seems to open a quoted
 * text: then a delimiter may be meant as text.
 */
function recordsOf(text: string, delimiter: string, odd: Oddities): Parsed[] {
  const parsed = (more: Options = {}) =>
    (
      parse(text, {
        delimiter,
        info: true,
        max_record_size: MOST_CHARACTERS,
        relax_column_count: true,
        skip_empty_lines: true,
        skip_records_with_empty_values: true,
        // One more than allowed, so that a file of very many short lines fails fast.
        to: MAX_ROWS + HEADER_WITHIN + 2,
        trim: true,
        ...more,
      }) as unknown as { record: string[]; info: Info }[]
    ).map(({ record, info }) => ({
      record,
      line: info.lines - record.reduce((sum, cell) => sum + newlines(cell), 0),
    }));
  try {
    try {
      return parsed();
    } catch (error) {
      if (!(error instanceof CsvError && error.code === 'INVALID_OPENING_QUOTE')) throw error;
    }
    return parsed({
      relax_quotes: true,
      cast(cell, { quoting, lines, column }) {
        if (quoting || !cell.includes('"') || FORMULA_TEXT.test(cell)) return cell;
        if (/[^\p{L}\p{N}]"/u.test(cell.replaceAll(quoted, '')))
          throw new UnreadableFile('quote_in_cell', { line: lines, column: Number(column) + 1 });
        odd.add('quote');
        return cell;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const code = PARSER_CODES[error.code] ?? 'syntax';
    // Of the others, the parser does not know the cell.
    const column = code === 'text_after_quote' ? Number(error['column']) + 1 : undefined;
    throw new UnreadableFile(code, { line: Number(error['lines']), column });
  }
}

function parseText(text: string, odd: Oddities, named?: string): Parsed[] {
  // The parser counts CRLF in a cell as two lines.
  const lines = text.replaceAll(LINE_BREAK, '\n');
  // What takes the parser long is refused before it parses anything.
  const long = lines.split('\n').findIndex((each) => each.length > MOST_CHARACTERS);
  if (long !== -1) throw new UnreadableFile('long_row', { line: long + 1 });
  const [line = '', separator] = SEPARATOR.exec(lines) ?? [];
  const delimiter = named ?? separator ?? delimiterOf(lines);
  // The line is left, empty, so that all others keep their number.
  const rest = lines.slice(Math.max(0, line.length - 1));
  const [first = ''] = /^.*$/m.exec(rest.trimStart()) ?? [];
  if (first.replaceAll(quoted, '').split(delimiter).length > MAX_COLUMNS) throw new UnreadableFile('too_many_columns');
  if (line) odd.add('above');
  const records = recordsOf(rest, delimiter, odd);
  return text === lines ? records : withLineBreaks(records, text.match(LINE_BREAK) ?? []);
}

/** The same records, with the line breaks that their cells have. */
const withLineBreaks = (records: Parsed[], breaks: string[]): Parsed[] =>
  records.map(({ line, record }) => {
    let next = line - 1;
    return { line, record: record.map((cell) => cell.replaceAll('\n', () => breaks[next++] as string)) };
  });

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

/** Whether a text is how a spreadsheet shows an error, and none of those that people write for nothing. */
const isError = (text: string): boolean => ERROR_TEXT.test(text.trim()) && !PLACEHOLDER.test(text.trim());

/**
 * Reads an Excel workbook (`.xlsx`) or a CSV file with a header. CSV is delimited by commas, semicolons, tabs or what
 * its first line names (`sep=;`). The header is the first row with two columns of which the names are known, or else the
 * first row. Cells are trimmed, missing ones at the end of a row are empty, and empty rows are skipped. A newline in a
 * cell becomes LF.
 *
 * @throws UnreadableFile if it is too large, cannot be read, or has no rows or too many.
 */
export async function readTable(file: Blob): Promise<TableFile> {
  if (file.size > MAX_BYTES) throw new UnreadableFile('too_large');
  const odd = new Oddities();
  const content = await file.arrayBuffer();
  const bytes = new Uint8Array(content);
  const isText = !isWorkbook(bytes);
  const records = isText ? parseText(decode(content), odd) : await parseWorkbook(bytes, odd);
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
