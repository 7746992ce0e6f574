import { ProblemError } from '../request.ts';
import { brokenRule, type Form } from '../rules.ts';
import { textOf, worded } from './wording.ts';

/** What is wrong with the value of a field by the contract's rules; `null` if nothing is. */
export function fieldError(form: Form, field: string, value: string): string | null {
  const broken = brokenRule(form, field, value);
  return broken ? textOf(broken, field) : null;
}

/** What is wrong with the fields of a form, by field. */
export const fieldErrors = <Values extends object>(form: Form, values: Values): Partial<Record<keyof Values, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([field, value]) => {
      const error = typeof value === 'string' ? fieldError(form, field, value) : null;
      return error === null ? [] : [[field, error]];
    }),
  ) as Partial<Record<keyof Values, string>>;

/** The field errors of a 422, by the path of the field in the body, such as `terminals.0.serial_no`. */
export const refusedFields = (error: Error | null): Record<string, string> =>
  error instanceof ProblemError
    ? Object.fromEntries(
        (error.problem.errors ?? []).map(({ pointer, code, detail }) => [
          pointer.slice(1).replaceAll('/', '.'),
          worded(detail, code),
        ]),
      )
    : {};
