import { BRANCH, BRANCH_FIELDS, type Field, type Lookup, TERMINAL, TERMINAL_FIELDS } from './fields.ts';

/** What a value of a field may be: the key that is sent, and the name that a person reads. */
export interface Item {
  key: string;
  text: string;
}

/** The items of each field of which a value must be one of a list. */
export type Lists = Partial<Record<Field, Item[]>>;

const FIELDS = { ...BRANCH, ...TERMINAL };

/** The fields of which a value must be one of a list, each with its lookup. */
export const LISTED = [...BRANCH_FIELDS, ...TERMINAL_FIELDS].flatMap((field): [Field, Lookup][] => {
  const { lookup } = FIELDS[field];
  return lookup ? [[field, lookup]] : [];
});

/** A name as people write it: without case, and with one space between words. */
const withoutCase = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** Finds the one item that has a text as its key, or as its name in any case; `undefined` if none or several have it. */
export function itemFinder(items: readonly Item[]): (text: string) => Item | undefined {
  const keys = new Map(items.map((item) => [item.key, item]));
  const names = Map.groupBy(items, ({ text }) => text);
  const anyCase = Map.groupBy(items, ({ text }) => withoutCase(text));
  return (text) => {
    const [item, ...others] = names.get(text) ?? anyCase.get(withoutCase(text)) ?? [];
    return keys.get(text) ?? (others.length === 0 ? item : undefined);
  };
}

/** The pairs of characters of a name that are beside each other, with its begin and end. */
function pairsOf(name: string): Set<string> {
  const text = ` ${withoutCase(name)} `;
  return new Set(Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2)));
}

/** Names are near if they share at least so much of their pairs (Sørensen-Dice), whatever the order of their words. */
const NEAR = 0.5;
/** How much less than the nearest others may share. */
const LESS = 0.15;
const MOST_NEAR = 3;

/** Finds the names of a list that are near a text, the nearest first. */
export function namesNear(items: readonly Item[]): (text: string) => string[] {
  const names = items.map(({ text }) => ({ name: text, pairs: pairsOf(text) }));
  return (text) => {
    const typed = pairsOf(text);
    const shares = names
      .map(({ name, pairs }) => ({ name, share: (2 * typed.intersection(pairs).size) / (typed.size + pairs.size) }))
      .sort((one, other) => other.share - one.share)
      .slice(0, MOST_NEAR);
    const least = Math.max(NEAR, (shares[0]?.share ?? 0) - LESS);
    return shares.filter(({ share }) => share >= least).map(({ name }) => name);
  };
}
