import * as v from 'valibot';
import { type CACHE_MS, Cache } from '../base/cache.ts';
import { field, shownId, shownText } from '../base/values.ts';
import { prefixRange, queryPage, queryPrefix } from '../table/client.ts';
import { type Key, masterMerchantEntryUuidOf, type ReferenceList, referencesOf } from '../table/keys.ts';
import type { Acquirer } from './acquirer.ts';

/** An item of a reference list, which the acquirer may name in requests by its `id`. */
export interface Reference {
  id: string;
  name: string;
  /** Only for master merchants. */
  master_merchant_id?: string | undefined;
  /** Only for master merchants in the list of a distributor. */
  payment_provider?: string | undefined;
}

export const shownReference = v.object({
  key: field(shownText, 'The value to send in requests.'),
  text: field(shownText, 'The text to show to people.'),
  master_merchant_id: v.optional(
    field(shownId, 'Only of `masterMerchants`: the id of the master merchant. Several can have the same `text`.'),
  ),
});

/**
 * The stored item of a reference. Its sort key is the id, or encodes it; `name` is absent if it is the same as the id.
 */
type Item = Key & Partial<Reference>;

const referenceOf = (list: ReferenceList, item: Item): Reference =>
  named(list === 'MASTER_MERCHANTS' ? masterMerchantEntryUuidOf(item) : item.sk, item);

/** A reference by what is stored of it. */
export function named(id: string, stored: Omit<Reference, 'id' | 'name'> & { name?: string | undefined }): Reference {
  const { name, master_merchant_id, payment_provider } = stored;
  return { id, name: name ?? master_merchant_id ?? id, master_merchant_id, payment_provider };
}

/** Reads a whole reference list of an acquirer, strongly consistent. */
export const listReferences = async ({ id }: Pick<Acquirer, 'id'>, list: ReferenceList): Promise<Reference[]> =>
  (await queryPrefix<Item>(referencesOf(list, id))).map((item) => referenceOf(list, item));

export interface ReferencePage {
  references: Reference[];
  hasMore: boolean;
}

export const referenceCache = new Cache<ReferencePage>(20);

/** A reference list that this process has read, for {@link CACHE_MS}. */
export const knownReferences = ({ id }: Pick<Acquirer, 'id'>, list: ReferenceList): ReferencePage | undefined =>
  referenceCache.get(`${list}#${id}`);

/**
 * Reads the first MB of a reference list, eventually consistent: at most 128 read units, for several thousand items. It
 * is cached for {@link CACHE_MS}.
 */
export async function cachedReferences(acquirer: Acquirer, list: ReferenceList): Promise<ReferencePage> {
  const known = knownReferences(acquirer, list);
  if (known) return known;
  const range = prefixRange(referencesOf(list, acquirer.id), { ConsistentRead: false });
  const { items, next } = await queryPage<Item>(range);
  const page = { references: items.map((item) => referenceOf(list, item)), hasMore: next !== undefined };
  referenceCache.set(`${list}#${acquirer.id}`, page);
  return page;
}
