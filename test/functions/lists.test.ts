import { beforeAll, describe, expect, test } from '@jest/globals';
import { SEALING } from '../../lib/branches/ranks.ts';
import { call, type Operation } from '../support/api.ts';
import { NO_BRANCH } from '../support/constants.ts';
import { bodyOf, expectRefused } from '../support/outcomes.ts';
import { terminalBody } from '../support/requests.ts';
import { storedBy } from '../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../support/tableRequests.ts';
import {
  archiveBranch,
  type Caller,
  newAcquirer,
  newBranch,
  newSharedBranch,
  numbered,
  unique,
  useWorld,
} from '../support/world.ts';
import { shownTerminal } from './terminals/terminals.ts';

/* test/lib/http/page.unit.test.ts covers the query parameters, the links and the meta of a page. */

const world = useWorld();

type Query = Record<string, string>;

describe('listBranches', () => {
  const LIST = 'https://api.example.com/ext/api/v1/merchants';

  /** Seven branches of the provider in the order of their creation, the even-numbered ones made by the distributor. */
  const branches: Record<string, unknown>[] = [];
  beforeAll(async () => {
    for (let number = 1; number <= 7; number += 1) {
      const body = { branch_name: `Branch ${number}`, area: 'North', city: 'Braga' };
      branches.push(number % 2 === 0 ? await newSharedBranch(world, body) : await newBranch(world.provider, body));
    }
  });

  const list = ({ key }: Caller, query: Query = {}) => storedBy(() => call('listBranches', { key, query }));

  /** How many of the oldest branches in an acquirer's list are ranked. */
  const ranked: Record<string, number> = {};
  /** Ranks the oldest `count` branches of an acquirer's list, unless they are. */
  async function rank(caller: Caller, count: number): Promise<void> {
    const most = count - (ranked[caller.id] ?? 0);
    if (most === 0) return;
    const before = { ...SEALING };
    Object.assign(SEALING, { horizonMs: 0, least: most, most });
    const { changed } = await list(caller);
    Object.assign(SEALING, before);
    expect(changed[`ACQUIRER#${caller.id} BRANCH_LIST`]).toMatchObject({ count });
    ranked[caller.id] = count;
  }

  const DETAILS = ['merchant_name', 'area', 'city', 'master_merchant_name', 'master_merchant_id'];
  const LISTED = ['mid', ...DETAILS, 'status', 'created_at', 'updated_at', 'archived_at'];
  /** The fields of a branch that a list shows, from the response to its creation. */
  const listed = (branch: Record<string, unknown> | undefined) =>
    Object.fromEntries(LISTED.map((field) => [field, branch?.[field]]));

  describe.each([
    ['none ranked', 0, 0, 'Query BatchGetItem'],
    ['the older ones ranked', 4, 2, 'Query BatchGetItem'],
    // The index surely has the oldest, which is not among those ranked last.
    ['all ranked', 7, 3, 'Query Query'],
  ])('with seven branches, %s,', (_, count, countOfDistributor, readsOfOldest) => {
    beforeAll(async () => {
      await rank(world.provider, count);
      await rank(world.distributor, countOfDistributor);
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
      ['asc', '1', [1, 2, 3], 2, 'Query Query'],
      ['desc', '1', [7, 6, 5], 2, 'Query Query'],
      // Depends on how many branches are ranked.
      ['asc', '2', [4, 5, 6], 1, 'Query Query'],
      ['desc', '2', [4, 3, 2], 1, 'Query Query'],
      // A single branch is read by its key, several through the index.
      ['asc', '3', [7], 1, 'Query BatchGetItem'],
      ['desc', '3', [1], 1, readsOfOldest],
      ['asc', '4', [], 1, 'Query'],
      ['desc', '4', [], 1, 'Query'],
      ['asc', '1000000000', [], 1, 'Query'],
    ])(
      'lists %s, page %s, with three branches per page, and sends only the necessary requests',
      async (sort, page, numbers, atOnce, operations) => {
        // Caches the API key.
        await list(world.provider);
        const sent = await tableRequestsBy(() => list(world.provider, { sort, page, per_page: '3' }));
        const { data, meta } = sent.response.response.body;
        expect(data).toEqual(numbers.map((number) => listed(branches[number - 1])));
        expect(meta).toEqual({ current_page: Number(page), per_page: 3, total: 7 });
        expect([operationsOf(sent), sent.atOnce]).toEqual([operations, atOnce]);
        const [ofList, ...others] = sent.requests.map(({ input }) => input);
        expect(ofList).toMatchObject({ ConsistentRead: true, ExpressionAttributeValues: { ':prefix': 'BRANCH_LIST' } });
        for (const input of others.filter((each) => !each['RequestItems']))
          expect(input).toMatchObject({ IndexName: 'branches-by-provider' });
      },
    );

    test('lists for a distributor only the branches it is the distributor of', async () => {
      const { response } = await list(world.distributor, { sort: 'asc' });
      expect(response.body.data).toEqual([branches[1], branches[3], branches[5]].map(listed));
      expect(response.body.meta).toEqual({ current_page: 1, per_page: 10, total: 3 });
    });
  });

  test('lists all with a blank search', async () => {
    const { response } = await list(world.provider, { search: ' ' });
    expect(response.body.meta).toEqual({ current_page: 1, per_page: 10, total: 7 });
    expect(response.body.warnings).toBeUndefined();
  });

  test('lists archived branches in their original order', async () => {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Oldpay');
    for (const mid of ['OLD1', 'OLD2', 'OLD3']) await newBranch(provider, { mid });
    for (const mid of ['OLD3', 'OLD1']) await archiveBranch(provider, mid);
    const expected = ['OLD1 archived', 'OLD2 active', 'OLD3 archived'];
    for (const [sort, all] of Object.entries({ asc: expected, desc: expected.toReversed() })) {
      const { data } = (await list(provider, { sort })).response.body;
      expect(data.map(({ mid, status }: Record<string, string>) => `${mid} ${status}`)).toEqual(all);
    }
  });
});

describe('listTerminals', () => {
  /** Creates terminals with one request and returns them. */
  async function newTerminals(mid: string, terminals: object[]) {
    const { key } = world.provider;
    const { status, body } = await call('createTerminals', { key, path: { id: mid }, body: { terminals } });
    expect(status).toBe(201);
    return body.data;
  }

  const list = (mid: string, query: Query = {}, key = world.provider.key) =>
    call('listTerminals', { key, path: { id: mid }, query });

  const idsOf = (data: { terminal_id: string }[]) => data.map(({ terminal_id }) => terminal_id);

  test('returns every field of each terminal, newest first, ten per page, to both acquirers', async () => {
    const { mid } = await newSharedBranch(world);
    const sent = [terminalBody(), ...numbered(unique('T'), 11)];
    const created = await newTerminals(mid, sent);
    const { created_at } = created[0];
    expect(created).toEqual(sent.map((fields) => shownTerminal({ ...fields, mid, updated_at: created_at })));

    for (const { key } of [world.provider, world.distributor])
      for (const page of [1, 2])
        expect(await bodyOf(() => list(mid, { page: String(page) }, key))).toEqual({
          data: page === 1 ? created.slice(2).reverse() : created.slice(0, 2).reverse(),
          links: expect.anything(),
          meta: { current_page: page, per_page: 10, total: 12 },
        });
  });

  test('says for the TID of an accessible terminal, and of no other, how to read it', async () => {
    const { mid } = await newSharedBranch(world);
    const [{ tid }] = await newTerminals(mid, [{ terminal_id: unique('T') }]);
    const explained =
      `This path takes the MID of a branch and lists its terminals. ${tid} is the TID of a ` +
      `terminal: read it with GET /ext/api/v1/find?tid=${tid}.`;
    for (const { key } of [world.provider, world.distributor])
      await expectRefused(() => list(tid, {}, key), 'not_found', explained);
    await expectRefused(() => list(tid, {}, world.stranger.key), 'not_found', NO_BRANCH);
  });

  describe('page by page', () => {
    let mid: string;
    let prefix: string;
    beforeAll(async () => {
      ({ mid } = await newSharedBranch(world));
      prefix = unique('T');
      await newTerminals(mid, numbered(prefix, 5));
    });

    test.each([
      ['asc', 1, [1, 2], 'GetItem Query'],
      ['asc', 2, [3, 4], 'GetItem Query'],
      ['asc', 3, [5], 'GetItem Query'],
      ['asc', 4, [], 'GetItem'],
      ['desc', 1, [5, 4], 'GetItem Query'],
      ['desc', 2, [3, 2], 'GetItem Query'],
      ['desc', 3, [1], 'GetItem Query'],
      ['desc', 1_000_000_000, [], 'GetItem'],
    ])('reads only the terminals of a page: %s, page %d', async (sort, page, numbers, operations) => {
      // Caches the API key.
      await list(mid);
      const sent = await tableRequestsBy(() => list(mid, { page: String(page), per_page: '2', sort }));
      expect(sent.response.status).toBe(200);
      const { data, meta } = sent.response.body;
      expect(idsOf(data)).toEqual(numbers.map((number) => `${prefix}${number}`));
      expect(meta).toEqual({ current_page: page, per_page: 2, total: 5 });
      expect(operationsOf(sent)).toBe(operations);
      if (numbers.length > 0) expect(sent.requests[1]?.input).toMatchObject({ Limit: numbers.length });
    });
  });
});

test.each<[Operation, object]>([
  ['listBranches', {}],
  ['listTerminals', { path: { id: 'NOSUCHMID' } }],
])('%s lists every invalid query parameter, before it reads a branch', async (operation, path) => {
  const query = { sort: 'up', per_page: '101', page: '0' };
  const detail = 'sort: Must be asc or desc. per_page: Must be at most 100. page: Must be at least 1.';
  await expectRefused(() => call(operation, { key: world.provider.key, ...path, query }), 'invalid_query', detail);
});
