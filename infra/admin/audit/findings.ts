import type { Key, WordList } from '../../../lib/table/keys.ts';
import type { AcrossItems } from './invariant.ts';
import type { Snapshot } from './snapshot.ts';
import { nameOfFinds, type Tally } from './tally.ts';

/**
 * Compares what acquirers find by words with what they must find.
 *
 * @param keyOf The item that lets an acquirer find something.
 * @param expected What acquirers find, by which words; without a tally if that is unknown because an item is invalid.
 */
export const findings = (
  list: WordList,
  keyOf: (acquirer: string, id: string) => Key,
  expected: (all: Snapshot) => Iterable<[acquirer: string, id: string, finds: Tally | false | undefined]>,
): AcrossItems => ({
  *acrossItems(all) {
    const known = new Set<string>();
    for (const [acquirer, id, finds] of expected(all)) {
      const name = nameOfFinds({ acquirer, id });
      known.add(name);
      const { count, sum } = all.trail.finds[list].get(name) ?? { count: 0, sum: 0 };
      if (!finds || (count === finds.count && sum === finds.sum)) continue;
      const instead = count === finds.count ? 'not all of them its own' : `expected ${finds.count}`;
      yield [keyOf(acquirer, id), `${acquirer} finds it by ${count} words; ${instead}.`];
    }
    for (const [name, { count }] of all.trail.finds[list]) {
      const [acquirer = '', id = ''] = name.split(' ');
      if (!known.has(name)) yield [keyOf(acquirer, id), `${acquirer} finds it by ${count} words; expected none.`];
    }
  },
});
