import { masterMerchantEntryKey, masterMerchantKey, masterMerchantUuidOf } from '../../../../lib/table/keys.ts';
import { ownerOf } from '../inspect.ts';
import { alone, differs, type Invariant, noAcquirer, together, unlike, type Violated } from '../invariant.ts';
import { entryUuidOf } from '../keyParts.ts';

/** What holds of master merchants, and of the lookups that show them. */
export const MASTER_MERCHANTS: Invariant[] = [
  {
    name: 'branch_master_merchant',
    holds: "A branch's master merchant is one of its payment provider, by the id and name that the branch shows.",
    ...together(['branch'], ({ existing_master_merchant: uuid, payment_provider, ...branch }, _, all) => {
      if (!uuid || !payment_provider) return;
      const owner = all.get('master_merchant', masterMerchantKey(uuid));
      if (!owner) return `There is no master merchant ${uuid}.`;
      const { master_merchant_id, master_merchant_name: name } = branch;
      const names = unlike(['payment_provider', 'master_merchant_id', 'name'], owner, {
        ...{ payment_provider, master_merchant_id, name },
      });
      return names.length > 0 && `Its master merchant has another ${names.join(', ')}.`;
    }),
  },
  {
    name: 'branch_master_merchant_entry',
    holds: 'Both acquirers of a branch have its master merchant in their lookups.',
    ...together(['branch'], ({ existing_master_merchant: uuid, payment_provider, distributor }, _, all) =>
      [payment_provider, distributor].map(
        (acquirer): Violated =>
          acquirer &&
          uuid &&
          !all.get('master_merchant_entry', masterMerchantEntryKey(acquirer, uuid)) &&
          `The acquirer ${acquirer} does not have the master merchant ${uuid} in its lookup.`,
      ),
    ),
  },
  {
    name: 'master_merchant_uuid',
    holds: 'The UUID of a master merchant is that of its payment provider and its master_merchant_id.',
    ...alone(['master_merchant'], ({ uuid, payment_provider, master_merchant_id }) =>
      differs('uuid', uuid, masterMerchantUuidOf(payment_provider, master_merchant_id)),
    ),
  },
  {
    name: 'master_merchant_provider',
    holds: 'A master merchant belongs to a payment provider that is registered.',
    ...together(['master_merchant'], ({ payment_provider }, _, all) =>
      noAcquirer(all, payment_provider, 'PAYMENT_PROVIDER'),
    ),
  },
  {
    name: 'master_merchant_listed',
    holds: "A master merchant is in its payment provider's lookup.",
    ...together(['master_merchant'], ({ payment_provider }, { pk, sk }, all) => {
      const uuid = ownerOf({ pk, sk });
      const isListed =
        !payment_provider || all.get('master_merchant_entry', masterMerchantEntryKey(payment_provider, uuid));
      return !isListed && `The payment provider ${payment_provider} does not have it in its lookup.`;
    }),
  },
  {
    name: 'master_merchant_entry',
    holds:
      'A lookup shows a master merchant that exists, with its name, its id and, to a distributor, its payment provider.',
    ...together(['master_merchant_entry'], (entry, key, all) => {
      const uuid = entryUuidOf(key.sk);
      if (!uuid || !entry.master_merchant_id) return;
      const owner = all.get('master_merchant', masterMerchantKey(uuid));
      if (!owner) return `There is no master merchant ${uuid}.`;
      const { name, master_merchant_id, payment_provider } = owner;
      const isOwn = payment_provider === ownerOf(key);
      const shown = { name, master_merchant_id, payment_provider: isOwn ? undefined : payment_provider };
      return (Object.keys(shown) as (keyof typeof shown)[]).map((field) =>
        differs(field, entry[field] ?? 'absent', shown[field] ?? 'absent'),
      );
    }),
  },
  {
    name: 'master_merchant_branch',
    holds: 'An acquirer has a master merchant in its lookup because it has a branch of it.',
    *together(all) {
      const owners = new Set<string>();
      for (const [{ existing_master_merchant, payment_provider, distributor }] of all.of('branch'))
        for (const acquirer of [payment_provider, distributor]) owners.add(`${acquirer} ${existing_master_merchant}`);
      for (const [, key] of all.of('master_merchant_entry')) {
        const uuid = entryUuidOf(key.sk);
        yield [key, uuid && !owners.has(`${ownerOf(key)} ${uuid}`) && `${ownerOf(key)} has no branch of it.`];
      }
    },
  },
];
