import { stringify } from 'csv-stringify/browser/esm/sync';
import { guardCsv } from './guard.ts';

/** A cell of a file that is written. `error` is how a spreadsheet shows one, which an import reads as such. */
export type Cell = string | number | { error: string } | null | undefined;

const guarded = (cell: Cell): string | number | null | undefined => {
  if (typeof cell === 'object') return cell?.error;
  return typeof cell === 'string' ? guardCsv(cell) : cell;
};

/**
 * Writes records as CSV (RFC 4180). A spreadsheet calculates nothing in it, whatever it takes for the delimiter.
 *
 * @param isFirst Whether a file begins with it: then a byte order mark says that it is UTF-8, which Excel needs.
 */
export const csvOf = (records: Cell[][], { isFirst }: { isFirst: boolean }): string => {
  // A line break of any kind ends a row, unless it is quoted.
  return stringify(
    records.map((record) => record.map(guarded)),
    { bom: isFirst, record_delimiter: 'windows', quoted_match: /[\r\n]/ },
  );
};
