import { formatNumber } from '../shared/format.ts';

/** Limits of a file. */
export const MAX_BYTES = 10 * 1024 * 1024;
export const MAX_ROWS = 20_000;
export const MAX_COLUMNS = 100;

/** Why a file cannot be read, and what to do. */
const MISTAKES = {
  too_large: 'The file is larger than 10 MB. Split it.',
  encoding: 'This is neither an Excel workbook (.xlsx) nor a CSV file in UTF-8. Save it as one of these.',
  workbook: 'This workbook cannot be read. Save it as an Excel workbook (.xlsx) again, or as CSV UTF-8.',
  locked: 'This workbook has a password or is of an old kind (.xls). Save it without a password, as .xlsx.',
  inflated: 'The workbook is larger than 100 MB when it is unpacked. Save only its table, as CSV UTF-8.',
  no_rows: 'The file has no rows below a header. Its first row must have the names of the columns.',
  too_many_rows: 'The file has more than 20,000 rows. Split it.',
  too_many_columns: 'The file has more than 100 columns. Remove those that are not needed.',
  open_quote: 'A quotation mark is not closed.',
  quote_in_cell: 'A quotation mark opens in the middle of a cell. Write it twice, and put the cell in quotes.',
  text_after_quote: 'Text follows a closing quotation mark. Write quotation marks inside a cell twice.',
  more_cells: 'The row has more cells than the header. Name each column, and in CSV put cells with commas in quotes.',
  long_row: 'The row is too long. A quotation mark may not be closed.',
  syntax: 'The file is not valid CSV.',
};
export type Unreadable = keyof typeof MISTAKES;

/** Where a mistake is, as far as it has a place. Both count from 1. */
export interface Place {
  line?: number | undefined;
  column?: number | undefined;
}

function placeText({ line, column }: Place): string {
  if (line === undefined) return '';
  return `Line ${formatNumber(line)}${column === undefined ? '' : `, column ${formatNumber(column)}`}: `;
}

/** A file or a pasted text that cannot be read. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile';
  readonly code: Unreadable;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(code: Unreadable, place: Place = {}) {
    super(placeText(place) + MISTAKES[code]);
    this.code = code;
    this.line = place.line;
    this.column = place.column;
  }
}
