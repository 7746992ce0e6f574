import { stringify } from 'csv-stringify/browser/esm/sync';
import { guardCsv } from './guard.ts';

export type Cell = string | number | null | undefined;

/**
 * Writes records as CSV (RFC 4180). A spreadsheet calculates nothing in it, whatever it takes for the delimiter.
 *
 * @param isFirst Whether a file begins with it: then a byte order mark says that it is UTF-8, which Excel needs.
 */
export const csvOf = (records: Cell[][], { isFirst }: { isFirst: boolean }): string => {
  const guarded = records.map((record) => record.map((cell) => (typeof cell === 'string' ? guardCsv(cell) : cell)));
  // A line break of any kind ends a row, unless it is quoted.
  return stringify(guarded, { bom: isFirst, record_delimiter: 'windows', quoted_match: /[\r\n]/ });
};
