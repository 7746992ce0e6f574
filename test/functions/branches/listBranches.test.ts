import { beforeAll, describe, expect, test } from '@jest/globals';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { call, expectProblem } from '../../support/api.ts';
import { testCommonBehaviour } from '../../support/commonBehaviour.ts';
import { unknownParameter } from '../../support/constants.ts';
import { storedBy } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import { archiveBranch, type Caller, newAcquirer, newBranch, newWorld, type World } from '../../support/world.ts';

const LIST = 'https://api.example.com/ext/api/v1/merchants';

/**
 * Creates seven branches of the provider, the even-numbered ones through the distributor, and returns them in order.
 */
async function newBranches({ distributor, provider }: World, prefix: string): Promise<Record<string, unknown>[]> {
  const branches = [];
  for (let number = 1; number <= 7; number += 1) {
    const body = { mid: `${prefix}${number}`, branch_name: `Branch ${number}`, area: 'North', city: 'Braga' };
    branches.push(
      number % 2 === 0
        ? await newBranch(distributor, { ...body, payment_provider: provider.id })
        : await newBranch(provider, body),
    );
  }
  return branches;
}

const list = ({ key }: Caller, query: Record<string, string> = {}) =>
  storedBy(() => call('listBranches', { key, query }));

// Creates never rank branches here; each test says how many are ranked.
SEALING.probability = 0;

/** Ranks the oldest `count` branches of an acquirer's list. */
async function rank(caller: Caller, count: number): Promise<void> {
  const before = { ...SEALING };
  Object.assign(SEALING, { horizonMs: 0, least: count, most: count });
  const { changed } = await list(caller);
  Object.assign(SEALING, before);
  expect(changed[`ACQUIRER#${caller.id} BRANCH_LIST`]).toMatchObject({ count });
}

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

/** The fields of a branch that a list shows, from the response to its creation. */
const listed = (branch: Record<string, unknown> | undefined) =>
  Object.fromEntries(
    ['mid', 'merchant_name', 'area', 'city', 'master_merchant_name', 'master_merchant_id', 'status', 'created_at'].map(
      (field) => [field, branch?.[field]],
    ),
  );

describe('200', () => {
  describe.each([
    ['none ranked', 'NONE', 0, 0],
    ['the older ones ranked', 'SOME', 4, 2],
    ['all ranked', 'ALL', 7, 3],
  ])('with seven branches, %s,', (_, prefix, ranked, rankedForDistributor) => {
    let world: World;
    let branches: Record<string, unknown>[];
    beforeAll(async () => {
      world = await newWorld();
      branches = await newBranches(world, prefix);
      if (ranked > 0) await rank(world.provider, ranked);
      if (rankedForDistributor > 0) await rank(world.distributor, rankedForDistributor);
    });

    test('lists ten per page, newest first, by default', async () => {
      const { response, changed } = await list(world.provider);
      expect(response.status).toBe(200);
      expect(response.body).toEqual({
        data: branches.map(listed).reverse(),
        links: { first: `${LIST}?page=1`, last: `${LIST}?page=1`, prev: null, next: null },
        meta: { current_page: 1, per_page: 10, total: 7 },
      });
      expect(changed).toEqual({});
    });

    test.each([
      ['asc', '1', [1, 2, 3], null, 2],
      ['asc', '2', [4, 5, 6], 1, 3],
      ['asc', '3', [7], 2, null],
      ['desc', '1', [7, 6, 5], null, 2],
      ['desc', '2', [4, 3, 2], 1, 3],
      ['desc', '3', [1], 2, null],
      ['desc', '4', [], 3, null],
      ['asc', '999999999999999', [], 3, null],
    ])('lists %s, page %s, with three branches per page', async (sort, page, numbers, prev, next) => {
      const { response } = await list(world.provider, { sort, per_page: '3', page, source: 'crm & co' });
      const link = (to: number | null) => to && `${LIST}?sort=${sort}&per_page=3&page=${to}&source=crm+%26+co`;
      expect(response.status).toBe(200);
      expect(response.body).toEqual({
        data: numbers.map((number) => listed(branches[number - 1])),
        links: { first: link(1), last: link(3), prev: link(prev), next: link(next) },
        meta: { current_page: Number(page), per_page: 3, total: 7 },
        warnings: [unknownParameter('source')],
      });
    });

    test('lists for a distributor only the branches it is the distributor of', async () => {
      const { response } = await list(world.distributor, { sort: 'asc' });
      expect(response.body.data).toEqual([branches[1], branches[3], branches[5]].map(listed));
      expect(response.body.meta).toEqual({ current_page: 1, per_page: 10, total: 3 });
    });

    test('accepts a per_page of 100', async () => {
      const { response } = await list(world.provider, { per_page: '100' });
      expect(response.body.meta).toEqual({ current_page: 1, per_page: 100, total: 7 });
      expect(response.body.data).toHaveLength(7);
    });

    test.each([
      ['asc', '1', 2, 'Query Query'],
      ['desc', '1', 2, 'Query Query'],
      // Depends on how many branches are ranked.
      ['asc', '2', 1, 'Query Query'],
      ['desc', '2', 1, 'Query Query'],
      // A single branch is read by its key, several through the index.
      ['asc', '3', 1, 'Query BatchGetItem'],
      ['desc', '3', 1, 'Query BatchGetItem'],
      ['asc', '4', 1, 'Query'],
      ['desc', '4', 1, 'Query'],
      ['asc', '9007199254740991', 1, 'Query'],
    ])(
      'sends only the necessary requests for %s, page %s, at most %d at once',
      async (sort, page, atOnce, operations) => {
        // Caches the API key.
        await list(world.provider);
        const sent = await tableRequestsBy(() => list(world.provider, { sort, page, per_page: '3' }));
        expect(operationsOf(sent)).toBe(operations);
        expect(sent.atOnce).toBe(atOnce);
        const [ofList, ...others] = sent.requests.map(({ input }) => input);
        expect(ofList).toMatchObject({ ConsistentRead: true, ExpressionAttributeValues: { ':prefix': 'BRANCH_LIST' } });
        for (const input of others.filter((each) => !each['RequestItems']))
          expect(input).toMatchObject({ IndexName: 'branches-by-provider' });
      },
    );
  });

  test('lists archived branches in their original order', async () => {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Oldpay');
    const mids = ['OLD1', 'OLD2', 'OLD3'];
    for (const mid of mids) await newBranch(provider, { mid });
    await archiveBranch(provider, 'OLD3');
    await archiveBranch(provider, 'OLD1');
    const shown = async (sort: string) =>
      (await list(provider, { sort })).response.body.data.map(({ mid, status }: Record<string, string>) => [
        mid,
        status,
      ]);
    const expected = [
      ['OLD1', 'archived'],
      ['OLD2', 'active'],
      ['OLD3', 'archived'],
    ];
    expect(await shown('asc')).toEqual(expected);
    expect(await shown('desc')).toEqual(expected.reverse());
  });

  test('returns an empty first page for an acquirer without branches', async () => {
    const { response } = await list(await newAcquirer('PAYMENT_PROVIDER', 'Newpay'));
    expect(response.body).toEqual({
      data: [],
      links: { first: `${LIST}?page=1`, last: `${LIST}?page=1`, prev: null, next: null },
      meta: { current_page: 1, per_page: 10, total: 0 },
    });
  });
});

describe('400', () => {
  test.each([
    [{ sort: 'ASC' }, 'sort: Must be asc or desc.'],
    [{ sort: 'asc,desc' }, 'sort: Must be asc or desc.'],
    [{ per_page: '0' }, 'per_page: Must be at least 1.'],
    [{ per_page: '101' }, 'per_page: Must be at most 100.'],
    [{ per_page: '-1' }, 'per_page: Must be a whole number.'],
    [{ per_page: '1.5' }, 'per_page: Must be a whole number.'],
    [{ page: '0' }, 'page: Must be at least 1.'],
    [{ page: '' }, 'page: Must be a whole number.'],
    [{ page: '1e3' }, 'page: Must be a whole number.'],
    [{ page: '9'.repeat(30) }, 'page: Must be at most 9007199254740991.'],
    [
      { sort: 'up', per_page: 'x', page: 'y' },
      'sort: Must be asc or desc. per_page: Must be a whole number. page: Must be a whole number.',
    ],
  ] as [Record<string, string>, string][])('rejects %j', async (query, detail) => {
    const { response, changed } = await list(world.provider, query);
    expectProblem(response, 'invalid_query', detail);
    expect(changed).toEqual({});
  });
});

testCommonBehaviour('listBranches', () => ({ key: world.provider.key }));
