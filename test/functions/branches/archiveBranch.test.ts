import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, expectProblem } from '../../support/api.ts';
import { testCommonBehaviour } from '../../support/commonBehaviour.ts';
import { NO_BRANCH } from '../../support/constants.ts';
import { storedBy } from '../../support/stored.ts';
import { type Caller, newBranch, newTerminal, newWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

const archive = ({ key }: Caller, mid: string) => storedBy(() => call('archiveBranch', { key, path: { mid } }));
const listTerminals = async ({ key }: Caller, id: string) =>
  (await call('listTerminals', { key, path: { id }, query: { sort: 'asc' } })).body.data;

describe('200', () => {
  test('archives a branch and all its terminals in a single write of one item', async () => {
    const { distributor, provider } = world;
    const { terminals, ...branch } = await newBranch(distributor, {
      mid: 'ARCH1',
      payment_provider: provider.id,
      terminals: [{ terminal_id: 'TARCH1' }, { terminal_id: 'TARCH2' }],
    });

    const { response, changed } = await archive(provider, 'ARCH1');

    const { archived_at } = response.body.data;
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ data: { ...branch, status: 'archived', updated_at: archived_at, archived_at } });
    expect(archived_at >= branch.created_at).toBe(true);
    expect(changed).toEqual({
      'BRANCH#ARCH1 BRANCH': expect.objectContaining({ mid: 'ARCH1', archived_at, updated_at: archived_at }),
    });
    expect(await listTerminals(distributor, 'ARCH1')).toEqual(
      terminals.map((terminal: object) => ({
        ...terminal,
        status: 'archived',
        // So that a sync by updated_at picks up the terminals too.
        updated_at: archived_at,
        archived_at,
        archive_reason: 'Archived with its branch.',
      })),
    );
  });

  test('keeps an archived branch in the list, with status archived', async () => {
    const { stranger } = world;
    const { mid } = await newBranch(stranger);
    await archive(stranger, mid);
    const { body } = await call('listBranches', { key: stranger.key });
    expect(body.data.map((branch: { mid: string; status: string }) => [branch.mid, branch.status])).toContainEqual([
      mid,
      'archived',
    ]);
  });

  test('leaves the archive time and reason of an already archived terminal unchanged', async () => {
    const { provider } = world;
    const { mid } = await newBranch(provider);
    const { tid } = await newTerminal(provider, mid);
    const archived = await call('archiveTerminal', {
      key: provider.key,
      path: { id: tid },
      body: { reason: 'Stolen' },
    });
    await archive(provider, mid);
    expect(await listTerminals(provider, mid)).toEqual([archived.body.data]);
  });
});

describe('400', () => {
  test('rejects a branch that is already archived', async () => {
    const { provider } = world;
    const { mid } = await newBranch(provider);
    await archive(provider, mid);
    const { response, changed } = await archive(provider, mid);
    expectProblem(response, 'already_archived', 'The branch is already archived.');
    expect(changed).toEqual({});
  });
});

testCommonBehaviour('archiveBranch', async () => {
  const { mid } = await newBranch(world.provider);
  return { key: world.provider.key, path: { mid } };
});

describe('404', () => {
  test('returns the same 404 for a branch of another acquirer as for one that does not exist', async () => {
    const { mid } = await newBranch(world.distributor, { payment_provider: world.provider.id });
    for (const [caller, name] of [
      [world.secondProvider, mid],
      [world.strangeDistributor, mid],
      [world.provider, 'NOSUCHMID'],
    ] as const) {
      const { response, changed } = await archive(caller, name);
      expectProblem(response, 'not_found', NO_BRANCH);
      expect(changed).toEqual({});
    }
  });
});
