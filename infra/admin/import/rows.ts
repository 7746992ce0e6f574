import type { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import type { FieldError } from '../../../lib/base/problem.ts';
import { Stop } from '../stop.ts';
import { FIELDS, rowError } from './memberRow.ts';

/** A row of a file and the line where it begins: its fields, or why they cannot be read. */
export type Row = { line: number } & ({ fields: Record<string, unknown> } | { errors: FieldError[] });

/** A row of a member is far smaller; a file without line breaks must not fill the memory. */
const MOST_BYTES = 100_000;

const unreadable = (format: string, more = ''): FieldError[] => [
  rowError('malformed', `Cannot be read as ${format}${more}.`),
];

/**
 * The rows of a CSV file (RFC 4180) with a header line. Empty cells are absent, and lines of only these are left out.
 * From where a file is malformed, what is a row and what is not can only be guessed: there it ends, with a faulty row.
 *
 * @throws Stop when the header does not fit, before there is any row.
 */
export async function* csvRows(input: Readable): AsyncGenerator<Row> {
  // The parser hands its records over as it finds them. Read as a stream, it drops those before what it cannot read.
  const records: { line: number; cells: string[] }[] = [];
  /** The line where the last record ended, and carriage returns so far, each of which the parser counts as a line. */
  let [end, returns] = [0, 0];
  const parser = parse({
    bom: true,
    // As told, not found out from the first line: a file may have both.
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_records_with_empty_values: true,
    max_record_size: MOST_BYTES,
    on_record: (cells: string[], { lines }) => {
      const text = cells.join();
      returns += occurrences('\r', text);
      end = lines - returns;
      records.push({ line: end - occurrences('\n', text), cells });
      return null;
    },
  });
  // The same error comes to the callbacks below.
  parser.on('error', () => {});
  const done = (act: (callback: (error?: Error | null) => void) => void) => new Promise<Error | null | undefined>(act);

  let columns: string[] | undefined;
  const rows = () =>
    records.splice(0).flatMap(({ line, cells }) => {
      if (columns) return [rowOf(line, cells, columns)];
      columns = headerOf(cells);
      return [];
    });
  const broken = (): Row => ({
    line: end + 1,
    errors: unreadable('CSV', ' from here on, and nothing after it was read'),
  });

  for await (const chunk of input) {
    const error = await done((callback) => parser.write(chunk, callback));
    yield* rows();
    if (error) return yield broken();
  }
  const error = await done((callback) => parser.end(callback));
  yield* rows();
  if (error) yield broken();
}

const occurrences = (character: string, text: string): number => text.split(character).length - 1;

/** The names of the columns. A wrong one is told by its place: without a header, it would be a card's. */
function headerOf(cells: string[]): string[] {
  const wrong = cells.findIndex((name, at) => !FIELDS.includes(name) || cells.indexOf(name) < at);
  if (wrong >= 0)
    throw new Stop(
      `Nothing was imported: the first line must name columns, separated by commas, each one of ${FIELDS.join(', ')}; ` +
        `column ${wrong + 1} is none of them, or there twice.`,
    );
  return cells;
}

function rowOf(line: number, cells: string[], columns: string[]): Row {
  if (cells.length !== columns.length) {
    const detail = `Has ${cells.length} cells under a header of ${columns.length}.`;
    return { line, errors: [rowError('malformed', detail)] };
  }
  return { line, fields: Object.fromEntries(columns.map((name, at) => [name, cellOf(name, cells[at] ?? '')])) };
}

const cellOf = (name: string, cell: string): string | number | undefined => {
  if (name === 'minimum_amount' && /^-?\d+(\.\d+)?$/.test(cell)) return Number(cell);
  return cell === '' ? undefined : cell;
};

/** The rows of a JSON Lines file: a JSON object on each line that is not empty. */
export async function* jsonlRows(input: Readable): AsyncGenerator<Row> {
  let line = 0;
  for await (const text of linesOf(input)) {
    line += 1;
    if (text.length > MOST_BYTES)
      return yield { line, errors: unreadable('JSON', ', it is too long, and nothing after it was read') };
    if (text.trim() !== '') yield jsonRowOf(line, text);
  }
}

function jsonRowOf(line: number, text: string): Row {
  try {
    // `trim` takes off a byte order mark, too.
    const fields = JSON.parse(text.trim());
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) return { line, fields };
  } catch {
    // The parser's message would repeat the text.
  }
  return { line, errors: unreadable('a JSON object') };
}

/** The lines of a text. `readline` would also end them at characters that JSON may have within its strings. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  let rest = '';
  input.setEncoding('utf8');
  for await (const chunk of input) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > MOST_BYTES) break;
  }
  yield rest;
}
