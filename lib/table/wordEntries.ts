import * as v from 'valibot';
import { requestContext } from '../aws/requestContext.ts';
import { isTransient } from '../aws/retry.ts';
import { text } from '../base/fields.ts';
import { positive, uuidValue } from '../base/values.ts';
import { cut, fold, wordsOf } from '../base/words.ts';
import { cutEntryWord, idOfWordEntry, type Key, unindexedWordsKey, type WordList, wordEntryKey } from './keys.ts';
import { isAsRead, MOST_STEPS, put, remove, type Step, transact } from './transaction.ts';

/*
 * Each branch and master merchant has an entry per word and acquirer, written in the transaction of the change: see
 * docs/decisions/0028-search.md. An entry has all words, so that a search for several words reads the entries of one.
 */

/**
 * The stored item by which a word leads to a branch or master merchant. What has no entries per word yet has one item
 * with the same attributes.
 */
export const wordEntryItem = v.object({
  /** All words that lead to it, with spaces between, but for its MID. */
  words: v.string(),
  /** Only if it has more words than are stored: how many of `words`, from the first, also have a cut entry. */
  cut: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  /**
   * Only of branches: when it was created, and when its words last changed, if they did; in milliseconds since 1970.
   */
  at: v.optional(positive),
  since: v.optional(positive),
  /** Only of master merchants: what a lookup shows. */
  name: v.optional(text),
  master_merchant_id: v.optional(text),
  payment_provider: v.optional(uuidValue),
});
export type WordEntryItem = v.InferOutput<typeof wordEntryItem>;

/** A branch or master merchant that an acquirer finds by words. */
export interface Searchable {
  list: WordList;
  acquirer: string;
  /** MID, or UUID of a master merchant. */
  id: string;
  attributes: WordEntryItem;
}

/**
 * @param words.ids Identifiers besides the MID; each is one word.
 * @param words.texts Texts whose words lead to it.
 */
export const searchable = (
  what: Pick<Searchable, 'list' | 'acquirer' | 'id'>,
  { ids, texts }: { ids: string[]; texts: (string | undefined)[] },
  attributes: Omit<WordEntryItem, 'words' | 'cut'>,
): Searchable => {
  const own = ownWords(what);
  const { words: all, firsts } = wordsOf([...own, ...ids], texts);
  const others = (words: string[]) => words.filter((word) => !own.includes(word));
  const words = [...new Set([...others(firsts ?? []), ...others(all)])];
  const cut = firsts && { cut: others(firsts).length };
  return { ...what, attributes: { words: words.join(' '), ...cut, ...attributes } };
};

/** The words that the key itself contains: the MID of a branch. */
const ownWords = ({ list, id }: Pick<Searchable, 'list' | 'id'>): string[] =>
  list === 'BRANCHES' ? [cut(fold(id))] : [];

/** All words that lead to it. */
export const allWords = (each: Searchable): string[] =>
  [...ownWords(each), ...each.attributes.words.split(' ')].filter(Boolean);

/** The words of its entries. A `*` is before that of a cut entry. */
export const entryWords = (each: Searchable): string[] => {
  const { words, cut = 0 } = each.attributes;
  return [...allWords(each), ...words.split(' ').slice(0, cut).map(cutEntryWord)];
};

export const fromItem = (
  list: WordList,
  acquirer: string,
  { pk, sk, ...attributes }: Key & WordEntryItem,
): Searchable => ({ list, acquirer, id: idOfWordEntry({ pk, sk }), attributes });

const keysOf = (each: Searchable): Key[] =>
  entryWords(each).map((word) => wordEntryKey(each.list, each.acquirer, word, each.id));

const unindexedKeyOf = ({ list, acquirer, id }: Searchable): Key => unindexedWordsKey(list, acquirer, id);

const entrySteps = (each: Searchable): Step[] => keysOf(each).map((key) => put(key, each.attributes));

/**
 * Steps that store the entries of something new, besides `others` steps. If they do not fit into the transaction, they
 * store one item each instead, which every search reads, and {@link tryIndex} stores
 * the entries later.
 */
export function newEntrySteps(all: Searchable[], others: number): { steps: Step[]; unindexed: Searchable[] } {
  const steps = all.flatMap(entrySteps);
  if (others + steps.length <= MOST_STEPS) return { steps, unindexed: [] };
  return { steps: all.map(unindexedStep), unindexed: all };
}

const unindexedStep = (each: Searchable): Step => put(unindexedKeyOf(each), each.attributes);

/** Steps that replace the item of something that has no entries yet by its entries. */
const indexSteps = (each: Searchable): Step[] => [
  remove(unindexedKeyOf(each), isAsRead(each.attributes, 'words', 'since')),
  ...entrySteps(each),
];

/** Steps that replace the entries of something whose words change. */
export function changedEntrySteps(before: Searchable, after: Searchable): Step[] {
  const kept = new Set(keysOf(after).map(({ pk, sk }) => pk + sk));
  const gone = keysOf(before).filter(({ pk, sk }) => !kept.has(pk + sk));
  return [...[unindexedKeyOf(before), ...gone].map((key) => remove(key)), ...entrySteps(after)];
}

/**
 * Replaces the item of something without entries by its entries. A search reads such items first, so it finds the one
 * or the others. Never rejects: a later search tries again.
 */
export async function tryIndex(each: Searchable): Promise<void> {
  try {
    await transact(indexSteps(each), { isSentOnce: true });
  } catch (error) {
    if (!isTransient(error)) requestContext().failures.seal.push(error);
  }
}
