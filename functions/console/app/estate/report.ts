import { csvOf } from './csv.ts';
import type { Ledger, Outcome } from './ledger.ts';
import type { CellProblem, Plan } from './plan.ts';

const COLUMNS = ['line', 'mid', 'terminal_id', 'outcome', 'field', 'code', 'detail'];

/**
 * Writes what became of each row as CSV, by line: one record for each problem of a row, and one for a row without any. The
 * outcome of a row is `created`, or after a dry run `valid`; `exists`; `refused`; or `left` if it is not known yet.
 *
 * @param options.onlyProblems Leaves out rows without a problem.
 */
export function reportOf(plan: Plan, ledger: Ledger, { onlyProblems = false, isDryRun = false } = {}): string {
  const words = { created: isDryRun ? 'valid' : 'created', exists: 'exists', refused: 'refused' };
  const problems = Map.groupBy(ledger.problems, ({ line }) => line);
  const records = plan.rows.flatMap(({ line, mid, terminal }) => {
    const found: Partial<CellProblem>[] = problems.get(line) ?? (onlyProblems ? [] : [{}]);
    const row = [line, mid, terminal.terminal_id, words[ledger.outcomes.get(line) as Outcome] ?? 'left'];
    return found.map(({ field, code, detail }) => [...row, field, code, detail]);
  });
  return csvOf([COLUMNS, ...records], { isFirst: true });
}
