import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Event } from '../../../lib/events/event.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { table } from '../../../lib/table/client.ts';
import { type ApiResponse, call, type Operation } from '../../support/api.ts';
import { ordersIn } from '../../support/branchItem.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { stored } from '../../support/stored.ts';
import { tableRequestsBy } from '../../support/tableRequests.ts';
import { waitForIndexes } from '../../support/waitForIndexes.ts';
import { type Caller, newAcquirer, newBranch, newTerminal, newWorld, unique } from '../../support/world.ts';

/** A payment provider and its key. */
let provider: Caller;
let key: string;
let world: Awaited<ReturnType<typeof newWorld>>;
beforeAll(async () => {
  // Makes events visible at once.
  FEED.horizonMs = -1_000;
  world = await newWorld();
  provider = world.provider;
  key = provider.key;
});

const times = <T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)));

const createBranch = (caller: Caller, body: object) => call('createBranch', { key: caller.key, body });
const createTerminals = (mid: string, ...terminals: object[]) =>
  call('createTerminals', { key, path: { id: mid }, body: { terminals } });
const updateTerminal = (id: string, body: object) => call('updateTerminal', { key, path: { id }, body });
const reassignTerminal = (id: string, { mid }: { mid: string }) =>
  call('reassignTerminal', { key, path: { id }, body: { mid } });
const listTerminals = async ({ mid }: { mid: string }) => {
  await waitForIndexes();
  return (await call('listTerminals', { key, path: { id: mid }, query: { sort: 'asc', per_page: '100' } })).body;
};
/** A new branch of the provider and a terminal of it. */
async function newPlace(fields: Record<string, unknown> = {}) {
  const branch = await newBranch(provider);
  const { tid, terminal_id } = await newTerminal(provider, branch.mid, fields);
  return { branch, mid: branch.mid as string, tid: tid as string, terminal_id };
}
const statusesOf = (responses: (ApiResponse | undefined)[]) => responses.map((response) => response?.status);

/** All events of an acquirer, oldest first, or those behind the first `seen`. */
async function eventsOf(caller: Caller, seen = 0): Promise<Event[]> {
  const events: Event[] = [];
  for (let query: Record<string, string> = {}; ; ) {
    const { data, meta } = (await call('listEvents', { key: caller.key, query })).body;
    events.push(...data);
    if (meta.up_to_date) return events.slice(seen);
    query = { after: meta.next };
  }
}
const dataOf = (events: Event[]) => events.map(({ type, data }) => [type, data]);

/** Expects exactly one success. Every other response must be a 422 with these field errors. Returns the success. */
function expectOneWinner(responses: ApiResponse[], ...fieldErrors: [pointer: string, code: string][]): ApiResponse {
  const [winner, ...others] = responses.toSorted((one, other) => one.status - other.status);
  expect(winner?.status).toBe(201);
  for (const { status, body } of others) {
    const errors = body.errors?.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]);
    expect([status, body.code, errors]).toEqual([422, 'validation_failed', fieldErrors]);
  }
  return winner as ApiResponse;
}

describe('concurrent creates', () => {
  test('with the same MID store only the branch and the event of the one that succeeds', async () => {
    const mid = unique('RACE');
    const callers = [provider, world.secondProvider];
    const seen = await Promise.all(callers.map(async (caller) => (await eventsOf(caller)).length));
    const responses = await times(8, (at) =>
      createBranch(callers[at % 2] as Caller, {
        mid,
        branch_name: `Racer ${at}`,
        master_merchant_id: unique('MM'),
        terminals: [{ terminal_id: unique('T') }],
      }),
    );
    const winner = expectOneWinner(responses, ['/mid', 'taken']);
    const { merchant_name, terminals } = winner.body.data;
    const items = await stored();
    expect(items[`BRANCH#${mid} BRANCH`]).toMatchObject({ mid, merchant_name });
    expect(ordersIn(items[`BRANCH#${mid} BRANCH`])).toHaveLength(1);
    const stray = Object.values(items).filter((item) => item['branch_order'] && item['mid'] === mid);
    expect(stray.map(({ tid }) => tid)).toEqual([terminals[0].tid]);
    const events = await Promise.all(callers.map((caller, at) => eventsOf(caller, seen[at])));
    expect(dataOf(events.flat())).toEqual([['branch.created', winner.body.data]]);
  });

  test('with the same new master_merchant_id of one payment provider share one master merchant', async () => {
    const master_merchant_id = unique('MM');
    const responses = await times(6, (at) =>
      createBranch(at % 2 ? provider : world.distributor, {
        mid: unique('MID'),
        master_merchant_id,
        payment_provider: provider.id,
      }),
    );
    expect(statusesOf(responses)).toEqual(Array(6).fill(201));
    expect(new Set(responses.map(({ body }) => body.data.existing_master_merchant)).size).toBe(1);
  });

  test('with the same new master_merchant_id but other details succeed once and otherwise return 422 differs', async () => {
    const master_merchant_id = unique('MM');
    const responses = await times(6, (at) =>
      createBranch(provider, { mid: unique('MID'), master_merchant_id, master_merchant_name: `Bakery ${at}` }),
    );
    expectOneWinner(responses, ['/master_merchant_name', 'differs']);
  });

  test('with the same terminal_id under several branches succeed once', async () => {
    const branches = await times(4, () => newBranch(provider));
    const terminal_id = unique('T');
    const responses = await times(8, (at) =>
      createTerminals(branches[at % 4].mid, { terminal_id: unique('T') }, { terminal_id }),
    );
    const { body } = expectOneWinner(responses, ['/terminals/1/terminal_id', 'taken']);
    const lists = await Promise.all(branches.map(listTerminals));
    expect(lists.flatMap(({ data }) => data)).toEqual(body.data);
    expect(lists.map(({ meta }) => meta.total).sort()).toEqual([0, 0, 0, 2]);
  });

  test('and updates with the same serial_no succeed once', async () => {
    const { mid } = await newBranch(provider);
    const others = await times(3, () => newTerminal(provider, mid));
    const serial_no = unique('SN');
    const responses = await Promise.all([
      ...others.map(({ tid }) => updateTerminal(tid, { serial_no })),
      ...[1, 2, 3].map(() => createTerminals(mid, { terminal_id: unique('T'), serial_no })),
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

  test('of 32 branches do not conflict, and both acquirers have each branch and its event once', async () => {
    const alone = await newAcquirer('PAYMENT_PROVIDER', 'Alonepay');
    const distributor = await newAcquirer('DISTRIBUTOR', 'Eventgate');
    await linkPartners(distributor.id, alone.id);
    const { response: created, requests } = await tableRequestsBy(() =>
      times(32, () => newBranch(alone, { distributor: distributor.id })),
    );
    expect(requests.filter(({ operation }) => operation === 'TransactWriteItems')).toHaveLength(32);
    await waitForIndexes();
    for (const caller of [alone, distributor]) {
      const { data, meta } = (await call('listBranches', { key: caller.key, query: { sort: 'asc', per_page: '100' } }))
        .body;
      expect(meta.total).toBe(32);
      const times = data.map(({ created_at }: { created_at: string }) => created_at);
      expect(times).toEqual(times.toSorted());
    }
    const [own, partners] = [await eventsOf(alone), await eventsOf(distributor)];
    const byMid = (events: Event[]) => events.toSorted((one, other) => (one.branch.mid < other.branch.mid ? -1 : 1));
    const inOrder = created.toSorted((one, other) => (one.mid < other.mid ? -1 : 1));
    expect(dataOf(byMid(own))).toEqual(inOrder.map((data) => ['branch.created', data]));
    expect(partners.map(({ id }) => id)).toEqual(own.map(({ id }) => id));
    expect(own.map(({ at }) => at)).toEqual(own.map(({ at }) => at).toSorted());
    expect(dataOf(partners)).toEqual(dataOf(own));
  });

  test('with the same Idempotency-Key have one event', async () => {
    const { mid } = await newBranch(provider);
    const seen = (await eventsOf(provider)).length;
    const headers = { 'idempotency-key': 'once' };
    const body = { terminals: [{ terminal_id: unique('T') }] };
    const responses = await times(4, () => call('createTerminals', { key, path: { id: mid }, headers, body }));
    expect(statusesOf(responses)).toEqual([201, 201, 201, 201]);
    expect(dataOf(await eventsOf(provider, seen))).toEqual([['terminals.created', responses[0]?.body.data]]);
  });
});

describe('concurrent operations on one terminal', () => {
  test.each<[Operation, object | undefined, other: number, type: string]>([
    ['deleteTerminal', undefined, 404, 'terminal.deleted'],
    ['archiveTerminal', { reason: 'Lost' }, 400, 'terminal.archived'],
    ['restoreTerminal', undefined, 400, 'terminal.restored'],
    ['updateTerminal', { terminal_model: 'Pocket' }, 200, 'terminal.updated'],
  ])('are executed once and have one event when all are %s', async (operation, body, other, type) => {
    const { branch, tid: id } = await newPlace();
    const archived = { key, path: { id }, body: { reason: 'Mistake' } };
    if (operation === 'restoreTerminal') await call('archiveTerminal', archived);
    const seen = (await eventsOf(provider)).length;
    const responses = await times(4, () => call(operation, { key, path: { id }, body }));
    expect(statusesOf(responses).sort()).toEqual([200, other, other, other]);
    expect((await listTerminals(branch)).meta.total).toBe(operation === 'deleteTerminal' ? 0 : 1);
    const events = await eventsOf(provider, seen);
    expect(dataOf(events)).toEqual([[type, responses.find(({ status }) => status === 200)?.body.data]]);
    expect(responses.map(({ headers }) => headers['x-request-id'])).toContain(events[0]?.request_id);
  });

  test('move it once when both reassign it to the same branch', async () => {
    const { branch, tid } = await newPlace();
    const to = await newBranch(provider);
    const responses = await times(2, () => reassignTerminal(tid, to));
    expect(responses.map(({ body }) => body.code).sort()).toEqual(['already_under_target_mid', undefined]);
    expect([(await listTerminals(branch)).meta.total, (await listTerminals(to)).meta.total]).toEqual([0, 1]);
  });

  test('move it to two branches one after the other, and each distributor sees its part of that', async () => {
    const { branch, mid, tid, terminal_id } = await newPlace();
    const distributors = await times(2, (at) => newAcquirer('DISTRIBUTOR', `Eventgate ${at}`));
    const branches: { mid: string }[] = [];
    for (const { id } of distributors) {
      await linkPartners(id, provider.id);
      branches.push(await newBranch(provider, { distributor: id }));
    }
    const seen = (await eventsOf(provider)).length;
    const responses = await Promise.all(branches.map((to) => reassignTerminal(tid, to)));

    expect(statusesOf(responses)).toEqual([200, 200]);
    const terminals = responses.map(({ body }) => body.data);
    const inOrder = terminals.toSorted((one, other) => (one.updated_at < other.updated_at ? -1 : 1));
    const items = await stored();
    expect(items[`TERMINAL#${tid} TERMINAL`]?.['mid']).toBe(inOrder[1].mid);
    for (const each of [branch, ...branches])
      expect(ordersIn(items[`BRANCH#${each.mid} BRANCH`])).toHaveLength(each.mid === inOrder[1].mid ? 1 : 0);
    const moves = await eventsOf(provider, seen);
    expect(dataOf(moves)).toEqual(inOrder.map((terminal) => ['terminal.reassigned', terminal]));
    expect(moves.map(({ changes }) => changes)).toEqual([{ mid }, { mid: inOrder[0].mid }]);
    const [first, last] = inOrder.map((terminal) => terminals.indexOf(terminal));
    const seenBy = async (at = 0) => dataOf(await eventsOf(distributors[at] as Caller, 1));
    expect(await seenBy(first)).toEqual([
      ['terminal.joined', inOrder[0]],
      ['terminal.left', { tid, terminal_id }],
    ]);
    expect(await seenBy(last)).toEqual([['terminal.joined', inOrder[1]]]);
  });

  test('store one of several new serial numbers and free the others', async () => {
    const { tid } = await newPlace({ serial_no: unique('SN') });
    const responses = await times(3, () => updateTerminal(tid, { serial_no: unique('SN') }));
    expect(statusesOf(responses)).toEqual([200, 200, 200]);
    const items = await stored();
    const claims = Object.keys(items).filter((name) => name.startsWith('SERIAL#') && items[name]?.['tid'] === tid);
    expect(claims).toEqual([`SERIAL#${items[`TERMINAL#${tid} TERMINAL`]?.['serial_no']} SERIAL`]);
  });

  test('all succeed when they set the same serial_no', async () => {
    const { tid } = await newPlace({ serial_no: unique('SN') });
    const serial_no = unique('SN');
    const responses = await times(5, () => updateTerminal(tid, { serial_no }));
    expect(statusesOf(responses)).toEqual([200, 200, 200, 200, 200]);
    expect((await stored())[`SERIAL#${serial_no} SERIAL`]).toEqual({ tid });
  });

  test('update different fields without losing either, and the later response has both', async () => {
    for (let round = 1; round <= 5; round += 1) {
      const { branch, tid } = await newPlace();
      const [terminal_model, payment_app] = ['Pocket', 'Counter Plus'];
      const responses = await Promise.all([
        updateTerminal(tid, { terminal_model }),
        updateTerminal(tid, { payment_app }),
      ]);
      const latest = responses.map(({ body }) => body.data).sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1))[0];
      expect(latest).toMatchObject({ terminal_model, payment_app });
      expect((await listTerminals(branch)).data).toEqual([latest]);
    }
  });

  test('delete and update it without leaving a serial claim', async () => {
    const { tid } = await newPlace();
    const serial_no = unique('SN');
    const [deleted, updated] = await Promise.all([
      call('deleteTerminal', { key, path: { id: tid } }),
      updateTerminal(tid, { serial_no }),
    ]);
    expect(deleted.status).toBe(200);
    expect([200, 404]).toContain(updated.status);
    const items = await stored();
    for (const name of [`TERMINAL#${tid} TERMINAL`, `SERIAL#${serial_no} SERIAL`])
      expect(items).not.toHaveProperty([name]);
  });
});

describe('archiving a branch', () => {
  test('twice at once archives it once and has one event', async () => {
    const { mid } = await newBranch(provider);
    const seen = (await eventsOf(provider)).length;
    const responses = await times(2, () => call('archiveBranch', { key, path: { mid } }));
    const done = responses.find(({ status }) => status === 200);
    expect(dataOf(await eventsOf(provider, seen))).toEqual([['branch.archived', done?.body.data]]);
  });

  test('while a terminal is updated shows both changes in the next list', async () => {
    const { branch, mid, tid } = await newPlace();
    let archived: ApiResponse | undefined;
    table.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName !== 'TransactWriteItemsCommand') return next(args);
          table.middlewareStack.remove('archiveFirst');
          archived = await call('archiveBranch', { key, path: { mid } });
          return next(args);
        },
      { step: 'initialize', name: 'archiveFirst' },
    );
    const { status, body } = await updateTerminal(tid, { terminal_model: 'Pocket' });
    // An update does not depend on the branch's status, so it returns the status that it has read.
    expect([status, body.data]).toEqual([200, expect.objectContaining({ terminal_model: 'Pocket', status: 'active' })]);
    const { archived_at } = archived?.body.data ?? {};
    expect((await listTerminals(branch)).data).toEqual([
      expect.objectContaining({ terminal_model: 'Pocket', status: 'archived', archived_at }),
    ]);
  });

  test('while a terminal is restored has the result of one after the other', async () => {
    const { branch, mid, tid } = await newPlace();
    await call('archiveTerminal', { key, path: { id: tid }, body: { reason: 'Repair' } });
    const responses = await Promise.all([
      call('archiveBranch', { key, path: { mid } }),
      call('restoreTerminal', { key, path: { id: tid } }),
    ]);
    expect(statusesOf(responses)).toEqual([200, 200]);
    const [{ status, archived_at, archive_reason }] = (await listTerminals(branch)).data;
    expect([
      ['active', null, null],
      ['archived', responses[0].body.data.archived_at, 'Archived with its branch.'],
    ]).toContainEqual([status, archived_at, archive_reason]);
  });
});

test('all of these leave no invariant violation in the table', expectNoViolations);
