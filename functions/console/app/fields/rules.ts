import { withoutInvisible, withoutInvisibleInAddress } from '../../../../lib/base/invisible.ts';
import rules from './rules.json' with { type: 'json' };

interface Rule {
  required?: boolean;
  pattern?: string;
  maxLength?: number;
}

export type Form = keyof typeof rules;

/** The rule of the contract that a value breaks, by the code of the service's field error. */
export type BrokenRule = { code: 'required' | 'invalid_format' } | { code: 'too_long'; most: number };

const ruleOf = (form: Form, field: string): Rule => (rules[form] as Record<string, Rule>)[field] ?? {};

/** A value as the service takes it: trimmed and, of a code, number or address, without what is not shown. */
export function taken(form: Form, field: string, value: string): string {
  if (field === 'email') return withoutInvisibleInAddress(value).trim();
  return (ruleOf(form, field).pattern === undefined ? value : withoutInvisible(value)).trim();
}

/** Finds the rule that the value of a field breaks; `undefined` if it breaks none. */
export function brokenRule(form: Form, field: string, value: string): BrokenRule | undefined {
  const { required, pattern, maxLength } = ruleOf(form, field);
  const text = taken(form, field, value).replace(/\p{Zs}+/gu, ' ');
  if (text === '') return required ? { code: 'required' } : undefined;
  if (maxLength !== undefined && [...text].length > maxLength) return { code: 'too_long', most: maxLength };
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return { code: 'invalid_format' };
  return undefined;
}
