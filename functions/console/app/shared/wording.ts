import type { BrokenRule } from '../rules.ts';
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

/** A label within a sentence. */
const within = (label: string): string => label.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLocaleLowerCase());

/** What a field error says to a person: with labels for the names of fields in the contract. */
export const worded = (detail: string, code = ''): string =>
  formTexts.refusals[code] ?? detail.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => within(texts.fields[name] ?? name));
