import { ProblemError } from '../request.ts';
import rules from '../rules.json' with { type: 'json' };
import { texts } from './texts.ts';

interface Rule {
  required?: boolean;
  pattern?: string;
  maxLength?: number;
}

type Form = keyof typeof rules;

const PATTERNS: Record<string, string> = {
  mid: texts.pattern.mid,
  mcc: texts.pattern.mcc,
  email: texts.pattern.email,
  label: texts.pattern.label,
  terminal_id: texts.pattern.alphanumeric,
  serial_no: texts.pattern.alphanumeric,
  master_merchant_id: texts.pattern.alphanumeric,
};

/** What is wrong with the value of a field by the contract's rules; `null` if nothing is. */
export function fieldError(form: Form, field: string, value: string): string | null {
  const { required, pattern, maxLength }: Rule = (rules[form] as Record<string, Rule>)[field] ?? {};
  const text = value.trim();
  if (text === '') return required ? texts.required : null;
  if (maxLength !== undefined && [...text].length > maxLength) return texts.tooLong(maxLength);
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return PATTERNS[field] ?? texts.pattern.other;
  return null;
}

/** What is wrong with the fields of a form, by field. */
export const fieldErrors = <Values extends object>(form: Form, values: Values): Partial<Record<keyof Values, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([field, value]) => {
      const error = typeof value === 'string' ? fieldError(form, field, value) : null;
      return error === null ? [] : [[field, error]];
    }),
  ) as Partial<Record<keyof Values, string>>;

/** A detail of the service in a person's words: with the labels of fields, which it calls as the contract does. */
const worded = (detail: string): string =>
  detail.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => texts.fields[name] ?? name);

/** The field errors of a 422, by the path of the field in the body, such as `terminals.0.serial_no`. */
export const refusedFields = (error: Error | null): Record<string, string> =>
  error instanceof ProblemError
    ? Object.fromEntries(
        (error.problem.errors ?? []).map(({ pointer, detail }) => [
          pointer.slice(1).replaceAll('/', '.'),
          worded(detail),
        ]),
      )
    : {};
