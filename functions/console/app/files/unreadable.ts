import { formatNumber } from '../shared/format.ts';

/** Limits of a file. */
export const MAX_BYTES = 10 * 1024 * 1024;
export const MAX_ROWS = 20_000;
export const MAX_COLUMNS = 100;

/** Why a file cannot be read, and what to do. `?` stands for what it is about, such as cells. */
const MISTAKES = {
  too_large: 'The file is larger than 10 MB. Split it.',
  encoding: 'This is neither an Excel workbook (.xlsx) nor a CSV file. Save it as one of these.',
  mixed: 'The file has two encodings: this line is not UTF-8, as others are. Save it as CSV UTF-8.',
  workbook: 'This workbook cannot be read. Save it as an Excel workbook (.xlsx) again, or as CSV UTF-8.',
  locked: 'This workbook has a password or is of an old kind (.xls). Save it without a password, as .xlsx.',
  inflated: 'The workbook is larger than 100 MB when it is unpacked. Save only its table, as CSV UTF-8.',
  slow: 'Reading the file takes too long. Save only its table, as CSV UTF-8.',
  no_result: 'Formulas have not been calculated (?). Save the file in Excel, or in LibreOffice after Ctrl+Shift+F9.',
  merged: 'Cells are merged (?). Unmerge them, and fill in each cell.',
  late_header: 'The names of the columns must be in the first 20 rows. Remove rows above them.',
  no_rows: 'The file has no rows below a header. Its first row must have the names of the columns.',
  too_many_rows: 'The file has ? rows, and may have 20,000. Split it.',
  too_many_columns: 'The file has more than 100 columns. Remove those that are not needed.',
  open_quote: 'A quotation mark is not closed.',
  quote_in_cell: 'A quotation mark opens in the middle of a cell. Write it twice, and put the cell in quotes.',
  text_after_quote: 'Text follows a closing quotation mark. Write quotation marks inside a cell twice.',
  more_cells: 'The row has more cells than the header. Name each column, and in CSV put cells with commas in quotes.',
  long_row: 'The row is too long. A quotation mark may not be closed.',
  syntax: 'The file is not valid CSV.',
};
export type Unreadable = keyof typeof MISTAKES;

/** Where a mistake is, as far as it has a place, and what it is about. Lines and columns count from 1. */
export interface Place {
  cell?: string | undefined;
  line?: number | undefined;
  column?: number | undefined;
  about?: string | undefined;
}

function placeText({ cell, line, column }: Place): string {
  if (cell !== undefined) return `Cell ${cell}: `;
  if (line === undefined) return '';
  return `Line ${formatNumber(line)}${column === undefined ? '' : `, column ${formatNumber(column)}`}: `;
}

/** A file or a pasted text that cannot be read. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile';
  readonly code: Unreadable;
  readonly place: Place;

  constructor(code: Unreadable, place: Place = {}) {
    super(placeText(place) + MISTAKES[code].replace('?', () => place.about ?? ''));
    this.code = code;
    this.place = place;
  }
}
