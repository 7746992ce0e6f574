import { expect } from '@jest/globals';
import type { List } from './lists.ts';
import { metered } from './meter.ts';
import { call } from './world.ts';

const PER_PAGE = 10;

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
      const { result, usage } = await metered(() => call('listBranches', { key, query }));
      const { data, meta } = result.body;
      const sorted = sort === 'asc' ? mids : mids.toReversed();
      // Its cost would mean nothing if these were not the branches of the page.
      expect(data.map(({ mid }: { mid: string }) => mid)).toEqual(sorted.slice((page - 1) * PER_PAGE, page * PER_PAGE));
      expect(meta.total).toBe(mids.length);
      const { readUnits, requests, inSequence } = usage;
      rows.push({ sort, page, 'read units': readUnits, requests, 'in sequence': inSequence });
    }
  return rows;
}
