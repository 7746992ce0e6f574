import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type BranchListHead, SEALING } from '../../../lib/branches/ranks.ts';
import { table } from '../../../lib/table/client.ts';
import { branchKey, type Key } from '../../../lib/table/keys.ts';
import { type ApiResponse, call, expectProblem, type Request } from '../../support/api.ts';
import { setClock, speedUpClock } from '../../support/clock.ts';
import { SERVICE_BUSY } from '../../support/constants.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { captureLog } from '../../support/log.ts';
import { stored } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import { newAcquirer, newBranch, unique } from '../../support/world.ts';

/*
 * Lists of branches are correct at any moment: while branches are created and ranked, when the index lags, and whether
 * a seal succeeds, fails or is lost.
 */

const POLICY = { ...SEALING };
/** A time at which nothing else in the table was written. */
const NOON = Date.parse('2031-05-04T12:00:00.000Z');

beforeEach(() => {
  // Nothing is sealed unless a test enables it.
  Object.assign(SEALING, { probability: 0, horizonMs: Number.POSITIVE_INFINITY });
});
afterEach(async () => {
  Object.assign(SEALING, POLICY);
  for (const name of ['index', 'held', 'seal failure']) table.middlewareStack.remove(name);
  jest.useRealTimers();
  jest.restoreAllMocks();
  await expectNoViolations();
});

/** Creates a payment provider and helpers for its branches, whose MIDs end in numbers. */
async function newList() {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const prefix = unique('L');
  const midOf = (number: number) => `${prefix}N${String(number).padStart(5, '0')}`;
  const numbersIn = ({ body }: ApiResponse): number[] =>
    body.data.map(({ mid }: { mid: string }) => Number(mid.slice(prefix.length + 1)));
  const list = (query: Request['query'] = {}) =>
    call('listBranches', { key: provider.key, query: { per_page: '100', ...query } });
  const create = (number: number) => newBranch(provider, { mid: midOf(number) });
  return {
    provider,
    midOf,
    numbersIn,
    list,
    create,
    createAll: async (from: number, to: number) => {
      for (let number = from; number <= to; number += 1) await create(number);
    },
    /** The numbers of all branches, oldest first; asserts that each page has the length that its total implies. */
    async numbers(perPage = 100): Promise<number[]> {
      const numbers: number[] = [];
      for (let page = 1; ; page += 1) {
        const response = await list({ sort: 'asc', per_page: String(perPage), page: String(page) });
        const { data, links, meta } = response.body;
        expect(data).toHaveLength(Math.max(Math.min(perPage, meta.total - (page - 1) * perPage), 0));
        numbers.push(...numbersIn(response));
        if (!links.next) return numbers;
      }
    },
    head: async () => (await stored())[`ACQUIRER#${provider.id} BRANCH_LIST`] as BranchListHead | undefined,
    entries: async () =>
      Object.keys(await stored())
        .filter((key) => key.startsWith(`ACQUIRER#${provider.id} BRANCH_LIST#`))
        .map((key) => Number(key.slice(-5))),
    positionOf: async (number: number) =>
      (await stored())[`BRANCH#${midOf(number)} BRANCH`]?.['provider_position'] as number,
  };
}

const upTo = (to: number, from = 1) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** From now on, a seal ranks up to `most` branches, however young and few. */
const sealUpTo = (most: number) => Object.assign(SEALING, { horizonMs: 0, least: 1, most });
const sealNothing = () => Object.assign(SEALING, { horizonMs: Number.POSITIVE_INFINITY });

type Row = Record<string, unknown> & { mid: string; provider_position: number };
/** From now on, the index returns what `change` makes of its actual rows; `count` is how often it was queried. */
function indexShows(change: (rows: Row[], count: number) => Row[]): void {
  let count = 0;
  table.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      if (!(args.input as { IndexName?: string }).IndexName) return result;
      count += 1;
      const output = result.output as unknown as { Items: Row[] };
      const { Limit } = args.input as { Limit?: number };
      output.Items = change(output.Items, count).slice(0, Limit);
      return result;
    },
    { step: 'initialize', name: 'index' },
  );
}

/** Whether a request to the table is a seal. */
const isSeal = (input: unknown): boolean =>
  (input as { TransactItems?: { Update?: { Key: Key } }[] }).TransactItems?.[0]?.Update?.Key.sk === 'BRANCH_LIST';

/** From now on, `end` decides how each seal ends. */
function sealsEnd(end: (done: () => Promise<unknown>) => Promise<never>): void {
  table.middlewareStack.add((next) => (args) => (isSeal(args.input) ? end(() => next(args)) : next(args)) as never, {
    step: 'initialize',
    name: 'seal failure',
  });
}

describe('A list', () => {
  test('shows its newest branches before, while and after they are ranked', async () => {
    const { createAll, numbers, head, entries, positionOf, midOf } = await newList();
    await createAll(1, 7);
    expect(await numbers(3)).toEqual(upTo(7));
    expect(await head()).toBeUndefined();
    expect(await entries()).toEqual(upTo(7));

    sealUpTo(3);
    expect(await numbers()).toEqual(upTo(7));
    sealNothing();
    const last = await positionOf(7);
    expect(last).toBeGreaterThan(Date.parse('2026-01-01'));
    expect(await Promise.all(upTo(3).map(positionOf))).toEqual([1, 2, 3]);
    const [entry] = Object.keys(await stored()).filter((key) => key.endsWith(midOf(3)) && key.includes('BRANCH_LIST#'));
    expect(await head()).toEqual({
      count: 3,
      sealed: [midOf(1), midOf(2), midOf(3)],
      sealed_to: entry?.split('BRANCH_LIST#')[1],
    });
    // For requests that read the head before.
    expect(await entries()).toEqual(upTo(7));
    expect(await numbers(2)).toEqual(upTo(7));

    sealUpTo(3);
    expect(await numbers()).toEqual(upTo(7));
    sealNothing();
    expect(await entries()).toEqual(upTo(7, 4));
    expect(await numbers(2)).toEqual(upTo(7));
    sealUpTo(3);
    await numbers();
    sealNothing();
    expect(await Promise.all(upTo(7).map(positionOf))).toEqual(upTo(7));
    expect(await entries()).toEqual([7]);
    expect(await numbers(4)).toEqual(upTo(7));
  });

  test('is ranked by its readers, in one transaction each, when enough branches are old enough', async () => {
    const { create, list, provider, head } = await newList();
    setClock(NOON);
    for (let number = 1; number < POLICY.least; number += 1) await create(number);
    setClock(NOON + 1000);
    await create(POLICY.least);
    Object.assign(SEALING, POLICY, { probability: 0 });
    const operationsAt = async (time: number) => {
      setClock(time);
      // The cached API key may have expired.
      await call('getBranch', { key: provider.key, path: { mid: '-' } });
      return operationsOf(await tableRequestsBy(() => list()));
    };

    expect(await operationsAt(NOON + POLICY.horizonMs)).toBe('Query Query');
    expect(await operationsAt(NOON + 999 + POLICY.horizonMs)).toBe('Query Query');
    expect(await head()).toBeUndefined();
    expect(await operationsAt(NOON + 1000 + POLICY.horizonMs)).toBe('Query Query TransactWriteItems');
    expect(await head()).toMatchObject({ count: POLICY.least });
    expect(await operationsAt(NOON + 2 * POLICY.horizonMs)).toBe('Query Query');
  });

  test('is also ranked by some creates, concurrently with the create, even if nobody reads it', async () => {
    const { create, entries, head } = await newList();
    Object.assign(SEALING, { horizonMs: 0, least: 3, most: 4, probability: 1 });
    await create(1);
    for (let number = 2; number <= 30; number += 1) await create(number);
    // The branches that are not ranked yet and those of the last seal.
    expect((await entries()).length).toBeLessThanOrEqual(2 * SEALING.most);
    expect((await head())?.count).toBeGreaterThanOrEqual(24);

    const sent = await tableRequestsBy(() => create(31));
    expect(sent.atOnce).toBe(2);
    Object.assign(SEALING, { probability: 0 });
    expect(operationsOf(await tableRequestsBy(() => create(32)))).toBe('BatchGetItem TransactWriteItems');
    // Now a seal is due.
    Object.assign(SEALING, { least: 1, probability: 1 });
    const { requests } = await tableRequestsBy(() => create(33));
    expect(requests.filter(({ input }) => isSeal(input))).toHaveLength(1);
  });

  test('ranks every position once when many read it concurrently', async () => {
    const { createAll, list, numbers, positionOf, numbersIn } = await newList();
    await createAll(1, 12);
    sealUpTo(5);
    for (let round = 1; round <= 3; round += 1) {
      const responses = await Promise.all(Array.from({ length: 6 }, () => list({ sort: 'asc' })));
      for (const response of responses) expect(numbersIn(response)).toEqual(upTo(12));
    }
    sealNothing();
    expect(await Promise.all(upTo(12).map(positionOf))).toEqual(upTo(12));
    expect(await numbers(5)).toEqual(upTo(12));
  });
});

describe('With an index that lags', () => {
  /** Creates a list with three sealed batches of three and three branches that are not ranked. */
  async function newMixedList() {
    const made = await newList();
    await made.createAll(1, 9);
    sealUpTo(3);
    for (let seal = 1; seal <= 3; seal += 1) await made.list();
    sealNothing();
    await made.createAll(10, 12);
    return made;
  }
  const QUERIES = ['asc', 'desc'].flatMap((sort) =>
    [1, 2, 3, 4].flatMap((page) => [2, 4, 5].map((per_page) => ({ sort, page, per_page }))),
  );
  const expected = ({ sort, page, per_page }: (typeof QUERIES)[number]) => {
    const numbers = sort === 'asc' ? upTo(12) : upTo(12).reverse();
    return numbers.slice((page - 1) * per_page, page * per_page);
  };
  async function expectExact({ list, numbersIn }: Awaited<ReturnType<typeof newList>>): Promise<void> {
    for (const query of QUERIES) {
      const { sort, page, per_page } = query;
      const response = await list({ sort, page: String(page), per_page: String(per_page) });
      expect([query, numbersIn(response), response.body.meta.total]).toEqual([query, expected(query), 12]);
    }
  }

  test('a list includes branches that the index returns at neither their old nor their new position', async () => {
    const made = await newMixedList();
    // Some that were ranked last and some that were just created.
    const unseen = [7, 8, 9, 10, 12].map(made.midOf);
    indexShows((rows) => rows.filter(({ mid }) => !unseen.includes(mid)));
    await expectExact(made);
  });

  test('a list includes a branch once that the index returns at its old and its new position', async () => {
    const made = await newMixedList();
    const moved = [7, 8, 9].map(made.midOf);
    const later = Number(await made.positionOf(10));
    indexShows((rows) =>
      rows.flatMap((row) => (moved.includes(row.mid) ? [row, { ...row, provider_position: later - 1 }] : [row])),
    );
    await expectExact(made);
  });

  test('a list has a branch at its new position when the index returns only the old one', async () => {
    const made = await newMixedList();
    const moved = [7, 8, 9].map(made.midOf);
    const later = Number(await made.positionOf(10));
    indexShows((rows) => rows.map((row) => (moved.includes(row.mid) ? { ...row, provider_position: later - 1 } : row)));
    await expectExact(made);
  });

  test('a list queries the index again until it is complete if the index lags by more than one seal', async () => {
    const { midOf, list, numbersIn } = await newMixedList();
    jest.spyOn(Math, 'random').mockReturnValue(0);
    indexShows((rows, count) => rows.filter(({ mid }) => mid !== midOf(2) || count > 4));
    const response = await list({ sort: 'asc', per_page: '3' });
    expect(numbersIn(response)).toEqual([1, 2, 3]);
  });

  test('a request fails rather than omit a branch if the index lags for longer than it can wait', async () => {
    const { midOf, list } = await newMixedList();
    captureLog();
    speedUpClock();
    indexShows((rows) => rows.filter(({ mid }) => mid !== midOf(2)));
    const response = await list({ sort: 'asc', per_page: '3' });
    expectProblem(response, 'server_error', SERVICE_BUSY);
    expect(response.headers['retry-after']).toMatch(/^[1-5]$/);
  });
});

describe('A newly created branch', () => {
  /** Holds back the write of a create until `letGo` is called. */
  function hold(mid: string): { isHeld: Promise<void>; letGo: () => void } {
    const held = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    table.middlewareStack.add(
      (next) => async (args) => {
        const { TransactItems = [] } = args.input as { TransactItems?: { Put?: { Item: Key } }[] };
        if (TransactItems.some(({ Put }) => Put?.Item.pk === branchKey(mid).pk)) {
          held.resolve();
          await released.promise;
        }
        return next(args);
      },
      { step: 'initialize', name: 'held' },
    );
    return { isHeld: held.promise, letGo: released.resolve };
  }

  test('is listed and ranked by its created_at when the clock that set it is 2 s behind', async () => {
    const { create, numbers, list, positionOf } = await newList();
    setClock(NOON);
    await create(1);
    setClock(NOON + 1000);
    await create(3);
    setClock(NOON - 1000 + 1500);
    await create(2);
    expect(await numbers()).toEqual([1, 2, 3]);
    setClock(NOON + 60_000);
    Object.assign(SEALING, { ...POLICY, probability: 0, least: 1 });
    await list();
    expect(await Promise.all([1, 2, 3].map(positionOf))).toEqual([1, 2, 3]);
    expect(await numbers(2)).toEqual([1, 2, 3]);
  });

  test('is not overtaken by a seal when it is stored at the end of its request’s time', async () => {
    const { create, createAll, midOf, list, numbers, positionOf, head } = await newList();
    setClock(NOON);
    const { isHeld, letGo } = hold(midOf(1));
    const late = create(1);
    await isHeld;
    setClock(NOON + 1000);
    await createAll(2, 4);
    Object.assign(SEALING, { ...POLICY, probability: 0, least: 1 });
    // A function times out after 20 s.
    setClock(NOON + 20_000);
    await list();
    expect(await head()).toBeUndefined();
    letGo();
    await late;
    expect(await numbers()).toEqual(upTo(4));
    setClock(NOON + 60_000);
    await list();
    expect(await Promise.all(upTo(4).map(positionOf))).toEqual(upTo(4));
  });

  test('is listed at once and takes the next rank when it is stored after younger ones were ranked', async () => {
    const { create, createAll, midOf, list, numbers, positionOf, entries } = await newList();
    setClock(NOON);
    const { isHeld, letGo } = hold(midOf(1));
    const late = create(1);
    await isHeld;
    setClock(NOON + 1000);
    await createAll(2, 6);
    setClock(NOON + 60_000);
    Object.assign(SEALING, { ...POLICY, probability: 0, least: 1, most: 4 });
    await list();
    expect(await Promise.all(upTo(5, 2).map(positionOf))).toEqual([1, 2, 3, 4]);
    sealNothing();
    letGo();
    await late;
    // Behind the ranked ones and before the younger one that has no rank.
    expect(await numbers(2)).toEqual([2, 3, 4, 5, 1, 6]);

    // However few there are.
    Object.assign(SEALING, { ...POLICY, probability: 0, least: 10 });
    expect((await list({ sort: 'asc' })).body.meta.total).toBe(6);
    expect(await positionOf(1)).toBe(5);
    sealNothing();
    expect(await entries()).toEqual([1, 6]);
    expect(await numbers(2)).toEqual([2, 3, 4, 5, 1, 6]);
  });
});

describe('A seal', () => {
  async function newDueList() {
    const made = await newList();
    await made.createAll(1, 5);
    sealUpTo(3);
    return made;
  }
  const lost = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

  test.each([
    ['before it is done', async () => Promise.reject(lost()), undefined],
    ['after it is done', async (done: () => Promise<unknown>) => done().then(() => Promise.reject(lost())), 3],
  ] as const)('that fails %s leaves the list correct, and its request succeeds', async (_, end, count) => {
    const { list, numbers, numbersIn, head } = await newDueList();
    sealsEnd(end as never);
    expect(numbersIn(await list({ sort: 'asc' }))).toEqual(upTo(5));
    expect((await head())?.count).toBe(count);
    table.middlewareStack.remove('seal failure');
    expect(await numbers()).toEqual(upTo(5));
    expect(await numbers()).toEqual(upTo(5));
    expect((await head())?.count).toBe(5);
  });

  test('that conflicts with another seal leaves the work to that one', async () => {
    const { list, numbers, numbersIn, head } = await newDueList();
    const both = Promise.withResolvers<void>();
    let seals = 0;
    table.middlewareStack.add(
      (next) => async (args) => {
        if (isSeal(args.input)) {
          seals += 1;
          if (seals === 2) both.resolve();
          await both.promise;
        }
        return next(args);
      },
      { step: 'initialize', name: 'held' },
    );
    const responses = await Promise.all([list({ sort: 'asc' }), list({ sort: 'asc' })]);
    for (const response of responses) expect(numbersIn(response)).toEqual(upTo(5));
    expect([seals, (await head())?.count]).toEqual([2, 3]);
    sealNothing();
    expect(await numbers(2)).toEqual(upTo(5));
  });

  test('removes the entries of the last seal even if it has read more entries than fit a transaction', async () => {
    const { provider, createAll, list, head, entries } = await newList();
    const sealUpTo45 = async () => {
      sealUpTo(45);
      await list();
      sealNothing();
    };
    await createAll(1, 45);
    await sealUpTo45();
    const removed = Object.keys(await stored())
      .filter((key) => key.startsWith(`ACQUIRER#${provider.id} BRANCH_LIST#`))
      .map((key) => ({ pk: key.split(' ')[0], sk: key.split(' ')[1] }));
    await createAll(46, 90);
    await sealUpTo45();
    await createAll(91, 100);
    // A read over several pages also returns entries that a seal has removed meanwhile.
    table.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        const { ExpressionAttributeValues } = args.input as { ExpressionAttributeValues?: Record<string, string> };
        const { Items } = result.output as unknown as { Items?: object[] };
        if (Object.values(ExpressionAttributeValues ?? {}).includes(`ACQUIRER#${provider.id}`)) Items?.push(...removed);
        return result;
      },
      { step: 'initialize', name: 'index' },
    );
    await sealUpTo45();
    expect(await head()).toMatchObject({ count: 100 });
    expect(await entries()).toEqual(upTo(100, 91));
  });

  test('that fails unexpectedly is logged with its request, which succeeds', async () => {
    const { list, numbersIn } = await newDueList();
    const level = process.env['LOG_LEVEL'];
    process.env['LOG_LEVEL'] = 'INFO';
    const lines = captureLog();
    sealsEnd(() => Promise.reject(Object.assign(new Error('no permission'), { name: 'AccessDeniedException' })));
    expect(numbersIn(await list({ sort: 'asc' }))).toEqual(upTo(5));
    process.env['LOG_LEVEL'] = level;
    expect(lines()).toEqual([
      expect.objectContaining({
        level: 'ERROR',
        status: 200,
        seal_failures: 1,
        _aws: expect.objectContaining({
          CloudWatchMetrics: [expect.objectContaining({ Metrics: [{ Name: 'seal_failures', Unit: 'Count' }] })],
        }),
        causes: [{ name: 'AccessDeniedException', message: 'no permission', stack: expect.any(String) }],
      }),
    ]);
  });
});
