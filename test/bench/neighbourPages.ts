import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiResponse, eventOf, invoke } from '../support/invoke.ts';
import { median, quantile } from './statistics.ts';
import { type Caller, unique } from './world.ts';

/*
 * Readers page through a list while many creators add to it. Each page is compared with the known creates: its total
 * must include those acknowledged before the request, and cannot include those begun after the response.
 */

const CREATORS = 64;
const READERS = 6;
/**
 * All creators start together, then pause for at most this long. Otherwise DynamoDB Local has no capacity for readers.
 */
const PAUSE_MS = 2_000;
/** One of so many pages is the first page, read right after a create of the reader's own. */
const OWN_EVERY = 10;

/** The number of wrong pages, by the first error. */
export interface Wrongs {
  failed: number;
  'short or long': number;
  'a MID twice': number;
  'out of order': number;
  'total too low': number;
  'total too high': number;
  'own create missing': number;
  /** In the idle list, at the end. */
  'lost or extra at the end': number;
}

interface Listed {
  mid: string;
  created_at: string;
}

/** Creates that were begun, and acknowledged ones. */
interface Progress {
  begun: number;
  acknowledged: string[];
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
  invoke('listBranches', eventOf('listBranches', { key, query: { sort, page: `${page}`, per_page: `${per_page}` } }));

/** The first error of a page, if any. */
function wrongOf(
  { status, body }: ApiResponse,
  { sort, page, per_page }: Asked,
  { least, most, own }: { least: number; most: number; own: Listed | undefined },
): keyof Wrongs | undefined {
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

/**
 * Checks pages of a payment provider's and its distributor's lists while branches of both are created.
 *
 * @param settled resolves when the indexes show every write.
 */
export async function checkPages(
  { provider, distributor }: { provider: Caller; distributor: Caller },
  pages: number,
  settled: () => Promise<void>,
) {
  const callers = [provider, distributor] as const;
  const progress: Progress = { begun: 0, acknowledged: [] };
  const wrongs: Wrongs = {
    failed: 0,
    'short or long': 0,
    'a MID twice': 0,
    'out of order': 0,
    'total too low': 0,
    'total too high': 0,
    'own create missing': 0,
    'lost or extra at the end': 0,
  };
  let [checked, asked, own, failed] = [0, 0, 0, 0];
  const times: number[] = [];

  async function create(): Promise<Listed | undefined> {
    progress.begun += 1;
    const body = { mid: unique('M'), master_merchant_id: unique('MM'), distributor: distributor.id };
    const { status, body: response } = await invoke(
      'createBranch',
      eventOf('createBranch', { key: provider.key, body }),
    );
    if (status !== 201) {
      failed += 1;
      return undefined;
    }
    progress.acknowledged.push(response.data.mid);
    return response.data;
  }

  const reader = async () => {
    while (asked < pages) {
      asked += 1;
      const mine = asked % OWN_EVERY === 0 ? await create() : undefined;
      if (mine) own += 1;
      const least = progress.acknowledged.length;
      const request: Asked = mine ? { sort: 'desc', page: 1, per_page: 100 } : anyPage(least);
      const started = performance.now();
      const response = await list(pick(callers), request);
      times.push(performance.now() - started);
      const wrong = wrongOf(response, request, { least, most: progress.begun, own: mine });
      if (wrong) wrongs[wrong] += 1;
      checked += 1;
    }
  };
  const creators = async () => {
    while (checked < pages) {
      await Promise.all(Array.from({ length: CREATORS }, create));
      await sleep(Math.random() * PAUSE_MS);
    }
  };
  const started = performance.now();
  await Promise.all([creators(), ...Array.from({ length: READERS }, reader)]);
  const seconds = (performance.now() - started) / 1000;
  await settled();
  wrongs['lost or extra at the end'] = await differencesOf(callers, progress.acknowledged, failed);
  return {
    creators: CREATORS,
    wrongs,
    row: {
      pages: checked,
      "right after the reader's own create": own,
      'branches created': progress.acknowledged.length,
      'creates failed': failed,
      'creates per second': Number((progress.acknowledged.length / seconds).toFixed(1)),
      'a page (ms), median': Math.round(median(times)),
      'a page (ms), p99': Math.round(quantile(times, 0.99)),
    },
  };
}

/** The number of wrong MIDs in the whole lists. A failed create may still have been applied. */
async function differencesOf(callers: readonly Caller[], mids: string[], failed: number): Promise<number> {
  let differences = 0;
  for (const caller of callers)
    for (const sort of ['asc', 'desc'] as const) {
      const listed: string[] = [];
      let total = 1;
      for (let page = 1; listed.length < total; page += 1) {
        const { body } = await list(caller, { sort, page, per_page: 100 });
        total = body.meta.total;
        if (body.data.length === 0) break;
        listed.push(...body.data.map(({ mid }: Listed) => mid));
      }
      const shown = new Set(listed);
      differences += mids.filter((mid) => !shown.has(mid)).length;
      differences += listed.length - shown.size + Math.max(0, shown.size - mids.length - failed);
    }
  return differences;
}
