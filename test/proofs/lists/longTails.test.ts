import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { getItem, table } from '../../../lib/table/client.ts';
import { branchKey, branchListEntryKey, branchListKey } from '../../../lib/table/keys.ts';
import { type ApiResponse, call, type Request } from '../../support/api.ts';
import { storeMany } from '../../support/storeMany.ts';
import { tableRequestsBy } from '../../support/tableRequests.ts';
import { type Caller, newAcquirer, newBranch, unique } from '../../support/world.ts';

/*
 * Branch lists with thousands of unranked branches. The items are stored directly, as so many creates would take
 * minutes.
 */

const POLICY = { ...SEALING };
/** Every item stored here is old enough to be ranked. */
const EAGER = { horizonMs: -3_600_000, least: POLICY.least, most: POLICY.most };
const TIMEOUT_MS = 180_000;

beforeEach(() => {
  SEALING.horizonMs = Number.POSITIVE_INFINITY;
});
afterEach(() => {
  Object.assign(SEALING, POLICY);
  table.middlewareStack.remove('between');
});

interface Tail {
  provider: Caller;
  list: (query: Request['query']) => Promise<ApiResponse>;
  numbersIn: (response: ApiResponse) => number[];
}

/**
 * A payment provider with `count` unranked branches. Unless `isWhole` is set, branches that no page of the test shows
 * have only an entry in the list.
 */
async function newTail(count: number, isWhole: boolean): Promise<Tail> {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const prefix = unique('L');
  const midOf = (number: number) => `${prefix}N${String(number).padStart(5, '0')}`;
  await newBranch(provider, { mid: midOf(1) });
  const first = await getItem<{ created_at: string }>(branchKey(midOf(1)));
  const start = Date.parse(first?.created_at ?? '');
  const timeOf = (number: number) => new Date(start + number - 1).toISOString();
  const branchAt = (number: number) => {
    const mid = midOf(number);
    return { ...first, ...branchKey(mid), mid, created_at: timeOf(number), provider_position: start + number - 1 };
  };
  await storeMany(2, count, (number) => branchListEntryKey(provider.id, timeOf(number), midOf(number)));
  if (isWhole) await storeMany(2, count, branchAt);
  else {
    await storeMany(2, 500, branchAt);
    await storeMany(count - 99, count, branchAt);
  }
  return {
    provider,
    list: (query) => call('listBranches', { key: provider.key, query: { per_page: '10', ...query } }),
    numbersIn: ({ body }) => body.data.map(({ mid }: { mid: string }) => Number(mid.slice(-5))),
  };
}

const from = (first: number, last: number) =>
  Array.from({ length: Math.abs(last - first) + 1 }, (_, at) => first + at * Math.sign(last - first));

/** Whether a request reads a branch list's entries from the table itself. */
const readsList = (input: unknown): boolean => {
  const { ExpressionAttributeValues: values = {} } = input as { ExpressionAttributeValues?: Record<string, unknown> };
  return values[':prefix'] === 'BRANCH_LIST';
};

const countOf = async ({ provider }: Tail) =>
  (await getItem<{ count: number }>(branchListKey(provider.id)))?.count ?? 0;

test(
  'listBranches returns exact pages of 5,000 imported branches while each request ranks some in one transaction',
  async () => {
    const tail = await newTail(5_000, true);
    const { list, numbersIn } = tail;
    Object.assign(SEALING, EAGER);
    for (let round = 1; round <= 8; round += 1) {
      const pages = await Promise.all([
        list({}),
        list({ sort: 'asc' }),
        list({ sort: 'asc', page: '251' }),
        list({ sort: 'asc', page: String(round * 2) }),
      ]);
      expect(pages.map(numbersIn)).toEqual([
        from(5_000, 4_991),
        from(1, 10),
        from(2_501, 2_510),
        from(round * 20 - 9, round * 20),
      ]);
      for (const { body } of pages) expect(body.meta.total).toBe(5_000);
    }
    const before = await countOf(tail);
    const { requests } = await tableRequestsBy(() => list({}));
    expect(requests.filter(({ operation }) => operation === 'TransactWriteItems')).toHaveLength(1);
    expect(await countOf(tail)).toBe(before + POLICY.most);
    expect(before).toBeGreaterThanOrEqual(8 * POLICY.most);
  },
  TIMEOUT_MS,
);

test(
  'listBranches returns exact pages of 20,000 branches although other requests rank some between its reads',
  async () => {
    const tail = await newTail(20_000, false);
    const { list, numbersIn } = tail;
    let reads = 0;
    let isBusy = false;
    table.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        if (isBusy || !readsList(args.input)) return result;
        reads += 1;
        isBusy = true;
        // Twice, because the second seal removes the entries of the first.
        Object.assign(SEALING, EAGER);
        for (let seal = 1; seal <= 2; seal += 1) await list({ per_page: '1' });
        SEALING.horizonMs = Number.POSITIVE_INFINITY;
        isBusy = false;
        return result;
      },
      { step: 'initialize', name: 'between' },
    );
    const [newest, oldest] = [await list({}), await list({ sort: 'asc' })];
    table.middlewareStack.remove('between');
    expect(reads).toBeGreaterThanOrEqual(6);
    expect(await countOf(tail)).toBe(reads * 2 * POLICY.most);
    expect([newest, oldest].map(numbersIn)).toEqual([from(20_000, 19_991), from(1, 10)]);
    expect([newest, oldest].map(({ body }) => body.meta.total)).toEqual([20_000, 20_000]);
  },
  TIMEOUT_MS,
);
