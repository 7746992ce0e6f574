import { isDeepStrictEqual } from 'node:util';
import type { Key } from '../../../../lib/table/keys.ts';
import { type InspectedItem, ownerOf, shownKey } from './inspect.ts';
import type { Item, KindName, Summary } from './kinds.ts';
import type { Snapshot } from './snapshot.ts';

/** What is wrong with an item, in a sentence; falsy if nothing is. */
export type Detail = string | false | undefined;

/** A statement about the table that holds at all times, after any sequence of requests and operator commands. */
export type Invariant = {
  /** Its name in reports. */
  name: string;
  /** The statement. */
  holds: string;
} & (PerItem | AcrossItems);

interface PerItem {
  /** Checks an item by itself, as it is read. */
  perItem(inspected: InspectedItem): Detail[];
}

export interface AcrossItems {
  /** Compares items with others, after all have been read. */
  acrossItems(all: Snapshot): Iterable<[key: Key, detail: Detail]>;
}

/** Checks each item of some kinds by itself. Skips items with invalid attributes, which `form` reports. */
export const perItem = <K extends KindName>(
  kinds: K[],
  check: (item: Item<K>, key: Key) => Detail | Detail[],
): PerItem => ({
  perItem: ({ key, kind, attributes, malformed }) =>
    kinds.includes(kind as K) && malformed.length === 0 ? [check(attributes as Item<K>, key)].flat() : [],
});

/** Compares each item of some kinds with others. Skips items with invalid attributes, which `form` reports. */
export const acrossItems = <K extends KindName>(
  kinds: K[],
  check: (item: Summary<K>, key: Key, all: Snapshot) => Detail | Detail[],
): AcrossItems => ({
  *acrossItems(all) {
    for (const kind of kinds)
      for (const [item, key] of all.valid(kind))
        for (const detail of [check(item, key, all)].flat()) yield [key, detail];
  },
});

/** An item that must exist, with values of its attributes; of a set, with one that must be in it. */
export type Reference = { [K in KindName]: [kind: K, key: Key, values?: Values<Summary<K>>] }[KindName];
type Values<S> = { [A in keyof S]?: S[A] extends Set<infer Element> ? Element : S[A] };

const hasValue = (found: unknown, value: unknown): boolean =>
  found instanceof Set ? found.has(value) : isDeepStrictEqual(found, value);

/**
 * Compares each item of some kinds with those that it refers to.
 *
 * @param referencesOf Returns these, given the item, its pk after the kind, and its sk.
 */
export const refers = <K extends KindName>(
  kinds: K[],
  referencesOf: (item: Summary<K>, owner: string, sk: string) => (Reference | false | undefined)[],
): AcrossItems =>
  acrossItems(kinds, (item, key, all) =>
    referencesOf(item, ownerOf(key), key.sk).map((reference) => {
      if (!reference) return false;
      const [kind, at, values = {}] = reference;
      const found: Record<string, unknown> | undefined = all.get(kind, at);
      const shown = () => Object.values(shownKey(at)).join(' / ');
      if (!found) return `There is no ${shown()}.`;
      if (all.isMalformed(at)) return false;
      const names = Object.entries(values).flatMap(([name, value]) => (hasValue(found[name], value) ? [] : [name]));
      return names.length > 0 && `It differs from ${shown()} in ${names.join(', ')}.`;
    }),
  );

/** Reports an attribute that does not have the expected value. */
export const differs = <T>(name: string, is: T, expected: T): Detail =>
  is !== expected && `Its ${name} is ${is ?? 'absent'}; expected ${expected ?? 'absent'}.`;

/** Compares stored times, whose texts sort chronologically. */
export const isBefore = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one < other;
