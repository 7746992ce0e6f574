import { brokenRule, type Form } from './rules.ts';
import { textOf } from './wording.ts';

/** What is wrong with the value of a field by the contract's rules; `null` if nothing is. */
export function fieldError(form: Form, field: string, value: string): string | null {
  const broken = brokenRule(form, field, value);
  return broken ? textOf(broken, field) : null;
}

export const fieldErrors = (form: Form, values: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([field, value]) => {
      const error = typeof value === 'string' ? fieldError(form, field, value) : null;
      return error === null ? [] : [[field, error]];
    }),
  );
