import type { CellProblem } from '../../estate/plan.ts';
import { formatNumber } from '../../shared/format.ts';
import { labelOf, textOf, worded } from '../../shared/wording.ts';

/** Labels that say more than in a form, where the other fields are around. */
const OWN_LABELS: Record<string, string> = {
  branch_name: 'Branch name',
  existing_master_merchant: 'Business (UUID)',
};

/** The label of a field, in a file. */
export const fieldName = (field: string): string => OWN_LABELS[field] ?? labelOf(field);

export const rowsText = (count: number): string => (count === 1 ? '1 row' : `${formatNumber(count)} rows`);

/** What is wrong in a cell, and what to change. */
export function detailOf(problem: CellProblem): string {
  if ('detail' in problem) return worded(problem.detail, problem.code);
  if (problem.code === 'duplicate') return `Line ${problem.other} has it too. Remove one of them.`;
  if (problem.code === 'lost_digits')
    return 'A spreadsheet has cut this number off. Format the column as text, and enter the whole number.';
  if (problem.code !== 'differs') return textOf(problem, problem.field);
  const value = problem.value === null ? 'no value' : `“${problem.value}”`;
  if (problem.of === 'existing') return `It exists with ${value}. The import does not change it.`;
  const what = problem.of === 'branch' ? 'branch' : 'business';
  return `Line ${problem.other} has ${value} for the same ${what}. Make them equal.`;
}
