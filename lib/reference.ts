import * as v from 'valibot';
import type { Acquirer } from './acquirer.ts';
import { type CACHE_MS, Cache } from './base/cache.ts';
import { field, shownText } from './base/values.ts';
import { queryPrefix } from './table/client.ts';
import { type Key, masterMerchantEntryUuidOf, type ReferenceList, referencesOf } from './table/keys.ts';

/** An item of a reference list, which the acquirer may name in requests by its `id`. */
export interface Reference {
  id: string;
  name: string;
  /** Only for master merchants. */
  master_merchant_id?: string | undefined;
  /** Only for master merchants in the list of a distributor. */
  payment_provider?: string | undefined;
}

/** An item of a lookup. */
export const shownReference = v.object({
  key: field(shownText, 'The value to send in requests.'),
  text: field(shownText, 'The text to show to people.'),
});

/**
 * The stored item of a reference. Its sort key is the id, or encodes it; `name` is absent if it is the same as the id.
 */
type Item = Key & Partial<Reference>;

const referenceOf = (list: ReferenceList, item: Item): Reference => {
  const { name, master_merchant_id, payment_provider } = item;
  const id = list === 'MASTER_MERCHANTS' ? masterMerchantEntryUuidOf(item) : item.sk;
  return { id, name: name ?? master_merchant_id ?? id, master_merchant_id, payment_provider };
};

/** Reads a reference list of an acquirer, strongly consistent by default. */
export const listReferences = async (
  { id }: Pick<Acquirer, 'id'>,
  list: ReferenceList,
  options: Parameters<typeof queryPrefix>[1] = {},
): Promise<Reference[]> =>
  (await queryPrefix<Item>(referencesOf(list, id), options)).map((item) => referenceOf(list, item));

/** The reference lists cached by this process. */
export const referenceCache = new Cache<Reference[]>();

/**
 * Like {@link listReferences}, but cached for {@link CACHE_MS} and read eventually consistent, which costs half. Recent
 * changes may be missing.
 */
export async function cachedReferences(acquirer: Acquirer, list: ReferenceList): Promise<Reference[]> {
  const name = `${list}#${acquirer.id}`;
  const cached = referenceCache.get(name);
  if (cached) return cached;
  const references = await listReferences(acquirer, list, { ConsistentRead: false });
  referenceCache.set(name, references);
  return references;
}
