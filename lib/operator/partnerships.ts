import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { getAcquirer, nextVersion } from '../acquirers/registry.ts';
import { allDone, retrying } from '../aws/retry.ts';
import type { CACHE_MS } from '../base/cache.ts';
import { storedText } from '../base/fields.ts';
import { bodyRefused, type FieldError, validationFailed } from '../base/problem.ts';
import { newEvent, recordSteps } from '../record/record.ts';
import { getItems } from '../table/client.ts';
import { acquirerSubject, distributorKey, providerKey } from '../table/keys.ts';
import { exists, put, remove, transact } from '../table/transaction.ts';

/** The stored item of a partnership, in the lookup of each partner. */
export const partnerItem = v.object({ name: storedText });

/**
 * Makes a distributor and a payment provider partners. Does nothing if they are.
 *
 * @throws Problem `not_found`; `validation_failed` when one of them is of the other type.
 */
export const linkPartners = (distributorId: string, providerId: string): Promise<void> =>
  retrying(async () => {
    const [distributor, provider] = await allDone([getAcquirer(distributorId), getAcquirer(providerId)]);
    const fieldErrors = [
      ...(distributor.type === 'DISTRIBUTOR' ? [] : [otherType('/distributor', distributor)]),
      ...(provider.type === 'PAYMENT_PROVIDER' ? [] : [otherType('/payment_provider', provider)]),
    ];
    if (fieldErrors.length > 0) throw validationFailed(fieldErrors);
    const links = [providerKey(distributor.id, provider.id), distributorKey(provider.id, distributor.id)] as const;
    if ((await getItems([...links])).every(Boolean)) return;
    const event = await newEvent('partnership.linked', partnersOf(distributor, provider));
    await transact([
      // The links contain the names. A concurrent rename is retried after this version, and then updates the links.
      nextVersion(distributor),
      nextVersion(provider),
      put(links[0], { name: provider.name }),
      put(links[1], { name: distributor.name }),
      ...recordSteps(event, acquirerSubject(distributor.id), acquirerSubject(provider.id)),
    ]);
  });

type Named = Pick<Acquirer, 'id' | 'name'>;

const partnersOf = (distributor: Named, provider: Named) => ({
  distributor: { id: distributor.id, name: distributor.name },
  payment_provider: { id: provider.id, name: provider.name },
});

const otherType = (pointer: string, { id, name, type }: Acquirer): FieldError => ({
  pointer,
  code: 'other_type',
  detail: `${name} (${id}) is a ${type}.`,
});

/**
 * Ends a partnership: neither can name the other on new branches, and the distributor can read what they share, but not
 * change it, within {@link CACHE_MS}.
 *
 * @throws Problem `validation_failed` when they are not partners.
 */
export const unlinkPartners = (distributorId: string, providerId: string): Promise<void> => {
  const noPartners = bodyRefused('not_a_partner', 'These acquirers are not partners.');
  const links = [providerKey(distributorId, providerId), distributorKey(providerId, distributorId)] as const;
  return retrying(async () => {
    const [provider, distributor] = await getItems<[Named, Named]>([...links]);
    if (!provider || !distributor) throw noPartners;
    const names = partnersOf({ ...distributor, id: distributorId }, { ...provider, id: providerId });
    const event = await newEvent('partnership.unlinked', names);
    await transact([
      remove(links[0], exists(noPartners)),
      remove(links[1]),
      ...recordSteps(event, acquirerSubject(distributorId), acquirerSubject(providerId)),
    ]);
  });
};
