import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { getItem } from '../../../lib/table/client.ts';
import { branchOrder, type Key, terminalKey } from '../../../lib/table/keys.ts';
import { put, remove as removeItem, transact } from '../../../lib/table/transaction.ts';
import { type ApiResponse, call, expectProblem } from '../../support/api.ts';
import { speedUpClock } from '../../support/clock.ts';
import { SERVICE_BUSY } from '../../support/constants.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { captureLog } from '../../support/log.ts';
import { operationsOf, tableRequestsBy, unitsOf } from '../../support/tableRequests.ts';
import { newBranch, unique, useProvider } from '../../support/world.ts';
import { beforeNext, intercept, type Sent } from '../table/intercept.ts';

/* Lists of terminals include the latest changes even when the index lags. */

type Row = Record<string, unknown> & { tid: string; created_at: string; terminal_id: string };

const provider = useProvider();
afterEach(() => void jest.restoreAllMocks());
afterAll(expectNoViolations);

const list = (mid: string, query: Record<string, string> = {}) =>
  call('listTerminals', { key: provider.key, path: { id: mid }, query });

const move = (id: string, mid: string) => call('reassignTerminal', { key: provider.key, path: { id }, body: { mid } });

/** Creates a branch with up to 40 terminals, numbered from 1. */
async function newTerminals(count: number) {
  const { mid } = await newBranch(provider);
  const prefix = unique('T');
  const tids: string[] = [];
  const create = async (...numbers: number[]) => {
    const terminals = numbers.map((number) => ({ terminal_id: `${prefix}${number}` }));
    const { body } = await call('createTerminals', { key: provider.key, path: { id: mid }, body: { terminals } });
    tids.push(...body.data.map(({ tid }: Row) => tid));
  };
  if (count > 0) await create(...Array.from({ length: count }, (_, at) => at + 1));
  return {
    mid,
    create,
    tidOf: (number: number) => tids[number - 1] as string,
    remove: (number: number) => call('deleteTerminal', { key: provider.key, path: { id: tids[number - 1] as string } }),
    numbersIn: ({ body }: ApiResponse) =>
      body.data.map(({ terminal_id }: Row) => Number(terminal_id.slice(prefix.length))) as number[],
  };
}
type Branch = Awaited<ReturnType<typeof newTerminals>>;

/** From now on, the index returns only the terminals that it has now, all of which were created in one request. */
async function freezeIndex(...mids: string[]): Promise<void> {
  const rows = new Map<unknown, (Row & { branch_order: string })[]>();
  for (const mid of mids) {
    const { body } = await list(mid, { sort: 'asc', per_page: '100' });
    const rowOf = (row: Row, at: number) => ({ ...row, branch_order: branchOrder(row.created_at, at, row.tid) });
    rows.set(mid, body.data.map(rowOf));
  }
  intercept(async (send, { input }) => {
    const result = await send();
    const { IndexName, Limit, ExpressionAttributeValues } = input as { [name: string]: Record<string, string> };
    if (!IndexName) return result;
    const { ':mid': mid, ':first': first = '', ':last': last = '' } = ExpressionAttributeValues ?? {};
    const all = (rows.get(mid) ?? []).filter(({ branch_order }) => branch_order >= first && branch_order <= last);
    return { ...result, output: { ...result.output, Items: all.slice(0, Number(Limit)), LastEvaluatedKey: undefined } };
  });
}

/** Reads every page of a list in an order, two terminals each, and asserts that their lengths match the total. */
async function numbersOf({ mid, numbersIn }: Branch, sort: 'asc' | 'desc'): Promise<number[]> {
  const numbers: number[] = [];
  for (let page = 1, last = 1; page <= last; page += 1) {
    const response = await list(mid, { sort, per_page: '2', page: String(page) });
    const { total } = response.body.meta;
    last = Math.ceil(total / 2);
    expect(response.body.data).toHaveLength(Math.max(Math.min(2, total - (page - 1) * 2), 0));
    numbers.push(...numbersIn(response));
  }
  return numbers;
}

describe('with an index that lags, the next list', () => {
  test.each<[string, number, (branch: Branch) => Promise<unknown>, number[]]>([
    ['includes the first terminals', 0, ({ create }) => create(1, 2, 3), [1, 2, 3]],
    ['includes terminals in request order', 3, ({ create }) => create(4, 5).then(() => create(6)), [1, 2, 3, 4, 5, 6]],
    ['omits the first terminal if it was deleted', 5, ({ remove }) => remove(1), [2, 3, 4, 5]],
    // The index still has it between the two of a page, whose second it displaces.
    ['omits a terminal that was deleted', 5, ({ remove }) => remove(2), [1, 3, 4, 5]],
    ['omits the last terminal if it was deleted', 5, ({ remove }) => remove(5), [1, 2, 3, 4]],
    [
      'has a terminal that was deleted and created again once, at its new position',
      3,
      ({ create, remove }) => remove(1).then(() => create(1)),
      [2, 3, 1],
    ],
  ])('%s', async (_, count, change, numbers) => {
    const branch = await newTerminals(count);
    await freezeIndex(branch.mid);
    await change(branch);
    expect(await numbersOf(branch, 'asc')).toEqual(numbers);
    expect(await numbersOf(branch, 'desc')).toEqual(numbers.toReversed());
  });

  test('has a reassigned terminal only in its target, at the position of its created_at', async () => {
    const [from, to] = [await newTerminals(2), await newTerminals(2)];
    await freezeIndex(from.mid, to.mid);
    const id = from.tidOf(1);
    const tidsOf = async ({ mid }: Branch) => (await list(mid, { sort: 'asc' })).body.data.map(({ tid }: Row) => tid);
    const here = [id, from.tidOf(2)];
    const there = [to.tidOf(1), to.tidOf(2)];
    // There, back and there again.
    for (const target of [to, from, to]) {
      await move(id, target.mid);
      const expected = target === to ? [here.slice(1), [id, ...there]] : [here, there];
      expect([await tidsOf(from), await tidsOf(to)]).toEqual(expected);
    }
  });

  test('costs one more request for what the index does not return yet', async () => {
    const { mid, create } = await newTerminals(3);
    const operations = async () => operationsOf(await tableRequestsBy(() => list(mid)));
    expect(await operations()).toBe('GetItem Query');
    await freezeIndex(mid);
    await create(4);
    expect(await operations()).toBe('GetItem Query BatchGetItem');
  });
});

describe('a list', () => {
  test.each<[string, (branch: Branch) => Promise<unknown>]>([
    ['is deleted', ({ remove }) => remove(2)],
    ['moves to another branch', async ({ tidOf }) => move(tidOf(2), (await newBranch(provider)).mid)],
  ])('is read again when a terminal %s while it is read', async (_, change) => {
    const branch = await newTerminals(3);
    const readsIndex = ({ input }: Sent) => 'IndexName' in input;
    beforeNext(readsIndex, () => change(branch));
    expect(branch.numbersIn(await list(branch.mid, { sort: 'asc' }))).toEqual([1, 3]);
  });

  test('returns server_error when it names a terminal that is nowhere for longer than a request can wait', async () => {
    const { mid, tidOf } = await newTerminals(2);
    captureLog();
    speedUpClock();
    const key = terminalKey(tidOf(1));
    const { pk, sk, ...terminal } = (await getItem<object>(key)) as Key;
    await transact([removeItem(key)]);
    expectProblem(await list(mid), 'server_error', SERVICE_BUSY);
    await transact([put(key, terminal)]);
  });

  test('costs the same at any depth', async () => {
    const { mid } = await newTerminals(40);
    for (const page of ['1', '2', '4'])
      for (const sort of ['asc', 'desc']) {
        const sent = await tableRequestsBy(() => list(mid, { sort, page }));
        expect(sent.response.body).toMatchObject({ data: Array(10).fill({ mid }), meta: { total: 40 } });
        expect(operationsOf(sent)).toBe('GetItem Query');
        // The branch, and ten entries of the index.
        expect(unitsOf(sent)).toBe(1 + 0.5);
      }
  });
});
