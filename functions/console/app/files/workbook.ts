import { format, getFormatFromId, isDateFormat } from 'numfmt';
import { type Attributes, Parts, parsePart } from './parts.ts';
import { MAX_COLUMNS, MAX_ROWS, UnreadableFile } from './unreadable.ts';

/** A cell's place. Both count from 1. */
interface Position {
  line: number;
  column: number;
}

/** A row that has something. Columns count from 0, as places in the record do. */
interface SheetRow {
  line: number;
  record: string[];
  isHidden: boolean;
  /** The columns of cells that have an error. */
  errors: number[];
  /** The columns of formulas without a result that counts. */
  unresolved: number[];
  /** The first column with something that is beyond those that are read. */
  beyond: number | undefined;
}

/** A sheet, and what a person must know before its rows are taken for all that it shows. */
export interface Sheet {
  name: string;
  /** Its rows that have something; not those after one more than a file may have. */
  rows: SheetRow[];
  /** How many rows have something, those that are not kept included. */
  rowCount: number;
  /** Each range of merged cells, as `A1:A3`, with the place of its first cell and its last line. */
  merged: (Position & { name: string; lastLine: number })[];
  /** The first and the last of each range of columns that are hidden. They count from 1. */
  hiddenColumns: [first: number, last: number][];
  /** How many cells have a number of which their format shows nothing. */
  unseen: number;
}

export interface Workbook {
  /** The visible sheets that are not empty. */
  sheets: Sheet[];
  hiddenSheets: number;
}

/** What a workbook breaks that a spreadsheet never does. The file is refused with one sentence for all of it. */
const broken = (what: string): never => {
  throw new Error(what);
};

const isBlank = (text: string): boolean => text.trim() === '';
const isTrue = (text: string | undefined): boolean => text === '1' || text === 'true';

/** Excel's own limits: the most characters of a cell and of a number format, and the last row and column. */
const MOST_IN_CELL = 32_767;
const MOST_IN_FORMAT = 255;
const LAST: Position = { line: 1_048_576, column: 16_384 };

/** Rows that are kept: as many as a file may have, with room above the header, and one more. */
const MOST_KEPT = MAX_ROWS + 100;
/** The most characters of all cells of a sheet. A text that many cells share counts for each. */
const MOST_TEXT = 100 * 1024 * 1024;

const REFERENCE = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/i;

function positionOf(reference: string): Position {
  const [, letters = '', digits] = REFERENCE.exec(reference) ?? [];
  const column = [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  const line = Number(digits);
  if (!(line >= 1 && line <= LAST.line && column >= 1 && column <= LAST.column)) broken('A cell has no place.');
  return { line, column };
}

/** Characters that XML cannot hold, written by their code. */
const unescaped = (text: string): string =>
  text.replaceAll(/_x([0-9A-F]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The text of each shared string, without the pronunciation that Japanese ones have. */
function parseStrings(bytes: Uint8Array): string[] {
  const strings: string[] = [];
  let text = '';
  let isText = false;
  let isPronunciation = false;
  parsePart(bytes, {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 'rPh') isPronunciation = true;
      else if (name === 't') isText = !isPronunciation;
    },
    text(more) {
      if (isText) text += more;
    },
    close(name) {
      if (name === 'si') strings.push(unescaped(text));
      else if (name === 'rPh') isPronunciation = false;
      else if (name === 't') isText = false;
    },
  });
  return strings;
}

/** The number format of each style of a cell. */
function parseFormats(bytes: Uint8Array): string[] {
  const formats = new Map<string, string>();
  const styles: string[] = [];
  let within = '';
  parsePart(bytes, {
    open(name, { numFmtId = '0', formatCode = '' }) {
      if (name === 'numFmts' || name === 'cellXfs') within = name;
      else if (name === 'numFmt' && within === 'numFmts') formats.set(numFmtId, formatCode);
      else if (name === 'xf' && within === 'cellXfs')
        styles.push(formats.get(numFmtId) ?? getFormatFromId(Number(numFmtId)) ?? 'General');
    },
    close(name) {
      if (name === within) within = '';
    },
  });
  return styles;
}

/** From here on, a number has more digits than the fifteen that a spreadsheet keeps. */
const FIRST_INEXACT = 1e15;
/** Days between the first days of the two calendars of Excel. */
const DAYS_TO_1904 = 1_462;

/** A number as it is shown, but with all the digits that it has. One that lost digits is shown by its power of ten. */
function shownNumber(value: number, code: string, is1904: boolean): string {
  if (Math.abs(value) >= FIRST_INEXACT) return value.toExponential(5).replace('e', 'E');
  const kept = Number(value.toPrecision(15));
  if (/general|^@$/i.test(code) || code.length > MOST_IN_FORMAT) return String(kept);
  try {
    const serial = is1904 && isDateFormat(code) ? kept + DAYS_TO_1904 : kept;
    return format(code, serial, { nbsp: false, dateErrorNumber: true });
  } catch {
    // Excel repairs a format that it cannot read to this one.
    return String(kept);
  }
}

const DAY = 24 * 60 * 60 * 1000;
/** The number of a date that is written in ISO 8601, of which one without a time zone is what it says. */
const serialOf = (date: string): number =>
  Date.parse(/T.*(?:Z|[+-]\d\d:\d\d)$|^[^T]*$/.test(date) ? date : `${date}Z`) / DAY + 25_569;

/** What all sheets of a workbook share. */
interface Context {
  strings: string[];
  formats: string[];
  is1904: boolean;
  /** Whether a spreadsheet calculates all formulas anew, so that the stored results are none. */
  isStale: boolean;
}

interface Cell {
  type: string;
  style: number;
  value: string;
  hasValue: boolean;
  hasFormula: boolean;
}

function textOf({ type, value, style }: Cell, { strings, formats, is1904 }: Context): string {
  const shown = (number: number, isOf1904 = is1904) => {
    if (!Number.isFinite(number)) broken('A number is none.');
    return shownNumber(number, formats[style] ?? 'General', isOf1904);
  };
  if (type === 'inlineStr' || type === 'str' || type === 'e') return unescaped(value);
  if (isBlank(value)) return '';
  if (type === 's') return strings[Number(value)] ?? broken('A text is missing.');
  if (type === 'b') return isTrue(value.trim()) ? 'TRUE' : 'FALSE';
  if (type === 'd') return shown(serialOf(value.trim()), false);
  return type === 'n' ? shown(Number(value)) : broken('A cell is of no known type.');
}

function parseSheet(bytes: Uint8Array, name: string, context: Context): Sheet {
  const sheet: Sheet = { name, rows: [], rowCount: 0, merged: [], hiddenColumns: [], unseen: 0 };
  const newRow = (line: number, isHidden = false): SheetRow => ({
    line,
    record: [],
    isHidden,
    errors: [],
    unresolved: [],
    beyond: undefined,
  });
  let row = newRow(0);
  let column = 0;
  let cell: Cell | undefined;
  let length = 0;

  const openRow = ({ r, hidden }: Attributes) => {
    const line = r === undefined ? row.line + 1 : Number(r);
    // A spreadsheet refuses this too. One of two rows on a line would be lost.
    if (!(line > row.line && line <= LAST.line)) broken('Rows are not in order.');
    row = newRow(line, isTrue(hidden));
    column = 0;
  };
  const openCell = ({ r, t = 'n', s = '0' }: Attributes) => {
    const place = r === undefined ? { line: row.line, column: column + 1 } : positionOf(r);
    if (place.line !== row.line || place.column <= column) broken('Cells are not in order.');
    column = place.column;
    cell = { type: t, style: Number(s), value: '', hasValue: false, hasFormula: false };
  };
  const closeCell = (cell: Cell) => {
    // An empty text is a result too.
    const hasResult = cell.type === 'str' ? cell.hasValue : cell.value !== '';
    if (cell.hasFormula && (context.isStale || !hasResult)) row.unresolved.push(column - 1);
    const text = textOf(cell, context);
    if (isBlank(text)) {
      if (!isBlank(cell.value) && cell.type === 'n') sheet.unseen += 1;
      return;
    }
    length += text.length;
    if (length > MOST_TEXT) throw new UnreadableFile('inflated');
    if (text.length > MOST_IN_CELL) broken('A cell is longer than a spreadsheet permits.');
    if (column > MAX_COLUMNS) row.beyond ??= column - 1;
    else row.record[column - 1] = text;
    if (cell.type === 'e') row.errors.push(column - 1);
  };
  const closeRow = () => {
    const { record, unresolved, beyond } = row;
    if (record.length === 0 && unresolved.length === 0 && beyond === undefined) return;
    sheet.rowCount += 1;
    if (sheet.rowCount <= MOST_KEPT) sheet.rows.push({ ...row, record: Array.from(record, (text) => text ?? '') });
  };

  let isInData = false;
  let isText = false;
  let isPronunciation = false;
  parsePart(bytes, {
    open(name, attributes) {
      if (name === 'sheetData') isInData = true;
      else if (name === 'mergeCell') {
        const [first = '', last = first] = (attributes['ref'] ?? '').split(':');
        if (first !== last)
          sheet.merged.push({ name: `${first}:${last}`, ...positionOf(first), lastLine: positionOf(last).line });
      } else if (name === 'col' && isTrue(attributes['hidden']))
        sheet.hiddenColumns.push([Number(attributes['min']), Number(attributes['max'])]);
      else if (!isInData) return;
      else if (name === 'row') openRow(attributes);
      else if (name === 'c') openCell(attributes);
      else if (name === 'rPh') isPronunciation = true;
      else if (cell && name === 'f') cell.hasFormula = true;
      else if (cell && (name === 'v' || name === 't')) {
        isText = !isPronunciation;
        cell.hasValue = true;
      }
    },
    text(text) {
      if (isText && cell) cell.value += text;
    },
    close(name) {
      if (name === 'sheetData') isInData = false;
      else if (!isInData) return;
      else if (name === 'row') closeRow();
      else if (name === 'rPh') isPronunciation = false;
      else if (name === 'v' || name === 't') isText = false;
      else if (name === 'c' && cell) {
        closeCell(cell);
        cell = undefined;
      }
    },
  });
  return sheet;
}

interface Relationship {
  id: string;
  type: string;
  /** The part to which it leads. */
  part: string;
}

/** The relationships of a part in a folder. */
function parseRelationships(bytes: Uint8Array | undefined, folder: string): Relationship[] {
  const relationships: Relationship[] = [];
  if (bytes)
    parsePart(bytes, {
      open(name, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode }) {
        if (name !== 'Relationship' || mode === 'External') return;
        const part = decodeURI(new URL(target.replaceAll('\\', '/'), `zip:${folder}`).pathname);
        relationships.push({ id, type: type.replace(/.*\//, ''), part });
      },
    });
  return relationships;
}

interface Named {
  name: string;
  id: string;
  isHidden: boolean;
}

/** The sheets that a workbook names, and what holds for all of them. */
function parseNames(bytes: Uint8Array) {
  const sheets: Named[] = [];
  let is1904 = false;
  let isStale = false;
  parsePart(bytes, {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = isTrue(attributes['date1904']);
      else if (name === 'calcPr') isStale = isTrue(attributes['fullCalcOnLoad']);
      else if (name === 'sheet') {
        const { name: called = '', state = 'visible' } = attributes;
        const [, id = ''] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? [];
        sheets.push({ name: called, id, isHidden: state !== 'visible' });
      }
    },
  });
  return { sheets, is1904, isStale };
}

function parseWorkbook(bytes: Uint8Array): Workbook {
  const parts = new Parts(bytes);
  const roots = parseRelationships(parts.read('_rels/.rels')('_rels/.rels'), '/');
  const workbook = roots.find(({ type }) => type === 'officeDocument')?.part ?? broken('It has no workbook.');
  const folder = workbook.replace(/[^/]*$/, '');
  const relations = `${folder}_rels/${workbook.slice(folder.length)}.rels`;
  const directory = parts.read(workbook, relations);
  const { sheets: named, ...all } = parseNames(directory(workbook) ?? broken('It has no workbook.'));
  const relationships = parseRelationships(directory(relations), folder);
  const partOf = (kind: string) => relationships.find(({ type }) => type === kind)?.part;

  // Charts, macros and modules have sheets of their own, without a table. Those of modules have no part.
  const worksheets = named.flatMap(({ id, ...sheet }) => {
    const found = relationships.find((relationship) => relationship.id === id);
    if (id !== '' && !found) broken('A sheet is missing.');
    return found?.type === 'worksheet' ? [{ ...sheet, part: found.part }] : [];
  });
  const visible = worksheets.filter(({ isHidden }) => !isHidden);
  if (new Set(visible.map(({ part }) => part)).size < visible.length) broken('Two sheets are one.');

  const [strings, styles] = [partOf('sharedStrings') ?? '', partOf('styles') ?? ''];
  const read = parts.read(strings, styles, ...visible.map(({ part }) => part));
  const [stringPart, stylePart] = [read(strings), read(styles)];
  const context: Context = {
    ...all,
    strings: stringPart ? parseStrings(stringPart) : [],
    formats: stylePart ? parseFormats(stylePart) : [],
  };
  const sheets = visible.map(({ name, part }) =>
    parseSheet(read(part) ?? broken('A sheet is missing.'), name, context),
  );
  return { sheets: sheets.filter(({ rowCount }) => rowCount > 0), hiddenSheets: worksheets.length - visible.length };
}

/**
 * Reads the visible sheets of an Excel workbook (ECMA-376, transitional or strict). Cells are texts as Excel shows
 * them: a number in the format of its cell, so that one of the format `00000` keeps its zeros.
 *
 * @throws UnreadableFile if it is none, is damaged, or is larger than Excel or the reader permits.
 */
export function readWorkbook(bytes: Uint8Array): Workbook {
  try {
    return parseWorkbook(bytes);
  } catch (error) {
    throw error instanceof UnreadableFile ? error : new UnreadableFile('workbook');
  }
}
