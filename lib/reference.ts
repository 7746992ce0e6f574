import * as v from 'valibot';
import type { Acquirer } from './acquirer.ts';
import { type CACHE_MS, Cache } from './base/cache.ts';
import { field, shownText } from './base/values.ts';
import { queryPrefix } from './table/client.ts';
import { type Key, masterMerchantEntryUuidOf, type ReferenceList, referencesOf } from './table/keys.ts';

/** What an acquirer may name in a request. The `id` is sent back; the name is what a person reads. */
export interface Reference {
  id: string;
  name: string;
  /** Of a master merchant. */
  master_merchant_id?: string | undefined;
  /** Of a master merchant in the list of a distributor; in its own list it need not be said. */
  payment_provider?: string | undefined;
}

/** An item of a lookup. */
export const shownReference = v.object({
  key: field(shownText, 'The value to send in requests.'),
  text: field(shownText, 'The text to show to people.'),
});

/** An item of a reference list: its sort key is the id, or stands for it; it has a name where that is another text. */
type Item = Key & Partial<Reference>;

const referenceOf = (list: ReferenceList, item: Item): Reference => {
  const { name, master_merchant_id, payment_provider } = item;
  const id = list === 'MASTER_MERCHANTS' ? masterMerchantEntryUuidOf(item) : item.sk;
  return { id, name: name ?? master_merchant_id ?? id, master_merchant_id, payment_provider };
};

/** All references of one list of an acquirer: strongly consistent, unless told otherwise. */
export const listReferences = async (
  { id }: Pick<Acquirer, 'id'>,
  list: ReferenceList,
  options: Parameters<typeof queryPrefix>[1] = {},
): Promise<Reference[]> =>
  (await queryPrefix<Item>(referencesOf(list, id), options)).map((item) => referenceOf(list, item));

/** Reference lists that this process has read. */
export const referenceCache = new Cache<Reference[]>();

/**
 * The same for lookups: read eventually consistent, which costs half, and kept for {@link CACHE_MS}. What was added or
 * removed a moment ago may not show yet.
 */
export async function cachedReferences(acquirer: Acquirer, list: ReferenceList): Promise<Reference[]> {
  const name = `${list}#${acquirer.id}`;
  const kept = referenceCache.get(name);
  if (kept) return kept;
  const references = await listReferences(acquirer, list, { ConsistentRead: false });
  referenceCache.set(name, references);
  return references;
}
