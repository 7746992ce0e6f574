import { stringify } from 'csv-stringify/browser/esm/sync';

export type Cell = string | number | null | undefined;

/*
 * Spreadsheets calculate a cell that begins like a formula, and a cell begins after whatever the spreadsheet takes for a
 * delimiter: a comma, a semicolon, a tab or a line break, also within a cell of ours, and quoted or not.
 */
const START = String.raw`(?<=^|[,;\t\r\n])([ "]*)`;
const FORMULA = String.raw`(?='*[=+\-@＝＋－＠\t\r])`;
const UNGUARDED = new RegExp(START + FORMULA, 'g');
const GUARDED = new RegExp(`${START}'${FORMULA}`, 'g');

/** Puts an apostrophe before what a spreadsheet could take for a formula, and before apostrophes there. */
const guard = (text: string): string => text.replace(UNGUARDED, "$1'");

/** The text before it was guarded. */
export const unguard = (text: string): string => text.replace(GUARDED, '$1');

/**
 * Writes records as CSV (RFC 4180). A spreadsheet calculates nothing in it, whatever it takes for the delimiter.
 *
 * @param isFirst Whether a file begins with it: then a byte order mark says that it is UTF-8, which Excel needs.
 */
export const csvOf = (records: Cell[][], { isFirst }: { isFirst: boolean }): string => {
  const guarded = records.map((record) => record.map((cell) => (typeof cell === 'string' ? guard(cell) : cell)));
  return stringify(guarded, { bom: isFirst, record_delimiter: 'windows' });
};
