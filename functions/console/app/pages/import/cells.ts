import { withoutInvisible } from '../../../../../lib/base/invisible.ts';
import type { CellProblem } from '../../bulk/planImport.ts';
import { labelOf, textOf, worded } from '../../fields/wording.ts';
import { formatNumber } from '../../shared/format.ts';

/** Labels that say more than in a form, where the other fields are around. */
const OWN_LABELS: Record<string, string> = {
  branch_name: 'Branch name',
  existing_master_merchant: 'Business (UUID)',
};

export const fieldName = (field: string): string => OWN_LABELS[field] ?? labelOf(field);

export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : several}`;

/** What to say of a cell and another value that look the same and differ; empty for all others. */
export const lookalikes = (cell: string, other: string | null): string =>
  other !== null && cell !== other && withoutInvisible(cell) === withoutInvisible(other)
    ? ' They look the same, but one of them has characters that are not shown.'
    : '';

/** What is wrong in a cell of a file. `cell` is its text. */
export function detailOf(problem: CellProblem, cell = ''): string {
  if ('detail' in problem) {
    const { field, code, detail, holder } = problem;
    if (holder && field === 'terminal_id')
      return `It is at the branch ${holder.mid}. Move it, then choose the file again.`;
    if (holder) return `The terminal ${holder.terminal_id} at the branch ${holder.mid} has it. Change that one first.`;
    if (code === 'required') return 'You have no branch with this MID. Correct it, or add what a new branch needs.';
    return worded(detail, code);
  }
  if (problem.code === 'unknown_terminal')
    return 'You have no terminal with this ID. To add it, the file needs the column of the MID.';
  if (problem.code === 'duplicate') return `Line ${problem.other} has it too. Remove one of them.`;
  if (problem.code === 'lost_digits')
    return 'A spreadsheet has cut this number off. Format the column as text, and enter the whole number.';
  if (problem.code === 'cell_error')
    return 'This is an error of the spreadsheet. Correct its formula, or clear the cell.';
  if (!('value' in problem)) return textOf(problem, problem.field);
  const value = problem.value === null ? 'no value' : `“${problem.value}”`;
  const alike = lookalikes(cell, problem.value);
  if (problem.code === 'precondition_failed')
    return `Somebody has changed this to ${value} meanwhile. Choose the file again.${alike}`;
  if (problem.of === 'existing') return `It exists with ${value}. The import does not change it.${alike}`;
  const what = problem.of === 'branch' ? 'branch' : 'business';
  return `Line ${problem.other} has ${value} for the same ${what}. Make them equal.${alike}`;
}
