import { CsvError, type Info, parse } from 'csv-parse/browser/esm/sync';
import { formatNumber } from '../shared/format.ts';
import { unguard } from './csv.ts';

/** Limits of a file. */
export const MAX_BYTES = 10 * 1024 * 1024;
export const MAX_ROWS = 20_000;
export const MAX_COLUMNS = 100;

/** A row of a file: the line on which it begins, and a text for each column of the header. */
export interface CsvRow {
  line: number;
  cells: string[];
}

export interface CsvFile {
  header: string[];
  rows: CsvRow[];
}

/** Why a file cannot be read, and what to do. */
const MISTAKES = {
  too_large: 'The file is larger than 10 MB. Split it.',
  encoding: 'This is not a CSV file in UTF-8. In Excel, save it as “CSV UTF-8 (Comma delimited)”.',
  no_rows: 'The file has no rows below a header. Its first row must have the names of the columns.',
  too_many_rows: 'The file has more than 20,000 rows. Split it.',
  too_many_columns: 'The file has more than 100 columns. Remove those that are not needed.',
  open_quote: 'A quotation mark is not closed.',
  quote_in_cell: 'A quotation mark is in the middle of a cell. Write it twice, and put the cell in quotes.',
  text_after_quote: 'Text follows a closing quotation mark. Write quotation marks inside a cell twice.',
  more_cells: 'The row has more cells than the header. Put cells with commas in quotes.',
  long_row: 'The row is too long. A quotation mark may not be closed.',
  syntax: 'The file is not valid CSV.',
};
export type Unreadable = keyof typeof MISTAKES;

/** A file that cannot be read. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile';
  readonly code: Unreadable;
  /** Where the mistake is, if it has a place. */
  readonly line: number | undefined;

  constructor(code: Unreadable, line?: number) {
    super(line === undefined ? MISTAKES[code] : `Line ${formatNumber(line)}: ${MISTAKES[code]}`);
    this.code = code;
    this.line = line;
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

/** The delimiter that the header has most often outside quotes. */
function delimiterOf(text: string): string {
  const [header = ''] = /^.*$/m.exec(text.trimStart().replaceAll(/"[^"]*"/g, '')) ?? [];
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] as string;
}

/** What the parser calls them. */
const PARSER_CODES: Partial<Record<string, Unreadable>> = {
  CSV_QUOTE_NOT_CLOSED: 'open_quote',
  INVALID_OPENING_QUOTE: 'quote_in_cell',
  CSV_INVALID_CLOSING_QUOTE: 'text_after_quote',
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'more_cells',
  CSV_MAX_RECORD_SIZE: 'long_row',
};

const newlines = (cell: string): number => cell.split('\n').length - 1;

/** Without the apostrophes with which an export kept a spreadsheet from calculating something. */
const clean = (cell: string): string => unguard(cell.trim());

/** The most characters of a line. */
const MOST_CHARACTERS = 100_000;

/** Refuses what takes the parser long, before it parses anything. */
function checkBounds(text: string, delimiter: string): void {
  for (let line = 1, start = 0; start <= text.length; line += 1) {
    const end = text.indexOf('\n', start);
    if ((end === -1 ? text.length : end) - start > MOST_CHARACTERS) throw new UnreadableFile('long_row', line);
    if (end === -1) break;
    start = end + 1;
  }
  const [header = ''] = /^.*$/m.exec(text.trimStart()) ?? [];
  if (header.replaceAll(/"[^"]*"/g, '').split(delimiter).length > MAX_COLUMNS)
    throw new UnreadableFile('too_many_columns');
}

/**
 * Reads a CSV file with a header, delimited by commas, semicolons or tabs. Cells are trimmed, missing ones at the end
 * of a row are empty, and empty rows are skipped. A newline in a cell becomes LF.
 *
 * @throws UnreadableFile if it is too large, is not in UTF-8, has a syntax error, no rows or too many.
 */
export async function readCsv(file: Blob): Promise<CsvFile> {
  if (file.size > MAX_BYTES) throw new UnreadableFile('too_large');
  // The parser counts CRLF in a cell as two lines.
  const text = decode(await file.arrayBuffer()).replaceAll(/\r\n?/g, '\n');
  const delimiter = delimiterOf(text);
  checkBounds(text, delimiter);
  const records = recordsOf(text, delimiter);
  const [{ record: header } = { record: [] }, ...rows] = records;
  if (rows.length === 0) throw new UnreadableFile('no_rows');
  if (rows.length > MAX_ROWS) throw new UnreadableFile('too_many_rows');
  if (header.length > MAX_COLUMNS) throw new UnreadableFile('too_many_columns');
  return {
    header: header.map((name) => name.trim()),
    rows: rows.map(({ record, info }) => ({
      line: info.lines - record.reduce((sum, cell) => sum + newlines(cell), 0),
      cells: header.map((_, at) => clean(record[at] ?? '')),
    })),
  };
}

function recordsOf(text: string, delimiter: string): { record: string[]; info: Info }[] {
  try {
    return parse(text, {
      bom: true,
      delimiter,
      info: true,
      max_record_size: MOST_CHARACTERS,
      relax_column_count_less: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      // One more than allowed, so that a file of very many short lines fails fast.
      to: MAX_ROWS + 2,
    }) as unknown as { record: string[]; info: Info }[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UnreadableFile(PARSER_CODES[error.code] ?? 'syntax', Number(error['lines']));
  }
}
