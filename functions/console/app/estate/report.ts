import { csvOf } from './csv.ts';
import type { Ledger } from './ledger.ts';
import type { CellProblem, Plan } from './plan.ts';

const COLUMNS = ['line', 'mid', 'terminal_id', 'outcome', 'field', 'code', 'detail'];

/**
 * Writes what became of each row as CSV, by line: one record for each problem of a row, and one for a row without any. The
 * outcome of a row is `created`, `exists`, `refused` or, if it is not known yet, `left`.
 *
 * @param options.onlyProblems Leaves out rows without a problem.
 */
export function reportOf(plan: Plan, ledger: Ledger, { onlyProblems = false } = {}): string {
  const problems = Map.groupBy(ledger.problems, ({ line }) => line);
  const records = plan.rows.flatMap(({ line, mid, terminal }) => {
    const found: Partial<CellProblem>[] = problems.get(line) ?? (onlyProblems ? [] : [{}]);
    const row = [line, mid, terminal.terminal_id, ledger.outcomes.get(line) ?? 'left'];
    return found.map(({ field, code, detail }) => [...row, field, code, detail]);
  });
  return csvOf([COLUMNS, ...records], { isFirst: true });
}
