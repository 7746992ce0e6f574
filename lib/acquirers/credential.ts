import { CACHE_MS } from '../base/cache.ts';
import { getItem, type Item } from '../table/client.ts';
import type { Key } from '../table/keys.ts';

/** When this process last confirmed that there is no such credential, by `performance.now()`. */
let confirmed = Number.NEGATIVE_INFINITY;

/**
 * Reads the item of an API key or session, eventually consistent: whoever makes up credentials costs half a read unit a
 * request. So that a new one is valid at once, a missing one is read again strongly consistent, once in
 * {@link CACHE_MS}.
 */
export async function readCredential<T>(key: Key): Promise<Item<T> | undefined> {
  const found = await getItem<T>(key, { ConsistentRead: false });
  const now = performance.now();
  if (found || now - confirmed < CACHE_MS) return found;
  confirmed = now;
  return getItem<T>(key);
}
