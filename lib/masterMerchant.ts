import type { Acquirer, Named } from './acquirer.ts';
import { queryMembers } from './table/client.ts';
import { masterMerchantKey, masterMerchantUuidOf, membersOf } from './table/keys.ts';
import { isFree, put, refuse, refuseMissing, type Step } from './table/transaction.ts';

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

/** The business that owns branches. It belongs to one payment provider. */
export interface MasterMerchant extends MasterMerchantInput {
  uuid: string;
  payment_provider: string;
}

/** What a create says of its branch's owner: the UUID of an existing master merchant, or what a new one is. */
export type Owner = string | MasterMerchantInput;

/**
 * The master merchant of a new branch, and what is to be written about it together with the branch: a new one under its
 * provider, and any under a distributor that may not see it yet. Master merchants never change nor go, so `existing`, which
 * was read under the caller, is not checked again.
 */
export function ownerOf(
  acquirer: Acquirer,
  branch: { payment_provider: string; distributor?: string | undefined; master_merchant: Owner },
  existing: MasterMerchant | undefined,
): { owner: MasterMerchant; steps: Step[] } {
  const { payment_provider, distributor, master_merchant } = branch;
  if (typeof master_merchant !== 'string') {
    const uuid = masterMerchantUuidOf(payment_provider, master_merchant.master_merchant_id);
    const owner = { ...master_merchant, uuid, payment_provider };
    return { owner, steps: [create(owner), ...(distributor ? [share(owner, distributor)] : [])] };
  }
  if (existing?.payment_provider !== payment_provider) {
    const unknown = { uuid: master_merchant, payment_provider, master_merchant_id: '' };
    const refused = existing ? refuse : refuseMissing;
    return { owner: unknown, steps: [refused(masterMerchantKey(acquirer.id, master_merchant), NOT_USABLE)] };
  }
  const callerSeesIt = !distributor || distributor === acquirer.id;
  return { owner: existing, steps: callerSeesIt ? [] : [share(existing, distributor)] };
}

const NOT_USABLE = [
  {
    pointer: '/existing_master_merchant',
    code: 'not_found',
    detail: 'Not the UUID of a master merchant of this payment provider that you may use; see lookup masterMerchants.',
  },
];

/** Stores a new master merchant under its provider, on condition that its id is unused there. */
const create = (masterMerchant: MasterMerchant): Step =>
  put(
    masterMerchantKey(masterMerchant.payment_provider, masterMerchant.uuid),
    masterMerchant,
    isFree([
      {
        pointer: '/master_merchant_id',
        code: 'taken',
        detail:
          'This payment provider has a master merchant with this id. Name that one in existing_master_merchant; a distributor can as soon as it shares a branch of it.',
      },
    ]),
  );

/** Makes a master merchant visible to a distributor that shares a branch of it. Safe to repeat. */
const share = (masterMerchant: MasterMerchant, distributor: string): Step => {
  const { uuid, payment_provider, master_merchant_id, name } = masterMerchant;
  return put(masterMerchantKey(distributor, uuid), { uuid, payment_provider, master_merchant_id, name });
};

/** All master merchants that an acquirer may give to a branch; one without a name goes by its id. */
export const listMasterMerchants = async (acquirer: Acquirer): Promise<Named[]> => {
  const all = await queryMembers<MasterMerchant>(membersOf(acquirer.id, 'MASTER_MERCHANT'));
  return all.map(({ uuid, name, master_merchant_id }) => ({ id: uuid, name: name ?? master_merchant_id }));
};
