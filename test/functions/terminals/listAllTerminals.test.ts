import { afterAll, describe, expect, test } from '@jest/globals';
import { cursorAt } from '../../../lib/base/cursor.ts';
import { hourOf, lastSeenAt, lastSeenOrder } from '../../../lib/branches/lastSeen.ts';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { lastSeenKey, terminalKey } from '../../../lib/table/keys.ts';
import { put, transact } from '../../../lib/table/transaction.ts';
import { intercept } from '../../lib/table/intercept.ts';
import { call } from '../../support/api.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { expectRefused } from '../../support/outcomes.ts';
import { terminalItemOf } from '../../support/stored.ts';
import { tableRequestsBy, unitsOf } from '../../support/tableRequests.ts';
import {
  archiveBranch,
  type Caller,
  newAcquirer,
  newBranch,
  newDistributorOf,
  newSharedBranch,
  newTerminal,
  numbered,
  unique,
  useWorld,
} from '../../support/world.ts';

const world = useWorld();
afterAll(expectNoViolations);

type Query = Record<string, string>;
const list = ({ key }: Caller, query: Query = {}) => call('listAllTerminals', { key, query });

interface Listed {
  terminal_id: string;
  last_seen_at: string | null;
}

/** The terminals of each page. */
async function readPages(caller: Caller, query: Query): Promise<Listed[][]> {
  const pages: Listed[][] = [];
  for (let after: string | null = ''; after !== null; ) {
    const { status, body } = await list(caller, { ...query, ...(after && { after }) });
    expect(status).toBe(200);
    pages.push(body.data);
    after = body.meta.next;
  }
  return pages;
}

/** The terminal IDs of each page. */
const pagesOf = async (caller: Caller, query: Query): Promise<string[][]> =>
  (await readPages(caller, query)).map((page) => page.map(({ terminal_id }) => terminal_id));

const newProvider = () => newAcquirer('PAYMENT_PROVIDER', 'Payfair');

/** A provider with three branches of 3, 0 and 4 terminals. */
async function newEstate() {
  const provider = await newProvider();
  const [first, second] = [unique('A'), unique('B')];
  const { mid } = await newBranch(provider, { terminals: numbered(first, 3) });
  await newBranch(provider);
  const last = await newBranch(provider, { terminals: numbered(second, 4) });
  const ids = [...numbered(first, 3), ...numbered(second, 4)].map(({ terminal_id }) => terminal_id);
  return { provider, mid, last: last.mid as string, ids };
}

describe('200', () => {
  test('returns the terminals of all branches with these, the oldest branch first, to both its acquirers', async () => {
    const place = { branch_name: 'Casa Verde', area: 'Foz', city: 'Porto' };
    const { mid, merchant_name, area, city, status } = await newSharedBranch(world, place);
    const older = await newTerminal(world.provider, mid, { serial_no: unique('S'), terminal_model: 'Handheld 2' });
    const newer = await newTerminal(world.provider, mid);
    const branch = { mid, merchant_name, area, city, status };
    const expected = [older, newer].map((terminal) => ({ ...terminal, last_seen_at: null, branch }));
    expect(branch).toMatchObject({ merchant_name: 'Casa Verde', area: 'Foz', city: 'Porto', status: 'active' });
    for (const caller of [world.provider, world.distributor])
      expect((await list(caller)).body).toEqual({ data: expected, meta: { next: null } });
    expect((await list(world.stranger)).body).toEqual({ data: [], meta: { next: null } });
  });

  test('goes through the list of a distributor, of which some branches are ranked', async () => {
    const { least, most, horizonMs } = SEALING;
    Object.assign(SEALING, { least: 1, most: 3, horizonMs: -1_000 });
    const distributor = await newDistributorOf(world.provider);
    const ids = numbered(unique('D'), 5);
    for (const terminal of ids)
      await newBranch(distributor, { payment_provider: world.provider.id, terminals: [terminal] });
    // Each ranks three. Those that the last one ranked are still named by the list.
    for (let count = 0; count < 2; count += 1) await call('listBranches', { key: distributor.key });
    const pages = await pagesOf(distributor, { limit: '2' });
    Object.assign(SEALING, { least, most, horizonMs });
    expect(pages.flat()).toEqual(ids.map(({ terminal_id }) => terminal_id));
  });

  test.each(['1', '2', '3', '4', '7', '1000'])('has each terminal once with pages of %s', async (limit) => {
    const { provider, ids } = await newEstate();
    const pages = await pagesOf(provider, { limit });
    expect(pages.flat()).toEqual(ids);
    expect(pages.every(({ length }) => length <= Number(limit))).toBe(true);
  });

  test('shows the status with the branch, and can leave out the others, on pages that are shorter then', async () => {
    const { provider, mid, ids } = await newEstate();
    await archiveBranch(provider, mid);
    const { body } = await list(provider);
    expect(
      body.data.map(({ status, branch }: { status: string; branch: Query }) => [status, branch['status']]),
    ).toEqual(ids.map((_, at) => (at < 3 ? ['archived', 'archived'] : ['active', 'active'])));
    expect(await pagesOf(provider, { limit: '2', status: 'active' })).toEqual([
      [],
      ids.slice(3, 4),
      ids.slice(4, 6),
      ids.slice(6),
    ]);
    expect((await pagesOf(provider, { status: 'archived' })).flat()).toEqual(ids.slice(0, 3));
  });

  test('goes on behind a terminal that was deleted, and includes what was created behind the page', async () => {
    const { provider, last, ids } = await newEstate();
    const { body } = await list(provider, { limit: '5' });
    await call('deleteTerminal', { key: provider.key, path: { id: body.data[4].tid } });
    const { terminal_id } = await newTerminal(provider, last);
    const { mid } = await newBranch(provider, { terminals: numbered(unique('C'), 1) });
    const next = await list(provider, { limit: '5', after: body.meta.next });
    expect(next.body.data.map((each: { terminal_id: string }) => each.terminal_id).slice(0, 3)).toEqual([
      ...ids.slice(5),
      terminal_id,
    ]);
    expect(next.body.data[3].mid).toBe(mid);
  });

  test('reads terminals by key that the index does not show yet', async () => {
    const { provider, ids } = await newEstate();
    intercept(async (send, { input }) =>
      input['IndexName'] === 'terminals-by-branch' ? { output: { Items: [] } } : send(),
    );
    expect(await pagesOf(provider, { limit: '4' })).toEqual([ids.slice(0, 4), ids.slice(4)]);
  });

  test('leaves out a terminal that leaves its branch while the page is read', async () => {
    const { provider, mid, ids } = await newEstate();
    const { tid } = (await list(provider)).body.data[0];
    const moved = terminalKey(tid).pk;
    intercept(async (send, { operation, input }) => {
      if (input['IndexName'] === 'terminals-by-branch') return { output: { Items: [] } };
      const result = await send();
      if (operation !== 'BatchGetItem') return result;
      const [items = []] = Object.values(result.output['Responses'] as Record<string, Query[]>);
      for (const item of items) if (item['pk'] === moved) item['mid'] = `X${mid}`;
      return result;
    });
    expect((await pagesOf(provider, {})).flat()).toEqual(ids.slice(1));
  });

  test('has when each terminal was last seen, on pages of whole branches and of parts', async () => {
    const { provider, ids } = await newEstate();
    const all = (await list(provider)).body.data;
    const hour = hourOf(Date.now());
    for (const at of [0, 2, 4]) {
      const { mid, branch_order } = (await terminalItemOf(all[at].tid)) as Query;
      const item = {
        mid,
        branch_order: lastSeenOrder({ branch_order: branch_order as string }),
        payment_provider: provider.id,
        provider_position: at - hour,
        distributor_position: at - hour,
      };
      await transact([put(lastSeenKey(all[at].tid), item)]);
    }
    const expected = ids.map((_, at) => ([0, 2, 4].includes(at) ? lastSeenAt({ provider_position: at - hour }) : null));
    for (const limit of ['2', '100'])
      expect((await readPages(provider, { limit })).flat().map(({ last_seen_at }) => last_seen_at)).toEqual(expected);
    // The times are no branches.
    const { data, meta } = (await call('listBranches', { key: provider.key, query: { sort: 'asc' } })).body;
    expect([meta.total, data.length]).toEqual([3, 3]);
  });

  test('costs what its branches cost, half a unit each, and half a unit per 8 KB of terminals', async () => {
    const { provider } = await newEstate();
    await list(provider);
    const sent = await tableRequestsBy(() => list(provider));
    expect(sent.requests.map(({ operation }) => operation)).toEqual(['Query', 'BatchGetItem', 'Query', 'Query']);
    // The list, three branches, and a query of each of two.
    expect(unitsOf(sent)).toBe(1 + 3 + 1);
  });

  test('ends a page before 1 MB, and goes on with the terminal that did not fit', async () => {
    const provider = await newProvider();
    const text = '本'.repeat(255);
    const large = () => numbered(unique('L'), 40).map((each) => ({ ...each, terminal_model: text }));
    const { mid } = await newBranch(provider, { branch_name: text, area: text, city: text, terminals: large() });
    for (let count = 0; count < 8; count += 1)
      await call('createTerminals', { key: provider.key, path: { id: mid }, body: { terminals: large() } });
    const pages = await pagesOf(provider, { limit: '1000' });
    expect(pages).toHaveLength(2);
    expect(new Set(pages.flat()).size).toBe(360);
    expect(pages.flat()).toHaveLength(360);
  });
});

describe('400', () => {
  test('refuses a cursor of another acquirer, of another list and of a branch that is not accessible', async () => {
    const { provider, mid } = await newEstate();
    const other = await newEstate();
    const foreign = (await list(other.provider, { limit: '2' })).body.meta.next;
    const events = (await call('listEvents', { key: provider.key, query: { after: 'now' } })).body.meta.next;
    const forged = cursorAt(`${other.mid}#`, [provider.id, 'terminals']);
    for (const after of [foreign, events, forged, cursorAt('NOSUCHMID#', [provider.id, 'terminals']), 'x'.repeat(20)])
      await expectRefused(() => list(provider, { after }), 'invalid_query', 'after: Must be a cursor from this list.');
    const own = await list(provider, { after: cursorAt(`${mid}#`, [provider.id, 'terminals']) });
    expect(own.body.data).toHaveLength(4);
  });

  test('names all that is wrong in the query', async () => {
    await expectRefused(
      () => list(world.provider, { limit: '1001', status: 'lost', after: 'x' }),
      'invalid_query',
      'after: Must be a cursor from this list. limit: Must be at most 1000. status: Must be active or archived.',
    );
  });
});
