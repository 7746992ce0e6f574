import type { Acquirer } from './acquirer.ts';
import { KeptValues } from './kept.ts';
import { queryPrefix } from './table/client.ts';
import { type Key, masterMerchantEntryUuidOf, type ReferenceList, referencesOf } from './table/keys.ts';

/** What an acquirer may name in a request. The `id` is sent back; the name is what a person reads. */
export interface Reference {
  id: string;
  name: string;
}

/** An item of a reference list: its sort key is the id, or stands for it; it has a name where that is another text. */
type Item = Key & { name?: string };

const referenceOf = (list: ReferenceList, item: Item): Reference => {
  const id = list === 'MASTER_MERCHANTS' ? masterMerchantEntryUuidOf(item) : item.sk;
  return { id, name: item.name ?? id };
};

/** All that one list of an acquirer has, as it is now. */
export const listReferences = async ({ id }: Pick<Acquirer, 'id'>, list: ReferenceList): Promise<Reference[]> =>
  (await queryPrefix<Item>(referencesOf(list, id))).map((item) => referenceOf(list, item));

/** Reference lists that this process has read. */
export const keptLists = new KeptValues<Reference[]>();

/**
 * The same for lookups, which read it at half the price and once in 30 s: what was added or removed a moment ago may not
 * show yet.
 */
export async function keptReferences({ id }: Acquirer, list: ReferenceList): Promise<Reference[]> {
  const name = `${list}#${id}`;
  const kept = keptLists.get(name);
  if (kept) return kept;
  const items = await queryPrefix<Item>(referencesOf(list, id), { ConsistentRead: false });
  const references = items.map((item) => referenceOf(list, item));
  keptLists.set(name, references);
  return references;
}
