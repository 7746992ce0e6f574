import { csvOf } from '../files/csv.ts';
import { cellOf } from './importRow.ts';
import type { Ledger } from './ledger.ts';
import type { CellProblem, Plan } from './planImport.ts';

const COLUMNS = ['line', 'mid', 'terminal_id', 'outcome', 'field', 'value', 'code', 'detail', 'existing_value'];

/**
 * Writes what became of each row as CSV, by line: one record for each problem and changed value of a row, and one for a
 * row without any. The outcome of a row is `created`, `updated`, `exists` or `refused`, or `left` if it is not known
 * yet. A branch is updated with the first row that has it, whatever became of the terminal.
 *
 * @param detailOf Says what is wrong.
 */
export function reportOf(
  plan: Plan,
  ledger: Ledger,
  detailOf: (problem: CellProblem, cell?: string) => string,
): string {
  const cells = Map.groupBy([...ledger.updated, ...ledger.problems], ({ line }) => line);
  const records = plan.rows.flatMap((row) => {
    const { line, mid, terminal } = row;
    const outcome = [line, mid, terminal.terminal_id, ledger.outcomes.get(line) ?? 'left'];
    const found = cells.get(line)?.map((cell) => {
      const said = 'code' in cell ? [cell.code, detailOf(cell, cellOf(row, cell.field))] : ['updated', null];
      const existing = 'value' in cell && !('other' in cell) ? cell.value : null;
      return [...outcome, cell.field, cellOf(row, cell.field), ...said, existing];
    });
    return found ?? [[...outcome, null, null, null, null, null]];
  });
  return csvOf([COLUMNS, ...records], { isFirst: true });
}
