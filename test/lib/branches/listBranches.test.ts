import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type BranchListHead, SEALING } from '../../../lib/branches/ranks.ts';
import { getItem, queryPrefix } from '../../../lib/table/client.ts';
import { branchKey, branchListEntryKey, branchListKey, branchListOf, type Key } from '../../../lib/table/keys.ts';
import { type ApiResponse, call, expectProblem, type Request } from '../../support/api.ts';
import { setClock, speedUpClock } from '../../support/clock.ts';
import { SERVICE_BUSY } from '../../support/constants.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { captureLog } from '../../support/log.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import { newAcquirer, newBranch, unique } from '../../support/world.ts';
import { lost, named } from '../table/errors.ts';
import { intercept, release, type Send } from '../table/intercept.ts';

/*
 * Lists of branches are correct at any moment: while branches are created and ranked, when the index lags, and whether
 * a seal succeeds, fails or is lost.
 */

/** Without seals by creates: see test/support/api.ts. */
const POLICY = { ...SEALING };
/** A time at which nothing else in the table was written. */
const NOON = Date.parse('2031-05-04T12:00:00.000Z');

/** From now on, a seal ranks up to `most` branches, however young and few. */
const sealUpTo = (most: number) => Object.assign(SEALING, { horizonMs: 0, least: 1, most });
const sealNothing = () => void Object.assign(SEALING, { horizonMs: Number.POSITIVE_INFINITY });
/** From now on, a seal ranks even a single branch that is old enough. */
const sealOld = (most = POLICY.most) => Object.assign(SEALING, POLICY, { least: 1, most });

// Nothing is sealed unless a test enables it.
beforeEach(sealNothing);
afterEach(() => {
  Object.assign(SEALING, POLICY);
  process.env['LOG_LEVEL'] = 'ERROR';
  jest.useRealTimers();
  jest.restoreAllMocks();
});
afterAll(expectNoViolations);

const upTo = (to: number, from = 1) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Creates a payment provider and helpers for its branches, whose MIDs end in numbers. */
async function newList(count = 0) {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const prefix = unique('L');
  const midOf = (number: number) => `${prefix}N${String(number).padStart(5, '0')}`;
  const numbersIn = ({ body }: ApiResponse): number[] =>
    body.data.map(({ mid }: { mid: string }) => Number(mid.slice(prefix.length + 1)));
  const list = (query: Request['query'] = { sort: 'asc' }) =>
    call('listBranches', { key: provider.key, query: { per_page: '100', ...query } });
  const create = (number: number) => newBranch(provider, { mid: midOf(number) });
  const createAll = async (from: number, to: number) => {
    for (const number of upTo(to, from)) await create(number);
  };
  await createAll(1, count);
  return {
    provider,
    midOf,
    numbersIn,
    list,
    create,
    createAll,
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
    /** Seals up to `most` branches. */
    async seal(most: number): Promise<void> {
      sealUpTo(most);
      await list();
      sealNothing();
    },
    head: () => getItem<BranchListHead>(branchListKey(provider.id)),
    entries: async () => {
      const items = await queryPrefix(branchListOf(provider.id));
      return items.flatMap(({ sk }) => (sk.includes('#') ? [Number(sk.slice(-5))] : []));
    },
    positions: (...numbers: number[]) =>
      Promise.all(
        numbers.map(
          async (number) => (await getItem<Record<string, number>>(branchKey(midOf(number))))?.['provider_position'],
        ),
      ),
  };
}
type List = Awaited<ReturnType<typeof newList>>;

interface Input {
  IndexName?: string;
  Limit?: number;
  ExpressionAttributeValues?: Record<string, unknown>;
  TransactItems?: { Put?: { Item: Key }; Update?: { Key: Key } }[];
}
/** From now on, matching requests to the table are sent by `act`. */
const interceptWhere = (matches: (input: Input) => boolean, act: (send: Send, input: Input) => Promise<unknown>) =>
  intercept((send, { input }) => (matches(input) ? act(send, input) : send()));

/** Whether a request to the table is a seal. */
const isSeal = ({ TransactItems = [] }: Input): boolean => TransactItems[0]?.Update?.Key.sk === 'BRANCH_LIST';

type Row = Record<string, unknown> & { mid: string; provider_position: number };
/** From now on, the index returns what `change` makes of its actual rows; `count` is how often it was queried. */
function indexShows(change: (rows: Row[], count: number) => Row[]): void {
  let count = 0;
  interceptWhere(
    ({ IndexName }) => IndexName !== undefined,
    async (send, { Limit }) => {
      const result = await send();
      count += 1;
      result.output['Items'] = change(result.output['Items'] as Row[], count).slice(0, Limit);
      return result;
    },
  );
}

describe('a list', () => {
  test('shows its newest branches before, while and after they are ranked', async () => {
    const { numbers, seal, head, entries, positions, midOf, provider } = await newList(7);
    expect(await numbers(3)).toEqual(upTo(7));
    expect([await head(), await entries()]).toEqual([undefined, upTo(7)]);

    await seal(3);
    expect(await head()).toEqual({
      ...branchListKey(provider.id),
      count: 3,
      sealed: [midOf(1), midOf(2), midOf(3)],
      sealed_to: expect.stringMatching(`^2[\\d-]+T[\\d:.]+Z#${midOf(3)}$`),
    });
    const [last = 0, ...ranks] = await positions(7, 1, 2, 3);
    expect(last).toBeGreaterThan(Date.parse('2026-01-01'));
    expect(ranks).toEqual([1, 2, 3]);
    // For requests that read the head before.
    expect(await entries()).toEqual(upTo(7));
    expect(await numbers(2)).toEqual(upTo(7));

    await seal(3);
    expect(await entries()).toEqual(upTo(7, 4));
    expect(await numbers(2)).toEqual(upTo(7));
    await seal(3);
    expect(await positions(...upTo(7))).toEqual(upTo(7));
    expect(await entries()).toEqual([7]);
    expect(await numbers(4)).toEqual(upTo(7));
  });

  test('is ranked by its readers, in one transaction each, when enough branches are old enough', async () => {
    const { create, createAll, list, provider, head } = await newList();
    setClock(NOON);
    await createAll(1, POLICY.least - 1);
    setClock(NOON + 1000);
    await create(POLICY.least);
    Object.assign(SEALING, POLICY);
    const operationsAt = async (time: number) => {
      setClock(time);
      // The cached API key may have expired.
      await call('getBranch', { key: provider.key, path: { mid: '-' } });
      return operationsOf(await tableRequestsBy(() => list({})));
    };

    expect(await operationsAt(NOON + POLICY.horizonMs)).toBe('Query Query');
    expect(await operationsAt(NOON + 999 + POLICY.horizonMs)).toBe('Query Query');
    expect(await head()).toBeUndefined();
    expect(await operationsAt(NOON + 1000 + POLICY.horizonMs)).toBe('Query Query TransactWriteItems');
    expect(await head()).toMatchObject({ count: POLICY.least });
    expect(await operationsAt(NOON + 2 * POLICY.horizonMs)).toBe('Query Query');
  });

  test('is also ranked by some creates, concurrently with the create, even if nobody reads it', async () => {
    const { create, createAll, entries, head } = await newList();
    Object.assign(SEALING, { horizonMs: 0, least: 3, most: 4, probability: 1 });
    await createAll(1, 14);
    // The branches that are not ranked yet and those of the last seal.
    expect((await entries()).length).toBeLessThanOrEqual(2 * SEALING.most);
    expect((await head())?.count).toBeGreaterThanOrEqual(14 - 2 * 3);

    const sent = await tableRequestsBy(() => create(15));
    expect(sent.atOnce).toBe(2);
    Object.assign(SEALING, { probability: 0 });
    expect(operationsOf(await tableRequestsBy(() => create(16)))).toBe('BatchGetItem TransactWriteItems');
    // Now a seal is due.
    Object.assign(SEALING, { least: 1, probability: 1 });
    const { requests } = await tableRequestsBy(() => create(17));
    expect(requests.filter(({ input }) => isSeal(input))).toHaveLength(1);
  });
});

describe('with an index that lags', () => {
  let made: List;
  /** When the first branch without a rank was created. */
  let unranked: number;
  beforeAll(async () => {
    sealNothing();
    made = await newList(9);
    // Three sealed batches of three, and three branches that are not ranked.
    for (let seal = 1; seal <= 3; seal += 1) await made.seal(3);
    await made.createAll(10, 12);
    [unranked = 0] = (await made.positions(10)) as number[];
  });
  const atOld = (row: Row): Row => ({ ...row, provider_position: unranked - 1 });

  test.each<[string, (row: Row) => Row[], number[]]>([
    ['at neither their old nor their new position', () => [], [7, 8, 9, 10, 12]],
    ['at their old and their new position', (row) => [row, atOld(row)], [7, 8, 9]],
    ['only at their old position', (row) => [atOld(row)], [7, 8, 9]],
  ])('a list has each branch once at its place if the index returns some %s', async (_, change, numbers) => {
    const { midOf, list, numbersIn } = made;
    const changed = numbers.map(midOf);
    indexShows((rows) => rows.flatMap((row) => (changed.includes(row.mid) ? change(row) : [row])));
    for (const sort of ['asc', 'desc'])
      for (const page of upTo(4))
        for (const per_page of [2, 4, 5]) {
          const response = await list({ sort, page: String(page), per_page: String(per_page) });
          const all = sort === 'asc' ? upTo(12) : upTo(12).reverse();
          const expected = all.slice((page - 1) * per_page, page * per_page);
          expect([sort, page, per_page, numbersIn(response)]).toEqual([sort, page, per_page, expected]);
          expect(response.body.meta.total).toBe(12);
        }
  });

  test('a list queries the index again until it is complete if the index lags by more than one seal', async () => {
    const { midOf, list, numbersIn } = made;
    jest.spyOn(Math, 'random').mockReturnValue(0);
    indexShows((rows, count) => rows.filter(({ mid }) => mid !== midOf(2) || count > 4));
    expect(numbersIn(await list({ sort: 'asc', per_page: '3' }))).toEqual([1, 2, 3]);
  });

  test('a request fails rather than omit a branch if the index lags for longer than it can wait', async () => {
    const { midOf, list } = made;
    captureLog();
    speedUpClock();
    indexShows((rows) => rows.filter(({ mid }) => mid !== midOf(2)));
    const response = await list({ sort: 'asc', per_page: '3' });
    expectProblem(response, 'server_error', SERVICE_BUSY);
    expect(response.headers['retry-after']).toMatch(/^[1-5]$/);
  });
});

describe('a newly created branch', () => {
  /** Creates branch 1 at noon, but holds back its write until the returned function is called. */
  async function createLate({ create, midOf }: List): Promise<() => Promise<unknown>> {
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    interceptWhere(
      ({ TransactItems = [] }) => TransactItems.some(({ Put }) => Put?.Item.pk === branchKey(midOf(1)).pk),
      async (send) => {
        held.resolve();
        await released.promise;
        return send();
      },
    );
    setClock(NOON);
    const late = create(1);
    await held.promise;
    return () => {
      released.resolve();
      return late;
    };
  }

  test('is listed and ranked by its created_at when the clock that set it is behind', async () => {
    const { create, numbers, list, positions } = await newList();
    for (const number of [1, 3, 2]) {
      setClock(NOON + 1000 * number);
      await create(number);
    }
    expect(await numbers()).toEqual([1, 2, 3]);
    setClock(NOON + 60_000);
    sealOld();
    await list();
    expect(await positions(1, 2, 3)).toEqual([1, 2, 3]);
    expect(await numbers(2)).toEqual([1, 2, 3]);
  });

  test('is not overtaken within its request’s time, and takes the next rank if it is stored later', async () => {
    const made = await newList();
    const { createAll, list, numbers, positions, head, entries } = made;
    const letGo = await createLate(made);
    setClock(NOON + 1000);
    await createAll(2, 6);
    sealOld(4);
    // A function times out after 20 s.
    setClock(NOON + 20_000);
    await list();
    expect(await head()).toBeUndefined();
    setClock(NOON + 60_000);
    await list();
    expect(await positions(2, 3, 4, 5)).toEqual([1, 2, 3, 4]);
    // Late entries are ranked at any age, however few there are.
    Object.assign(SEALING, { least: 10 });
    sealNothing();
    await letGo();
    // Behind the ranked ones and before the younger one that has no rank.
    expect(await numbers(2)).toEqual([2, 3, 4, 5, 1, 6]);
    expect(await positions(1)).toEqual([5]);
    expect(await entries()).toEqual([1, 6]);
    expect(await numbers(2)).toEqual([2, 3, 4, 5, 1, 6]);
  });
});

describe('a seal', () => {
  /** Creates a list of five branches, of which the next request seals three. */
  async function newDueList() {
    const made = await newList(5);
    sealUpTo(3);
    return made;
  }

  test.each<[string, (send: Send) => Promise<unknown>, number | undefined]>([
    ['before it is done', () => Promise.reject(lost()), undefined],
    ['after it is done', (send) => send().then(() => Promise.reject(lost())), 3],
  ])('that fails %s leaves the list correct, and its request succeeds', async (_, end, count) => {
    const { list, numbers, numbersIn, head } = await newDueList();
    interceptWhere(isSeal, end);
    const lines = captureLog();
    expect(numbersIn(await list())).toEqual(upTo(5));
    expect(lines()).toEqual([]);
    expect((await head())?.count).toBe(count);
    release();
    expect(await numbers()).toEqual(upTo(5));
    expect(await numbers()).toEqual(upTo(5));
    expect((await head())?.count).toBe(5);
  });

  test('that conflicts with another seal leaves the work to that one', async () => {
    const { list, numbers, numbersIn, head } = await newDueList();
    const both = Promise.withResolvers<void>();
    let seals = 0;
    interceptWhere(isSeal, async (send) => {
      seals += 1;
      if (seals === 2) both.resolve();
      await both.promise;
      return send();
    });
    for (const response of await Promise.all([list(), list()])) expect(numbersIn(response)).toEqual(upTo(5));
    expect([seals, (await head())?.count]).toEqual([2, 3]);
    sealNothing();
    expect(await numbers(2)).toEqual(upTo(5));
  });

  test('removes the entries of the last seal even if it has read more entries than fit a transaction', async () => {
    const { provider, midOf, seal, head, entries } = await newList(8);
    await seal(3);
    await seal(3);
    // A read over several pages also returns entries that a seal has removed meanwhile.
    const removed = upTo(99).map((at) =>
      branchListEntryKey(provider.id, `2026-01-01T00:00:00.${String(at).padStart(3, '0')}Z`, midOf(1)),
    );
    interceptWhere(
      ({ ExpressionAttributeValues = {} }) =>
        Object.values(ExpressionAttributeValues).includes(branchListKey(provider.id).pk),
      async (send) => {
        const result = await send();
        (result.output['Items'] as Key[]).push(...removed);
        return result;
      },
    );
    await seal(2);
    release();
    expect(await head()).toMatchObject({ count: 8 });
    expect(await entries()).toEqual([7, 8]);
  });

  test('that fails unexpectedly is logged with its request, which succeeds', async () => {
    const { list, numbersIn } = await newDueList();
    process.env['LOG_LEVEL'] = 'INFO';
    const lines = captureLog();
    interceptWhere(isSeal, () => Promise.reject(named('AccessDeniedException', 'no permission')));
    expect(numbersIn(await list())).toEqual(upTo(5));
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
