import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { getItem, table } from '../../../lib/table/client.ts';
import { branchOrder, type Key, terminalKey } from '../../../lib/table/keys.ts';
import { put, remove as removeItem, transact } from '../../../lib/table/transaction.ts';
import { type ApiResponse, call, expectProblem } from '../../support/api.ts';
import { speedUpClock } from '../../support/clock.ts';
import { SERVICE_BUSY } from '../../support/constants.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { captureLog } from '../../support/log.ts';
import { operationsOf, tableRequestsBy, unitsOf } from '../../support/tableRequests.ts';
import { type Caller, newAcquirer, newBranch, numbered, unique } from '../../support/world.ts';

/* Lists of terminals include the latest changes even when the index lags. */

type Row = Record<string, unknown> & { tid: string; mid: string; created_at: string; branch_order: string };

let provider: Caller;
beforeEach(async () => {
  provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
});
afterEach(async () => {
  table.middlewareStack.remove('index');
  jest.useRealTimers();
  jest.restoreAllMocks();
  await expectNoViolations();
});

/** From now on, the index returns only the terminals that it has now. */
async function freezeIndex(mids: string[]): Promise<void> {
  const rows = new Map<string, Row[]>();
  for (const mid of mids) rows.set(mid, (await list(mid, { sort: 'asc', per_page: '100' })).body.data.map(rowOf));
  table.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const {
        IndexName,
        Limit,
        ExpressionAttributeValues = {},
      } = args.input as {
        IndexName?: string;
        Limit?: number;
        ExpressionAttributeValues?: Record<string, string>;
      };
      if (IndexName !== 'terminals-by-branch') return result;
      const { ':mid': mid = '', ':first': first = '', ':last': last = '' } = ExpressionAttributeValues;
      const output = result.output as unknown as { Items: Row[]; LastEvaluatedKey?: object };
      delete output.LastEvaluatedKey;
      const all = (rows.get(mid) ?? []).filter(({ branch_order }) => branch_order >= first && branch_order <= last);
      output.Items = all.slice(0, Limit);
      return result;
    },
    { step: 'initialize', name: 'index' },
  );
}

/** The row of a terminal in the index, from a response. Each terminal was created first in its request, or numbered. */
const rowOf = (terminal: Row, at: number): Row => ({
  ...terminal,
  branch_order: branchOrder(terminal.created_at, at, terminal.tid),
});

const list = (mid: string, query: Record<string, string> = {}) =>
  call('listTerminals', { key: provider.key, path: { id: mid }, query });
const idsIn = ({ body }: ApiResponse): string[] =>
  body.data.map(({ terminal_id }: { terminal_id: string }) => terminal_id);

/** Creates a branch with this many terminals, numbered from 1. */
async function newTerminals(count: number) {
  const { mid } = await newBranch(provider);
  const prefix = unique('T');
  const create = async (...numbers: number[]) => {
    const terminals = numbers.map((number) => ({ terminal_id: `${prefix}${number}` }));
    const { body } = await call('createTerminals', { key: provider.key, path: { id: mid }, body: { terminals } });
    return body.data.map(({ tid }: { tid: string }) => tid) as string[];
  };
  const tids = count > 0 ? await create(...numbered('', count).map(({ terminal_id }) => Number(terminal_id))) : [];
  const numbersIn = (response: ApiResponse) => idsIn(response).map((id) => Number(id.slice(prefix.length)));
  return { mid, tids, create, numbersIn };
}
const remove = (id: string | undefined) => call('deleteTerminal', { key: provider.key, path: { id: id ?? '' } });
const reassign = (id: string | undefined, mid: string) =>
  call('reassignTerminal', { key: provider.key, path: { id: id ?? '' }, body: { mid } });

/** Reads every page of a list in both orders, two terminals each, and asserts that their lengths match the total. */
async function pagesOf(mid: string, numbersIn: (response: ApiResponse) => number[]) {
  const pages: Record<string, number[]> = {};
  for (const sort of ['asc', 'desc']) {
    const numbers: number[] = [];
    for (let page = 1, last = 1; page <= last; page += 1) {
      const response = await list(mid, { sort, per_page: '2', page: String(page) });
      const { total } = response.body.meta;
      last = Math.ceil(total / 2);
      expect(response.body.data).toHaveLength(Math.max(Math.min(2, total - (page - 1) * 2), 0));
      numbers.push(...numbersIn(response));
    }
    pages[sort] = numbers;
  }
  return pages;
}
const both = (...asc: number[]) => ({ asc, desc: asc.toReversed() });

describe('With an index that lags', () => {
  test('the next list includes terminals that were just created, in request order', async () => {
    const { mid, create, numbersIn } = await newTerminals(3);
    await freezeIndex([mid]);
    await create(4, 5);
    await create(6);
    expect(await pagesOf(mid, numbersIn)).toEqual(both(1, 2, 3, 4, 5, 6));
  });

  test('the next list includes the terminals of a branch that was just created', async () => {
    const mid = unique('MID');
    await freezeIndex([]);
    await newBranch(provider, {
      mid,
      terminals: numbered('', 3).map(({ terminal_id }) => ({ terminal_id: mid + terminal_id })),
    });
    expect(await pagesOf(mid, (response) => idsIn(response).map((id) => Number(id.slice(mid.length))))).toEqual(
      both(1, 2, 3),
    );
  });

  test('the next list omits a terminal that was just deleted, whatever its position', async () => {
    for (const gone of [1, 3, 5]) {
      const { mid, tids, numbersIn } = await newTerminals(5);
      await freezeIndex([mid]);
      await remove(tids[gone - 1]);
      const remaining = [1, 2, 3, 4, 5].filter((number) => number !== gone);
      expect(await pagesOf(mid, numbersIn)).toEqual(both(...remaining));
      table.middlewareStack.remove('index');
    }
  });

  test('a terminal that was just reassigned is only in the list of its target, at the position of its created_at', async () => {
    const [from, to] = [await newTerminals(2), await newTerminals(2)];
    const [mid, target] = [from.mid, to.mid];
    await freezeIndex([mid, target]);
    await reassign(from.tids[0], target);
    const ids = async (of: string) => idsIn(await list(of, { sort: 'asc' })).length;
    expect([await ids(mid), await ids(target)]).toEqual([1, 3]);
    const [first] = (await list(target, { sort: 'asc' })).body.data;
    expect(first).toMatchObject({ tid: from.tids[0], mid: target });

    // Back and forth again.
    await reassign(from.tids[0], mid);
    expect([await ids(mid), await ids(target)]).toEqual([2, 2]);
    await reassign(from.tids[0], target);
    expect([await ids(mid), await ids(target)]).toEqual([1, 3]);
  });

  test('a terminal that was just deleted and created again is listed once, at its new position', async () => {
    const { mid, tids, create, numbersIn } = await newTerminals(3);
    await freezeIndex([mid]);
    await remove(tids[0]);
    await create(1);
    expect((await pagesOf(mid, numbersIn))['asc']).toEqual([2, 3, 1]);
  });
});

describe('A list', () => {
  test('costs one more request only for items that the index does not return yet', async () => {
    const { mid, create } = await newTerminals(3);
    const operations = async () => operationsOf(await tableRequestsBy(() => list(mid)));
    expect(await operations()).toBe('GetItem Query');
    await freezeIndex([mid]);
    await create(4);
    expect(await operations()).toBe('GetItem Query BatchGetItem');
  });

  test('is read again when a terminal leaves while it is read', async () => {
    const { mid, tids, numbersIn } = await newTerminals(3);
    table.middlewareStack.add(
      (next) => async (args) => {
        const isIndex = (args.input as { IndexName?: string }).IndexName !== undefined;
        if (isIndex) table.middlewareStack.remove('leaving');
        if (isIndex) await remove(tids[1]);
        return next(args);
      },
      { step: 'initialize', name: 'leaving' },
    );
    expect(numbersIn(await list(mid, { sort: 'asc' }))).toEqual([1, 3]);
  });

  test('returns server_error when it names a terminal that is nowhere for longer than a request can wait', async () => {
    const { mid, tids } = await newTerminals(2);
    captureLog();
    speedUpClock();
    const key = terminalKey(tids[0] as string);
    const { pk, sk, ...terminal } = (await getItem<object>(key)) as Key;
    await transact([removeItem(key)]);
    expectProblem(await list(mid), 'server_error', SERVICE_BUSY);
    await transact([put(key, terminal)]);
  });

  test('costs the same at any depth, with 1,000 terminals', async () => {
    const { mid, create } = await newTerminals(0);
    for (let first = 1; first <= 1_000; first += 40) await create(...Array.from({ length: 40 }, (_, at) => first + at));
    for (const page of ['1', '50', '100'])
      for (const sort of ['asc', 'desc']) {
        const sent = await tableRequestsBy(() => list(mid, { sort, page }));
        expect(operationsOf(sent)).toBe('GetItem Query');
        expect(unitsOf(sent)).toBeLessThanOrEqual(8);
      }
    expect((await list(mid, { page: '100' })).body.meta.total).toBe(1_000);
  });
});
