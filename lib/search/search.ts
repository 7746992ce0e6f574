import type * as v from 'valibot';
import { type Item, prefixRange, queryPage } from '../table/client.ts';
import { SHARDS, unsortedWordsOf, type WordList, wordEntriesOf } from '../table/keys.ts';
import { allDone } from '../table/retry.ts';
import { allWords, type Searchable, searchableOf, trySortIn, type wordEntryItem } from './entries.ts';
import { cut } from './words.ts';

type Entry = Item<v.InferOutput<typeof wordEntryItem>>;
type Entries = Awaited<ReturnType<typeof queryPage<Entry>>>;

/**
 * The most entries that a search reads of a shard. They are spread over {@link SHARDS} by a hash, so of 1,000, a shard
 * has 125 with a standard deviation of 10.5.
 *
 * - `first`: of the first shard of each word, to find a rare one.
 * - `sample`: of the first shard of each word, to find the rarest. A word of 1,000 branches has more there with a
 *   probability of 3 in 10,000,000,000.
 * - `all`: of each shard of a word with at most `sample` in its first.
 * - `some`: of each shard of a word with more.
 */
const MOST = { first: 30, sample: 190, all: 300, some: 125 };

/** The most items without entries that a search reads. */
const MOST_UNSORTED = 100;

const matches = (each: Searchable, searched: string[]): boolean => {
  const words = allWords(each);
  return searched.every((word) => words.some((own) => own.startsWith(word)));
};

const isWhole = ({ next }: Entries): boolean => next === undefined;

/**
 * Finds what has words that begin with all of the searched words, strongly consistent. It reads all entries of the
 * rarest searched word, or about 1,000 if that has more: at most 3,500 entries, in at most 3 requests in sequence.
 *
 * @param searched See searchedWords.
 * @returns What it found, and whether there may be more.
 */
export async function search(
  list: WordList,
  acquirer: string,
  searched: string[],
): Promise<{ found: Searchable[]; hasMore: boolean }> {
  const words = searched.map(cut);
  const rangeOf = (word: string, shard: number, more = {}) =>
    prefixRange(wordEntriesOf(list, acquirer, word, shard), more);
  // Eventually consistent, at half the units: samples only decide which word is read.
  const sample = (word: string, limit: number, after?: Entries): Promise<Entries> =>
    queryPage<Entry>(rangeOf(word, 0, { ConsistentRead: false }), limit, after?.next);
  const [unsorted, firsts] = await allDone([
    queryPage<Entry>(prefixRange(unsortedWordsOf(list, acquirer)), MOST_UNSORTED),
    allDone(words.map((word) => sample(word, MOST.first))),
  ]);
  const readMore = async (first: Entries, at: number): Promise<Entries> => {
    const { items, next } = await sample(words[at] as string, MOST.sample - MOST.first, first);
    return { items: [...first.items, ...items], next };
  };
  const samples = firsts.some(isWhole) ? firsts : await allDone(firsts.map(readMore));
  const sizes = samples.map((sample) => (isWhole(sample) ? sample.items.length : Number.POSITIVE_INFINITY));
  const rarest = sizes.indexOf(Math.min(...sizes));
  const limit = isWhole(samples[rarest] as Entries) ? MOST.all : MOST.some;
  // The first shard again: what has left the unsorted items is among the entries only now.
  const shards = await allDone(
    Array.from({ length: SHARDS }, (_, shard) => queryPage<Entry>(rangeOf(words[rarest] as string, shard), limit)),
  );
  const [waiting, ...all] = [unsorted, ...shards].map(({ items }) =>
    items.map((item) => searchableOf(list, acquirer, item)),
  );
  const first = waiting?.[0];
  if (first) await trySortIn(first);
  // Something can have several words that begin alike, and can be sorted in between two reads.
  const byId = new Map([...(waiting ?? []), ...all.flat()].map((each) => [each.id, each]));
  return {
    found: [...byId.values()].filter((each) => matches(each, words)),
    hasMore: ![unsorted, ...shards].every(isWhole),
  };
}
