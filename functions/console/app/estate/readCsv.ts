import { CsvError, type Info, parse } from 'csv-parse/browser/esm/sync';

/** Limits of a file. */
export const MAX_BYTES = 10 * 1024 * 1024;
export const MAX_ROWS = 20_000;

/** A row of a file: the line on which it begins, and a text for each column of the header. */
export interface CsvRow {
  line: number;
  cells: string[];
}

export interface CsvFile {
  header: string[];
  rows: CsvRow[];
}

/** A file that cannot be read. The message is for the person who chose it. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile';
  /** Where the mistake is, if it has a place. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(line === undefined ? message : `Line ${line}: ${message}`);
    this.line = line;
  }
}

/** Decodes UTF-8, or UTF-16 with a byte order mark, which Excel writes as "Unicode text". */
function decode(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes);
  const encoding = first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile('The file is not in UTF-8. In Excel, save it as “CSV UTF-8”.');
  }
}

const DELIMITERS = [',', ';', '\t'];

/** The delimiter that the header has most often outside quotes. */
function delimiterOf(text: string): string {
  const [header = ''] = /^.*$/m.exec(text.trimStart().replaceAll(/"[^"]*"/g, '')) ?? [];
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] as string;
}

/** What is wrong, by the code of the parser's error. */
const MISTAKES: Partial<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'A quotation mark is not closed.',
  INVALID_OPENING_QUOTE: 'A quotation mark is in the middle of a cell. Write it twice, and put the cell in quotes.',
  CSV_INVALID_CLOSING_QUOTE: 'Text follows a closing quotation mark. Write quotation marks inside a cell twice.',
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'The row has more cells than the header. Put cells with delimiters in quotes.',
  CSV_MAX_RECORD_SIZE: 'The row is too long. A quotation mark may not be closed.',
};

const newlines = (cell: string): number => cell.split('\n').length - 1;

/** Without the apostrophe with which an export kept a spreadsheet from calculating the cell. */
const clean = (cell: string): string => cell.trim().replace(/^'(?=[=+\-@＝＋－＠])/, '');

/**
 * Reads a CSV file with a header, delimited by commas, semicolons or tabs. Cells are trimmed, missing ones at the end of a
 * row are empty, and empty rows are skipped. A newline in a cell becomes LF.
 *
 * @throws UnreadableFile if it is too large, is not in UTF-8, has a syntax error, no rows or too many.
 */
export async function readCsv(file: Blob): Promise<CsvFile> {
  if (file.size > MAX_BYTES) throw new UnreadableFile('The file is larger than 10 MB. Split it.');
  // The parser counts CRLF in a cell as two lines.
  const text = decode(await file.arrayBuffer()).replaceAll(/\r\n?/g, '\n');
  const records = recordsOf(text);
  const [{ record: header } = { record: [] }, ...rows] = records;
  if (rows.length === 0) throw new UnreadableFile('The file has no rows below a header.');
  if (rows.length > MAX_ROWS) throw new UnreadableFile(`The file has more than ${MAX_ROWS} rows. Split it.`);
  return {
    header: header.map((name) => name.trim()),
    rows: rows.map(({ record, info }) => ({
      line: info.lines - record.reduce((sum, cell) => sum + newlines(cell), 0),
      cells: header.map((_, at) => clean(record[at] ?? '')),
    })),
  };
}

function recordsOf(text: string): { record: string[]; info: Info }[] {
  try {
    return parse(text, {
      bom: true,
      delimiter: delimiterOf(text),
      info: true,
      max_record_size: 100_000,
      relax_column_count_less: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      // One more than allowed, so that a file of very many short lines fails fast.
      to: MAX_ROWS + 2,
    }) as unknown as { record: string[]; info: Info }[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UnreadableFile(MISTAKES[error.code] ?? error.message, Number(error['lines']));
  }
}
