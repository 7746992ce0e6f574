import { csvOf } from './csv.ts';
import type { Ledger, Outcome } from './ledger.ts';
import type { CellProblem, Plan } from './plan.ts';
import { cellOf } from './row.ts';

const COLUMNS = ['line', 'mid', 'terminal_id', 'outcome', 'field', 'value', 'code', 'detail'];

/**
 * Writes what became of each row as CSV, by line: one record for each problem of a row, and one for a row without any.
 * The outcome of a row is `created`, or after a dry run `valid`; `exists`; `refused`; or `left` if it is not known yet.
 *
 * @param options.detailOf Says what is wrong.
 */
export function reportOf(
  plan: Plan,
  ledger: Ledger,
  { detailOf, isDryRun = false }: { detailOf: (problem: CellProblem) => string; isDryRun?: boolean },
): string {
  const words = { created: isDryRun ? 'valid' : 'created', exists: 'exists', refused: 'refused' };
  const problems = Map.groupBy(ledger.problems, ({ line }) => line);
  const records = plan.rows.flatMap((row) => {
    const { line, mid, terminal } = row;
    const outcome = [line, mid, terminal.terminal_id, words[ledger.outcomes.get(line) as Outcome] ?? 'left'];
    const found = problems.get(line)?.map((problem) => {
      const { field, code } = problem;
      return [...outcome, field, cellOf(row, field), code, detailOf(problem)];
    });
    return found ?? [[...outcome, null, null, null, null]];
  });
  return csvOf([COLUMNS, ...records], { isFirst: true });
}
