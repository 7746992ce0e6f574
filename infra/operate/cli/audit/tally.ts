import { allWords, type Searchable } from '../../../../lib/table/searchEntries.ts';
import { digestOf } from './events.ts';

/** The number of some values and the sum of their digests, which does not depend on their order. */
export interface Tally {
  count: number;
  sum: number;
}

/** Below 2^53 with a 48-bit digest added, so sums are exact. */
const SUM_MODULUS = 2 ** 48;

/** Adds a tally to the one with a name. */
export function addTo(tallies: Map<string, Tally>, name: string, { count, sum }: Tally): void {
  const tally = tallies.get(name) ?? { count: 0, sum: 0 };
  tallies.set(name, { count: tally.count + count, sum: (tally.sum + sum) % SUM_MODULUS });
}

/** The search entries of words of something, by default of all, with what a search shows or sorts by. */
export function tallyOfEntries(each: Searchable, words = allWords(each)): Tally {
  const { words: all, at, name, payment_provider } = each.attributes;
  const digests = words.map((word) => digestOf([word, all, at, name, payment_provider]));
  return { count: digests.length, sum: digests.reduce((sum, digest) => (sum + digest) % SUM_MODULUS, 0) };
}

export const nameOfEntries = ({ acquirer, id }: Pick<Searchable, 'acquirer' | 'id'>): string => `${acquirer} ${id}`;
