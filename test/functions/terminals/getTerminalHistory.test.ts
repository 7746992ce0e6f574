import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { tidOf } from '../../../lib/table/keys.ts';
import { call, expectProblem } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { testCommonBehaviour } from '../../support/commonBehaviour.ts';
import { NO_TERMINAL, NO_TIDS } from '../../support/constants.ts';
import { storedBy } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import {
  type Caller,
  newBranch,
  newDistributorOf,
  newSharedBranch,
  newSharedTerminal,
  newTerminal,
  newWorld,
  numbered,
  restoreTerminal,
  unique,
  type World,
} from '../../support/world.ts';

let world: World;
let otherDistributor: Caller;
beforeAll(async () => {
  world = await newWorld();
  otherDistributor = await newDistributorOf(world.provider);
});
afterEach(() => {
  jest.useRealTimers();
});
const history = ({ key }: Caller, tid: string, query: Record<string, string> = {}) =>
  call('getTerminalHistory', { key, path: { id: tid }, query });
const types = async (caller: Caller, tid: string) => typesOf((await history(caller, tid)).body.data);
const typesOf = (events: { type: string }[]) => events.map(({ type }) => type);
const at = ({ key }: Caller, tid: string) => ({ key, path: { id: tid } });
const reassign = (caller: Caller, tid: string, mid: string) =>
  call('reassignTerminal', { ...at(caller, tid), body: { mid } });
const remove = (caller: Caller, tid: string) => call('deleteTerminal', at(caller, tid));

testCommonBehaviour('getTerminalHistory', async () => {
  const { tid } = await newSharedTerminal(world);
  return { key: world.provider.key, path: { id: tid } };
});

describe('200', () => {
  test('lists the events of a terminal, newest first, back to its creation', async () => {
    const { mid } = await newSharedBranch(world);
    const terminals = numbered(unique('T'), 3);
    const path = { id: mid };
    const { body } = await call('createTerminals', { key: world.distributor.key, path, body: { terminals } });
    const { tid } = body.data[1];
    const { key } = world.provider;
    await call('updateTerminal', { key, path: { id: tid }, body: { terminal_model: 'Handheld 2' } });
    await call('updateTerminal', { key, path: { id: body.data[0].tid }, body: { terminal_model: 'Handheld 3' } });
    await call('archiveTerminal', { key, path: { id: tid }, body: { reason: 'Stolen' } });

    const { response, changed } = await storedBy(() => history(world.provider, tid));

    expect(typesOf(response.body.data)).toEqual(['terminal.archived', 'terminal.updated', 'terminals.created']);
    expect(response.body.meta).toEqual({ next: null });
    expect(changed).toEqual({});
    const [archived, , created] = response.body.data;
    expect(archived).toEqual({
      id: expect.any(String),
      type: 'terminal.archived',
      at: archived.data.archived_at,
      branch: { mid, status: 'active' },
      changes: null,
      request_id: expect.any(String),
      data: expect.objectContaining({ tid, status: 'archived', archive_reason: 'Stolen' }),
      by: { acquirer: world.provider.id, key_id: expect.any(String), key_label: 'test' },
    });
    expect(created.data).toEqual(body.data);
  });

  test('starts with branch.created for a terminal that was created with its branch', async () => {
    const { terminals } = await newSharedBranch(world, { terminals: numbered(unique('T'), 2) });
    expect(await types(world.distributor, terminals[1].tid)).toEqual(['branch.created']);
    await restoreTerminal(world.provider, terminals[1].tid);
    await reassign(world.provider, terminals[1].tid, (await newSharedBranch(world)).mid);
    expect(await types(world.distributor, terminals[1].tid)).toEqual(['terminal.reassigned', 'branch.created']);
  });

  test.each([1, 2, 3, 7])('pages through all events with the cursor, %i at a time', async (limit) => {
    const { mid } = await newSharedBranch(world);
    const terminal_id = unique('T');
    const tid = tidOf(terminal_id);
    const wanted: string[] = [];
    for (let life = 0; life < 2; life += 1) {
      await newTerminal(world.provider, mid, { terminal_id });
      await call('archiveTerminal', { ...at(world.provider, tid), body: { reason: 'Stolen' } });
      await remove(world.provider, tid);
      wanted.unshift('terminal.deleted', 'terminal.archived', 'terminals.created');
    }
    await newTerminal(world.provider, mid, { terminal_id });
    wanted.unshift('terminals.created');

    const found: string[] = [];
    for (let before: string | null | undefined; before !== null; ) {
      const { body } = await history(world.distributor, tid, { limit: `${limit}`, ...(before && { before }) });
      expect(body.data.length).toBeLessThanOrEqual(limit);
      found.push(...typesOf(body.data));
      before = body.meta.next;
    }
    expect(found).toEqual(wanted);
  });

  test('stays readable for the acquirers of its branch after the terminal is deleted, and only for them', async () => {
    const { tid } = await newSharedTerminal(world);
    await remove(world.distributor, tid);
    for (const caller of [world.provider, world.distributor])
      expect(await types(caller, tid)).toEqual(['terminal.deleted', 'terminals.created']);
    for (const caller of [world.secondProvider, world.stranger, otherDistributor])
      expectProblem(await history(caller, tid), 'not_found', NO_TERMINAL);
  });

  test.each([1, 2])('pages through the history of a deleted terminal, %i at a time', async (limit) => {
    const { tid } = await newSharedTerminal(world);
    await call('archiveTerminal', { ...at(world.provider, tid), body: { reason: 'Stolen' } });
    await remove(world.provider, tid);

    const pages: string[][] = [];
    for (let before: string | null | undefined; before !== null; ) {
      const { body } = await history(world.distributor, tid, { limit: `${limit}`, ...(before && { before }) });
      pages.push(typesOf(body.data));
      before = body.meta.next;
    }
    expect(pages).toEqual(
      limit === 1
        ? [['terminal.deleted'], ['terminal.archived'], ['terminals.created']]
        : [['terminal.deleted', 'terminal.archived'], ['terminals.created']],
    );
  });

  test('omits a change of another branch in the millisecond in which the terminal was created', async () => {
    const { mid } = await newSharedBranch(world);
    const other = await newSharedBranch(world);
    setClock(Date.now() + 10);
    const { tid, created_at } = await newTerminal(world.provider, mid);
    const archived = await call('archiveBranch', { key: world.provider.key, path: { mid: other.mid } });
    jest.useRealTimers();

    const { status, body } = await history(world.provider, tid);

    expect(archived.body.data.archived_at).toBe(created_at);
    expect(status).toBe(200);
    expect(typesOf(body.data)).toEqual(['terminals.created']);
    expect(body.meta).toEqual({ next: null });
  });

  test('starts for a distributor when the terminal joins one of its branches', async () => {
    const { tid } = await newSharedTerminal(world);
    const own = await newBranch(otherDistributor, { payment_provider: world.provider.id });
    await reassign(world.provider, tid, own.mid);
    expect(await types(otherDistributor, tid)).toEqual(['terminal.joined']);
    expect(await types(world.provider, tid)).toEqual(['terminal.reassigned', 'terminals.created']);
    await reassign(world.provider, tid, (await newSharedBranch(world)).mid);
    expect(await types(world.distributor, tid)).toEqual(['terminal.joined', 'terminal.left', 'terminals.created']);
  });

  test('ends for a distributor when the terminal leaves its branches, and stays readable', async () => {
    const { tid } = await newSharedTerminal(world);
    const own = await newBranch(otherDistributor, { payment_provider: world.provider.id });
    await reassign(world.provider, tid, own.mid);
    expect(await types(world.distributor, tid)).toEqual(['terminal.left', 'terminals.created']);
    await call('archiveTerminal', { ...at(world.provider, tid), body: { reason: 'Stolen' } });
    await remove(world.provider, tid);
    expect(await types(world.distributor, tid)).toEqual(['terminal.left', 'terminals.created']);
  });

  test('has nothing of what others do with its terminal_id after it is deleted, and nothing of what they did before', async () => {
    const { tid, terminal_id } = await newSharedTerminal(world);
    await remove(world.provider, tid);
    const { mid } = await newBranch(world.stranger);
    await newTerminal(world.stranger, mid, { terminal_id });
    expect(await types(world.stranger, tid)).toEqual(['terminals.created']);
    for (const caller of [world.provider, world.distributor])
      expect(await types(caller, tid)).toEqual(['terminal.deleted', 'terminals.created']);
  });

  test('of a terminal that was created many times together with others ends each page after a few creations', async () => {
    const { mid } = await newSharedBranch(world);
    const terminals = numbered(unique('T'), 2);
    const tid = tidOf(terminals[0]?.terminal_id as string);
    const { key } = world.provider;
    const wanted: string[] = [];
    for (let life = 0; life < 7; life += 1) {
      const { body } = await call('createTerminals', { key, path: { id: mid }, body: { terminals } });
      for (const each of body.data) await remove(world.provider, each.tid);
      wanted.unshift('terminal.deleted', 'terminals.created');
    }
    const pages: string[][] = [];
    for (let before: string | null | undefined; before !== null; ) {
      const sent = await tableRequestsBy(() =>
        history(world.distributor, tid, { limit: '100', ...(before && { before }) }),
      );
      expect(operationsOf(sent)).toBe('GetItem Query BatchGetItem');
      pages.push(typesOf(sent.response.body.data));
      before = sent.response.body.meta.next;
    }
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flat()).toEqual(wanted);
  });

  test('takes two requests, whatever other acquirers did with the terminal_id', async () => {
    const { mid } = await newBranch(world.stranger);
    const { tid, terminal_id } = await newTerminal(world.stranger, mid);
    for (const model of ['A', 'B', 'C'])
      await call('updateTerminal', { ...at(world.stranger, tid), body: { terminal_model: model } });
    await remove(world.stranger, tid);
    const { mid: own } = await newSharedBranch(world);
    await newTerminal(world.provider, own, { terminal_id });
    const sent = await tableRequestsBy(() => history(world.provider, tid, { limit: '1' }));
    expect(operationsOf(sent)).toBe('GetItem Query');
    expect(typesOf(sent.response.body.data)).toEqual(['terminals.created']);
    expect(sent.response.body.meta).toEqual({ next: null });
  });
});

describe('400', () => {
  test('rejects a cursor of another terminal or another acquirer', async () => {
    const cursorOf = async (caller: Caller, tid: string) =>
      (await history(caller, tid, { limit: '1' })).body.meta.next as string;
    const [one, other] = [await newSharedTerminal(world), await newSharedTerminal(world)];
    for (const { tid } of [one, other])
      await call('archiveTerminal', { ...at(world.provider, tid), body: { reason: 'Stolen' } });
    for (const before of [await cursorOf(world.provider, other.tid), await cursorOf(world.distributor, one.tid), 'now'])
      expectProblem(
        await history(world.provider, one.tid, { before }),
        'invalid_query',
        'before: Must be a cursor from this list.',
      );
  });
});

describe('404', () => {
  test('returns 404 for a terminal that the acquirer never could access', async () => {
    const { tid } = await newSharedTerminal(world);
    for (const caller of [world.secondProvider, world.stranger, otherDistributor])
      expectProblem(await history(caller, tid), 'not_found', NO_TERMINAL);
  });

  test.each(NO_TIDS)('returns 404 for a TID that %s', async (_, none) => {
    expectProblem(await history(world.provider, none), 'not_found', NO_TERMINAL);
  });
});
