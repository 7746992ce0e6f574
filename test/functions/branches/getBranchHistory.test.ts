import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { retentionMs } from '../../../lib/events/eventId.ts';
import { call, expectProblem } from '../../support/api.ts';
import { testCommonBehaviour } from '../../support/commonBehaviour.ts';
import { NO_BRANCH, NO_MIDS } from '../../support/constants.ts';
import { storedBy } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import {
  archiveBranch,
  type Caller,
  newBranch,
  newSharedBranch,
  newTerminal,
  newWorld,
  restoreTerminal,
  unique,
  type World,
} from '../../support/world.ts';

let world: World;
/** A branch shared by the provider and the distributor, from creation to archiving. */
let mid: string;
/** A terminal that was reassigned to another shared branch. */
let moved: { tid: string; terminal_id: string };
let target: string;
beforeAll(async () => {
  world = await newWorld();
  const { provider, distributor } = world;
  const first = { terminal_id: unique('T') };
  ({ mid } = await newSharedBranch(world, { terminals: [first] }));
  ({ mid: target } = await newSharedBranch(world));
  moved = await newTerminal(provider, mid);
  const at = { key: distributor.key, path: { id: moved.tid } };
  await call('updateTerminal', { ...at, body: { terminal_model: 'Handheld 2' } });
  await call('archiveTerminal', { ...at, body: { reason: 'Sent to repair' } });
  await restoreTerminal(provider, moved.tid);
  await call('reassignTerminal', { ...at, body: { mid: target } });
  await archiveBranch(provider, mid);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const history = ({ key }: Caller, of = mid, query: Record<string, string> = {}) =>
  call('getBranchHistory', { key, path: { mid: of }, query });
const typesOf = (events: { type: string }[]) => events.map(({ type }) => type);

const ALL = [
  'branch.archived',
  'terminal.reassigned',
  'terminal.restored',
  'terminal.archived',
  'terminal.updated',
  'terminals.created',
  'branch.created',
];

testCommonBehaviour('getBranchHistory', async () => {
  const { mid } = await newSharedBranch(world);
  return { key: world.provider.key, path: { mid } };
});

describe('200', () => {
  test('lists the events of a branch and its terminals, newest first, with author and request id', async () => {
    const { response, changed } = await storedBy(() => history(world.provider));
    expect(typesOf(response.body.data)).toEqual(ALL);
    expect(response.body.meta).toEqual({ next: null });
    expect(changed).toEqual({});
    const [, reassigned] = response.body.data;
    expect(reassigned).toEqual({
      id: expect.any(String),
      type: 'terminal.reassigned',
      at: reassigned.data.updated_at,
      branch: { mid: target, status: 'active' },
      changes: { mid },
      request_id: expect.any(String),
      data: expect.objectContaining({ tid: moved.tid, mid: target, terminal_model: 'Handheld 2', status: 'active' }),
      by: { acquirer: world.distributor.id, key_id: null, key_label: null },
    });
  });

  test('returns the same events to both acquirers, and to each only its own API keys', async () => {
    const [ofProvider, ofDistributor] = [await history(world.provider), await history(world.distributor)];
    const without = (events: { by: object }[]) => events.map(({ by, ...event }) => event);
    const keysOf = (events: { by: { key_label: string | null } }[]) => events.map(({ by }) => by.key_label);
    expect(without(ofDistributor.body.data)).toEqual(without(ofProvider.body.data));
    expect(keysOf(ofProvider.body.data)).toEqual(['test', null, 'test', null, null, 'test', null]);
    expect(keysOf(ofDistributor.body.data)).toEqual([null, 'test', null, 'test', 'test', null, 'test']);
  });

  test('shows a reassignment in the history of both branches', async () => {
    const { body } = await history(world.provider, target);
    expect(typesOf(body.data)).toEqual(['terminal.reassigned', 'branch.created']);
    expect(body.data[0]).toEqual((await history(world.provider)).body.data[1]);
  });

  test('pages through all events with the cursor', async () => {
    const pages = [];
    for (let before: string | null | undefined; before !== null; ) {
      const { body } = await history(world.distributor, mid, { limit: '3', ...(before && { before }) });
      pages.push(typesOf(body.data));
      before = body.meta.next;
    }
    expect(pages).toEqual([ALL.slice(0, 3), ALL.slice(3, 6), ALL.slice(6)]);
  });

  test('returns no cursor with a last page that is full', async () => {
    const { body } = await history(world.distributor, mid, { limit: '7' });
    expect(typesOf(body.data)).toEqual(ALL);
    expect(body.meta).toEqual({ next: null });
  });

  test('omits events older than the retention, which DynamoDB deletes only later', async () => {
    const { body } = await history(world.provider);
    const newest = Date.parse(body.data.at(0).at);
    const oldest = Date.parse(body.data.at(-1).at);
    const at = async (now: number) => {
      jest.spyOn(Date, 'now').mockReturnValue(now);
      return typesOf((await history(world.provider)).body.data);
    };
    expect(await at(oldest + retentionMs())).toEqual(ALL);
    expect(await at(oldest + retentionMs() + 1)).toEqual(ALL.slice(0, -1));
    expect(await at(newest + retentionMs() + 1)).toEqual([]);
  });

  test('reads the branch and the events with one request each', async () => {
    const sent = await tableRequestsBy(() => history(world.provider));
    expect(operationsOf(sent)).toBe('GetItem Query');
  });
});

describe('400', () => {
  test('rejects a cursor of another branch, a cursor of another acquirer and anything that is not a cursor', async () => {
    const cursorOf = async (caller: Caller, of: string) =>
      (await history(caller, of, { limit: '1' })).body.meta.next as string;
    const own = await cursorOf(world.provider, mid);
    const wrong = [
      await cursorOf(world.distributor, mid),
      await cursorOf(world.provider, target),
      `${own}A`,
      'now',
      '',
    ];
    for (const before of wrong)
      expectProblem(
        await history(world.provider, mid, { before }),
        'invalid_query',
        'before: Must be a cursor from this list.',
      );
  });
});

describe('404', () => {
  test('returns 404 for a branch that is not accessible', async () => {
    const { mid: own } = await newBranch(world.provider);
    for (const caller of [world.distributor, world.stranger])
      expectProblem(await history(caller, own), 'not_found', NO_BRANCH);
  });

  test.each(NO_MIDS)('returns 404 for a MID that %s', async (_, none) => {
    expectProblem(await history(world.provider, none), 'not_found', NO_BRANCH);
  });
});
