import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { table } from '../../../lib/table/client.ts';
import { type ApiResponse, call, expectProblem } from '../../support/api.ts';
import { SERVICE_FAILED } from '../../support/constants.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import { type Caller, newAcquirer, newBranch, newTerminal, numbered, unique } from '../../support/world.ts';
import { installGate, interleaved, oneAfterAnother } from '../model/interleaving.ts';

/*
 * A list operation first reads the entries and the count, then the index. These tests make a change between the two
 * reads. For an index that lags, see test/lib/branches/listBranches.test.ts and test/lib/terminals/listTerminals.test.ts.
 */

let provider: Caller;
beforeAll(async () => {
  installGate();
  provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
});
afterEach(() => {
  table.middlewareStack.remove('failure');
  jest.restoreAllMocks();
});

const pageOf = (sort: string, per_page: number, page: number) => ({
  query: { sort, per_page: String(per_page), page: String(page) },
});

/** Calls an operation and holds up its request number `freezesAt` to the table, from 1, until the others are done. */
async function heldUp<T>(freezesAt: number, list: () => Promise<T>, others: () => Promise<unknown>): Promise<T> {
  const [response] = await interleaved<unknown>(oneAfterAnother(), [
    { name: '1', start: list, freezesAt },
    { name: '2', start: others },
  ]);
  return response as T;
}

describe('listBranches', () => {
  const [LIST, INDEX] = [1, 2];
  /** A provider with three branches. Its API key is cached already. */
  async function newList() {
    const owner = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const prefix = unique('LIST');
    const create = (number: number) => newBranch(owner, { mid: `${prefix}N${number}` });
    for (const number of [1, 2, 3]) await create(number);
    const list = (request: object) => tableRequestsBy(() => call('listBranches', { key: owner.key, ...request }));
    await list({});
    const numbersOf = ({ body }: ApiResponse) =>
      body.data.map(({ mid }: { mid: string }) => Number(mid.slice(prefix.length + 1)));
    return { create, list, numbersOf };
  }

  test.each([
    { sort: 'desc', page: 1, late: LIST, numbers: [4, 3], sends: 'Query Query BatchGetItem' },
    { sort: 'desc', page: 2, late: LIST, numbers: [2, 1], sends: 'Query Query' },
    { sort: 'asc', page: 1, late: LIST, numbers: [1, 2], sends: 'Query Query' },
    { sort: 'asc', page: 2, late: LIST, numbers: [3, 4], sends: 'Query Query' },
    { sort: 'desc', page: 1, late: INDEX, numbers: [3, 2], sends: 'Query Query BatchGetItem' },
    { sort: 'desc', page: 2, late: INDEX, numbers: [1], sends: 'Query BatchGetItem' },
    { sort: 'asc', page: 1, late: INDEX, numbers: [1, 2], sends: 'Query Query' },
    { sort: 'asc', page: 2, late: INDEX, numbers: [3], sends: 'Query BatchGetItem' },
  ])(
    'returns as many branches on page $page, $sort, as its total counts when a create happens before table request $late',
    async ({ sort, page, late, numbers, sends }) => {
      const { create, list, numbersOf } = await newList();
      const request = pageOf(sort, 2, page);
      const { response, ...sent } = await heldUp(
        late,
        () => list(request),
        () => create(4),
      );
      expect([numbersOf(response), response.body.meta.total]).toEqual([numbers, late === LIST ? 4 : 3]);
      expect(operationsOf(sent)).toBe(sends);
    },
  );

  test.each(['index', 'list'])(
    'returns a server error once both table requests have ended when that of the %s fails',
    async (fails) => {
      const { list } = await newList();
      jest.spyOn(process.stdout, 'write').mockReturnValue(true);
      let hasEnded = false;
      table.middlewareStack.add(
        (next) => async (args) => {
          const { IndexName } = args.input as { IndexName?: string };
          if ((IndexName === undefined) === (fails === 'list')) throw new Error('broken');
          const result = await next(args);
          await sleep(50);
          hasEnded = true;
          return result;
        },
        { step: 'initialize', name: 'failure' },
      );
      const { response } = await list(pageOf('desc', 2, 1));
      expectProblem(response, 'server_error', SERVICE_FAILED);
      expect(hasEnded).toBe(true);
    },
  );
});

describe('listTerminals', () => {
  /** A branch with seven terminals, and an older terminal of another branch that can be reassigned to it. */
  async function newList() {
    const { key } = provider;
    const [{ mid }, elsewhere] = [await newBranch(provider), await newBranch(provider)];
    const prefix = unique('T');
    const create = (...terminals: object[]) => call('createTerminals', { key, path: { id: mid }, body: { terminals } });
    const { tid } = await newTerminal(provider, elsewhere.mid, { terminal_id: `${prefix}0` });
    const { body } = await create(...numbered(prefix, 7));
    const remove = (number: number) => call('deleteTerminal', { key, path: { id: body.data[number - 1].tid } });
    return {
      list: (request: object) => call('listTerminals', { key, path: { id: mid }, ...request }),
      numbersOf: ({ body: { data } }: ApiResponse) =>
        data.map(({ terminal_id }: { terminal_id: string }) => Number(terminal_id.slice(prefix.length))),
      add: () => create({ terminal_id: `${prefix}8` }),
      arrive: () => call('reassignTerminal', { key, path: { id: tid }, body: { mid } }),
      remove: () => Promise.all([1, 2, 7].map(remove)),
      removeAll: () => Promise.all([1, 2, 3, 4, 5, 6, 7].map(remove)),
    };
  }

  test.each([
    { sort: 'desc', page: 1, before: [[7, 6, 5], 7], removed: [[6, 5, 4], 4] },
    { sort: 'desc', page: 2, before: [[4, 3, 2], 7], removed: [[3], 4] },
    { sort: 'desc', page: 3, before: [[1], 7], removed: [[], 4] },
    { sort: 'asc', page: 1, before: [[1, 2, 3], 7], removed: [[3, 4, 5], 4] },
    { sort: 'asc', page: 2, before: [[4, 5, 6], 7], removed: [[4, 5, 6], 7] },
    { sort: 'asc', page: 3, before: [[7], 7], removed: [[], 4] },
  ])(
    'returns page $page, $sort, as of one moment, although terminals change while it is read',
    async ({ sort, page, before, removed }) => {
      for (const [change, expected] of [
        ['add', before],
        ['arrive', before],
        ['remove', removed],
        ['removeAll', [[], 0]],
      ] as const) {
        const { list, numbersOf, ...changes } = await newList();
        const response = await heldUp(2, () => list(pageOf(sort, 3, page)), changes[change]);
        expect([change, numbersOf(response), response.body.meta.total]).toEqual([change, ...expected]);
      }
    },
  );
});
