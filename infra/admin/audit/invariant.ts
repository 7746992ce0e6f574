import type { AcquirerType } from '../../../lib/acquirers/acquirer.ts';
import { acquirerKey, type Key } from '../../../lib/table/keys.ts';
import type { InspectedItem } from './inspect.ts';
import type { Item, KindName, Summary } from './kinds.ts';
import type { Snapshot } from './snapshot.ts';

/** What is wrong with an item, in a sentence with the value found and the one expected; falsy if nothing is. */
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

/** Compares each item of some kinds with others. Invalid attributes are absent. */
export const acrossItems = <K extends KindName>(
  kinds: K[],
  check: (item: Summary<K>, key: Key, all: Snapshot) => Detail | Detail[],
): AcrossItems => ({
  *acrossItems(all) {
    for (const kind of kinds)
      for (const [item, key] of all.of(kind)) for (const detail of [check(item, key, all)].flat()) yield [key, detail];
  },
});

/** Reports an attribute that does not have the expected value. */
export const differs = <T>(name: string, is: T, expected: T): Detail =>
  is !== expected && `Its ${name} is ${is ?? 'absent'}; expected ${expected ?? 'absent'}.`;

/** Compares stored times, whose texts sort chronologically. */
export const isBefore = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one < other;

/** The acquirer with this id, if it is registered. */
export const acquirerOf = (all: Snapshot, id: string | undefined) => all.get('acquirer', acquirerKey(id ?? ''));

/** Reports an id that is not that of a registered acquirer of this type. */
export const noAcquirer = (all: Snapshot, id: string | undefined, type: AcquirerType): Detail =>
  id !== undefined && acquirerOf(all, id)?.type !== type && `There is no ${type} ${id}.`;

/** The names of the attributes in which two items differ. */
export const differingNames = <N extends string>(
  names: N[],
  one: Partial<Record<N, unknown>>,
  other: Partial<Record<N, unknown>>,
) => names.filter((name) => one[name] !== other[name]);
