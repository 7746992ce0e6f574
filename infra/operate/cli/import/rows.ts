import type { Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import type { FieldError } from '../../../../lib/base/problem.ts';
import { Stop } from '../stop.ts';
import { FIELDS, rowError } from './memberRow.ts';

/** A row of a file with the number of its last line: its fields, or why they could not be parsed. */
export type Row = { line: number } & (
  | { fields: Record<string, string | number | undefined> }
  | { errors: FieldError[] }
);

/** Far more than a row needs, in characters and lines. A file without line breaks must not fill the memory. */
const MOST_CHARACTERS = 100_000;
const MOST_LINES = 100;

/**
 * Reads the rows of a CSV file (RFC 4180) with a header line. Empty cells are absent; lines with only empty cells are
 * skipped. A malformed line is a row of its own, and the next one begins anew.
 *
 * @throws Stop for an invalid header, before the first row.
 */
export async function* csvRows(input: Readable): AsyncGenerator<Row> {
  let columns: string[] | undefined;
  for await (const { line, cells } of recordsOf(linesOf(input))) {
    if (cells?.every((cell) => cell.trim() === '')) continue;
    if (!columns) columns = headerOf(cells ?? []);
    else if (cells) yield rowOf(line, cells, columns);
    else yield { line, errors: [MALFORMED] };
  }
}

const MALFORMED = rowError(
  'malformed',
  'Is not valid CSV: a quotation mark is within a cell or is not closed, or the line is too long.',
);

/** Splits a file into lines without their line breaks. Of a line that is far too long, only the beginning is kept. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let open = '';
  for await (const chunk of input) {
    const [first = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
    open = (open + first).slice(0, MOST_CHARACTERS + 1);
    for (const line of lines) {
      yield open;
      open = line;
    }
  }
  if (open !== '') yield open;
}

/** The cells of a record with the number of its last line; without cells, a line that no record can begin with. */
interface CsvRecord {
  line: number;
  cells?: string[];
}

/** Joins lines to records: each ends with the first line up to which it has an even number of quotation marks. */
async function* recordsOf(lines: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  const open: string[] = [];
  let line = 0;
  function* complete(isEnd = false): Generator<CsvRecord> {
    while (open.length > 0) {
      const length = lengthOfRecord(open);
      const isWhole = length <= open.length;
      if (!isWhole && !isEnd && open.length < MOST_LINES) return;
      const cells = isWhole ? parsed(open.slice(0, length).join('\n').replace(/\r$/, '')) : undefined;
      const taken = cells ? length : 1;
      open.splice(0, taken);
      line += taken;
      yield { line, ...(cells && { cells }) };
    }
  }
  for await (const each of lines) {
    open.push(each);
    yield* complete();
  }
  yield* complete(true);
}

/** Of how many of these lines the first record consists; more than there are if it does not end in them. */
function lengthOfRecord(lines: string[]): number {
  let quotes = 0;
  for (const [at, line] of lines.entries()) {
    quotes += line.split('"').length - 1;
    if (quotes % 2 === 0) return at + 1;
  }
  return lines.length + 1;
}

/** The cells of a record; `undefined` if it is malformed. */
function parsed(text: string): string[] | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  // Most rows have none, and a parser takes some 50 microseconds to begin.
  if (!text.includes('"')) return text.split(',');
  try {
    const [cells = [], ...others] = parse(text, { relax_column_count: true });
    return others.length === 0 ? cells : undefined;
  } catch {
    return undefined;
  }
}

/** Checks the column names. Reports a wrong one by number: in a file without a header, it could be a card_id. */
function headerOf(cells: string[]): string[] {
  const wrong = cells.findIndex((name, at) => !FIELDS.includes(name) || cells.indexOf(name) < at);
  if (wrong >= 0 || cells.length === 0)
    throw new Stop(
      `Nothing was imported: the first line must be column names, separated by commas, from ${FIELDS.join(', ')}; ` +
        (cells.length === 0 ? 'it is not valid CSV.' : `column ${wrong + 1} is unknown or repeated.`),
    );
  return cells;
}

function rowOf(line: number, cells: string[], columns: string[]): Row {
  if (cells.length !== columns.length) {
    const detail = `Has ${cells.length} cells, but the header has ${columns.length}.`;
    return { line, errors: [rowError('malformed', detail)] };
  }
  return { line, fields: Object.fromEntries(columns.map((name, at) => [name, cellOf(name, cells[at] ?? '')])) };
}

const cellOf = (name: string, cell: string): string | number | undefined => {
  if (name === 'minimum_amount' && /^-?\d+(\.\d+)?$/.test(cell)) return Number(cell);
  return cell === '' ? undefined : cell;
};
