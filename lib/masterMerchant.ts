import type { Acquirer } from './acquirer.ts';
import type { Fault } from './problem.ts';
import { type Key, masterMerchantEntryKey, masterMerchantKey, masterMerchantUuidOf } from './table/keys.ts';
import { type Claim, claim, put, type Step } from './table/transaction.ts';

/** What a create says of a new master merchant; `master_merchant_id` is unique within its payment provider. */
export interface MasterMerchantInput {
  master_merchant_id: string;
  name?: string | undefined;
  email?: string | undefined;
  country_code?: string | undefined;
  phone?: string | undefined;
  mcc?: string | undefined;
  country?: string | undefined;
}

/** The business that owns branches. It belongs to one payment provider, and never changes nor goes. */
export interface MasterMerchant extends MasterMerchantInput {
  uuid: string;
  payment_provider: string;
}

/** What a create says of its branch's owner: the UUID of an existing master merchant, or what a new one is. */
export type Owner = string | MasterMerchantInput;

/** A new branch, as far as its owner depends on it. */
interface Ownership {
  payment_provider: string;
  distributor?: string | undefined;
  master_merchant: Owner;
}

const NOT_USABLE: Fault = {
  pointer: '/existing_master_merchant',
  code: 'not_found',
  detail: 'Not the UUID of a master merchant of this payment provider that you may use; see lookup masterMerchants.',
};

const TAKEN: Fault = {
  pointer: '/master_merchant_id',
  code: 'taken',
  detail:
    'This payment provider has a master merchant with this id. Name that one in existing_master_merchant; a distributor can as soon as it shares a branch of it.',
};

/** The UUID of the owner that a create names, be it there or not. */
const uuidOf = ({ payment_provider, master_merchant }: Ownership): string =>
  typeof master_merchant === 'string'
    ? master_merchant
    : masterMerchantUuidOf(payment_provider, master_merchant.master_merchant_id);

/** The keys that {@link ownerOf} needs to have read: the owner, and whether the branch's distributor has it in its lookup. */
export const ownerKeys = (branch: Ownership): [owner: Key, share: Key | undefined] => {
  const uuid = uuidOf(branch);
  const { distributor } = branch;
  return [masterMerchantKey(uuid), distributor ? masterMerchantEntryKey(distributor, uuid) : undefined];
};

/**
 * The master merchant of a new branch, and what is to be stored about it together with the branch: a new one with its place in
 * its provider's lookup, and any in the lookup of a distributor that has not shared it so far. Nothing that was found is
 * written or checked again, so that many branches of one business do not wait for each other.
 */
export function ownerOf(
  acquirer: Acquirer,
  branch: Ownership,
  [found, share]: [owner: MasterMerchant | undefined, share: object | undefined],
): { owner: MasterMerchant; steps: Step[]; faults: Fault[] } {
  const { payment_provider, distributor, master_merchant } = branch;
  const uuid = uuidOf(branch);
  const shares = (owner: MasterMerchant) => (distributor && !share ? [enter(owner, distributor)] : []);
  if (typeof master_merchant !== 'string') {
    const owner = { ...master_merchant, uuid, payment_provider };
    const isNew: Claim = { key: masterMerchantKey(uuid), attributes: owner, taken: TAKEN };
    const steps = [claim(isNew), enter(owner, payment_provider), ...shares(owner)];
    return { owner, steps, faults: found ? [TAKEN] : [] };
  }
  const mayUse = acquirer.type === 'PAYMENT_PROVIDER' || share;
  if (!mayUse || found?.payment_provider !== payment_provider) {
    const unknown = { uuid, payment_provider, master_merchant_id: '' };
    return { owner: unknown, steps: [], faults: [NOT_USABLE] };
  }
  return { owner: found, steps: shares(found), faults: [] };
}

/** Puts a master merchant into the lookup of an acquirer, where it goes by its id if it has no name. Safe to repeat. */
const enter = ({ uuid, name, master_merchant_id }: MasterMerchant, acquirer: string): Step =>
  put(masterMerchantEntryKey(acquirer, uuid), { name: name ?? master_merchant_id });
