import { beforeAll, describe, expect, test } from '@jest/globals';
import { SEALING } from '../../../lib/branchRanks.ts';
import { behavesAlike } from '../../support/alike.ts';
import { call, expectProblem } from '../../support/api.ts';
import { unknownParameter } from '../../support/constants.ts';
import { storedBy } from '../../support/stored.ts';
import { tableRequestsBy, told } from '../../support/tableRequests.ts';
import { archiveBranch, type Caller, newAcquirer, newBranch, newWorld, type World } from '../../support/world.ts';

const LIST = 'https://api.example.com/ext/api/v1/merchants';

/** Creates seven branches of the provider, the even ones through the distributor, and returns them in this order. */
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

// No create ranks anything: how many branches of a list are ranked is for each test to say.
SEALING.share = 0;

/** Ranks the oldest branches of an acquirer's list, so many at once. */
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

/** What a list shows of a branch that was answered on its creation. */
const listed = (branch: Record<string, unknown> | undefined) =>
  Object.fromEntries(
    ['mid', 'merchant_name', 'area', 'city', 'master_merchant_name', 'master_merchant_id', 'status', 'created_at'].map(
      (field) => [field, branch?.[field]],
    ),
  );

describe('200', () => {
  describe.each([
    ['none is ranked', 'NONE', 0, 0],
    ['the older ones are ranked', 'SOME', 4, 2],
    ['all are ranked', 'ALL', 7, 3],
  ])('of seven branches, of which %s,', (_, prefix, ranked, rankedForDistributor) => {
    let world: World;
    let branches: Record<string, unknown>[];
    beforeAll(async () => {
      world = await newWorld();
      branches = await newBranches(world, prefix);
      if (ranked > 0) await rank(world.provider, ranked);
      if (rankedForDistributor > 0) await rank(world.distributor, rankedForDistributor);
    });

    test('lists ten at a time, the latest first, unless told otherwise', async () => {
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
    ])('lists %s, page %s of three branches each', async (sort, page, numbers, prev, next) => {
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

    test('lists to a distributor the branches that it is the distributor of, and no others of its partner', async () => {
      const { response } = await list(world.distributor, { sort: 'asc' });
      expect(response.body.data).toEqual([branches[1], branches[3], branches[5]].map(listed));
      expect(response.body.meta).toEqual({ current_page: 1, per_page: 10, total: 3 });
    });

    test('lists up to a hundred on a page', async () => {
      const { response } = await list(world.provider, { per_page: '100' });
      expect(response.body.meta).toEqual({ current_page: 1, per_page: 100, total: 7 });
      expect(response.body.data).toHaveLength(7);
    });

    test.each([
      ['asc', '1', 2, 'Query Query'],
      ['desc', '1', 2, 'Query Query'],
      // Which branches these are depends on the list.
      ['asc', '2', 1, 'Query Query'],
      ['desc', '2', 1, 'Query Query'],
      // One branch is read by its key, several from the index.
      ['asc', '3', 1, 'Query BatchGetItem'],
      ['desc', '3', 1, 'Query BatchGetItem'],
      ['asc', '4', 1, 'Query'],
      ['desc', '4', 1, 'Query'],
      ['asc', '9007199254740991', 1, 'Query'],
    ])(
      'reads no more than it needs for %s, page %s, with at most %d requests at once',
      async (sort, page, atOnce, asks) => {
        // From here on the key is known.
        await list(world.provider);
        const sent = await tableRequestsBy(() => list(world.provider, { sort, page, per_page: '3' }));
        expect(told(sent)).toBe(asks);
        expect(sent.atOnce).toBe(atOnce);
        const [ofList, ...others] = sent.requests.map(({ input }) => input);
        expect(ofList).toMatchObject({ ConsistentRead: true, ExpressionAttributeValues: { ':prefix': 'BRANCH_LIST' } });
        for (const input of others.filter((each) => !each['RequestItems']))
          expect(input).toMatchObject({ IndexName: 'branches-by-provider' });
      },
    );
  });

  test('shows archived branches in their places', async () => {
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

  test('an acquirer without branches gets an empty first page', async () => {
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
  ] as [Record<string, string>, string][])('refuses %j', async (query, detail) => {
    const { response, changed } = await list(world.provider, query);
    expectProblem(response, 'invalid_query', detail);
    expect(changed).toEqual({});
  });
});

behavesAlike('listBranches', () => ({ key: world.provider.key }));
