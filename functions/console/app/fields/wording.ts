import type { Schemas } from '../api/client.ts';
import { countText, formatNumber } from '../shared/format.ts';
import { BRANCH, BRANCH_FIELDS, type Field, shownName, TERMINAL } from './fields.ts';
import type { BrokenRule } from './rules.ts';

/** The labels of what is shown, and of forms that are for neither a branch nor a terminal. */
const LABELS = {
  tid: 'TID',
  status: 'Status',
  reason: 'Reason',
  created_at: 'Created',
  updated_at: 'Last change',
  archived_at: 'Archived',
  archive_reason: 'Reason',
  last_seen_at: 'Last seen',
  terminal_count: 'Terminals',
  label: 'Label',
  role: 'Role',
  url: 'Address',
  description: 'Description',
} satisfies Record<Exclude<keyof Schemas['Branch'] | keyof Schemas['Terminal'], Field | 'merchant_name'>, string> &
  Record<string, string>;

const FIELDS: Record<string, { label: string; form?: string }> = { ...BRANCH, ...TERMINAL };
const ALL_LABELS: Record<string, string> = {
  ...LABELS,
  ...Object.fromEntries(Object.entries(FIELDS).map(([name, { label }]) => [name, label])),
  ...Object.fromEntries(BRANCH_FIELDS.map((name) => [shownName(name), BRANCH[name].label])),
};

export const labelOf = (field: string): string => ALL_LABELS[field] ?? field;

/** Why a distributor cannot change a branch or its terminals. */
export const PARTNERSHIP_ENDED =
  'Your partnership with the payment provider has ended: you can read this, but not change it.';

export const STATUSES = { active: 'Active', archived: 'Archived' };

/** The form of what is in no branch or terminal. */
const LABEL_FORM = 'Only letters, digits and . _ - without spaces, at most 64.';

export const REQUIRED = 'Is required.';

export function textOf(broken: BrokenRule, field: string): string {
  if (broken.code === 'required') return REQUIRED;
  if (broken.code === 'too_long') return `At most ${broken.most} characters.`;
  return FIELDS[field]?.form ?? (field === 'label' ? LABEL_FORM : 'This is not in the expected form.');
}

/** What a field error says, by code, where the service's own detail is for developers. */
const REFUSALS: Record<string, string> = {
  differs: 'The business with this ID has something else here. Clear this field, or use another business ID.',
  not_found: 'You have none with this name or ID. Choose one of yours.',
  not_a_partner: 'This is not one of your partners. Choose one of them.',
};

/** A label within a sentence. */
const within = (label: string): string => label.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());

/** What a field error says to a person: with labels for the names of fields in the contract. */
export const worded = (detail: string, code = ''): string =>
  REFUSALS[code] ?? detail.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => within(labelOf(name)));

export const terminalsText = (count: number, isLeast = false): string =>
  `${countText({ count, isLeast })} ${count === 1 ? 'terminal' : 'terminals'}`;

/** The `reason` of a change that undoes another, for whoever reads the history. */
export const UNDO_REASON = 'To undo a change';

export const branchesText = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'branch' : 'branches'}`;

/** What a field is called within a sentence, by the last part of the pointer to it. */
export const fieldName = (field: string): string =>
  ({ '': 'body', terminals: 'list of terminals' })[field] ?? within(labelOf(field));
