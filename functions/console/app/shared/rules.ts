import { ProblemError } from '../request.ts';
import { type BrokenRule, brokenRule, type Form } from '../rules.ts';
import { texts as formTexts } from './formTexts.ts';
import { texts } from './texts.ts';

const PATTERNS: Record<string, string> = {
  mid: texts.pattern.mid,
  mcc: texts.pattern.mcc,
  email: texts.pattern.email,
  label: texts.pattern.label,
  terminal_id: texts.pattern.alphanumeric,
  serial_no: texts.pattern.alphanumeric,
  master_merchant_id: texts.pattern.alphanumeric,
};

/** What a broken rule asks for. */
export function textOf(broken: BrokenRule, field: string): string {
  if (broken.code === 'required') return texts.required;
  if (broken.code === 'too_long') return texts.tooLong(broken.most);
  return PATTERNS[field] ?? texts.pattern.other;
}

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

/** A label within a sentence. */
const within = (label: string): string => label.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLocaleLowerCase());

/** What a field error says to a person: with labels for the names of fields in the contract. */
export const worded = (detail: string, code = ''): string =>
  formTexts.refusals[code] ?? detail.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => within(texts.fields[name] ?? name));

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
