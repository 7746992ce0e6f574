import { isDeepStrictEqual } from 'node:util';
import type { Key, WordList } from '../../../../lib/table/keys.ts';
import { nameOfEntries, type Tally } from './events.ts';
import { type InspectedItem, ownerOf, shownKey } from './inspect.ts';
import type { Item, KindName, Summary } from './kinds.ts';
import type { Snapshot } from './snapshot.ts';

/** What is wrong with an item, in a sentence; falsy if nothing is. */
export type Detail = string | false | undefined;

/** Checks an item by itself, as it is read. */
interface PerItem {
  perItem(inspected: InspectedItem): Detail[];
}

/** Compares items with others, after all have been read. */
export interface AcrossItems {
  acrossItems(all: Snapshot): Iterable<[key: Key, detail: Detail]>;
}

/**
 * Statements about the table that hold at all times, after any sequence of requests and operator commands; by their names
 * in reports.
 */
export type Invariants = Record<string, [holds: string, check: PerItem | AcrossItems]>;

/** Checks each item by itself, of whatever kind it is. */
export const anyItem = (check: PerItem['perItem']): PerItem => ({ perItem: check });

/** Compares all items. */
export const overall = (check: AcrossItems['acrossItems']): AcrossItems => ({ acrossItems: check });

/** Checks each item of some kinds by itself. Skips items with invalid attributes, which `form` reports. */
export const perItem = <K extends KindName>(
  kinds: K[],
  check: (item: Item<K>, key: Key) => Detail | Detail[],
): PerItem =>
  anyItem(({ key, kind, attributes, malformed }) =>
    kinds.includes(kind as K) && malformed.length === 0 ? [check(attributes as Item<K>, key)].flat() : [],
  );

/** Compares each item of some kinds with others. Skips items with invalid attributes, which `form` reports. */
export const acrossItems = <K extends KindName>(
  kinds: K[],
  check: (item: Summary<K>, key: Key, all: Snapshot) => Detail | Detail[],
): AcrossItems =>
  overall(function* (all) {
    for (const kind of kinds)
      for (const [item, key] of all.valid(kind))
        for (const detail of [check(item, key, all)].flat()) yield [key, detail];
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

/**
 * Compares the search entries of each branch or master merchant with the expected ones.
 *
 * @param keyOf The item to report.
 * @param expected The expected entries per acquirer and id; without a tally if an invalid item makes them unknown.
 */
export const hasEntries = (
  list: WordList,
  keyOf: (acquirer: string, id: string) => Key,
  expected: (all: Snapshot) => Iterable<[acquirer: string, id: string, entries: Tally | false | undefined]>,
): AcrossItems =>
  overall(function* (all) {
    const others = new Map(all.trail.entries[list]);
    for (const [acquirer, id, entries] of expected(all)) {
      const name = nameOfEntries({ acquirer, id });
      const { count, sum } = all.trail.entries[list].get(name) ?? { count: 0, sum: 0 };
      others.delete(name);
      if (!entries || (count === entries.count && sum === entries.sum)) continue;
      const instead = count === entries.count ? 'some with wrong words or attributes' : `expected ${entries.count}`;
      yield [keyOf(acquirer, id), `The search entries of ${acquirer}: ${count}, ${instead}.`];
    }
    for (const [name, { count }] of others) {
      const [acquirer = '', id = ''] = name.split(' ');
      yield [keyOf(acquirer, id), `The search entries of ${acquirer}: ${count}, expected none.`];
    }
  });
