import type { Branch } from '../../lib/branches/branch.ts';
import { getItem } from '../../lib/table/client.ts';
import { branchKey } from '../../lib/table/keys.ts';
import { itemsOf } from '../support/storeBranches.ts';
import { storeMany } from '../support/storeMany.ts';
import { metered } from './meter.ts';
import { atMost, countsOf, type Figures, type Options, type Part, type Result, type Row } from './part.ts';
import { figure } from './tables.ts';
import { type Caller, newAcquirer, newBranch, succeed } from './world.ts';

/** A check has only the smallest. */
const SIZES = [1_000, 10_000, 100_000];

/** Words of the newest branches, by how many have them. All have the word `porto`. */
const MOST = { one: 1, hundred: 100, thousand: 1_000, harbour: 5_000, cafe: 5_000, docks: 5_000, fish: 5_000 };
const COMMON = 'harbour cafe porto docks';

/** The searches, and how many branches match; without a number, all. */
const SEARCHES: [search: string, matches?: number][] = [
  ['one', 1],
  ['hundred', 100],
  ['thousand', 1_000],
  ['porto'],
  ['cafe hundred', 100],
  [`${COMMON} hundred`, 100],
  [`${COMMON} thousand`, 1_000],
  [`${COMMON} fish`, 5_000],
];

/** The entries of these words alone, because no search reads others. */
const SEARCHED = ['porto', ...Object.keys(MOST)].map((word) => `${word.toUpperCase()}#`);

/** A payment provider with `count` branches. All but the first are stored directly, because creates would take hours. */
async function newBranches(count: number): Promise<Caller> {
  const caller = await newAcquirer('PAYMENT_PROVIDER');
  const { mid } = await newBranch(caller, { city: 'Porto', mid: `SEARCH${count}N` });
  const first = (await getItem<Branch>(branchKey(mid))) as Branch;
  const itemsAt = (place: number): object[] => {
    const merchant_name = Object.keys(MOST)
      .filter((word) => place > count - MOST[word as keyof typeof MOST])
      .join(' ');
    const created_at = new Date(Date.parse(first.created_at) + place).toISOString();
    const named = { ...first, mid: `SEARCH${count}N${place}`, merchant_name, created_at, updated_at: created_at };
    return itemsOf(named).filter(
      ({ pk, sk }) => !pk.startsWith('WORDS#') || SEARCHED.some((word) => sk.startsWith(word)),
    );
  };
  const PER_ROUND = 1_000;
  for (let from = 1; from <= count; from += PER_ROUND) {
    const items = Array.from({ length: Math.min(PER_ROUND, count - from + 1) }, (_, at) => itemsAt(from + at)).flat();
    await storeMany(0, items.length - 1, (at) => items[at] as object);
  }
  return caller;
}

const MOST_UNITS = { rare: 20, any: 80 };

async function measure({ check }: Options): Promise<Result> {
  const rows: Row[] = [];
  const counts: Figures = {};
  const used: { isRare: boolean; isDefault: boolean; units: number; inSequence: number }[] = [];
  for (const size of check ? SIZES.slice(0, 1) : SIZES) {
    const { key } = await newBranches(size);
    await succeed('listBranches', { key });
    for (const [search, matches = size] of SEARCHES)
      for (const per_page of ['10', '100']) {
        const query = { search, per_page };
        const { result, usage } = await metered(() => succeed('listBranches', { key, query }));
        const { meta, warnings = [] } = result.body;
        const isWhole = warnings.length === 0;
        // The first branch has the word `porto` too.
        const expected = search === 'porto' ? matches + 1 : Math.min(matches, size);
        if (isWhole ? meta.total !== expected : expected <= 1_000)
          throw new Error(`${search} finds ${meta.total} of ${expected} branches${isWhole ? '' : ', with a warning'}.`);
        const figures = {
          'read units': usage.readUnits,
          requests: usage.requests,
          'requests in sequence': usage.inSequence,
        };
        rows.push({
          branches: size,
          search,
          matches: expected,
          found: meta.total,
          'per page': Number(per_page),
          ...figures,
        });
        Object.assign(counts, countsOf(`${search}, ${per_page} of ${figure(size)} branches`, figures));
        const isDefault = per_page === '10';
        used.push({ isRare: expected <= 100, isDefault, units: usage.readUnits, inSequence: usage.inSequence });
      }
  }
  const most = (of: (each: (typeof used)[number]) => number, isWanted = (_: (typeof used)[number]) => true) =>
    Math.max(...used.filter(isWanted).map(of));
  const units = ({ units }: { units: number }) => units;
  return {
    tables: [{ title: 'Searches of branches', rows }],
    targets: [
      atMost(
        MOST_UNITS.rare,
        'read units of a search with a word of at most 100 branches, 10 per page',
        most(units, ({ isRare, isDefault }) => isRare && isDefault),
      ),
      atMost(
        MOST_UNITS.any,
        'read units of any search, 10 per page',
        most(units, ({ isDefault }) => isDefault),
      ),
      atMost(
        4,
        'requests in sequence of any search',
        most(({ inSequence }) => inSequence),
      ),
    ],
    counts,
    notes: [
      'A search reads the entries of the rarest of its words, and the branches of the page by key: half a unit for each.',
      'If each word is in more than about 1,000 branches, a search reads about 1,000 of one, and warns.',
    ],
  };
}

/** Costs of searches, by how common their words are. */
export const searches: Part = {
  title: 'Searches of branches',
  about:
    'Searches by one and by five words among 1,000, 10,000 and 100,000 branches, with rare and with common words, and with pages of 10 and of 100.',
  isSampled: true,
  measure,
};
