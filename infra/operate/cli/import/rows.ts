import { pipeline, type Readable } from 'node:stream';
import { CsvError, type Info, parse } from 'csv-parse';
import type { FieldError } from '../../../../lib/base/problem.ts';
import { Stop } from '../stop.ts';
import { FIELDS, rowError } from './memberRow.ts';

/** A row of a file with the number of its last line: its fields, or why they could not be parsed. */
export type Row = { line: number } & (
  | { fields: Record<string, string | number | undefined> }
  | { errors: FieldError[] }
);

/** Far more than a row needs. A file without line breaks must not fill the memory. */
const MAX_BYTES = 100_000;

/**
 * Reads the rows of a CSV file (RFC 4180) with a header line. Empty cells are absent; lines with only empty cells are
 * skipped.
 *
 * @throws Stop for an invalid header, before the first row, and for malformed CSV, perhaps without the rows just before it.
 */
export async function* csvRows(input: Readable): AsyncGenerator<Row> {
  const parser = parse({
    bom: true,
    // Not detected from the first line, because a file may have both.
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_records_with_empty_values: true,
    max_record_size: MAX_BYTES,
    info: true,
  });
  // An error of the file is one of the parser too.
  pipeline(input, parser, () => {});
  let columns: string[] | undefined;
  try {
    for await (const { record: cells, info } of parser as AsyncIterable<{ record: string[]; info: Info }>)
      if (columns) yield rowOf(info.lines, cells, columns);
      else columns = headerOf(cells);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new Stop(
      `The file is not valid CSV at line ${error['lines']}. Rows before it may not be stored: correct it, and import it again.`,
    );
  }
}

/** Checks the column names. Reports a wrong one by number: in a file without a header, it could be a card_id. */
function headerOf(cells: string[]): string[] {
  const wrong = cells.findIndex((name, at) => !FIELDS.includes(name) || cells.indexOf(name) < at);
  if (wrong >= 0)
    throw new Stop(
      `Nothing was imported: the first line must be column names, separated by commas, from ${FIELDS.join(', ')}; ` +
        `column ${wrong + 1} is unknown or repeated.`,
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
