import { formatNumber } from '../shared/format.ts';
import type { BrokenRule } from './rules.ts';

const LABELS: Record<string, string> = {
  mid: 'MID',
  tid: 'TID',
  branch_name: 'Name',
  merchant_name: 'Name',
  area: 'Area',
  city: 'City',
  payment_provider: 'Payment provider',
  distributor: 'Distributor',
  existing_master_merchant: 'Business',
  master_merchant_id: 'Business ID',
  master_merchant_name: 'Business name',
  email: 'E-mail',
  country_code: 'Country code',
  phone: 'Phone',
  mcc: 'Category code (MCC)',
  country: 'Country',
  terminal_id: 'Terminal ID',
  serial_no: 'Serial number',
  terminal_model: 'Model',
  payment_app: 'Payment app',
  acquirer_name: 'Master acquirer',
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
};

export const labelOf = (field: string): string => LABELS[field] ?? field;

/** Why a distributor cannot change a branch or its terminals. */
export const PARTNERSHIP_ENDED =
  'Your partnership with the payment provider has ended: you can read this, but not change it.';

export const STATUSES = { active: 'Active', archived: 'Archived' };

const ALPHANUMERIC = 'Only letters and digits, without spaces.';
const PATTERNS: Record<string, string> = {
  mid: 'Only letters and digits (at most 64), or a UUID.',
  mcc: 'Four digits.',
  email: 'An e-mail address, such as name@example.com.',
  phone: 'Digits with spaces between them, after an optional +, such as +351 210 000 000.',
  label: 'Only letters, digits and . _ - without spaces, at most 64.',
  terminal_id: ALPHANUMERIC,
  serial_no: ALPHANUMERIC,
  master_merchant_id: ALPHANUMERIC,
};

export const REQUIRED = 'Is required.';

export function textOf(broken: BrokenRule, field: string): string {
  if (broken.code === 'required') return REQUIRED;
  if (broken.code === 'too_long') return `At most ${broken.most} characters.`;
  return PATTERNS[field] ?? 'This is not in the expected form.';
}

/** What a field error says, by code, where the service's own detail is for developers. */
const REFUSALS: Record<string, string> = {
  differs: 'The business with this ID has something else here. Clear this field, or use another business ID.',
  not_found: 'You have none with this name or ID. Choose one of yours.',
  not_a_partner: 'This is not one of your partners. Choose one of them.',
};

const within = (label: string): string => label.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLocaleLowerCase());

/** What a field error says to a person: with labels for the names of fields in the contract. */
export const worded = (detail: string, code = ''): string =>
  REFUSALS[code] ?? detail.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => within(labelOf(name)));

export const terminalsText = (count: number): string =>
  count === 1 ? '1 terminal' : `${formatNumber(count)} terminals`;
