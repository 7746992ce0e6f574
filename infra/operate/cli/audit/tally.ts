import { allWords, type Searchable } from '../../../../lib/table/searchEntries.ts';
import { digestOf } from './digests.ts';

/** The number of some values and the sum of their digests, which does not depend on their order. */
export interface Tally {
  count: number;
  sum: number;
}

/** Below 2^53 with a 48-bit digest added, so sums are exact. */
const SUM_MODULUS = 2 ** 48;

/** Adds a tally to another one. */
export function add(tally: Tally, { count, sum }: Tally): void {
  tally.count += count;
  tally.sum = (tally.sum + sum) % SUM_MODULUS;
}

/** Adds a value, by its digest, to a tally. */
export const count = (tally: Tally, digest: number): void => add(tally, { count: 1, sum: digest });

/** The tally with a name, which is made if there is none. */
export function tallyIn(tallies: Map<string, Tally>, name: string): Tally {
  const tally = tallies.get(name) ?? { count: 0, sum: 0 };
  tallies.set(name, tally);
  return tally;
}

/** The search entries of words of something, by default of all, with what a search shows or sorts by. */
export function tallyOfEntries(each: Searchable, words = allWords(each)): Tally {
  const tally = { count: 0, sum: 0 };
  const { words: all, at, name, payment_provider } = each.attributes;
  for (const word of words) count(tally, digestOf([word, all, at, name, payment_provider]));
  return tally;
}

export const nameOfEntries = ({ acquirer, id }: Pick<Searchable, 'acquirer' | 'id'>): string => `${acquirer} ${id}`;
