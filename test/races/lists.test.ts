import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { getItem, TABLE, table } from '../../lib/table/client.ts';
import { branchKey } from '../../lib/table/keys.ts';
import { installGate, interleaved, oneAfterAnother } from '../model/interleaving.ts';
import { type Answer, call, expectProblem, type Request } from '../support/api.ts';
import { SERVICE_FAILED } from '../support/constants.ts';
import { sentBy, told } from '../support/sent.ts';
import { type Caller, newAcquirer, newBranch, numbered, unique } from '../support/world.ts';

/*
 * A list asks the table for its count and for a page of it. Here something happens between the two, or the index has not
 * heard yet of what happened before.
 */

beforeAll(installGate);
afterEach(() => {
  table.middlewareStack.remove('lag');
  table.middlewareStack.remove('failure');
  jest.restoreAllMocks();
});

const pageOf = (sort: string, per_page: number, page: number): Request => ({
  query: { sort, per_page: String(per_page), page: String(page) },
});

/** Calls an operation while its request to the table with this number, from 1, is held up until others have done their work. */
async function heldUp<T>(freezesAt: number, list: () => Promise<T>, others: () => Promise<unknown>): Promise<T> {
  const [answer] = await interleaved<unknown>(oneAfterAnother(), [
    { name: '1', start: list, freezesAt },
    { name: '2', start: others },
  ]);
  return answer as T;
}

describe('a list of branches', () => {
  const [COUNT, PAGE] = [1, 2];
  /** A provider with three branches, whose API key is known, and the first letter of all of its MIDs. */
  async function newList() {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const prefix = unique('LIST');
    const midOf = (number: number) => `${prefix}N${number}`;
    const create = (number: number) => newBranch(provider, { mid: midOf(number) });
    for (const number of [1, 2, 3]) await create(number);
    const list = (request: Request) => sentBy(() => call('listBranches', { key: provider.key, ...request }));
    const numbersOf = ({ body }: Answer) =>
      body.data.map(({ mid }: { mid: string }) => Number(mid.slice(prefix.length + 1)));
    return { midOf, create, list, numbersOf };
  }

  test.each([
    { sort: 'desc', page: 1, late: COUNT, numbers: [4, 3], total: 4, asks: 'GetItem Query Query' },
    { sort: 'desc', page: 2, late: COUNT, numbers: [2, 1], total: 4, asks: 'GetItem Query' },
    { sort: 'asc', page: 1, late: COUNT, numbers: [1, 2], total: 4, asks: 'GetItem Query' },
    { sort: 'asc', page: 2, late: COUNT, numbers: [3, 4], total: 4, asks: 'GetItem Query Query' },
    { sort: 'desc', page: 1, late: PAGE, numbers: [3, 2], total: 3, asks: 'GetItem Query Query' },
    { sort: 'desc', page: 2, late: PAGE, numbers: [1], total: 3, asks: 'GetItem Query' },
    { sort: 'asc', page: 1, late: PAGE, numbers: [1, 2], total: 3, asks: 'GetItem Query' },
    { sort: 'asc', page: 2, late: PAGE, numbers: [3], total: 3, asks: 'GetItem Query' },
  ])(
    '$sort, page $page, has just the branches of its total when request $late comes after a create',
    async ({ sort, page, late, numbers, total, asks }) => {
      const { create, list, numbersOf } = await newList();
      const { answer, ...sent } = await heldUp(
        late,
        () => list(pageOf(sort, 2, page)),
        () => create(4),
      );
      expect(numbersOf(answer)).toEqual(numbers);
      expect(answer.body.meta.total).toBe(total);
      expect(told(sent)).toBe(asks);
    },
  );

  /** An index lags: so many queries do not find a branch. */
  async function lag(mid: string, queries: number): Promise<void> {
    const Item = await getItem<object>(branchKey(mid));
    await table.send(new DeleteCommand({ TableName: TABLE, Key: branchKey(mid) }));
    // What the index does is not what the list does.
    const apart = AsyncLocalStorage.snapshot();
    let left = queries;
    table.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'QueryCommand' && left-- === 0)
            await apart(() => table.send(new PutCommand({ TableName: TABLE, Item })));
          return next(args);
        },
      { step: 'initialize', name: 'lag' },
    );
  }

  test.each([
    { sort: 'desc', page: 1, queries: 1, numbers: [3, 2], asks: 'GetItem Query Query' },
    { sort: 'asc', page: 2, queries: 1, numbers: [3], asks: 'GetItem Query Query' },
    { sort: 'asc', page: 1, queries: 1, numbers: [1, 2], asks: 'GetItem Query' },
    { sort: 'desc', page: 1, queries: 2, numbers: [2], asks: 'GetItem Query Query' },
    { sort: 'asc', page: 2, queries: 2, numbers: [], asks: 'GetItem Query Query' },
  ])(
    '$sort, page $page, has what its index has, of which $queries queries do not know the third branch',
    async ({ sort, page, queries, numbers, asks }) => {
      const { midOf, list, numbersOf } = await newList();
      await lag(midOf(3), queries);
      const { answer, ...sent } = await list(pageOf(sort, 2, page));
      expect(numbersOf(answer)).toEqual(numbers);
      expect(answer.body.meta.total).toBe(3);
      expect(told(sent)).toBe(asks);
    },
  );

  test.each([
    ['GetItemCommand', 'QueryCommand'],
    ['QueryCommand', 'GetItemCommand'],
  ])('is answered when both requests have ended, if %s fails and %s comes later', async (failing, other) => {
    const { list } = await newList();
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    let hasEnded = false;
    table.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === failing) throw new Error('broken');
          const result = await next(args);
          await sleep(50);
          hasEnded = commandName === other;
          return result;
        },
      { step: 'initialize', name: 'failure' },
    );
    const { answer } = await list(pageOf('desc', 2, 1));
    expectProblem(answer, 'server_error', SERVICE_FAILED);
    expect(hasEnded).toBe(true);
  });
});

describe('a list of terminals', () => {
  let provider: Caller;
  beforeAll(async () => {
    provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  });

  /** A branch with seven terminals. */
  async function newList() {
    const { key } = provider;
    const { mid } = await newBranch(provider);
    const prefix = unique('T');
    const create = (...terminals: object[]) => call('createTerminals', { key, path: { id: mid }, body: { terminals } });
    const { body } = await create(...numbered(prefix, 7));
    const list = (request: Request) => call('listTerminals', { key, path: { id: mid }, ...request });
    const numbersOf = ({ body: { data } }: Answer) =>
      data.map(({ terminal_id }: { terminal_id: string }) => Number(terminal_id.slice(prefix.length)));
    return {
      list,
      numbersOf,
      add: () => create({ terminal_id: `${prefix}8` }),
      remove: (...numbers: number[]) =>
        Promise.all(numbers.map((number) => call('deleteTerminal', { key, path: { id: body.data[number - 1].tid } }))),
    };
  }

  test.each([
    { sort: 'desc', page: 1, added: [8, 7, 6], removed: [6, 5, 4] },
    { sort: 'desc', page: 2, added: [4, 3, 2], removed: [6, 5, 4] },
    { sort: 'desc', page: 3, added: [1], removed: [3] },
    { sort: 'asc', page: 1, added: [1, 2, 3], removed: [3, 4, 5] },
    { sort: 'asc', page: 2, added: [4, 5, 6], removed: [6] },
    { sort: 'asc', page: 3, added: [7, 8], removed: [] },
  ])(
    '$sort, page $page, is counted from an end that creates do not move, or the nearer one, whatever happens before it is read',
    async ({ sort, page, added, removed }) => {
      const request = pageOf(sort, 3, page);
      for (const [change, numbers] of [
        ['add', added],
        ['remove', removed],
      ] as const) {
        const { list, numbersOf, add, remove } = await newList();
        const answer = await heldUp(
          2,
          () => list(request),
          () => (change === 'add' ? add() : remove(1, 2, 7)),
        );
        expect([change, numbersOf(answer), answer.body.meta.total]).toEqual([change, numbers, 7]);
      }
    },
  );

  test.each([1, 2, 3])('is empty on page %d when all terminals go before it is read', async (page) => {
    const { list, numbersOf, remove } = await newList();
    const answer = await heldUp(
      2,
      () => list(pageOf('desc', 3, page)),
      () => remove(1, 2, 3, 4, 5, 6, 7),
    );
    expect([numbersOf(answer), answer.body.meta.total]).toEqual([[], 7]);
  });
});
