import type { Key, WordList } from '../../../../lib/table/keys.ts';
import type { AcrossItems } from './invariant.ts';
import type { Snapshot } from './snapshot.ts';
import { nameOfEntries, type Tally } from './tally.ts';

/**
 * Compares the search entries of each branch or master merchant with the expected ones.
 *
 * @param keyOf The item to report.
 * @param expected The expected entries per acquirer and id; without a tally if an invalid item makes them unknown.
 */
export const comparingEntries = (
  list: WordList,
  keyOf: (acquirer: string, id: string) => Key,
  expected: (all: Snapshot) => Iterable<[acquirer: string, id: string, entries: Tally | false | undefined]>,
): AcrossItems => ({
  *acrossItems(all) {
    const known = new Set<string>();
    for (const [acquirer, id, entries] of expected(all)) {
      const name = nameOfEntries({ acquirer, id });
      known.add(name);
      const { count, sum } = all.trail.entries[list].get(name) ?? { count: 0, sum: 0 };
      if (!entries || (count === entries.count && sum === entries.sum)) continue;
      const instead = count === entries.count ? 'some with wrong words or attributes' : `expected ${entries.count}`;
      yield [keyOf(acquirer, id), `The search entries of ${acquirer}: ${count}, ${instead}.`];
    }
    for (const [name, { count }] of all.trail.entries[list]) {
      const [acquirer = '', id = ''] = name.split(' ');
      if (!known.has(name)) yield [keyOf(acquirer, id), `The search entries of ${acquirer}: ${count}, expected none.`];
    }
  },
});
