import { type MasterMerchant, searchableMasterMerchant } from '../../../../lib/branches/masterMerchant.ts';
import { masterMerchantEntryKey, masterMerchantKey, masterMerchantUuidOf } from '../../../../lib/table/keys.ts';
import { ownerOf } from '../inspect.ts';
import {
  acrossItems,
  type Detail,
  differingNames,
  differs,
  type Invariant,
  noAcquirer,
  perItem,
} from '../invariant.ts';
import { entryUuidOf } from '../keyParts.ts';
import { comparingEntries } from '../searchEntries.ts';
import { tallyOfEntries } from '../tally.ts';

/** Invariants of master merchants and of their entries in lookups. */
export const MASTER_MERCHANTS: Invariant[] = [
  {
    name: 'branch_master_merchant',
    holds: "A branch's master merchant belongs to its payment provider, and has the id and name that the branch has.",
    ...acrossItems(['branch'], ({ existing_master_merchant: uuid, payment_provider, ...branch }, _, all) => {
      if (!uuid || !payment_provider || !branch.master_merchant_id) return;
      const owner = all.get('master_merchant', masterMerchantKey(uuid));
      if (!owner) return `There is no master merchant ${uuid}.`;
      const { master_merchant_id, master_merchant_name: name } = branch;
      const expected = { payment_provider, master_merchant_id, name };
      const names = differingNames(['payment_provider', 'master_merchant_id', 'name'], owner, expected);
      return names.length > 0 && `It differs from its master merchant in ${names.join(', ')}.`;
    }),
  },
  {
    name: 'branch_master_merchant_entry',
    holds: 'The payment provider and the distributor of a branch have its master merchant in their lookups.',
    ...acrossItems(['branch'], ({ existing_master_merchant: uuid, payment_provider, distributor }, _, all) =>
      [payment_provider, distributor].map(
        (acquirer): Detail =>
          acquirer &&
          uuid &&
          !all.get('master_merchant_entry', masterMerchantEntryKey(acquirer, uuid)) &&
          `The acquirer ${acquirer} does not have the master merchant ${uuid} in its lookup.`,
      ),
    ),
  },
  {
    name: 'master_merchant_words',
    holds: 'A master merchant has one search entry for each of its words and each lookup that has it, and no others.',
    ...comparingEntries('MASTER_MERCHANTS', masterMerchantEntryKey, function* (all) {
      for (const [, key] of all.of('master_merchant_entry')) {
        const [acquirer, uuid] = [ownerOf(key), entryUuidOf(key.sk)];
        if (!uuid) continue;
        const owner = all.get('master_merchant', masterMerchantKey(uuid));
        const isValid = owner && !all.isMalformed(masterMerchantKey(uuid));
        const entries = isValid && tallyOfEntries(searchableMasterMerchant(owner as MasterMerchant, acquirer));
        yield [acquirer, uuid, entries];
      }
    }),
  },
  {
    name: 'master_merchant_uuid',
    holds: 'The UUID of a master merchant is derived from its payment provider and its master_merchant_id.',
    ...perItem(['master_merchant'], ({ uuid, payment_provider, master_merchant_id }) =>
      differs('uuid', uuid, masterMerchantUuidOf(payment_provider, master_merchant_id)),
    ),
  },
  {
    name: 'master_merchant_provider',
    holds: 'A master merchant belongs to a registered payment provider.',
    ...acrossItems(['master_merchant'], ({ payment_provider }, _, all) =>
      noAcquirer(all, payment_provider, 'PAYMENT_PROVIDER'),
    ),
  },
  {
    name: 'master_merchant_listed',
    holds: "A master merchant is in its payment provider's lookup.",
    ...acrossItems(['master_merchant'], ({ payment_provider }, { pk, sk }, all) => {
      const uuid = ownerOf({ pk, sk });
      const isListed =
        !payment_provider || all.get('master_merchant_entry', masterMerchantEntryKey(payment_provider, uuid));
      return !isListed && `The payment provider ${payment_provider} does not have it in its lookup.`;
    }),
  },
  {
    name: 'master_merchant_entry',
    holds: "An entry has an existing master merchant's name, id and, for a distributor, payment provider.",
    ...acrossItems(['master_merchant_entry'], (entry, key, all) => {
      const uuid = entryUuidOf(key.sk);
      if (!uuid || !entry.master_merchant_id) return;
      const owner = all.get('master_merchant', masterMerchantKey(uuid));
      if (!owner) return `There is no master merchant ${uuid}.`;
      const { name, master_merchant_id, payment_provider } = owner;
      const isOwn = payment_provider === ownerOf(key);
      const shown = { name, master_merchant_id, payment_provider: isOwn ? undefined : payment_provider };
      return (Object.keys(shown) as (keyof typeof shown)[]).map((field) => differs(field, entry[field], shown[field]));
    }),
  },
  {
    name: 'master_merchant_branch',
    holds: 'An acquirer has a master merchant in its lookup only if it has a branch of it.',
    *acrossItems(all) {
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
