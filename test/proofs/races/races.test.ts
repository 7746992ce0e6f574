import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { SEALING } from '../../../lib/branches/ranks.ts';
import type { Event } from '../../../lib/events/event.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { table } from '../../../lib/table/client.ts';
import { type ApiResponse, call } from '../../support/api.ts';
import { ordersIn } from '../../support/branchItem.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { stored } from '../../support/stored.ts';
import { tableRequestsBy } from '../../support/tableRequests.ts';
import { waitForIndexes } from '../../support/waitForIndexes.ts';
import { type Caller, newAcquirer, newBranch, newTerminal, newWorld, unique } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof newWorld>>;
beforeAll(async () => {
  // Makes events visible at once.
  FEED.horizonMs = -1_000;
  world = await newWorld();
});
afterEach(expectNoViolations);

const times = <T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)));

const createBranch = ({ key }: Caller, body: object) => call('createBranch', { key, body });
const createTerminals = ({ key }: Caller, mid: string, ...terminals: object[]) =>
  call('createTerminals', { key, path: { id: mid }, body: { terminals } });
const listTerminals = async ({ key }: Caller, mid: string) => {
  await waitForIndexes();
  return call('listTerminals', { key, path: { id: mid }, query: { sort: 'asc', per_page: '100' } });
};

/** All events of an acquirer, oldest first. */
async function eventsOf({ key }: Caller): Promise<Event[]> {
  const events: Event[] = [];
  for (let query: Record<string, string> = {}; ; ) {
    const { data, meta } = (await call('listEvents', { key, query })).body;
    events.push(...data);
    if (meta.up_to_date) return events;
    query = { after: meta.next };
  }
}

/** Expects exactly one success. Every other response must be a 422 with these field errors. Returns the success. */
function expectOneWinner(
  responses: ApiResponse[],
  status: number,
  fieldErrors: [pointer: string, code: string][],
): ApiResponse {
  const winners = responses.filter((response) => response.status === status);
  const losers = responses.filter((response) => response.status !== status);
  expect(winners).toHaveLength(1);
  for (const { status, body } of losers) {
    const errors = body.errors?.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]);
    expect([status, body.code, errors]).toEqual([422, 'validation_failed', fieldErrors]);
  }
  return winners[0] as ApiResponse;
}

describe('concurrent creates', () => {
  test('with the same MID store only the branch of the one that succeeds', async () => {
    const mid = unique('RACE');
    const responses = await times(8, (at) =>
      createBranch(at % 2 ? world.provider : world.secondProvider, {
        mid,
        branch_name: `Racer ${at}`,
        master_merchant_id: unique('MM'),
        terminals: [{ terminal_id: unique('T') }],
      }),
    );
    const { body } = expectOneWinner(responses, 201, [['/mid', 'taken']]);
    const { merchant_name, terminals } = body.data;
    const items = await stored();
    expect(items[`BRANCH#${mid} BRANCH`]).toMatchObject({ mid, merchant_name });
    expect(ordersIn(items[`BRANCH#${mid} BRANCH`])).toHaveLength(1);
    expect(
      Object.values(items)
        .filter((item) => item['branch_order'] && item['mid'] === mid)
        .map(({ tid }) => tid),
    ).toEqual([terminals[0].tid]);
  });

  test('with the same new master_merchant_id of one payment provider share one master merchant', async () => {
    const master_merchant_id = unique('MM');
    const responses = await times(6, (at) =>
      createBranch(at % 2 ? world.provider : world.distributor, {
        mid: unique('MID'),
        master_merchant_id,
        payment_provider: world.provider.id,
      }),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect(new Set(responses.map(({ body }) => body.data.existing_master_merchant)).size).toBe(1);
  });

  test('with the same new master_merchant_id but other details succeed once and otherwise return 422 differs', async () => {
    const master_merchant_id = unique('MM');
    const responses = await times(6, (at) =>
      createBranch(world.provider, { mid: unique('MID'), master_merchant_id, master_merchant_name: `Bakery ${at}` }),
    );
    expectOneWinner(responses, 201, [['/master_merchant_name', 'differs']]);
  });

  test('with the same terminal_id under several branches succeed once', async () => {
    const branches = await times(4, () => newBranch(world.provider));
    const terminal_id = unique('T');
    const responses = await times(8, (at) =>
      createTerminals(world.provider, branches[at % 4].mid, { terminal_id: unique('T') }, { terminal_id }),
    );
    const { body } = expectOneWinner(responses, 201, [['/terminals/1/terminal_id', 'taken']]);
    const counts = await times(4, async (at) => (await listTerminals(world.provider, branches[at].mid)).body);
    expect(counts.flatMap(({ data }) => data)).toEqual(body.data);
    expect(counts.map(({ meta }) => meta.total).sort()).toEqual([0, 0, 0, 2]);
  });

  test('and updates with the same serial_no succeed once', async () => {
    const { provider } = world;
    const { mid } = await newBranch(provider);
    const others = await times(3, () => newTerminal(provider, mid));
    const serial_no = unique('SN');
    const responses = await Promise.all([
      ...others.map(({ tid }) => call('updateTerminal', { key: provider.key, path: { id: tid }, body: { serial_no } })),
      ...[1, 2, 3].map(() => createTerminals(provider, mid, { terminal_id: unique('T'), serial_no })),
    ]);
    expect(responses.filter(({ status }) => status < 300)).toHaveLength(1);
    const losers = responses.filter(({ status }) => status === 422).map(({ body }) => body.errors[0]);
    expect(losers).toHaveLength(5);
    for (const { code, pointer } of losers) {
      expect(code).toBe('taken');
      expect(['/serial_no', '/terminals/0/serial_no']).toContain(pointer);
    }
    const items = await stored();
    const owners = Object.values(items).filter((item) => item['serial_no'] === serial_no);
    expect(owners.map(({ tid }) => tid)).toEqual([items[`SERIAL#${serial_no} SERIAL`]?.['tid']]);
  });

  test('do not conflict, and each branch is listed and ranked once, without gaps from 1', async () => {
    const { distributor, provider } = world;
    const alone = await newAcquirer('PAYMENT_PROVIDER', 'Alonepay');
    const { requests } = await tableRequestsBy(() => times(16, () => newBranch(alone)));
    expect(requests.filter(({ operation }) => operation === 'TransactWriteItems')).toHaveLength(16);
    const ascending = { key: alone.key, query: { sort: 'asc', per_page: '100' } };
    const { body } = await call('listBranches', ascending);
    expect(body.meta.total).toBe(16);
    const created = body.data.map(({ created_at }: { created_at: string }) => created_at);
    expect(created).toEqual(created.toSorted());

    const policy = { ...SEALING };
    Object.assign(SEALING, { horizonMs: 0, least: 1, most: 5 });
    const rounds = [1, 2, 3, 4].map(() => times(4, () => call('listBranches', ascending)));
    for (const responses of rounds) for (const { body: again } of await responses) expect(again).toEqual(body);
    while (
      Object.values(await stored()).some(
        (item) => Number(item['provider_position']) > 1e9 && item['payment_provider'] === alone.id,
      )
    )
      expect((await call('listBranches', ascending)).body).toEqual(body);
    Object.assign(SEALING, policy);
    const ranks = Object.values(await stored())
      .filter((item) => item['payment_provider'] === alone.id && item['mid'])
      .map((item) => Number(item['provider_position']));
    expect(ranks.sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, at) => at + 1));

    const before = (await call('listBranches', { key: distributor.key })).body.meta.total;
    await times(8, (at) =>
      at % 2
        ? newBranch(distributor, { payment_provider: provider.id })
        : newBranch(provider, { distributor: distributor.id }),
    );
    const shared = (await call('listBranches', { key: distributor.key, query: { per_page: '100' } })).body;
    expect(shared.meta.total).toBe(before + 8);
    expect(shared.data).toHaveLength(before + 8);
  });
});

describe('archiving a branch while terminals are created for it', () => {
  test('archives each terminal or rejects its create, and counts the terminals exactly', async () => {
    const { provider } = world;
    const { mid } = await newBranch(provider);
    const [archived, ...creates] = await Promise.all([
      call('archiveBranch', { key: provider.key, path: { mid } }),
      ...Array.from({ length: 10 }, () => createTerminals(provider, mid, { terminal_id: unique('T') })),
    ]);
    expect(archived?.status).toBe(200);
    for (const { status, body } of creates) {
      expect([status, body.code]).toEqual(status === 201 ? [201, undefined] : [400, 'branch_archived']);
    }
    const { data, meta } = (await listTerminals(provider, mid)).body;
    expect(data).toHaveLength(creates.filter(({ status }) => status === 201).length);
    expect(archived?.body.data.terminal_count).toBe(data.length);
    expect(meta.total).toBe(data.length);
    expect(data.map(({ status }: { status: string }) => status)).toEqual(Array(meta.total).fill('archived'));
  });
});

describe('concurrent operations on one terminal', () => {
  test('move it to one of two targets, and all branches list their terminals exactly', async () => {
    const { provider } = world;
    const [from, one, two] = await times(3, () => newBranch(provider));
    const { tid } = await newTerminal(provider, from.mid);
    const responses = await Promise.all(
      [one, two].map(({ mid }) => call('reassignTerminal', { key: provider.key, path: { id: tid }, body: { mid } })),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    const items = await stored();
    const now = items[`TERMINAL#${tid} TERMINAL`]?.['mid'];
    expect([one.mid, two.mid]).toContain(now);
    for (const { mid } of [from, one, two]) {
      expect(ordersIn(items[`BRANCH#${mid} BRANCH`])).toHaveLength(mid === now ? 1 : 0);
    }
  });

  test('move it once when both reassign it to the same branch', async () => {
    const { provider } = world;
    const [from, to] = await times(2, () => newBranch(provider));
    const { tid } = await newTerminal(provider, from.mid);
    const responses = await times(2, () =>
      call('reassignTerminal', { key: provider.key, path: { id: tid }, body: { mid: to.mid } }),
    );
    expect(responses.map(({ body }) => body.code).sort()).toEqual(['already_under_target_mid', undefined]);
    expect((await listTerminals(provider, to.mid)).body.meta.total).toBe(1);
    expect((await listTerminals(provider, from.mid)).body.meta.total).toBe(0);
  });

  test.each([
    ['deleteTerminal', undefined, [200, 404]],
    ['archiveTerminal', { reason: 'Lost' }, [200, 400]],
    ['restoreTerminal', undefined, [200, 400]],
  ] as const)('succeed once when both are %s', async (operation, body, statuses) => {
    const { key } = world.provider;
    const { mid } = await newBranch(world.provider);
    const { tid: id } = await newTerminal(world.provider, mid);
    if (operation === 'restoreTerminal')
      await call('archiveTerminal', { key, path: { id }, body: { reason: 'Mistake' } });
    const responses = await times(2, () => call(operation, { key, path: { id }, body }));
    expect(responses.map(({ status }) => status).sort()).toEqual(statuses);
    expect((await listTerminals(world.provider, mid)).body.meta.total).toBe(operation === 'deleteTerminal' ? 0 : 1);
  });

  test('store one of several new serial numbers and free the others', async () => {
    const { provider } = world;
    const { mid } = await newBranch(provider);
    const { tid } = await newTerminal(provider, mid, { serial_no: unique('SN') });
    const serials = [unique('SN'), unique('SN'), unique('SN')];
    const responses = await Promise.all(
      serials.map((serial_no) => call('updateTerminal', { key: provider.key, path: { id: tid }, body: { serial_no } })),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    const items = await stored();
    const claims = Object.keys(items).filter((key) => key.startsWith('SERIAL#') && items[key]?.['tid'] === tid);
    expect(claims).toEqual([`SERIAL#${items[`TERMINAL#${tid} TERMINAL`]?.['serial_no']} SERIAL`]);
  });

  test('all succeed when they set the same serial_no', async () => {
    const { key } = world.provider;
    const { mid } = await newBranch(world.provider);
    const { tid: id } = await newTerminal(world.provider, mid, { serial_no: unique('SN') });
    const serial_no = unique('SN');
    const responses = await times(5, () => call('updateTerminal', { key, path: { id }, body: { serial_no } }));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await stored())[`SERIAL#${serial_no} SERIAL`]).toEqual({ tid: id });
  });

  test('update it while its branch is archived, and the next list shows both changes', async () => {
    const { key } = world.provider;
    const { mid } = await newBranch(world.provider);
    const { tid: id } = await newTerminal(world.provider, mid);
    let archived: ApiResponse | undefined;
    table.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'TransactWriteItemsCommand' && !archived) {
            archived = { status: 0, headers: {}, body: undefined };
            archived = await call('archiveBranch', { key, path: { mid } });
          }
          return next(args);
        },
      { step: 'initialize', name: 'archiveFirst' },
    );
    const { status, body } = await call('updateTerminal', { key, path: { id }, body: { terminal_model: 'Pocket' } });
    table.middlewareStack.remove('archiveFirst');
    // An update does not depend on the branch's status, so it returns the status that it has read.
    expect([status, body.data]).toEqual([200, expect.objectContaining({ terminal_model: 'Pocket', status: 'active' })]);
    const [listed] = (await listTerminals(world.provider, mid)).body.data;
    expect(listed).toMatchObject({
      terminal_model: 'Pocket',
      status: 'archived',
      archived_at: archived?.body.data.archived_at,
    });
  });

  test('update different fields without losing either, and the later response has both', async () => {
    const { key } = world.provider;
    const { mid } = await newBranch(world.provider);
    for (let round = 1; round <= 5; round += 1) {
      const { tid: id } = await newTerminal(world.provider, mid);
      const changes = { terminal_model: 'Pocket', payment_app: 'Counter Plus' };
      const responses = await Promise.all([
        call('updateTerminal', { key, path: { id }, body: { terminal_model: changes.terminal_model } }),
        call('updateTerminal', { key, path: { id }, body: { payment_app: changes.payment_app } }),
      ]);
      const latest = responses.map(({ body }) => body.data).sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1))[0];
      expect(latest).toMatchObject(changes);
      expect((await listTerminals(world.provider, mid)).body.data).toContainEqual(latest);
    }
  });

  test('delete and update it without leaving a serial claim', async () => {
    const { key } = world.provider;
    const { mid } = await newBranch(world.provider);
    const { tid: id } = await newTerminal(world.provider, mid);
    const serial_no = unique('SN');
    const [deleted, updated] = await Promise.all([
      call('deleteTerminal', { key, path: { id } }),
      call('updateTerminal', { key, path: { id }, body: { serial_no } }),
    ]);
    expect(deleted?.status).toBe(200);
    expect([200, 404]).toContain(updated?.status);
    const items = await stored();
    expect(items[`TERMINAL#${id} TERMINAL`]).toBeUndefined();
    expect(items[`SERIAL#${serial_no} SERIAL`]).toBeUndefined();
  });

  test('restore it and archive its branch as if one came after the other', async () => {
    const { key } = world.provider;
    const { mid } = await newBranch(world.provider);
    const { tid: id } = await newTerminal(world.provider, mid);
    await call('archiveTerminal', { key, path: { id }, body: { reason: 'Repair' } });
    const [archived, restored] = await Promise.all([
      call('archiveBranch', { key, path: { mid } }),
      call('restoreTerminal', { key, path: { id } }),
    ]);
    expect([archived?.status, restored?.status]).toEqual([200, 200]);
    const [terminal] = (await listTerminals(world.provider, mid)).body.data;
    const restoredAfter = { status: 'active', archived_at: null, archive_reason: null };
    const restoredBefore = {
      status: 'archived',
      archived_at: archived?.body.data.archived_at,
      archive_reason: 'Archived with its branch.',
    };
    expect([restoredAfter, restoredBefore]).toContainEqual({
      status: terminal.status,
      archived_at: terminal.archived_at,
      archive_reason: terminal.archive_reason,
    });
  });
});

describe('events of concurrent operations', () => {
  /** A new provider with a branch, and the number of its events so far. */
  async function newEstate() {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Eventpay');
    const { mid } = await newBranch(provider);
    return { provider, key: provider.key, mid, seen: (await eventsOf(provider)).length };
  }
  const dataOf = (events: Event[]) => events.map(({ type, data }) => [type, data]);

  test('are one per branch for both acquirers when 64 branches are created without a conflict', async () => {
    const { provider } = await newEstate();
    const distributor = await newAcquirer('DISTRIBUTOR', 'Eventgate');
    await linkPartners(distributor.id, provider.id);
    const seen = (await eventsOf(provider)).length;

    const { response: created, requests } = await tableRequestsBy(() =>
      times(64, () => newBranch(provider, { distributor: distributor.id })),
    );

    expect(requests.filter(({ operation }) => operation === 'TransactWriteItems')).toHaveLength(64);
    const [own, partners] = [(await eventsOf(provider)).slice(seen), await eventsOf(distributor)];
    const inOrder = created
      .map((data) => ['branch.created', data] as const)
      .sort(([, one], [, other]) => (one.mid < other.mid ? -1 : 1));
    const byMid = (events: Event[]) => events.toSorted((one, other) => (one.branch.mid < other.branch.mid ? -1 : 1));
    expect(dataOf(byMid(own))).toEqual(inOrder);
    expect(partners.map(({ id }) => id)).toEqual(own.map(({ id }) => id));
    expect(own.map(({ at }) => at)).toEqual(own.map(({ at }) => at).toSorted());
    expect(dataOf(partners)).toEqual(dataOf(own));
  });

  test('are one, the winner’s, for several creates of the same MID', async () => {
    const { provider, seen } = await newEstate();
    const mid = unique('RACE');
    const responses = await times(6, () => createBranch(provider, { mid, master_merchant_id: unique('MM') }));
    const { body } = expectOneWinner(responses, 201, [['/mid', 'taken']]);
    expect(dataOf((await eventsOf(provider)).slice(seen))).toEqual([['branch.created', body.data]]);
  });

  test.each([
    ['deleteTerminal', undefined, 'terminal.deleted'],
    ['archiveTerminal', { reason: 'Lost' }, 'terminal.archived'],
    ['updateTerminal', { terminal_model: 'Pocket' }, 'terminal.updated'],
  ] as const)('are one for four times the same %s', async (operation, body, type) => {
    const { provider, key, mid, seen } = await newEstate();
    const { tid: id } = await newTerminal(provider, mid);
    const responses = await times(4, () => call(operation, { key, path: { id }, body }));
    const [done] = responses.filter(({ status }) => status === 200);
    const events = (await eventsOf(provider)).slice(seen + 1);
    expect(dataOf(events)).toEqual([[type, done?.body.data]]);
    expect(responses.map(({ headers }) => headers['x-request-id'])).toContain(events[0]?.request_id);
  });

  test('are one when two requests archive the same branch', async () => {
    const { provider, key, mid, seen } = await newEstate();
    const responses = await times(2, () => call('archiveBranch', { key, path: { mid } }));
    const [done] = responses.filter(({ status }) => status === 200);
    expect(dataOf((await eventsOf(provider)).slice(seen))).toEqual([['branch.archived', done?.body.data]]);
  });

  test('are one for a request that is sent four times with the same Idempotency-Key', async () => {
    const { provider, key, mid, seen } = await newEstate();
    const headers = { 'idempotency-key': 'once' };
    const body = { terminals: [{ terminal_id: unique('T') }] };
    const responses = await times(4, () => call('createTerminals', { key, path: { id: mid }, headers, body }));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(dataOf((await eventsOf(provider)).slice(seen))).toEqual([['terminals.created', responses[0]?.body.data]]);
  });

  test('show each of two distributors, in order, when a terminal was reassigned to or from its branch', async () => {
    const { provider, key, mid, seen } = await newEstate();
    const distributors = await times(2, (at) => newAcquirer('DISTRIBUTOR', `Eventgate ${at}`));
    const branches: { mid: string }[] = [];
    for (const { id } of distributors) {
      await linkPartners(id, provider.id);
      branches.push(await newBranch(provider, { distributor: id }));
    }
    const { tid: id, terminal_id } = await newTerminal(provider, mid);
    const responses = await Promise.all(
      branches.map((branch) => call('reassignTerminal', { key, path: { id }, body: { mid: branch.mid } })),
    );

    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    const moves = (await eventsOf(provider)).slice(seen + branches.length + 1);
    const terminals = responses.map(({ body }) => body.data);
    const inOrder = terminals.toSorted((one, other) => (one.updated_at < other.updated_at ? -1 : 1));
    expect(dataOf(moves)).toEqual(inOrder.map((terminal) => ['terminal.reassigned', terminal]));
    expect(moves.map(({ changes }) => changes)).toEqual([{ mid }, { mid: inOrder[0].mid }]);
    const [first, last] = inOrder.map((terminal) => terminals.indexOf(terminal));
    const seenBy = async (at = 0) => dataOf((await eventsOf(distributors[at] as Caller)).slice(1));
    expect(await seenBy(first)).toEqual([
      ['terminal.joined', inOrder[0]],
      ['terminal.left', { tid: id, terminal_id }],
    ]);
    expect(await seenBy(last)).toEqual([['terminal.joined', inOrder[1]]]);
  });
});
