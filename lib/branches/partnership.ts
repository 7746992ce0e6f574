import type { Acquirer } from '../acquirers/acquirer.ts';
import { type CACHE_MS, Cache } from '../base/cache.ts';
import { Problem } from '../base/problem.ts';
import { getItem } from '../table/client.ts';
import { providerKey } from '../table/keys.ts';
import { type Branch, isAccessible } from './branch.ts';

/** Partnerships that exist. One that has ended permits changes until it expires from this cache. */
export const partnershipCache = new Cache<true>(10_000);

/**
 * Whether a distributor is a partner of a payment provider. Costs a read unit, unless it is cached, for
 * {@link CACHE_MS}. Only partnerships that exist are cached, so a new one counts at once.
 */
async function arePartners(distributor: string, provider: string): Promise<boolean> {
  const name = `${distributor}#${provider}`;
  if (partnershipCache.get(name)) return true;
  const isPartner = (await getItem(providerKey(distributor, provider))) !== undefined;
  if (isPartner) partnershipCache.set(name, true);
  return isPartner;
}

/**
 * Returns a branch that an acquirer may change, with its terminals: one that is accessible to it and, if it is the
 * distributor, of a payment provider that is its partner now. The write does not check the partnership again: all
 * changes by a distributor would conflict, and one that was under way when the partnership ended does no harm.
 *
 * @param branch As it was read; `undefined` if there is none.
 * @param foreign Makes the problem for a branch that is not accessible.
 * @throws Problem `partnership_ended`.
 */
export async function changeable(
  acquirer: Acquirer,
  branch: Branch | undefined,
  foreign: () => Problem,
): Promise<Branch> {
  if (!branch || !isAccessible(branch, acquirer)) throw foreign();
  if (acquirer.id !== branch.payment_provider && !(await arePartners(acquirer.id, branch.payment_provider)))
    throw new Problem(
      'partnership_ended',
      'Your partnership with the payment provider of this branch has ended, so you cannot change the branch or its ' +
        'terminals. You can still read them. Ask the payment provider to renew the partnership.',
    );
  return branch;
}
