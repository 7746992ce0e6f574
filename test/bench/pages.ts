import { type List, newBranchList, walk } from './lists.ts';
import { metered, type Usage } from './meter.ts';
import type { Part, Row } from './report.ts';
import { call } from './world.ts';

const PER_PAGE = 10;

/**
 * Reads a page and returns its table usage.
 *
 * @throws Error if these are not the items of the page, because its cost would then mean nothing.
 */
async function costOf({ mids }: List, sort: string, page: number, read: () => Promise<Row[]>): Promise<Usage> {
  const { result, usage } = await metered(read);
  const found = result.map(({ mid }) => mid);
  const sorted = sort === 'asc' ? mids : mids.toReversed();
  const expected = sorted.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  if (found.join() !== expected.join()) throw new Error(`Page ${page}, ${sort}, has ${found} and not ${expected}.`);
  return usage;
}

/** Reads the first, middle and last page of a list in both orders from the API. */
export async function pagesOf(list: List) {
  const { key, mids } = list;
  const last = mids.length / PER_PAGE;
  // From here on the key is cached.
  await call('listBranches', { key });
  const rows = [];
  for (const sort of ['asc', 'desc'] as const)
    for (const page of [1, last / 2, last]) {
      const query = { sort, page: String(page), per_page: String(PER_PAGE) };
      const read = async () => {
        const { data, meta } = (await call('listBranches', { key, query })).body;
        if (meta.total !== mids.length) throw new Error(`The total is ${meta.total} and not ${mids.length}.`);
        return data;
      };
      const { readUnits, requests, inSequence } = await costOf(list, sort, page, read);
      rows.push({ sort, page, 'read units': readUnits, requests, 'in sequence': inSequence });
    }
  return rows;
}

/** Costs of pages of long lists at their ends and in the middle, compared with those without ranks. */
export const pages: Part = {
  title: 'Pages of long lists',
  about:
    'Pages of 10 branches. Next to them, the same pages in DynamoDB without ranks: read from the oldest on in ' +
    'requests of up to 1 MB, directly on the table. `test/bench/main.slow.test.ts` asserts the counts.',
  async measure() {
    const branches: Row[] = [];
    for (const size of [1_000, 100_000]) {
      const list = await newBranchList(size);
      for (const { sort, ...row } of await pagesOf(list)) {
        // Walks are measured in one order, and ours cost the same in both.
        if (sort === 'desc') continue;
        const read = async () => (await walk(list, row.page * PER_PAGE)).slice(-PER_PAGE) as Row[];
        const { readUnits, requests } = await costOf(list, sort, row.page, read);
        branches.push({ branches: size, ...row, 'read units, no ranks': readUnits, 'requests, no ranks': requests });
      }
    }
    return {
      tables: { 'Each page': branches },
      notes: [
        'Read units are those of 10 items of usual size. A page takes 0.5 units for each 4 KB, so fields of 255 ' +
          'characters make a page more expensive, at any depth.',
      ],
    };
  },
};
