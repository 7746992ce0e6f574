import type { OwnAcquirer } from '../../session/session.ts';
import { fieldErrors } from '../../shared/rules.ts';
import { type TerminalRow, terminalsOf } from '../../shared/TerminalRows.tsx';
import { texts as shared } from '../../shared/texts.ts';

const BRANCH = { mid: '', branch_name: '', area: '', city: '' };
const NEW_BUSINESS = {
  master_merchant_id: '',
  master_merchant_name: '',
  email: '',
  country_code: '',
  phone: '',
  mcc: '',
  country: '',
};

/** The form of a new branch, with nothing in it. */
export const EMPTY = {
  ...BRANCH,
  ...NEW_BUSINESS,
  /** UUID of the partner, and its name. */
  partner: '',
  partnerName: '',
  business: 'existing' as 'existing' | 'new',
  existing_master_merchant: '',
  existingName: '',
  terminals: [] as TerminalRow[],
};
export type Values = typeof EMPTY;

export const BRANCH_FIELDS = Object.keys(BRANCH) as (keyof typeof BRANCH)[];
export const BUSINESS_FIELDS = Object.keys(NEW_BUSINESS) as (keyof typeof NEW_BUSINESS)[];
export type TextField = keyof typeof BRANCH | keyof typeof NEW_BUSINESS;

/** The field by which a branch names a partner. */
export const partnerFieldOf = ({ type }: OwnAcquirer): 'payment_provider' | 'distributor' =>
  type === 'DISTRIBUTOR' ? 'payment_provider' : 'distributor';

const pick = <Name extends keyof Values>(values: Values, names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<Values, Name>;

/** The body to send. The service reads an empty text as none. */
export function requestOf(values: Values, acquirer: OwnAcquirer) {
  const { business, partner, terminals } = values;
  return {
    ...pick(values, BRANCH_FIELDS),
    [partnerFieldOf(acquirer)]: partner,
    ...(business === 'new'
      ? pick(values, BUSINESS_FIELDS)
      : { existing_master_merchant: values.existing_master_merchant }),
    ...(terminals.length > 0 && { terminals: terminalsOf(terminals) }),
  };
}
export type Request = ReturnType<typeof requestOf>;

/** What is wrong with a body by the contract's rules, and what is missing; but for its terminals. */
export function faultsOf(request: Request): Record<string, string> {
  const required = ['payment_provider', 'existing_master_merchant', 'master_merchant_id'];
  const isMissing = ([name, value]: [string, unknown]) => required.includes(name) && String(value).trim() === '';
  const missing = Object.entries(request).filter(isMissing);
  return {
    ...fieldErrors('createBranch', request),
    ...Object.fromEntries(missing.map(([name]) => [name, shared.required])),
  };
}
