import type { Acquirer, Named } from './acquirer.ts';
import { queryMembers } from './table/client.ts';
import { type Key, masterMerchantKey, masterMerchantUuidOf, membersOf } from './table/keys.ts';
import { check, isFree, put, type Step } from './table/transaction.ts';

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

/** Key under which an acquirer sees a master merchant: a provider its own, a distributor one that is shared with it. */
export const keyFor = (acquirer: string, uuid: string): Key => masterMerchantKey(acquirer, uuid);

/** A master merchant that is to be created; its UUID follows from its provider and its id. */
export const newMasterMerchant = (payment_provider: string, input: MasterMerchantInput): MasterMerchant => ({
  ...input,
  uuid: masterMerchantUuidOf(payment_provider, input.master_merchant_id),
  payment_provider,
});

/** Stores a new master merchant under its provider, on condition that its id is unused there. */
export const create = (masterMerchant: MasterMerchant): Step =>
  put(
    keyFor(masterMerchant.payment_provider, masterMerchant.uuid),
    masterMerchant,
    isFree([
      {
        pointer: '/master_merchant_id',
        code: 'taken',
        detail: 'This payment provider has a master merchant with this id; name that one in existing_master_merchant.',
      },
    ]),
  );

/** Makes a master merchant visible to a distributor that shares a branch of it. Safe to repeat. */
export const share = (masterMerchant: MasterMerchant, distributor: string): Step => {
  const { uuid, payment_provider, master_merchant_id, name } = masterMerchant;
  return put(keyFor(distributor, uuid), { uuid, payment_provider, master_merchant_id, name });
};

/** Lets a transaction pass only while the caller sees exactly this master merchant, as one of its payment provider. */
export const mustBeVisible = (
  acquirer: Acquirer,
  { uuid, payment_provider, master_merchant_id }: MasterMerchant,
): Step =>
  check(keyFor(acquirer.id, uuid), {
    expression: 'payment_provider = :payment_provider AND master_merchant_id = :master_merchant_id',
    values: { ':payment_provider': payment_provider, ':master_merchant_id': master_merchant_id },
    refusal: [
      {
        pointer: '/existing_master_merchant',
        code: 'not_found',
        detail:
          'Not the UUID of a master merchant of this payment provider that you may use; see lookup masterMerchants.',
      },
    ],
  });

/** All master merchants that an acquirer may give to a branch; one without a name goes by its id. */
export const listMasterMerchants = async (acquirer: Acquirer): Promise<Named[]> => {
  const all = await queryMembers<MasterMerchant>(membersOf(acquirer.id, 'MASTER_MERCHANT'));
  return all.map(({ uuid, name, master_merchant_id }) => ({ id: uuid, name: name ?? master_merchant_id }));
};
