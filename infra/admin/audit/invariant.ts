import type { AcquirerType } from '../../../lib/acquirer.ts';
import { acquirerKey, type Key } from '../../../lib/table/keys.ts';
import type { InspectedItem } from './inspect.ts';
import type { Item, KindName, Summary } from './kinds.ts';
import type { Snapshot } from './snapshot.ts';

/** What is wrong with an item: a sentence that tells what is there, and what would be right. */
export type Violated = string | false | undefined;

/** What holds of the table at any time, whatever was asked of the API and the operator's tool, and in what order. */
export type Invariant = {
  /** The word by which reports name it. */
  name: string;
  /** What holds, in a sentence. */
  holds: string;
} & (Alone | Together);

interface Alone {
  /** Judges an item by itself, as it is read. */
  alone(inspected: InspectedItem): Violated[];
}

interface Together {
  /** Judges items by others, when all are read. */
  together(all: Snapshot): Iterable<[key: Key, violation: Violated]>;
}

/** Judges each item of some kinds by itself, unless an attribute is not in its form: that is a fault already. */
export const alone = <K extends KindName>(
  kinds: K[],
  judge: (item: Item<K>, key: Key) => Violated | Violated[],
): Alone => ({
  alone: ({ key, kind, attributes, malformed }) =>
    kinds.includes(kind as K) && malformed.length === 0 ? [judge(attributes as Item<K>, key)].flat() : [],
});

/** Judges each item of some kinds by others. An attribute that is not in its form is absent. */
export const together = <K extends KindName>(
  kinds: K[],
  judge: (item: Summary<K>, key: Key, all: Snapshot) => Violated | Violated[],
): Together => ({
  *together(all) {
    for (const kind of kinds)
      for (const [item, key] of all.of(kind))
        for (const violation of [judge(item, key, all)].flat()) yield [key, violation];
  },
});

export const differs = <T>(name: string, is: T, right: T): Violated =>
  is !== right && `Its ${name} is ${is}; ${right} would be right.`;

/** Times in their stored form are in the order of their texts. */
export const isBefore = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one < other;

/** The acquirer with this id, if it is registered. */
export const acquirerOf = (all: Snapshot, id: string | undefined) => all.get('acquirer', acquirerKey(id ?? ''));

/** The fault that there is no acquirer of a type with this id. */
export const noAcquirer = (all: Snapshot, id: string | undefined, type: AcquirerType): Violated =>
  id !== undefined && acquirerOf(all, id)?.type !== type && `There is no ${type} ${id}.`;

/** The names of those attributes in which two items differ. */
export const unlike = <N extends string>(
  names: N[],
  one: Partial<Record<N, unknown>>,
  other: Partial<Record<N, unknown>>,
) => names.filter((name) => one[name] !== other[name]);
