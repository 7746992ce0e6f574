import { CsvError, type Info, type Options, parse } from 'csv-parse/browser/esm/sync';
import { knownColumns } from '../fields/matchColumns.ts';
import { FORMULA_TEXT } from './guard.ts';
import type { Oddities } from './oddities.ts';
import { MAX_COLUMNS, MAX_ROWS, type Unreadable, UnreadableFile } from './unreadable.ts';

const NOT_ASCII = /\P{ASCII}/u;
/** What no text has, and Windows-1252 shows of a file that is no text. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;
/** The most words that are shown of a text whose encoding is a guess. */
const SHOWN = 3;

/** How a byte order mark says that a text is encoded. Excel writes UTF-16 as "Unicode text". */
function markedEncoding([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** Decodes an encoding of Unicode; `undefined` if these bytes are none of it. */
function unicodeIn(encoding: string, bytes: Uint8Array<ArrayBuffer>): string | undefined {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * Decodes UTF-16 with a byte order mark, UTF-8, or else Windows-1252, in which Excel saves its ordinary CSV in Western
 * Europe and America. No file says that it is in Windows-1252, so words that show it are noted.
 */
export function decode(bytes: Uint8Array<ArrayBuffer>, odd: Oddities): string {
  const marked = markedEncoding(bytes);
  const text = unicodeIn(marked ?? 'utf-8', bytes);
  if (text !== undefined) return text;
  const guess = new TextDecoder('windows-1252').decode(bytes);
  if (marked || CONTROL.test(guess)) throw new UnreadableFile('encoding');
  // Bytes of Windows-1252 are rarely a character of UTF-8 too.
  const lossy = new TextDecoder().decode(bytes);
  const foreign = lossy.replace(/\p{ASCII}+/gu, '');
  const known = foreign.replaceAll('\uFFFD', '').length;
  if (2 * known > foreign.length)
    throw new UnreadableFile('mixed', { line: lossy.slice(0, lossy.indexOf('\uFFFD')).split(LINE_BREAK).length });
  const words = [...new Set(guess.split(/[\s,;"]+/))].filter((word) => word.search(NOT_ASCII) >= 0);
  odd.add('encoding', { text: words.slice(0, SHOWN).join(' · '), count: words.length });
  return guess;
}

const DELIMITERS = [',', ';', '\t'];
/** A first line that names the delimiter, as Excel writes and reads it. */
const SEPARATOR = /^"?sep=([^\p{L}\p{N}"\n])"?[,;\t]*\n/iu;
/** A header is within so many lines. */
export const HEADER_WITHIN = 20;

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

/** The most characters of a line. */
const MOST_CHARACTERS = 100_000;

/** A row, the line on which it begins, and the columns whose cell is known to be an error. */
export interface Parsed {
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

/** Parses a text whose cells are delimited. */
export function parseText(text: string, odd: Oddities, named?: string): Parsed[] {
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
