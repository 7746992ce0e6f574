import { withoutInvisible } from '../../../../../lib/base/invisible.ts';
import type { CellProblem, Taken } from '../../bulk/planImport.ts';
import { isField } from '../../fields/fields.ts';
import { type Lists, namesNear } from '../../fields/listed.ts';
import { columnName } from '../../fields/matchColumns.ts';
import { labelOf, textOf, worded } from '../../fields/wording.ts';
import { formatNumber } from '../../shared/format.ts';

export const fieldName = (field: string): string => (isField(field) ? columnName(field) : labelOf(field));

export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : several}`;

/** What to say of a cell and another value that look the same and differ; empty for all others. */
export const lookalikes = (cell: string, other: string | null): string =>
  other !== null && cell !== other && withoutInvisible(cell) === withoutInvisible(other)
    ? ' They look the same, but one of them has characters that are not shown.'
    : '';

/** Says what is taken as an item of a list. */
export const takenText = ({ field, text, name, rows }: Taken): string =>
  `${fieldName(field)} “${text}” is taken as “${name}”, in ${counted(rows, 'row')}.`;

/** The problems of a text that is in no list, where it must be in one. */
const UNLISTED = ['not_found', 'not_a_partner', 'invalid_format'];
/** Of so many texts, names that are near are looked for. Where more are wrong, the column is another one. */
const MOST_LOOKED_FOR = 500;

/** Finds what a cell that is in no list could be: the names that are near. */
export function nearest(lists: Lists): (problem: CellProblem, cell?: string) => string[] {
  const finders = new Map(Object.entries(lists).map(([field, items]) => [field, namesNear(items)]));
  const known = new Map<string, string[]>();
  return ({ field, code }, cell = '') => {
    const find = UNLISTED.includes(code) ? finders.get(field) : undefined;
    const key = `${field} ${cell}`;
    if (!find || (known.size === MOST_LOOKED_FOR && !known.has(key))) return [];
    const names = known.get(key) ?? find(cell);
    known.set(key, names);
    return names;
  };
}

const someOf = new Intl.ListFormat('en', { type: 'disjunction' });

/** What is wrong in a cell of a file. `cell` is its text, and `near` are the names of its list that are near. */
export function detailOf(problem: CellProblem, cell = '', near: string[] = []): string {
  if (near.length > 0)
    return `You have none with this name or ID. Did you mean ${someOf.format(near.map((name) => `“${name}”`))}?`;
  if ('detail' in problem) {
    const { field, code, detail, holder } = problem;
    if (holder && field === 'terminal_id') return `It is at the branch ${holder.mid}. Move it first.`;
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
