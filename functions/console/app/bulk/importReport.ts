import { csvOf } from '../files/csv.ts';
import { cellOf } from './importRow.ts';
import type { Ledger, Outcome } from './ledger.ts';
import type { CellProblem, Plan } from './planImport.ts';

const COLUMNS = ['line', 'mid', 'terminal_id', 'outcome', 'field', 'value', 'code', 'detail', 'existing_value'];

/**
 * Writes what became of each row as CSV, by line: one record for each problem and changed value of a row, and one for a
 * row without any. The outcome of a row is `created` or `updated`, or after a dry run `valid`; `exists`; `refused`; or
 * `left` if it is not known yet. A branch is updated with the first row that has it, whatever became of the terminal.
 *
 * @param options.detailOf Says what is wrong.
 */
export function reportOf(
  plan: Plan,
  ledger: Ledger,
  { detailOf, isDryRun = false }: { detailOf: (problem: CellProblem, cell?: string) => string; isDryRun?: boolean },
): string {
  const wordOf = (outcome: Outcome | undefined) =>
    isDryRun && (outcome === 'created' || outcome === 'updated') ? 'valid' : (outcome ?? 'left');
  const cells = Map.groupBy([...ledger.updated, ...ledger.problems], ({ line }) => line);
  const records = plan.rows.flatMap((row) => {
    const { line, mid, terminal } = row;
    const outcome = [line, mid, terminal.terminal_id, wordOf(ledger.outcomes.get(line))];
    const found = cells.get(line)?.map((cell) => {
      const said = 'code' in cell ? [cell.code, detailOf(cell, cellOf(row, cell.field))] : ['updated', null];
      const existing = 'value' in cell && !('other' in cell) ? cell.value : null;
      return [...outcome, cell.field, cellOf(row, cell.field), ...said, existing];
    });
    return found ?? [[...outcome, null, null, null, null, null]];
  });
  return csvOf([COLUMNS, ...records], { isFirst: true });
}
