import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { getItem, table } from '../../../lib/table/client.ts';
import { branchKey, branchListEntryKey, branchListKey } from '../../../lib/table/keys.ts';
import { type ApiResponse, call, type Request } from '../../support/api.ts';
import { deep } from '../../support/depth.ts';
import '../../../infra/local/patient.ts';
import { storeMany } from '../../support/storeMany.ts';
import { newAcquirer, newBranch, unique } from '../../support/world.ts';

/*
 * Branch lists with many unranked branches. The items are stored directly, as so many creates would take minutes.
 */

const POLICY = { ...SEALING };
/** Every item stored here is old enough to be ranked. */
const EAGER = { horizonMs: -3_600_000, least: POLICY.least, most: POLICY.most };

beforeEach(() => {
  SEALING.horizonMs = Number.POSITIVE_INFINITY;
});
afterEach(() => {
  Object.assign(SEALING, POLICY);
  table.middlewareStack.remove('between');
});

/**
 * A payment provider with `count` unranked branches, whose entries in the list are of so many bytes more than usual.
 */
async function newTail(count: number, bytes: number) {
  const { id, key, ...provider } = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const prefix = unique('L');
  const midOf = (number: number) => `${prefix}N${String(number).padStart(5, '0')}`;
  await newBranch({ id, key, ...provider }, { mid: midOf(1) });
  const first = await getItem<{ created_at: string }>(branchKey(midOf(1)));
  const start = Date.parse(first?.created_at ?? '');
  const timeOf = (number: number) => new Date(start + number - 1).toISOString();
  const filler = 'x'.repeat(bytes);
  await storeMany(2, count, (number) => ({ ...branchListEntryKey(id, timeOf(number), midOf(number)), filler }));
  await storeMany(2, count, (number) => {
    const mid = midOf(number);
    return { ...first, ...branchKey(mid), mid, created_at: timeOf(number), provider_position: start + number - 1 };
  });
  return {
    list: (query: Request['query']) => call('listBranches', { key, query: { per_page: '10', ...query } }),
    numbersIn: ({ body }: ApiResponse) => body.data.map(({ mid }: { mid: string }) => Number(mid.slice(-5))),
    ranked: async () => (await getItem<{ count: number }>(branchListKey(id)))?.count ?? 0,
  };
}

const from = (first: number, last: number) =>
  Array.from({ length: Math.abs(last - first) + 1 }, (_, at) => first + at * Math.sign(last - first));

/** Whether a request reads a branch list's entries from the table itself. */
const readsList = (input: unknown): boolean => {
  const { ExpressionAttributeValues: values = {} } = input as { ExpressionAttributeValues?: Record<string, unknown> };
  return values[':prefix'] === 'BRANCH_LIST';
};

test('listBranches returns exact pages although other requests rank branches between its reads', async () => {
  // A read of all entries takes at least two pages of 1 MB, with 20,000 entries of the usual size too.
  const [COUNT, BYTES] = deep ? [20_000, 0] : [400, 4_000];
  const { list, numbersIn, ranked } = await newTail(COUNT, BYTES);
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
  expect(reads).toBeGreaterThanOrEqual(4);
  expect(await ranked()).toBe(reads * 2 * POLICY.most);
  expect([newest, oldest].map(numbersIn)).toEqual([from(COUNT, COUNT - 9), from(1, 10)]);
  expect([newest, oldest].map(({ body }) => body.meta.total)).toEqual([COUNT, COUNT]);
});
