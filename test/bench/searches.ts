import type { Branch } from '../../lib/branches/branch.ts';
import { getItem } from '../../lib/table/client.ts';
import { branchKey } from '../../lib/table/keys.ts';
import { storeBranches } from '../support/storeBranches.ts';
import { type Caller, newAcquirer, newBranch } from '../support/world.ts';
import { metered } from './meter.ts';
import { call } from './world.ts';

/** Words of the newest branches, by how many have them. All have the word `porto`. */
const MOST = { one: 1, hundred: 100, thousand: 1_000, harbour: 5_000, cafe: 5_000, docks: 5_000, fish: 5_000 };
const SEARCHES = [
  ...['one', 'hundred', 'thousand', 'porto', 'cafe hundred'],
  ...['hundred', 'thousand', 'fish'].map((word) => `harbour cafe porto docks ${word}`),
];

/**
 * A payment provider with `count` branches. All but the first are stored directly, because creates would take minutes.
 */
async function newBranches(count: number): Promise<Caller> {
  const caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { mid } = await newBranch(caller, { city: 'Porto', mid: `SEARCH${count}N` });
  const first = (await getItem<Branch>(branchKey(mid))) as Branch;
  const branchAt = (place: number): Branch => {
    const words = Object.entries(MOST).filter(([, most]) => place > count - most);
    const merchant_name = words.map(([word]) => word).join(' ');
    const created_at = new Date(Date.parse(first.created_at) + place).toISOString();
    return { ...first, mid: `SEARCH${count}N${place}`, merchant_name, created_at, updated_at: created_at };
  };
  await storeBranches(Array.from({ length: count }, (_, at) => branchAt(at + 1)));
  return caller;
}

/** Searches among `size` branches, each with pages of 10 and of 100. */
export async function searchesOf(size: number) {
  const { key } = await newBranches(size);
  await call('listBranches', { key });
  const rows = [];
  for (const search of SEARCHES) {
    const usageOf = async (per_page: string) => {
      // Caches the key, which a process forgets after 30 s.
      await call('getCaller', { key });
      return (await metered(() => call('listBranches', { key, query: { search, per_page } }))).usage;
    };
    const [ten, hundred] = [await usageOf('10'), await usageOf('100')];
    const units = { 'read units, page of 10': ten.readUnits, 'page of 100': hundred.readUnits };
    rows.push({ search, ...units, requests: ten.requests, 'in sequence': ten.inSequence });
  }
  return rows;
}
