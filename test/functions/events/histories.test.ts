import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { retentionMs } from '../../../lib/base/eventId.ts';
import type { Event } from '../../../lib/events/event.ts';
import { type ApiResponse, call } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { EVENT_ID } from '../../support/constants.ts';
import { bodyOf } from '../../support/outcomes.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import {
  archiveBranch,
  type Caller,
  newBranch,
  newDistributorOf,
  newSharedBranch,
  newSharedTerminal,
  newTerminal,
  numbered,
  restoreTerminal,
  unique,
  useWorld,
} from '../../support/world.ts';
import { pagesOf, type Query } from './pages.ts';

/* Cursors of other lists are refused in test/functions/console/listActivity.test.ts. */

const world = useWorld();
let otherDistributor: Caller;
beforeAll(async () => {
  otherDistributor = await newDistributorOf(world.provider);
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const ofBranch = ({ key }: Caller, mid: string, query: Query = {}) =>
  call('getBranchHistory', { key, path: { mid }, query });
const ofTerminal = ({ key }: Caller, id: string, query: Query = {}) =>
  call('getTerminalHistory', { key, path: { id }, query });

const typesOf = ({ body }: ApiResponse): string[] => body.data.map(({ type }: { type: string }) => type);

/** The types of the events on each page. */
const typesOfPages = async (read: (query: Query) => Promise<ApiResponse>, limit: number): Promise<string[][]> =>
  (await pagesOf(read, limit)).map(typesOf);

/** Consecutive parts of a list, of this length. */
const parts = <T>(list: T[], length: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / length) }, (_, at) => list.slice(at * length, (at + 1) * length));

const at = ({ key }: Caller, tid: string) => ({ key, path: { id: tid } });
const archive = (caller: Caller, tid: string) =>
  call('archiveTerminal', { ...at(caller, tid), body: { reason: 'Stolen' } });
const reassign = (caller: Caller, tid: string, mid: string) =>
  call('reassignTerminal', { ...at(caller, tid), body: { mid } });
const remove = (caller: Caller, tid: string) => call('deleteTerminal', at(caller, tid));

describe('the history of a branch', () => {
  /** A branch of the provider and the distributor, from creation to archiving. */
  let mid: string;
  /** A terminal that was reassigned to another shared branch. */
  let moved: { tid: string };
  let target: string;
  beforeAll(async () => {
    const { provider, distributor } = world;
    ({ mid } = await newSharedBranch(world, { terminals: numbered(unique('T'), 1) }));
    ({ mid: target } = await newSharedBranch(world));
    moved = await newTerminal(provider, mid);
    await call('updateTerminal', { ...at(distributor, moved.tid), body: { terminal_model: 'Handheld 2' } });
    await archive(distributor, moved.tid);
    await restoreTerminal(provider, moved.tid);
    await reassign(distributor, moved.tid, target);
    await archiveBranch(provider, mid);
  });

  const ALL = [
    'branch.archived',
    'terminal.reassigned',
    'terminal.restored',
    'terminal.archived',
    'terminal.updated',
    'terminals.created',
    'branch.created',
  ];

  test('lists its events and those of its terminals, newest first, with author and request id', async () => {
    const body = await bodyOf(() => ofBranch(world.provider, mid));
    expect(body.data.map(({ type }: Event) => type)).toEqual(ALL);
    expect(body.meta).toEqual({ next: null });
    const [, reassigned] = body.data;
    expect(reassigned).toEqual({
      id: EVENT_ID,
      type: 'terminal.reassigned',
      at: reassigned.data.updated_at,
      branch: { mid: target, status: 'active', archived_at: null },
      changes: { mid },
      reason: null,
      request_id: expect.any(String),
      data: expect.objectContaining({ tid: moved.tid, mid: target, terminal_model: 'Handheld 2', status: 'active' }),
      by: { acquirer: world.distributor.id, acquirer_name: 'Northgate', key_id: null, key_label: null, person: null },
    });
  });

  test('has the same events for both acquirers, and for each only its own API keys', async () => {
    const [ofProvider, ofDistributor] = [await ofBranch(world.provider, mid), await ofBranch(world.distributor, mid)];
    const withoutAuthor = ({ body }: ApiResponse) => body.data.map(({ by, ...event }: { by: object }) => event);
    const keysOf = ({ body }: ApiResponse) =>
      body.data.map(({ by }: { by: { key_label: string | null } }) => by.key_label);
    expect(withoutAuthor(ofDistributor)).toEqual(withoutAuthor(ofProvider));
    expect(keysOf(ofProvider)).toEqual(['test', null, 'test', null, null, 'test', null]);
    expect(keysOf(ofDistributor)).toEqual([null, 'test', null, 'test', 'test', null, 'test']);
  });

  test('has a reassignment to it too', async () => {
    const response = await ofBranch(world.provider, target);
    expect(typesOf(response)).toEqual(['terminal.reassigned', 'branch.created']);
    expect(response.body.data[0]).toEqual((await ofBranch(world.provider, mid)).body.data[1]);
  });

  test.each([3, 7])('has a cursor for each further page: %i events at a time', async (limit) => {
    const pages = await typesOfPages((query) => ofBranch(world.distributor, mid, query), limit);
    expect(pages).toEqual(parts(ALL, limit));
  });

  test('omits events older than the retention, which DynamoDB deletes only later', async () => {
    const { data } = (await ofBranch(world.provider, mid)).body;
    const [newest, oldest] = [Date.parse(data.at(0).at), Date.parse(data.at(-1).at)];
    const typesAt = async (now: number) => {
      jest.spyOn(Date, 'now').mockReturnValue(now);
      return typesOf(await ofBranch(world.provider, mid));
    };
    expect(await typesAt(oldest + retentionMs())).toEqual(ALL);
    expect(await typesAt(oldest + retentionMs() + 1)).toEqual(ALL.slice(0, -1));
    expect(await typesAt(newest + retentionMs() + 1)).toEqual([]);
  });

  test('takes one request for the branch and one for the events', async () => {
    expect(operationsOf(await tableRequestsBy(() => ofBranch(world.provider, mid)))).toBe('GetItem Query');
  });
});

describe('the history of a terminal', () => {
  test('lists its events, newest first, back to its creation with others', async () => {
    const { mid } = await newSharedBranch(world);
    const terminals = numbered(unique('T'), 3);
    const { key } = world.distributor;
    const { body } = await call('createTerminals', { key, path: { id: mid }, body: { terminals } });
    const [other, { tid }] = body.data;
    const update = (id: string, terminal_model: string) =>
      call('updateTerminal', { ...at(world.provider, id), body: { terminal_model } });
    await update(tid, 'Handheld 2');
    await update(other.tid, 'Handheld 3');
    await archive(world.provider, tid);

    const history = await bodyOf(() => ofTerminal(world.provider, tid));

    const types = history.data.map(({ type }: Event) => type);
    expect(types).toEqual(['terminal.archived', 'terminal.updated', 'terminals.created']);
    expect(history.meta).toEqual({ next: null });
    expect(history.data[0].data).toMatchObject({ tid, status: 'archived', archive_reason: 'Stolen' });
    expect(history.data[2].data).toEqual(body.data);
  });

  test('has a cursor for each further page, also if the terminal was deleted and created again', async () => {
    const { provider, distributor } = world;
    const { tid, terminal_id, mid } = await newSharedTerminal(world);
    await archive(provider, tid);
    await remove(provider, tid);
    await newTerminal(provider, mid, { terminal_id });
    await remove(provider, tid);
    const life = ['terminal.deleted', 'terminals.created'];
    const all = [...life, 'terminal.deleted', 'terminal.archived', 'terminals.created'];
    const expectPages = async (...events: string[]) => {
      for (const limit of [1, 3])
        expect(await typesOfPages((query) => ofTerminal(distributor, tid, query), limit)).toEqual(parts(events, limit));
    };
    await expectPages(...all);
    await newTerminal(provider, mid, { terminal_id });
    await expectPages('terminals.created', ...all);
  });

  test('omits a change of another branch in the millisecond in which the terminal was created', async () => {
    const { mid } = await newSharedBranch(world);
    const other = await newSharedBranch(world);
    setClock(Date.now() + 10);
    const { tid, created_at } = await newTerminal(world.provider, mid);
    const { archived_at } = await archiveBranch(world.provider, other.mid);
    jest.useRealTimers();

    const response = await ofTerminal(world.provider, tid);

    expect(archived_at).toBe(created_at);
    expect(typesOf(response)).toEqual(['terminals.created']);
    expect(response.body.meta).toEqual({ next: null });
  });

  test('has nothing of what others do with its terminal_id after its deletion, or did before', async () => {
    const { tid, terminal_id } = await newSharedTerminal(world);
    await remove(world.provider, tid);
    const { mid } = await newBranch(world.stranger);
    await newTerminal(world.stranger, mid, { terminal_id });
    expect(typesOf(await ofTerminal(world.stranger, tid))).toEqual(['terminals.created']);
    for (const caller of [world.provider, world.distributor])
      expect(typesOf(await ofTerminal(caller, tid))).toEqual(['terminal.deleted', 'terminals.created']);
  });

  describe('also has the archivings and restorings of its branch while it was there', () => {
    /** Archives and restores a branch. Returns the events as `type mid`, the newest first. */
    const toggle = async (mid: string): Promise<string[]> => {
      await archiveBranch(world.provider, mid);
      await call('restoreBranch', { key: world.provider.key, path: { mid } });
      return [`branch.restored ${mid}`, `branch.archived ${mid}`];
    };

    /**
     * Asserts the events of a history, as `type mid`, on pages of any length, and that the newest is in the branch's
     * too.
     */
    async function expectHistory(caller: Caller, tid: string, wanted: string[]) {
      const { data } = (await ofTerminal(caller, tid)).body;
      expect(data.map(({ type, branch }: Event) => `${type} ${branch.mid}`)).toEqual(wanted);
      expect((await ofBranch(caller, data[0].branch.mid)).body.data).toContainEqual(data[0]);
      const types = data.map(({ type }: Event) => type);
      // The longest first: what a page repeats would be repeated without end on pages of one.
      for (const limit of [3, 1]) {
        const pages = await typesOfPages((query) => ofTerminal(caller, tid, query), limit);
        expect([limit, pages]).toEqual([limit, parts(types, limit)]);
      }
    }

    test('in order, for both acquirers, on pages of any length', async () => {
      const { provider, distributor } = world;
      const [{ mid: home }, { mid: away }] = [await newSharedBranch(world), await newSharedBranch(world)];
      // Before it is there.
      for (const mid of [home, away]) await toggle(mid);
      const { tid, terminal_id } = await newTerminal(provider, home);
      const wanted = [`terminals.created ${home}`];
      await toggle(away);
      wanted.unshift(...(await toggle(home)));
      await archiveBranch(distributor, home);
      await restoreTerminal(provider, tid);
      await archive(provider, tid);
      wanted.unshift(`terminal.archived ${home}`, `terminal.restored ${home}`, `branch.archived ${home}`);
      await reassign(provider, tid, away);
      // After it left, and where it is now.
      await call('restoreBranch', { key: provider.key, path: { mid: home } });
      wanted.unshift(...(await toggle(away)), `terminal.reassigned ${away}`);
      await remove(provider, tid);
      await toggle(away);
      wanted.unshift(`terminal.deleted ${away}`);
      await newTerminal(provider, home, { terminal_id });
      wanted.unshift(...(await toggle(home)), `terminals.created ${home}`);
      for (const caller of [provider, distributor]) await expectHistory(caller, tid, wanted);
    });

    test('if its own events have expired', async () => {
      setClock(Date.now() - retentionMs() - 60_000);
      const { tid, mid } = await newSharedTerminal(world);
      jest.useRealTimers();
      const first = await toggle(mid);
      await expectHistory(world.distributor, tid, [...(await toggle(mid)), ...first]);
    });

    test('and a distributor has those of its own branches only', async () => {
      const { provider, distributor } = world;
      const { mid: home } = await newSharedBranch(world);
      const { mid: theirs } = await newBranch(otherDistributor, { payment_provider: provider.id });
      const { tid } = await newTerminal(provider, home);
      const first = [...(await toggle(home)), `terminals.created ${home}`];
      await toggle(theirs);
      await reassign(provider, tid, theirs);
      await toggle(home);
      const second = await toggle(theirs);
      await reassign(provider, tid, home);
      await toggle(theirs);
      const last = await toggle(home);
      const [away, back] = [`terminal.reassigned ${theirs}`, `terminal.reassigned ${home}`];
      await expectHistory(provider, tid, [...last, back, ...second, away, ...first]);
      const [left, joined] = [`terminal.left ${home}`, `terminal.joined ${home}`];
      await expectHistory(distributor, tid, [...last, joined, left, ...first]);
      const [came, went] = [`terminal.joined ${theirs}`, `terminal.left ${theirs}`];
      await expectHistory(otherDistributor, tid, [went, ...second, came]);
    });
  });

  test('ends a page after a few creations together with others, so that each page takes few requests', async () => {
    const { mid } = await newSharedBranch(world);
    const { key } = world.provider;
    const wanted: string[] = [];
    const [{ terminal_id }] = numbered(unique('T'), 1) as [{ terminal_id: string }];
    let tid = '';
    for (let life = 0; life < 5; life += 1) {
      const terminals = [{ terminal_id }, { terminal_id: unique('T') }];
      ({ tid } = (await call('createTerminals', { key, path: { id: mid }, body: { terminals } })).body.data[0]);
      await remove(world.provider, tid);
      wanted.unshift('terminal.deleted', 'terminals.created');
    }
    const pages = await typesOfPages(async (query) => {
      const sent = await tableRequestsBy(() => ofTerminal(world.distributor, tid, query));
      expect(operationsOf(sent)).toMatch(/^GetItem Query( Query)? BatchGetItem( Query){1,5}$/);
      return sent.response;
    }, 100);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flat()).toEqual(wanted);
  });

  test('takes three requests, whatever other acquirers did with the terminal_id', async () => {
    const { mid } = await newBranch(world.stranger);
    const { tid, terminal_id } = await newTerminal(world.stranger, mid);
    for (const terminal_model of ['A', 'B', 'C'])
      await call('updateTerminal', { ...at(world.stranger, tid), body: { terminal_model } });
    await remove(world.stranger, tid);
    const { mid: own } = await newSharedBranch(world);
    await newTerminal(world.provider, own, { terminal_id });
    const sent = await tableRequestsBy(() => ofTerminal(world.provider, tid, { limit: '1' }));
    expect(operationsOf(sent)).toBe('GetItem Query Query');
    expect(typesOf(sent.response)).toEqual(['terminals.created']);
    expect(sent.response.body.meta).toEqual({ next: null });
  });
});
