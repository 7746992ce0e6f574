import { stringify } from 'csv-stringify/browser/esm/sync';

type Cell = string | number | null | undefined;

/**
 * Writes records as CSV (RFC 4180). A spreadsheet calculates nothing in it: an apostrophe precedes texts that begin
 * like a formula.
 *
 * @param isFirst Whether a file begins with it: then a byte order mark says that it is UTF-8, which Excel needs.
 */
export const csvOf = (records: Cell[][], { isFirst }: { isFirst: boolean }): string =>
  stringify(records, { bom: isFirst, escape_formulas: true, record_delimiter: 'windows' });
