import { pipeline, type Readable } from 'node:stream';
import { type Info, parse } from 'csv-parse';
import type { FieldError } from '../../../../lib/base/problem.ts';
import { Stop } from '../stop.ts';
import { FIELDS, rowError } from './memberRow.ts';

/** A row of a file with the number of its first line: its fields, or why they could not be parsed. */
export type Row = { line: number } & (
  | { fields: Record<string, string | number | undefined> }
  | { errors: FieldError[] }
);

/** Far more than a row needs. A file without line breaks must not fill the memory. */
const MAX_BYTES = 100_000;

/**
 * Reads the rows of a CSV file (RFC 4180) with a header line. Empty cells are absent; lines with only empty cells are
 * skipped. Stops at malformed CSV, with a row that has errors, because the row boundaries after it are unknown.
 *
 * @throws Stop for an invalid header, before the first row.
 */
export async function* csvRows(input: Readable): AsyncGenerator<Row> {
  /** The number of records before malformed CSV. */
  let sound = Number.POSITIVE_INFINITY;
  const parser = parse({
    bom: true,
    // Not detected from the first line, because a file may have both.
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_records_with_empty_values: true,
    max_record_size: MAX_BYTES,
    info: true,
    // As an error of the stream, it would drop the records just before it.
    skip_records_with_error: true,
    on_skip: (error) => {
      sound = Math.min(sound, Number(error?.['records']));
    },
  });
  async function* chunks() {
    for await (const chunk of input) {
      if (sound < Number.POSITIVE_INFINITY) return;
      yield chunk;
    }
  }
  // An error of the file is one of the parser too.
  pipeline(chunks, parser, () => {});

  let columns: string[] | undefined;
  // The last line of the last record, and the number of carriage returns in cells so far. The parser counts each as a line.
  let [end, returns] = [0, 0];
  for await (const { record: cells, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
    if (info.records > sound) break;
    const text = cells.join();
    returns += occurrences('\r', text);
    end = info.lines - returns;
    if (columns) yield rowOf(end - occurrences('\n', text), cells, columns);
    else columns = headerOf(cells);
  }
  if (sound < Number.POSITIVE_INFINITY)
    yield { line: end + 1, errors: [rowError('malformed', 'Is not valid CSV; nothing from here on was read.')] };
}

const occurrences = (character: string, text: string): number => text.split(character).length - 1;

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
