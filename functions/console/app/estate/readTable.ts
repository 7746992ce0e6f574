import { CsvError, type Info, type Options, parse } from 'csv-parse/browser/esm/sync';
import { withoutIgnorable } from '../../../../lib/base/ignorable.ts';
import { formatNumber } from '../shared/format.ts';
import { ignoredColumns, knownColumns, matchColumns, TERMINAL_FIELDS, type TerminalField } from './columns.ts';
import { unguard } from './csv.ts';
import { MAX_BYTES, MAX_COLUMNS, MAX_ROWS, type Unreadable, UnreadableFile } from './unreadable.ts';

/** A row of a file: the line on which it begins, and a text for each column of the header. */
export interface TableRow {
  line: number;
  cells: string[];
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
const newlines = (cell: string): number => cell.split('\n').length - 1;

/** A text that was written as a formula, so that a spreadsheet keeps its zeros. */
const FORMULA = /^="((?:[^"]|"")*)"$/;
/** What people and tools write for nothing, and what a spreadsheet shows for a formula without a result. */
const PLACEHOLDER = /^(?:null|\(null\)|#?n\/a|#(?:ref|null|num|value)!|#name\?|#div\/0!|-|–|—)$/i;

/** The text of a cell in NFC, without what a spreadsheet or, if `guarded`, an export of ours put around it. */
function clean(cell: string, odd: Oddities, guarded: boolean): string {
  let text = cell.trim();
  const [, inner] = FORMULA.exec(text) ?? [];
  if (inner !== undefined) {
    odd.add('formula');
    text = inner.replaceAll('""', '"').trim();
  }
  // Names keep what joins their letters. A cell that only looks empty is empty.
  if (isBlank(text)) return '';
  const shown = withoutIgnorable(text).trim();
  if (PLACEHOLDER.test(shown)) {
    odd.add('placeholder', { text: shown });
    return '';
  }
  return (guarded ? unguard(text) : text).normalize('NFC');
}

/** The most characters of a line. */
const MOST_CHARACTERS = 100_000;

/** A row, and the line on which it begins. */
interface Parsed {
  line: number;
  record: string[];
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
        if (quoting || !cell.includes('"') || FORMULA.test(cell)) return cell;
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
  const lines = text.replaceAll(/\r\n?/g, '\n');
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
  return recordsOf(rest, delimiter, odd);
}

/** The place of the record with the names of the columns; -1 if there is none. */
const headerIn = (records: readonly Parsed[]): number =>
  records.slice(0, HEADER_WITHIN).findIndex(({ record }) => knownColumns(record) >= HEADER_KNOWN);

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

/** The records of the first sheet of a workbook that has a header, or else of the first that is not empty. */
async function parseWorkbook(bytes: Uint8Array, odd: Oddities): Promise<Parsed[]> {
  // Loaded for a workbook only.
  const { readWorkbook } = await import('./workbook.ts');
  const sheets = (await readWorkbook(bytes)).map(({ name, rows }) => ({
    name,
    records: rows
      .map((row, at) => ({ line: at + 1, record: row.slice(0, row.findLastIndex((cell) => !isBlank(cell)) + 1) }))
      .filter(({ record }) => record.length > 0),
  }));
  const { name, records } = sheets.find((sheet) => headerIn(sheet.records) >= 0) ??
    sheets[0] ?? { name: '', records: [] };
  odd.add('sheets', { text: name, count: sheets.length - 1 });
  return records;
}

const isBlank = (cell: string): boolean => withoutIgnorable(cell).trim() === '';
const hasCells = ({ cells }: TableRow): boolean => cells.some((cell) => cell !== '');

/** The rows below a header of so many columns. Empty ones are skipped. */
const rowsOf = (records: Parsed[], columns: number, odd: Oddities, guarded = true): TableRow[] =>
  records
    .map(({ line, record }) => {
      if (record.length > columns) odd.add('beyond');
      return { line, cells: Array.from({ length: columns }, (_, at) => clean(record[at] ?? '', odd, guarded)) };
    })
    .filter(hasCells);

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
  odd.add('above', { count: above });
  const [{ record: header } = { record: [] }, ...below] = records.slice(above);
  if (header.length > MAX_COLUMNS) throw new UnreadableFile('too_many_columns');
  for (const { line, record } of below) {
    const column = record.findIndex((cell, place) => place >= header.length && !isBlank(cell));
    if (column >= 0) throw new UnreadableFile('more_cells', { line, column: column + 1 });
  }
  const rows = rowsOf(below, header.length, odd, isText);
  if (rows.length === 0) throw new UnreadableFile('no_rows');
  if (rows.length > MAX_ROWS) throw new UnreadableFile('too_many_rows');
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
