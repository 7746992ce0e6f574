import { type MasterMerchant, searchableMasterMerchant } from '../../../../../lib/branches/masterMerchant.ts';
import { acquirerKey, masterMerchantEntryKey, masterMerchantKey } from '../../../../../lib/table/keys.ts';
import { tallyOfEntries } from '../events.ts';
import { ownerOf } from '../inspect.ts';
import { hasEntries, type Invariants, overall, refers } from '../invariant.ts';
import { entryUuidOf } from '../keyParts.ts';

export const MASTER_MERCHANTS: Invariants = {
  branch_master_merchant: [
    "A branch's master merchant belongs to its payment provider, has the id and name that the branch has, and is in the lookups of both acquirers.",
    refers(['branch'], ({ existing_master_merchant: uuid, payment_provider, distributor, ...branch }) => [
      [
        'master_merchant',
        masterMerchantKey(uuid),
        { payment_provider, master_merchant_id: branch.master_merchant_id, name: branch.master_merchant_name },
      ],
      ['master_merchant_entry', masterMerchantEntryKey(payment_provider, uuid)],
      distributor !== undefined && ['master_merchant_entry', masterMerchantEntryKey(distributor, uuid)],
    ]),
  ],
  master_merchant_words: [
    'A master merchant has one search entry for each of its words and each lookup that has it, and no others.',
    hasEntries('MASTER_MERCHANTS', masterMerchantEntryKey, function* (all) {
      for (const [, key] of all.of('master_merchant_entry')) {
        const [acquirer, uuid] = [ownerOf(key), entryUuidOf(key.sk)];
        if (!uuid) continue;
        const owner = all.get('master_merchant', masterMerchantKey(uuid));
        const isValid = owner && !all.isMalformed(masterMerchantKey(uuid));
        const entries = isValid && tallyOfEntries(searchableMasterMerchant(owner as MasterMerchant, acquirer));
        yield [acquirer, uuid, entries];
      }
    }),
  ],
  master_merchant_provider: [
    'A master merchant belongs to a registered payment provider, and is in its lookup.',
    refers(['master_merchant'], ({ payment_provider }, uuid) => [
      ['acquirer', acquirerKey(payment_provider), { type: 'PAYMENT_PROVIDER' }],
      ['master_merchant_entry', masterMerchantEntryKey(payment_provider, uuid)],
    ]),
  ],
  master_merchant_entry: [
    "An entry has an existing master merchant's name, id and, for a distributor, payment provider.",
    refers(['master_merchant_entry'], ({ payment_provider, ...entry }, owner, sk) => {
      const uuid = entryUuidOf(sk);
      const expected = { ...entry, payment_provider: payment_provider ?? owner };
      return [uuid !== undefined && ['master_merchant', masterMerchantKey(uuid), expected]];
    }),
  ],
  master_merchant_branch: [
    'An acquirer has a master merchant in its lookup only if it has a branch of it.',
    overall(function* (all) {
      const owners = new Set<string>();
      for (const [{ existing_master_merchant, payment_provider, distributor }] of all.of('branch'))
        for (const acquirer of [payment_provider, distributor]) owners.add(`${acquirer} ${existing_master_merchant}`);
      for (const [, key] of all.of('master_merchant_entry')) {
        const uuid = entryUuidOf(key.sk);
        yield [key, uuid && !owners.has(`${ownerOf(key)} ${uuid}`) && `${ownerOf(key)} has no branch of it.`];
      }
    }),
  ],
};
