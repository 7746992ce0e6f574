import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, expectProblem } from '../../support/api.ts';
import { testCommonBehaviour } from '../../support/commonBehaviour.ts';
import { NO_BRANCH, NO_MIDS, unknownParameter } from '../../support/constants.ts';
import { storedBy } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import {
  type Caller,
  newSharedBranch,
  newTerminal,
  newWorld,
  numbered,
  unique,
  type World,
} from '../../support/world.ts';

const LIST = 'https://api.example.com/ext/api/v1/terminals';

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

/** Creates terminals with one request and returns them. */
async function newTerminals(caller: Caller, mid: string, terminals: { terminal_id: string }[]) {
  const { status, body } = await call('createTerminals', { key: caller.key, path: { id: mid }, body: { terminals } });
  expect(status).toBe(201);
  return body.data;
}

const list = (mid: string, query: Record<string, string> = {}, key = world.provider.key) =>
  call('listTerminals', { key, path: { id: mid }, query });

const idsOf = (data: { terminal_id: string }[]) => data.map(({ terminal_id }) => terminal_id);

describe('200', () => {
  test('returns every field of each terminal, newest first', async () => {
    await newSharedBranch(world, { mid: 'LISTFULL' });
    const first = await newTerminal(world.provider, 'LISTFULL', {
      terminal_id: 'TLIST1',
      serial_no: 'SLIST1',
      terminal_model: 'Move/5000 “Ñ” 🏪',
      payment_app: 'Checkout Go',
      acquirer_name: 'Atlantic Acquiring',
    });
    const second = await newTerminal(world.provider, 'LISTFULL', { terminal_id: 'TLIST2' });

    const { response, changed } = await storedBy(() => list('LISTFULL'));

    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      data: [
        {
          tid: '3ad89385-538f-5853-b405-99a1e13e15b9',
          terminal_id: 'TLIST2',
          serial_no: null,
          terminal_model: null,
          payment_app: null,
          acquirer_name: null,
          mid: 'LISTFULL',
          status: 'active',
          created_at: second.created_at,
          updated_at: second.created_at,
          archived_at: null,
          archive_reason: null,
        },
        {
          tid: '158e1d1b-353e-5898-8017-b2750ac03f67',
          terminal_id: 'TLIST1',
          serial_no: 'SLIST1',
          terminal_model: 'Move/5000 “Ñ” 🏪',
          payment_app: 'Checkout Go',
          acquirer_name: 'Atlantic Acquiring',
          mid: 'LISTFULL',
          status: 'active',
          created_at: first.created_at,
          updated_at: first.created_at,
          archived_at: null,
          archive_reason: null,
        },
      ],
      links: {
        first: `${LIST}/LISTFULL?page=1`,
        last: `${LIST}/LISTFULL?page=1`,
        prev: null,
        next: null,
      },
      meta: { current_page: 1, per_page: 10, total: 2 },
    });
    expect(changed).toEqual({});
  });

  test('returns one empty page for a branch without terminals', async () => {
    await newSharedBranch(world, { mid: 'LISTEMPTY' });

    expect((await list('LISTEMPTY')).body).toEqual({
      data: [],
      links: {
        first: `${LIST}/LISTEMPTY?page=1`,
        last: `${LIST}/LISTEMPTY?page=1`,
        prev: null,
        next: null,
      },
      meta: { current_page: 1, per_page: 10, total: 0 },
    });
  });

  test('links from a later page of a branch without terminals to its only page', async () => {
    await newSharedBranch(world, { mid: 'LISTEMPTY2' });

    expect((await list('LISTEMPTY2', { page: '3' })).body).toEqual({
      data: [],
      links: {
        first: `${LIST}/LISTEMPTY2?page=1`,
        last: `${LIST}/LISTEMPTY2?page=1`,
        prev: `${LIST}/LISTEMPTY2?page=1`,
        next: null,
      },
      meta: { current_page: 3, per_page: 10, total: 0 },
    });
  });

  test('lists ten terminals per page, newest first, by default', async () => {
    const { mid } = await newSharedBranch(world);
    const created = await newTerminals(world.provider, mid, numbered(unique('T'), 12));

    const [first, second] = await Promise.all([list(mid), list(mid, { page: '2' })]);

    expect(first.body).toEqual({
      data: created.slice(2).reverse(),
      links: {
        first: `${LIST}/${mid}?page=1`,
        last: `${LIST}/${mid}?page=2`,
        prev: null,
        next: `${LIST}/${mid}?page=2`,
      },
      meta: { current_page: 1, per_page: 10, total: 12 },
    });
    expect(second.body).toEqual({
      data: created.slice(0, 2).reverse(),
      links: {
        first: `${LIST}/${mid}?page=1`,
        last: `${LIST}/${mid}?page=2`,
        prev: `${LIST}/${mid}?page=1`,
        next: null,
      },
      meta: { current_page: 2, per_page: 10, total: 12 },
    });
  });

  test('keeps the request order within one create when sorted asc, and reverses it when sorted desc', async () => {
    const { mid } = await newSharedBranch(world);
    const early = await newTerminals(world.provider, mid, [
      { terminal_id: 'ORDERZ' },
      { terminal_id: 'ORDERA' },
      { terminal_id: 'ORDERM' },
    ]);
    const late = await newTerminals(world.provider, mid, numbered('ORDER', 40));

    const [ascending, descending] = await Promise.all([
      list(mid, { sort: 'asc', per_page: '100' }),
      list(mid, { sort: 'desc', per_page: '100' }),
    ]);

    expect(ascending.body).toEqual({
      data: [...early, ...late],
      links: {
        first: `${LIST}/${mid}?sort=asc&per_page=100&page=1`,
        last: `${LIST}/${mid}?sort=asc&per_page=100&page=1`,
        prev: null,
        next: null,
      },
      meta: { current_page: 1, per_page: 100, total: 43 },
    });
    expect(descending.body).toEqual({
      data: [...early, ...late].reverse(),
      links: {
        first: `${LIST}/${mid}?sort=desc&per_page=100&page=1`,
        last: `${LIST}/${mid}?sort=desc&per_page=100&page=1`,
        prev: null,
        next: null,
      },
      meta: { current_page: 1, per_page: 100, total: 43 },
    });
  });

  describe('page by page', () => {
    beforeAll(async () => {
      await newSharedBranch(world, { mid: 'LISTPAGES' });
      await newTerminals(world.provider, 'LISTPAGES', numbered('P', 5));
    });

    test.each([
      { sort: 'asc', page: 1, ids: ['P1', 'P2'], prev: null, next: 2 },
      { sort: 'asc', page: 2, ids: ['P3', 'P4'], prev: 1, next: 3 },
      { sort: 'asc', page: 3, ids: ['P5'], prev: 2, next: null },
      { sort: 'asc', page: 4, ids: [], prev: 3, next: null },
      { sort: 'asc', page: 9, ids: [], prev: 3, next: null },
      { sort: 'desc', page: 1, ids: ['P5', 'P4'], prev: null, next: 2 },
      { sort: 'desc', page: 2, ids: ['P3', 'P2'], prev: 1, next: 3 },
      { sort: 'desc', page: 3, ids: ['P1'], prev: 2, next: null },
      { sort: 'desc', page: 4, ids: [], prev: 3, next: null },
      { sort: 'desc', page: 999_999_999_999_999, ids: [], prev: 3, next: null },
    ])('returns $ids as page $page of 3 when sorted $sort', async ({ sort, page, ids, prev, next }) => {
      const { status, body } = await list('LISTPAGES', { page: String(page), per_page: '2', sort });

      const linkTo = (number: number | null) =>
        number === null ? null : `${LIST}/LISTPAGES?page=${number}&per_page=2&sort=${sort}`;
      expect(status).toBe(200);
      expect(idsOf(body.data)).toEqual(ids);
      expect(body).toEqual({
        data: expect.any(Array),
        links: { first: linkTo(1), last: linkTo(3), prev: linkTo(prev), next: linkTo(next) },
        meta: { current_page: page, per_page: 2, total: 5 },
      });
    });

    test.each(['asc', 'desc'])('reads one terminal for each page of one when sorted %s', async (sort) => {
      for (const page of [1, 2, 3, 4, 5]) {
        const sent = await tableRequestsBy(() => list('LISTPAGES', { page: String(page), per_page: '1', sort }));
        expect(operationsOf(sent)).toBe('GetItem Query');
        expect(sent.requests[1]?.input).toMatchObject({ Limit: 1 });
        expect(idsOf(sent.response.body.data)).toEqual([`P${sort === 'asc' ? page : 6 - page}`]);
      }
    });

    test('reads no terminals for a page past the end', async () => {
      expect(operationsOf(await tableRequestsBy(() => list('LISTPAGES', { page: '4', per_page: '2' })))).toBe(
        'GetItem',
      );
    });

    test('has no next page when the terminals fill the last one', async () => {
      const { body } = await list('LISTPAGES', { per_page: '5' });

      expect(idsOf(body.data)).toEqual(['P5', 'P4', 'P3', 'P2', 'P1']);
      expect(body.links).toEqual({
        first: `${LIST}/LISTPAGES?per_page=5&page=1`,
        last: `${LIST}/LISTPAGES?per_page=5&page=1`,
        prev: null,
        next: null,
      });
    });

    test('keeps every query parameter in the links, including unknown ones', async () => {
      const { body } = await list('LISTPAGES', { note: 'a b&c=d', page: '2', sort: 'asc', per_page: '1' });
      expect(body.warnings).toEqual([unknownParameter('note')]);

      expect(idsOf(body.data)).toEqual(['P2']);
      expect(body.links).toEqual({
        first: `${LIST}/LISTPAGES?note=a+b%26c%3Dd&page=1&sort=asc&per_page=1`,
        last: `${LIST}/LISTPAGES?note=a+b%26c%3Dd&page=5&sort=asc&per_page=1`,
        prev: `${LIST}/LISTPAGES?note=a+b%26c%3Dd&page=1&sort=asc&per_page=1`,
        next: `${LIST}/LISTPAGES?note=a+b%26c%3Dd&page=3&sort=asc&per_page=1`,
      });
      expect(body.meta).toEqual({ current_page: 2, per_page: 1, total: 5 });
    });
  });

  test('returns the same to the distributor and the payment provider of the branch', async () => {
    const { mid } = await newSharedBranch(world);
    const ofDistributor = await newTerminal(world.distributor, mid);
    const ofProvider = await newTerminal(world.provider, mid);

    const [forDistributor, forProvider] = await Promise.all(
      [world.distributor, world.provider].map(({ key }) => list(mid, {}, key)),
    );

    expect(forDistributor?.body.data).toEqual([ofProvider, ofDistributor]);
    expect(forProvider?.body).toEqual(forDistributor?.body);
  });

  test('lists archived terminals among the active ones', async () => {
    const { mid } = await newSharedBranch(world);
    const [active, other] = await newTerminals(world.provider, mid, numbered(unique('T'), 2));
    const { body: archived } = await call('archiveTerminal', {
      key: world.provider.key,
      path: { id: other.tid },
      body: { reason: 'Out of order' },
    });

    const { body } = await list(mid, { sort: 'asc' });

    expect(archived.data.archived_at).not.toBeNull();
    expect(body.data).toEqual([
      active,
      {
        ...other,
        status: 'archived',
        updated_at: archived.data.updated_at,
        archived_at: archived.data.archived_at,
        archive_reason: 'Out of order',
      },
    ]);
    expect(body.meta.total).toBe(2);
  });

  test('lists the terminals of an archived branch as archived with it', async () => {
    const { mid } = await newSharedBranch(world);
    const terminals = await newTerminals(world.provider, mid, numbered(unique('T'), 2));
    const { body: branch } = await call('archiveBranch', { key: world.provider.key, path: { mid } });

    const { body } = await list(mid, { sort: 'asc' });

    expect(branch.data.archived_at).not.toBeNull();
    expect(body.data).toEqual(
      terminals.map((terminal: object) => ({
        ...terminal,
        status: 'archived',
        updated_at: branch.data.archived_at,
        archived_at: branch.data.archived_at,
        archive_reason: 'Archived with its branch.',
      })),
    );
  });

  test('lists neither deleted nor reassigned terminals', async () => {
    const { mid } = await newSharedBranch(world);
    const target = await newSharedBranch(world);
    const [deleted, moved, remaining] = await newTerminals(world.provider, mid, numbered(unique('T'), 3));
    const { key } = world.provider;
    await call('deleteTerminal', { key, path: { id: deleted.tid } });
    await call('reassignTerminal', { key, path: { id: moved.tid }, body: { mid: target.mid } });

    const { body } = await list(mid);

    expect(body.data).toEqual([remaining]);
    expect(body.meta).toEqual({ current_page: 1, per_page: 10, total: 1 });
  });

  test('sorts a reassigned terminal by its creation among the terminals of its new branch', async () => {
    const { mid } = await newSharedBranch(world);
    const target = await newSharedBranch(world);
    const early = await newTerminal(world.provider, target.mid);
    const moved = await newTerminal(world.provider, mid);
    const late = await newTerminal(world.provider, target.mid);
    await call('reassignTerminal', {
      key: world.provider.key,
      path: { id: moved.tid },
      body: { mid: target.mid },
    });

    const { body } = await list(target.mid, { sort: 'asc' });

    expect(idsOf(body.data)).toEqual(idsOf([early, moved, late]));
    expect(body.meta.total).toBe(3);
  });
});

describe('400', () => {
  test.each<[string, Record<string, string>, string]>([
    ['a sort that is neither asc nor desc', { sort: 'newest' }, 'sort: Must be asc or desc.'],
    ['a sort in upper case', { sort: 'ASC' }, 'sort: Must be asc or desc.'],
    ['an empty sort', { sort: '' }, 'sort: Must be asc or desc.'],
    ['a per_page of 0', { per_page: '0' }, 'per_page: Must be at least 1.'],
    ['a per_page above 100', { per_page: '101' }, 'per_page: Must be at most 100.'],
    ['a negative per_page', { per_page: '-1' }, 'per_page: Must be a whole number.'],
    ['a fractional per_page', { per_page: '1.5' }, 'per_page: Must be a whole number.'],
    ['an empty per_page', { per_page: '' }, 'per_page: Must be a whole number.'],
    ['a page of 0', { page: '0' }, 'page: Must be at least 1.'],
    ['a negative page', { page: '-1' }, 'page: Must be a whole number.'],
    ['a page that is not a number', { page: 'last' }, 'page: Must be a whole number.'],
    ['a page with two values', { page: '1,2' }, 'page: Must be a whole number.'],
    [
      'all three at once',
      { page: '0', per_page: 'all', sort: 'up' },
      'sort: Must be asc or desc. per_page: Must be a whole number. page: Must be at least 1.',
    ],
  ])('rejects %s', async (_, query, detail) => {
    const { mid } = await newSharedBranch(world);
    const { response, changed } = await storedBy(() => list(mid, query));
    expectProblem(response, 'invalid_query', detail);
    expect(changed).toEqual({});
  });

  test('rejects an invalid query before reading the branch', async () => {
    expectProblem(await list('NOSUCHMID', { page: '0' }), 'invalid_query', 'page: Must be at least 1.');
  });
});

testCommonBehaviour('listTerminals', async () => {
  const { mid } = await newSharedBranch(world);
  return { key: world.provider.key, path: { id: mid } };
});

describe('404', () => {
  test.each(NO_MIDS)('returns 404 for a MID that %s', async (_, mid) => {
    expectProblem(await list(mid), 'not_found', NO_BRANCH);
  });

  test('returns 404 for the TID of a terminal in place of the MID', async () => {
    const { mid } = await newSharedBranch(world);
    const { tid } = await newTerminal(world.provider, mid);
    expectProblem(await list(tid), 'not_found', NO_BRANCH);
  });

  test('returns 404 for a branch of another acquirer', async () => {
    const { mid } = await newSharedBranch(world);
    await newTerminal(world.provider, mid);
    for (const { key } of [world.secondProvider, world.stranger, world.strangeDistributor]) {
      expectProblem(await list(mid, {}, key), 'not_found', NO_BRANCH);
    }
  });
});
