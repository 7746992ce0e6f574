import * as v from 'valibot';
import { text } from '../base/fields.ts';
import { positive, uuidValue } from '../base/values.ts';
import { idOfWordEntry, type Key, unsortedWordsKey, type WordList, wordEntryKey } from '../table/keys.ts';
import { isTransient, withoutRetries } from '../table/retry.ts';
import { isAsRead, MOST_STEPS, put, remove, type Step, transact } from '../table/transaction.ts';
import { usage } from '../table/usageMeter.ts';
import { cut, fold, wordsOf } from './words.ts';

/*
 * What is searched has an entry per word and acquirer, stored in the transaction of the change: see
 * docs/decisions/0028-search.md. An entry has all words, so that a search for several words reads the entries of one.
 */

/**
 * The stored item by which a word leads to a branch or master merchant. What has no entries per word yet has one item
 * with the same attributes.
 */
export const wordEntryItem = v.object({
  /** All words that lead to it, with spaces between, but for its MID. */
  words: v.string(),
  /** When it was created, in milliseconds since 1970. */
  at: positive,
  /** When its words last changed; absent if they did not. */
  since: v.optional(positive),
  /** Only of master merchants: what a lookup shows. The name may be the `master_merchant_id`. */
  name: v.optional(text),
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
 * Makes what an acquirer finds by words.
 *
 * @param what.ids Identifiers besides the MID; each is one word.
 * @param what.texts Texts whose words lead to it.
 * @param row What a lookup shows.
 */
export const searchable = (
  what: Pick<Searchable, 'list' | 'acquirer' | 'id'> & {
    ids: string[];
    texts: (string | undefined)[];
    created_at: string;
    updated_at?: string;
  },
  row: Pick<WordEntryItem, 'name' | 'payment_provider'> = {},
): Searchable => {
  const { list, acquirer, id, ids, texts, created_at, updated_at = created_at } = what;
  const own = ownWords(list, id);
  const words = wordsOf([...own, ...ids], texts).filter((word) => !own.includes(word));
  const since = updated_at === created_at ? undefined : Date.parse(updated_at);
  return { list, acquirer, id, attributes: { words: words.join(' '), at: Date.parse(created_at), since, ...row } };
};

/** The words that its key tells. */
const ownWords = (list: WordList, id: string): string[] => (list === 'BRANCHES' ? [cut(fold(id))] : []);

/** All words that lead to it. */
export const allWords = ({ list, id, attributes: { words } }: Searchable): string[] =>
  [...ownWords(list, id), ...words.split(' ')].filter(Boolean);

/** Reads an entry, or the item of what has no entries yet. */
export const searchableOf = (
  list: WordList,
  acquirer: string,
  { pk, sk, ...attributes }: Key & WordEntryItem,
): Searchable => ({ list, acquirer, id: idOfWordEntry({ pk, sk }), attributes });

const keysOf = (each: Searchable): Key[] =>
  allWords(each).map((word) => wordEntryKey(each.list, each.acquirer, word, each.id));

const unsortedKeyOf = ({ list, acquirer, id }: Searchable): Key => unsortedWordsKey(list, acquirer, id);

const entrySteps = (each: Searchable): Step[] => keysOf(each).map((key) => put(key, each.attributes));

/**
 * Steps that store the entries of something new. If they do not fit into the transaction, they store one item each
 * instead, which every search reads, and {@link trySortIn} stores the entries later.
 *
 * @param others How many other steps the transaction has.
 */
export function newEntrySteps(all: Searchable[], others: number): { steps: Step[]; unsorted: Searchable[] } {
  const steps = all.flatMap(entrySteps);
  if (others + steps.length <= MOST_STEPS) return { steps, unsorted: [] };
  return { steps: all.map((each) => put(unsortedKeyOf(each), each.attributes)), unsorted: all };
}

/** Steps that replace the entries of something whose words change. */
export function changedEntrySteps(before: Searchable, after: Searchable): Step[] {
  const kept = new Set(keysOf(after).map(({ pk, sk }) => pk + sk));
  const gone = keysOf(before).filter(({ pk, sk }) => !kept.has(pk + sk));
  return [...[unsortedKeyOf(before), ...gone].map((key) => remove(key)), ...entrySteps(after)];
}

/**
 * Replaces the item of something that has no entries yet by its entries, in one transaction. A search reads such items
 * before it reads entries, so it finds the one or the others. Never rejects: a later search tries again.
 */
export async function trySortIn(each: Searchable): Promise<void> {
  try {
    const isThere = isAsRead(each.attributes, 'words', 'since');
    await withoutRetries(() => transact([remove(unsortedKeyOf(each), isThere), ...entrySteps(each)]));
  } catch (error) {
    if (!isTransient(error)) usage().sealFailures.push(error);
  }
}
