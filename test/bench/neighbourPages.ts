import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiResponse } from '../support/invoke.ts';
import type { Row } from './part.ts';
import { ask, type Caller, plainBranch } from './world.ts';

/*
 * Readers page through a list while many creators add to it. Each page is compared with the known creates: its total
 * must include those acknowledged before the request, and cannot include those begun after the response.
 */

const CREATORS = 32;
const READERS = 6;
/**
 * All creators start together, then pause for at most this long. Otherwise DynamoDB Local has no capacity for readers.
 */
const PAUSE_MS = 2_000;
/** One of so many pages is the first page, read right after a create of the reader's own. */
const OWN_EVERY = 10;

interface Listed {
  mid: string;
  created_at: string;
}

interface Asked {
  sort: 'asc' | 'desc';
  page: number;
  per_page: number;
}

const below = (count: number): number => Math.floor(Math.random() * count);
const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;

/** Any page, often at an end of the list, where creates show. */
function anyPage(total: number): Asked {
  const per_page = pick([1, 2, 10, 25, 100, 1 + below(100)]);
  const last = Math.max(1, Math.ceil(total / per_page));
  return { sort: pick(['asc', 'desc']), per_page, page: pick([1, 2, last, last + 1, 1 + below(last)]) };
}

const list = ({ key }: Caller, { sort, page, per_page }: Asked): Promise<ApiResponse> =>
  ask('listBranches', { key, query: { sort, page: `${page}`, per_page: `${per_page}` } });

/** The first error of a page, if any. Its total must be between `least` and `most`. */
function wrongOf(
  { status, body }: ApiResponse,
  { sort, page, per_page }: Asked,
  least: number,
  most: number,
  own?: Listed,
): string | undefined {
  if (status !== 200) return 'failed';
  const { total }: { total: number } = body.meta;
  const data: Listed[] = body.data;
  if (total < least) return 'total too low';
  if (total > most) return 'total too high';
  if (data.length !== Math.max(0, Math.min(per_page, total - (page - 1) * per_page))) return 'short or long';
  if (new Set(data.map(({ mid }) => mid)).size !== data.length) return 'a MID twice';
  const times = data.map(({ created_at }) => created_at);
  const sorted = sort === 'asc' ? times.toSorted() : times.toSorted().reverse();
  if (times.join() !== sorted.join()) return 'out of order';
  // If others have filled the page since, it proves nothing.
  const isReached = own && (data.length < per_page || (times.at(-1) as string) < own.created_at);
  if (isReached && !data.some(({ mid }) => mid === own.mid)) return 'own create missing';
  return undefined;
}

/** The MIDs that are missing or extra in whole lists of all creates. A failed create may still have been applied. */
async function differencesOf(callers: readonly Caller[], created: string[], failed: number): Promise<number> {
  let differences = 0;
  for (const caller of callers)
    for (const sort of ['asc', 'desc'] as const) {
      const listed: string[] = [];
      for (let page = 1; listed.length === (page - 1) * 100; page += 1)
        listed.push(...(await list(caller, { sort, page, per_page: 100 })).body.data.map(({ mid }: Listed) => mid));
      const shown = new Set(listed);
      differences += created.filter((mid) => !shown.has(mid)).length;
      differences += listed.length - shown.size + Math.max(0, shown.size - created.length - failed);
    }
  return differences;
}

/**
 * Checks pages of a payment provider's and its distributor's lists while branches of both are created.
 *
 * @param settled resolves when the indexes show every write.
 */
export async function checkPages(
  { provider, distributor }: { provider: Caller; distributor: Caller },
  pages: number,
  settled: () => Promise<void>,
): Promise<{ wrongs: string[]; row: Row }> {
  const callers = [provider, distributor] as const;
  const wrongs: string[] = [];
  const created: string[] = [];
  let [begun, checked, asked, failed] = [0, 0, 0, 0];

  async function create(): Promise<Listed | undefined> {
    begun += 1;
    const body = { ...plainBranch(), distributor: distributor.id };
    const { status, body: response } = await ask('createBranch', { key: provider.key, body });
    if (status === 201) created.push(response.data.mid);
    else failed += 1;
    return response.data;
  }

  const reader = async () => {
    while (asked < pages) {
      asked += 1;
      const own = asked % OWN_EVERY === 0 ? await create() : undefined;
      const least = created.length;
      const request: Asked = own ? { sort: 'desc', page: 1, per_page: 100 } : anyPage(least);
      const response = await list(pick(callers), request);
      const wrong = wrongOf(response, request, least, begun, own);
      if (wrong) wrongs.push(wrong);
      checked += 1;
    }
  };
  const creators = async () => {
    while (checked < pages) {
      await Promise.all(Array.from({ length: CREATORS }, create));
      await sleep(Math.random() * PAUSE_MS);
    }
  };
  await Promise.all([creators(), ...Array.from({ length: READERS }, reader)]);
  await settled();
  const differences = await differencesOf(callers, created, failed);
  wrongs.push(...Array<string>(differences).fill('lost or extra at the end'));
  const row = {
    creators: CREATORS,
    'branches created': created.length,
    'creates failed': failed,
    pages: checked,
    'wrong pages': wrongs.length,
    'how they are wrong': [...new Set(wrongs)].join(', ') || '-',
  };
  return { wrongs, row };
}
