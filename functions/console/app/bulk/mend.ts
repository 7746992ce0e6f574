import { type Field, isField } from '../fields/fields.ts';
import { columnName, type Mapping, matchColumns } from '../fields/matchColumns.ts';
import type { Cell } from '../files/csv.ts';
import { isError } from '../files/guard.ts';
import type { TableFile } from '../files/readTable.ts';
import { cellOf, type Row } from './importRow.ts';
import type { CellProblem, Plan } from './planImport.ts';

/* What failed is put right: in place, or in a workbook of the rows with problems. */

/** The name of the column that says what is wrong. An import ignores it. */
const WRONG = 'What is wrong';

/** A file with the fields of its columns. */
export interface MappedFile {
  file: Pick<TableFile, 'header' | 'rows'>;
  mapping: Mapping;
}

/**
 * The rows with problems as a table that can be corrected and imported as it is: the file's own rows, after a column
 * that says what is wrong in each. Its columns have the names of their fields. Of those that were ignored, it has the
 * ones that an import ignores again.
 *
 * @param found.saidOf Says what is wrong in which cell.
 */
export function failedRows(
  { file: { header, rows }, mapping }: MappedFile,
  plan: Plan,
  { problems, saidOf }: { problems: CellProblem[]; saidOf: (problem: CellProblem, cell?: string) => string },
): Cell[][] {
  const isIgnoredAgain = (name: string) => name !== '' && name !== WRONG && matchColumns([name])[0] === null;
  const columns = header.flatMap((name, at) => (mapping[at] || isIgnoredAgain(name) ? at : []));
  const names = columns.map((at) => (mapping[at] ? columnName(mapping[at]) : header[at]));
  const byLine = Map.groupBy(problems, ({ line }) => line);
  const planned = new Map(plan.rows.map((row) => [row.line, row]));
  const failed = rows.flatMap(({ line, cells, errors = [] }) => {
    const row = planned.get(line);
    const wrong = byLine.get(line);
    if (!row || !wrong) return [];
    const said = wrong.map((problem) => saidOf(problem, cellOf(row, problem.field)));
    const shown = columns.map((at): Cell => {
      const text = cells[at] ?? '';
      return errors.includes(at) ? { error: isError(text) ? text : OTHER_ERROR } : text;
    });
    return [[`Line ${line}: ${said.join(' ')}`, ...shown]];
  });
  return [[WRONG, ...names], ...failed];
}

/** Stands for an error that is no error in a text, such as `#N/A`. */
const OTHER_ERROR = '#VALUE!';

/** Cells with the same text and the same problem, so that one correction is for all of them. */
export interface Faulty {
  key: string;
  problem: CellProblem;
  /** The first row. */
  row: Row;
  lines: number[];
}

/** Fields of which no two rows have the same. */
const UNIQUE = ['terminal_id', 'serial_no'];

/** The cells with problems, by line. Those of a field without a text are together if their branch is the same. */
export function faultyCells({ rows }: Plan, problems: CellProblem[]): Faulty[] {
  const planned = new Map(rows.map((row) => [row.line, row]));
  const found = problems.toSorted((one, other) => one.line - other.line);
  const groups = Map.groupBy(found, ({ line, ...problem }) => {
    const row = planned.get(line) as Row;
    const text = cellOf(row, problem.field) ?? row.mid;
    return JSON.stringify([problem, UNIQUE.includes(problem.field) || text === '' ? line : text]);
  });
  return [...groups].map(([key, [problem, ...others]]) => {
    const { line } = problem as CellProblem;
    return {
      key,
      problem: problem as CellProblem,
      row: planned.get(line) as Row,
      lines: [line, ...others.map((other) => other.line)],
    };
  });
}

/** A file with another text in these cells. A field without a column gets one. */
export function mended<File extends MappedFile>(
  mapped: File,
  { problem: { field }, lines }: Faulty,
  text: string,
): File {
  if (!isField(field)) return mapped;
  const { file, mapping } = withColumn(mapped, field);
  const at = mapping.indexOf(field);
  const wanted = new Set(lines);
  const rows = file.rows.map((row) => {
    if (!wanted.has(row.line)) return row;
    const { errors = [], ...kept } = row;
    const left = errors.filter((column) => column !== at);
    return { ...kept, cells: row.cells.with(at, text), ...(left.length > 0 && { errors: left }) };
  });
  return { ...mapped, file: { ...file, rows }, mapping };
}

function withColumn({ file, mapping }: MappedFile, field: Field): MappedFile {
  if (mapping.includes(field)) return { file, mapping };
  const rows = file.rows.map((row) => ({ ...row, cells: [...row.cells, ''] }));
  return { file: { ...file, header: [...file.header, columnName(field)], rows }, mapping: [...mapping, field] };
}
