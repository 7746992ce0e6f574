import type { Key } from '../../../lib/table/keys.ts';
import { type Kept, KIND_NAMES, KINDS, type KindName, type Seen } from './kinds.ts';

/** No pk holds a line break, so the two parts joined by one name an item. */
export const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

const keyOf = (name: string): Key => {
  const end = name.indexOf('\n');
  return { pk: name.slice(0, end), sk: name.slice(end + 1) };
};

/** What is kept of all items, to be held against each other. */
export class AllKept {
  readonly #items = new Map<KindName, Map<string, unknown>>(KIND_NAMES.map((kind) => [kind, new Map()]));

  add({ key, kind, attributes }: Seen): void {
    const keep = kind && (KINDS[kind].keep as ((item: object) => unknown) | undefined);
    if (keep) this.#items.get(kind)?.set(nameOf(key), keep(attributes));
  }

  get<K extends KindName>(kind: K, key: Key): Kept<K> | undefined {
    return this.#items.get(kind)?.get(nameOf(key)) as Kept<K> | undefined;
  }

  *of<K extends KindName>(kind: K): Generator<[item: Kept<K>, key: Key]> {
    for (const [name, item] of this.#items.get(kind) ?? []) yield [item as Kept<K>, keyOf(name)];
  }
}
