import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { alphanumeric, email, inLowerCase, mcc, phone, storedCode, storedText } from '../base/fields.ts';
import { withoutInvisible } from '../base/invisible.ts';
import type { FieldError } from '../base/problem.ts';
import { field, shownAs, shownId, shownText, uuidValue } from '../base/values.ts';
import { type Key, masterMerchantEntryKey, masterMerchantKey, masterMerchantUuidOf } from '../table/keys.ts';
import { isFree, put, type Step } from '../table/transaction.ts';
import { type Searchable, searchable } from '../table/wordEntries.ts';

/** The stored item of a business that owns branches. It belongs to one payment provider and never changes. */
export const masterMerchantItem = v.object({
  uuid: uuidValue,
  payment_provider: uuidValue,
  /** Unique per payment provider. */
  master_merchant_id: alphanumeric,
  name: v.optional(storedText),
  email: v.optional(email),
  country_code: v.optional(storedCode),
  phone: v.optional(phone),
  mcc: v.optional(mcc),
  country: v.optional(storedText),
});
export type MasterMerchant = v.InferOutput<typeof masterMerchantItem>;

/** The stored item of a master merchant in the lookup of an acquirer that may use it. */
export const masterMerchantEntryItem = v.object({
  name: v.optional(storedText),
  master_merchant_id: alphanumeric,
  /** Only in the lookup of a distributor. */
  payment_provider: v.optional(uuidValue),
});

const DIFFERS = 'Differs from what is stored for this master merchant. Send the stored value, or omit the field.';

const LOOKS_ALIKE =
  'Looks like the stored value, but differs in invisible characters, spaces, forms of letters or case. Send what ' +
  'find returns, or omit the field.';

/** The master merchant in a create: its UUID, its `master_merchant_id` or both, and its details. */
export type SentMasterMerchant = { [K in keyof Omit<MasterMerchant, 'payment_provider'>]?: string | undefined };

interface OfNewBranch {
  payment_provider: string;
  distributor?: string | undefined;
  master_merchant: SentMasterMerchant;
}

const NOT_USABLE: FieldError = {
  pointer: '/existing_master_merchant',
  code: 'not_found',
  detail: 'Must be a master merchant of this payment provider that you may use; see lookup masterMerchants.',
};

/** Details of a master merchant, by their fields in a create. */
const DETAILS = {
  master_merchant_id: 'master_merchant_id',
  master_merchant_name: 'name',
  email: 'email',
  country_code: 'country_code',
  phone: 'phone',
  mcc: 'mcc',
  country: 'country',
} as const satisfies Record<string, keyof SentMasterMerchant>;

const inCapitals = (text: string): string => text.toUpperCase();

/** How details are compared that people write differently. Others must be equal. */
const COMPARED: { [K in keyof SentMasterMerchant]?: (text: string) => string } = {
  email: inLowerCase,
  phone: (text) => text.replaceAll(' ', ''),
  country_code: inCapitals,
  country: inCapitals,
};

/** How a text looks: texts that differ only in what is hard to see, or in case, look alike. */
const lookOf = (text: string): string =>
  withoutInvisible(text.normalize('NFKC')).replace(/\s+/g, ' ').trim().toUpperCase();

const isSame = (detail: keyof SentMasterMerchant, sent: string, stored: string | undefined): boolean => {
  const compared = COMPARED[detail] ?? ((text) => text);
  return stored !== undefined && compared(sent) === compared(stored);
};

const differences = (sent: SentMasterMerchant, stored: MasterMerchant): FieldError[] =>
  Object.entries(DETAILS)
    .filter(([, detail]) => sent[detail] !== undefined && !isSame(detail, sent[detail], stored[detail]))
    .map(([field, detail]) => {
      const looksAlike = lookOf(sent[detail] ?? '') === lookOf(stored[detail] ?? '');
      return { pointer: `/${field}`, code: 'differs', detail: looksAlike ? LOOKS_ALIKE : DIFFERS };
    });

const uuidOf = ({ payment_provider, master_merchant: { uuid, master_merchant_id = '' } }: OfNewBranch): string =>
  uuid ?? masterMerchantUuidOf(payment_provider, master_merchant_id);

/** The keys of what {@link masterMerchantOf} needs: the master merchant, and its entry in the distributor's lookup. */
export const masterMerchantKeys = (branch: OfNewBranch): [masterMerchant: Key, distributorEntry: Key | undefined] => {
  const uuid = uuidOf(branch);
  const { distributor } = branch;
  return [masterMerchantKey(uuid), distributor ? masterMerchantEntryKey(distributor, uuid) : undefined];
};

/**
 * Determines the master merchant of a new branch, and the steps that store it, if it is new, and its missing entries in
 * lookups. Stored items are neither written nor checked, so that creates for the same business do not conflict.
 *
 * @param items The items of {@link masterMerchantKeys}.
 */
export function masterMerchantOf(
  acquirer: Acquirer,
  branch: OfNewBranch,
  [found, distributorEntry]: [masterMerchant: MasterMerchant | undefined, distributorEntry: object | undefined],
): { masterMerchant: MasterMerchant; steps: Step[]; searchables: Searchable[]; fieldErrors: FieldError[] } {
  const { payment_provider, distributor, master_merchant } = branch;
  const { uuid: namedUuid, master_merchant_id = '', ...details } = master_merchant;
  const uuid = uuidOf(branch);
  const asSent = { ...details, master_merchant_id, uuid, payment_provider };
  const sharers = distributor && !distributorEntry ? [distributor] : [];
  const newIn = (masterMerchant: MasterMerchant, acquirers: string[]) => ({
    masterMerchant,
    steps: acquirers.map((id) => lookupEntry(masterMerchant, id)),
    searchables: acquirers.map((id) => searchableMasterMerchant(masterMerchant, id)),
  });
  if (!found && !namedUuid) {
    // If two creates store the same one, the second is retried and finds it.
    const stored = put(masterMerchantKey(uuid), asSent, isFree('stale'));
    const { steps, ...rest } = newIn(asSent, [payment_provider, ...sharers]);
    return { ...rest, steps: [stored, ...steps], fieldErrors: [] };
  }
  // A distributor without it in its lookup must send the matching master_merchant_id.
  const mayUse =
    acquirer.type === 'PAYMENT_PROVIDER' || distributorEntry || found?.master_merchant_id === master_merchant_id;
  if (!mayUse || found?.payment_provider !== payment_provider)
    return { ...newIn(asSent, []), fieldErrors: [NOT_USABLE] };
  return { ...newIn(found, sharers), fieldErrors: differences(master_merchant, found) };
}

/** Only a distributor has master merchants of several payment providers. */
const providerFor = (acquirer: string, { payment_provider }: MasterMerchant) =>
  acquirer === payment_provider ? {} : { payment_provider };

/** A step that stores a master merchant's entry in an acquirer's lookup. Idempotent. */
const lookupEntry = (masterMerchant: MasterMerchant, acquirer: string): Step => {
  const { uuid, name, master_merchant_id } = masterMerchant;
  const entry = { name, master_merchant_id, ...providerFor(acquirer, masterMerchant) };
  return put(masterMerchantEntryKey(acquirer, uuid), entry);
};

/** What an acquirer can find a master merchant by, with what its lookup shows. */
export const searchableMasterMerchant = (masterMerchant: MasterMerchant, acquirer: string): Searchable => {
  const { uuid: id, name, master_merchant_id } = masterMerchant;
  return searchable(
    { list: 'MASTER_MERCHANTS', acquirer, id },
    { ids: [master_merchant_id], texts: [name] },
    { name, master_merchant_id, ...providerFor(acquirer, masterMerchant) },
  );
};

/** A master merchant in a response. Fields that a branch has too have the same names. */
export const shownMasterMerchant = v.object({
  existing_master_merchant: field(uuidValue, 'UUID of the master merchant: the business that owns the branch.'),
  master_merchant_id: field(
    shownId,
    'Id of the master merchant, unique per payment provider. A create uses the master merchant with this id, or ' +
      'creates it if there is none.',
  ),
  master_merchant_name: field(v.nullable(shownText), 'Display name of the master merchant.'),
  payment_provider: field(uuidValue, 'UUID of the payment provider. A distributor must name one of its partners.'),
  email: field(v.nullable(shownText), 'E-mail address of the master merchant.'),
  country_code: field(v.nullable(shownText), 'Country code of the master merchant.'),
  phone: field(v.nullable(shownText), 'Phone number of the master merchant.'),
  mcc: field(v.nullable(shownText), 'Merchant category code of the master merchant.'),
  country: field(v.nullable(shownText), 'Country of the master merchant.'),
});

export const toMasterMerchant = (masterMerchant: MasterMerchant): v.InferOutput<typeof shownMasterMerchant> => {
  const { uuid, name } = masterMerchant;
  const names = { existing_master_merchant: uuid, master_merchant_name: name };
  return shownAs(shownMasterMerchant, { ...masterMerchant, ...names });
};
