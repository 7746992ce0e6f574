import { randomUUID } from 'node:crypto';

import { hashOf, newApiKey } from '../../lib/base/apiKeyFormat.ts';
import { changesBy } from './stored.ts';
import { storeMany } from './storeMany.ts';

type Cast = Record<string, { id: string; key: string }>;

/** A cast, and the items that it is stored as. */
async function original<T extends Cast>(make: () => Promise<T>) {
  const { response: cast, after } = await changesBy(make);
  const items = Object.entries(after).map(([key, attributes]) => {
    const [, pk, sk] = /^(\S+) (.*)$/.exec(key) ?? [];
    return { pk, sk, ...attributes };
  });
  return { cast, text: JSON.stringify(items) };
}

/**
 * Returns a function that makes acquirers: the first time with `make`, as an operator would; later as copies of their
 * items with ids and API keys of their own, which takes a request per 25 items.
 *
 * @param make Its acquirers must differ in their ids and keys alone from one call to the next.
 */
export function copied<T extends Cast>(make: () => Promise<T>): () => Promise<T> {
  let first: ReturnType<typeof original<T>> | undefined;
  return async () => {
    if (!first) {
      first = original(make);
      return (await first).cast;
    }
    let { cast, text } = await first;
    const copies = Object.entries(cast).map(([name, { id, key, ...others }]) => {
      const copy = { ...others, id: randomUUID(), key: newApiKey() };
      const [hash, newHash] = [hashOf(key), hashOf(copy.key)];
      // A key's id is the beginning of its hash.
      for (const [from, to] of [
        [id, copy.id],
        [hash, newHash],
        [hash.slice(0, 12), newHash.slice(0, 12)],
      ] as const)
        text = text.replaceAll(from, to);
      return [name, copy];
    });
    const items: object[] = JSON.parse(text);
    await storeMany(0, items.length - 1, (at) => items[at] as object);
    return Object.fromEntries(copies);
  };
}
