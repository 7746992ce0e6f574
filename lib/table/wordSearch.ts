import { allDone } from '../aws/retry.ts';
import { cut, isLong, leadsOf } from '../base/words.ts';
import { type Item, prefixRange, queryPage } from './client.ts';
import { cutEntryWord, SHARDS, unindexedWordsOf, type WordList, wordEntriesOf } from './keys.ts';
import { allWords, fromItem, type Searchable, tryIndex, type WordEntryItem } from './wordEntries.ts';

/** Results of a query, some several times, and the key after which there are more. */
interface Found {
  all: Searchable[];
  next: Awaited<ReturnType<typeof queryPage>>['next'];
}

/**
 * The most results that a search reads of a shard. They are spread over {@link SHARDS} by a hash, so of 1,000, a shard
 * has 125 with a standard deviation of 10.5.
 *
 * - `first`: of the first shard of each word, to find a rare one.
 * - `sample`: of the first shard of each word, to find the rarest. A word of 1,000 results has more there with a
 *   probability of 3 in 10,000,000,000.
 * - `all`: of each shard of a word with at most `sample` in its first.
 * - `some`: of each shard of a word with more.
 */
const MOST = { first: 30, sample: 190, all: 300, some: 125 };

/** The most entries per result, on average: one for each word that begins with the searched one. */
const MOST_ENTRIES_EACH = 2;

/** The most items without entries that a search reads, and of how many of these it stores the entries. */
const MOST_UNINDEXED = 100;
const MOST_TO_INDEX = 5;

const NONE: Found = { all: [], next: undefined };

const isWhole = ({ next }: Found): boolean => next === undefined;

/**
 * Of what has more words than are stored, how many words of a search it must have. The others can be those it lacks.
 */
const LEAST_WORDS = 2;

/**
 * Whether a search for these words finds it, of which some lead to its entries. A word of one letter leads to itself.
 */
function isMatch(each: Searchable, words: string[], leads: string[]): boolean {
  const all = allWords(each);
  const begins = (word: string) => all.some((own) => own.startsWith(word));
  const least = Math.min(LEAST_WORDS, words.filter(isLong).length);
  // Else `c&a` would also find CAFÉ AROMA.
  const whole = new Set(least > 0 ? [] : words.slice(0, -1));
  const known = words.filter((word) => (whole.has(word) ? all.includes(word) : begins(word))).length;
  const hasWords = known === words.length || (each.attributes.cut !== undefined && known >= least);
  return hasWords && leads.some((lead) => (isLong(lead) ? begins(lead) : all.includes(lead)));
}

const wordsWith = (each: Searchable, searched: string): number =>
  allWords(each).filter((word) => word.startsWith(searched)).length;

function entriesEach({ all }: Found, searched: string): number {
  const results = all.reduce((sum, each) => sum + 1 / wordsWith(each, searched), 0);
  return all.length > 0 ? Math.min(MOST_ENTRIES_EACH, all.length / results) : 1;
}

/**
 * Finds everything that has, for each searched word, a word that begins with it, strongly consistent. It reads the
 * entries of the rarest leading word, or those of about 1,000 results if that has more: at most 7,100 entries, in at
 * most 3 requests in sequence. Of what has more words than are stored, those that it lacks do not count.
 *
 * @param searched See searchedWords.
 * @returns What it found, and whether there may be more.
 */
export async function search(
  list: WordList,
  acquirer: string,
  searched: string[],
): Promise<{ found: Searchable[]; hasMore: boolean }> {
  const words = [...new Set(searched.map(cut))];
  const leads = leadsOf(searched);
  const query = async (range: Parameters<typeof queryPage>[0], most: number, before?: Found): Promise<Found> => {
    const limit = Math.ceil(most);
    const { items, next } = await queryPage<Item<WordEntryItem>>(range, limit, { from: before?.next });
    return { all: [...(before?.all ?? []), ...items.map((item) => fromItem(list, acquirer, item))], next };
  };
  const rangeOf = (word: string, shard: number, options = {}) =>
    prefixRange(wordEntriesOf(list, acquirer, word, shard), options);
  // Eventually consistent, at half the units: samples only decide which word is read.
  const sample = (word: string, most: number, before?: Found) =>
    query(rangeOf(word, 0, { ConsistentRead: false }), most, before);
  const first = words.length > LEAST_WORDS ? words.find(isLong) : undefined;
  const [unindexed, cutEntries, firsts] = await allDone([
    query(prefixRange(unindexedWordsOf(list, acquirer)), MOST_UNINDEXED),
    first ? query(rangeOf(cutEntryWord(first), 0), MOST.all) : NONE,
    allDone(leads.map((word) => sample(word, MOST.first))),
  ]);
  const sampleMore = (first: Found, at: number): Promise<Found> => {
    const word = leads[at] as string;
    return sample(word, MOST.sample * entriesEach(first, word) - MOST.first, first);
  };
  const samples = firsts.some(isWhole) ? firsts : await allDone(firsts.map(sampleMore));
  const sizes = samples.map((each) => (isWhole(each) ? each.all.length : Number.POSITIVE_INFINITY));
  const at = sizes.indexOf(Math.min(...sizes));
  const [rarest, sampled] = [leads[at] as string, samples[at] as Found];
  const most = (isWhole(sampled) ? MOST.all : MOST.some) * entriesEach(sampled, rarest);
  const [shards] = await allDone([
    // The first shard again: what has been indexed since is found only there.
    allDone(Array.from({ length: SHARDS }, (_, shard) => query(rangeOf(rarest, shard), most))),
    allDone(unindexed.all.slice(0, MOST_TO_INDEX).map(tryIndex)),
  ]);
  const read = [unindexed, cutEntries, ...shards];
  const byId = new Map(read.flatMap(({ all }) => all).map((each) => [each.id, each]));
  return {
    found: [...byId.values()].filter((each) => isMatch(each, words, first ? [first, ...leads] : leads)),
    hasMore: !read.every(isWhole),
  };
}
