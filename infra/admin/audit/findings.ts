import { type Key, unsortedWordsKey, type WordList } from '../../../lib/table/keys.ts';
import type { Invariant } from './invariant.ts';
import type { Snapshot } from './snapshot.ts';
import { nameOfFinds, type Tally } from './trail.ts';

/** What an acquirer must find. */
interface Finding {
  /** The item that says so. */
  key: Key;
  acquirer: string;
  id: string;
  /** The words by which it must be found. */
  finds: Tally;
}

/** Compares the entries of words with those that there must be. */
export const findings = (
  list: WordList,
  expected: (all: Snapshot) => Iterable<Finding>,
): Pick<Across, 'acrossItems'> => ({
  *acrossItems(all) {
    const known = new Set<string>();
    for (const { key, acquirer, id, finds } of expected(all)) {
      const name = nameOfFinds({ list, acquirer, id });
      known.add(name);
      const { count, sum } = all.trail.finds.get(name) ?? { count: 0, sum: 0 };
      const isRight = count === finds.count && sum === finds.sum;
      yield [key, !isRight && `${acquirer} finds it by ${count} words; expected its ${finds.count}.`];
    }
    for (const name of all.trail.finds.keys()) {
      const [ofList, acquirer = '', id = ''] = name.split(' ');
      if (ofList === list && !known.has(name)) yield [unsortedWordsKey(list, acquirer, id), 'It leads to nothing.'];
    }
  },
});

type Across = Extract<Invariant, { acrossItems: unknown }>;
