import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type BranchListHead, SEALING } from '../../lib/branchRanks.ts';
import { table } from '../../lib/table/client.ts';
import { branchKey, type Key } from '../../lib/table/keys.ts';
import { type ApiResponse, call, expectProblem, type Request } from '../support/api.ts';
import { setClock, speedUpClock } from '../support/clock.ts';
import { SERVICE_BUSY } from '../support/constants.ts';
import { expectNoViolations } from '../support/invariants.ts';
import { captureLog } from '../support/log.ts';
import { stored } from '../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../support/tableRequests.ts';
import { newAcquirer, newBranch, unique } from '../support/world.ts';

/*
 * Lists of branches are right at any moment: while branches are created and ranked, on an index that is behind, and
 * whatever becomes of a seal.
 */

const POLICY = { ...SEALING };
/** A time at which nothing else of the table was written. */
const NOON = Date.parse('2031-05-04T12:00:00.000Z');

beforeEach(() => {
  // Only when a test says so.
  Object.assign(SEALING, { share: 0, horizonMs: Number.POSITIVE_INFINITY });
});
afterEach(async () => {
  Object.assign(SEALING, POLICY);
  for (const name of ['index', 'held', 'fault']) table.middlewareStack.remove(name);
  jest.useRealTimers();
  jest.restoreAllMocks();
  await expectNoViolations();
});

/** A payment provider, and what its developer does with its branches: their MIDs end in numbers. */
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
    /** What the list shows from the oldest on; each page has to be as long as its total says. */
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

/** From here on a seal ranks up to so many branches, however young and few. */
const sealUpTo = (most: number) => Object.assign(SEALING, { horizonMs: 0, least: 1, most });
const sealNothing = () => Object.assign(SEALING, { horizonMs: Number.POSITIVE_INFINITY });

type Row = Record<string, unknown> & { mid: string; provider_position: number };
/** From here on the index shows what is made of its true rows; `count` tells how often it was asked. */
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

/** What becomes of each seal from here on, instead of being done as it should. */
function sealsEnd(end: (done: () => Promise<unknown>) => Promise<never>): void {
  table.middlewareStack.add((next) => (args) => (isSeal(args.input) ? end(() => next(args)) : next(args)) as never, {
    step: 'initialize',
    name: 'fault',
  });
}

describe('A list', () => {
  test('shows its newest branches before they are ranked, while they are, and after', async () => {
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
    // For whoever has read the head before.
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

  test('is ranked by those who read it, one transaction each, when enough branches are old enough', async () => {
    const { create, list, provider, head } = await newList();
    setClock(NOON);
    for (let number = 1; number < POLICY.least; number += 1) await create(number);
    setClock(NOON + 1000);
    await create(POLICY.least);
    Object.assign(SEALING, POLICY, { share: 0 });
    const askedBy = async (time: number) => {
      setClock(time);
      // By now the key may have to be looked up.
      await call('getBranch', { key: provider.key, path: { mid: '-' } });
      return operationsOf(await tableRequestsBy(() => list()));
    };

    expect(await askedBy(NOON + POLICY.horizonMs)).toBe('Query Query');
    expect(await askedBy(NOON + 999 + POLICY.horizonMs)).toBe('Query Query');
    expect(await head()).toBeUndefined();
    expect(await askedBy(NOON + 1000 + POLICY.horizonMs)).toBe('Query Query TransactWriteItems');
    expect(await head()).toMatchObject({ count: POLICY.least });
    expect(await askedBy(NOON + 2 * POLICY.horizonMs)).toBe('Query Query');
  });

  test('is ranked by those who create branches now and then, beside the create, so that it need not be read', async () => {
    const { create, entries, head } = await newList();
    Object.assign(SEALING, { horizonMs: 0, least: 3, most: 4, share: 1 });
    await create(1);
    for (let number = 2; number <= 30; number += 1) await create(number);
    // What is not ranked yet, and what the last seal left.
    expect((await entries()).length).toBeLessThanOrEqual(2 * SEALING.most);
    expect((await head())?.count).toBeGreaterThanOrEqual(24);

    const sent = await tableRequestsBy(() => create(31));
    expect(sent.atOnce).toBe(2);
    expect(sent.requests.filter(({ input }) => isSeal(input)).length).toBeLessThanOrEqual(1);
    Object.assign(SEALING, { share: 0 });
    expect(operationsOf(await tableRequestsBy(() => create(32)))).toBe('BatchGetItem TransactWriteItems');
  });

  test('has every place ranked once when many read it at the same time', async () => {
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

describe('An index that is behind', () => {
  /** Three batches of three are ranked, and three more branches are not. */
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

  test('and shows branches neither at their old place nor at their new one is made up for', async () => {
    const made = await newMixedList();
    // Of what was ranked last, and of what was just created.
    const unseen = [7, 8, 9, 10, 12].map(made.midOf);
    indexShows((rows) => rows.filter(({ mid }) => !unseen.includes(mid)));
    await expectExact(made);
  });

  test('and shows branches at their old place and at their new one shows each once', async () => {
    const made = await newMixedList();
    const moved = [7, 8, 9].map(made.midOf);
    const later = Number(await made.positionOf(10));
    indexShows((rows) =>
      rows.flatMap((row) => (moved.includes(row.mid) ? [row, { ...row, provider_position: later - 1 }] : [row])),
    );
    await expectExact(made);
  });

  test('and shows branches at their old place only has them at their new one', async () => {
    const made = await newMixedList();
    const moved = [7, 8, 9].map(made.midOf);
    const later = Number(await made.positionOf(10));
    indexShows((rows) => rows.map((row) => (moved.includes(row.mid) ? { ...row, provider_position: later - 1 } : row)));
    await expectExact(made);
  });

  test('by more than one seal is asked again, until it shows all', async () => {
    const { midOf, list, numbersIn } = await newMixedList();
    jest.spyOn(Math, 'random').mockReturnValue(0);
    indexShows((rows, count) => rows.filter(({ mid }) => mid !== midOf(2) || count > 4));
    const response = await list({ sort: 'asc', per_page: '3' });
    expect(numbersIn(response)).toEqual([1, 2, 3]);
  });

  test('for longer than a request can wait makes it fail, and not show a list that lacks a branch', async () => {
    const { midOf, list } = await newMixedList();
    captureLog();
    speedUpClock();
    indexShows((rows) => rows.filter(({ mid }) => mid !== midOf(2)));
    const response = await list({ sort: 'asc', per_page: '3' });
    expectProblem(response, 'server_error', SERVICE_BUSY);
    expect(response.headers['retry-after']).toMatch(/^[1-5]$/);
  });
});

describe('A branch that is created', () => {
  /** Holds the write of a create up; the function lets it go on. */
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

  test('by a clock that is 2 s behind stands where its created_at says, and is ranked there', async () => {
    const { create, numbers, list, positionOf } = await newList();
    setClock(NOON);
    await create(1);
    setClock(NOON + 1000);
    await create(3);
    setClock(NOON - 1000 + 1500);
    await create(2);
    expect(await numbers()).toEqual([1, 2, 3]);
    setClock(NOON + 60_000);
    Object.assign(SEALING, { ...POLICY, share: 0, least: 1 });
    await list();
    expect(await Promise.all([1, 2, 3].map(positionOf))).toEqual([1, 2, 3]);
    expect(await numbers(2)).toEqual([1, 2, 3]);
  });

  test('and stored only just before its time is up is not overtaken by a seal', async () => {
    const { create, createAll, midOf, list, numbers, positionOf, head } = await newList();
    setClock(NOON);
    const { isHeld, letGo } = hold(midOf(1));
    const late = create(1);
    await isHeld;
    setClock(NOON + 1000);
    await createAll(2, 4);
    Object.assign(SEALING, { ...POLICY, share: 0, least: 1 });
    // A function has 20 s.
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

  test('and stored after younger ones were ranked is listed at once, takes the next rank, and is never lost', async () => {
    const { create, createAll, midOf, list, numbers, positionOf, entries } = await newList();
    setClock(NOON);
    const { isHeld, letGo } = hold(midOf(1));
    const late = create(1);
    await isHeld;
    setClock(NOON + 1000);
    await createAll(2, 6);
    setClock(NOON + 60_000);
    Object.assign(SEALING, { ...POLICY, share: 0, least: 1, most: 4 });
    await list();
    expect(await Promise.all(upTo(5, 2).map(positionOf))).toEqual([1, 2, 3, 4]);
    sealNothing();
    letGo();
    await late;
    // Behind those that have a rank, and before the younger one that has none.
    expect(await numbers(2)).toEqual([2, 3, 4, 5, 1, 6]);

    // However few there are.
    Object.assign(SEALING, { ...POLICY, share: 0, least: 10 });
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
  ] as const)('that dies %s leaves the list right, and the request that made it succeeds', async (_, end, count) => {
    const { list, numbers, numbersIn, head } = await newDueList();
    sealsEnd(end as never);
    expect(numbersIn(await list({ sort: 'asc' }))).toEqual(upTo(5));
    expect((await head())?.count).toBe(count);
    table.middlewareStack.remove('fault');
    expect(await numbers()).toEqual(upTo(5));
    expect(await numbers()).toEqual(upTo(5));
    expect((await head())?.count).toBe(5);
  });

  test('that meets another one at the same moment leaves it to that one', async () => {
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

  test('that fails for no good reason is in the log of the request, which succeeds', async () => {
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
        causes: [{ name: 'AccessDeniedException', message: 'no permission', stack: expect.any(String) }],
      }),
    ]);
  });
});
