import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, expectProblem } from '../../support/api.ts';
import { ordersIn, withAdded, withRemoved } from '../../support/branchItem.ts';
import { testCommonBehaviour } from '../../support/commonBehaviour.ts';
import { BRANCH_ARCHIVED, FOREIGN_TERMINAL, NO_TERMINAL, NO_TIDS, TIME } from '../../support/constants.ts';
import { stored, storedBy } from '../../support/stored.ts';
import {
  archiveBranch,
  listedTerminals,
  newBranch,
  newSharedBranch,
  newTerminal,
  newWorld,
  restoreTerminal,
  unique,
  type World,
} from '../../support/world.ts';

const NO_TARGET = 'No branch with the target MID exists.';
const FOREIGN_TARGET =
  'The target MID is not under the same payment provider as the terminal, or not accessible to you.';
const ALREADY_THERE = 'The terminal is already under the target MID.';

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

/** Creates a terminal of a shared branch, and another shared branch it can move to. */
async function newMove(fields = {}) {
  const { mid } = await newSharedBranch(world);
  return { terminal: await newTerminal(world.provider, mid, fields), target: await newSharedBranch(world) };
}

const reassign = (tid: string, mid: unknown, key = world.provider.key) =>
  call('reassignTerminal', { key, path: { id: tid }, body: { mid } });

/** The changed branches of a reassignment: only the target lists the terminal. */
const branchesAfterMove = (
  before: Awaited<ReturnType<typeof stored>>,
  tid: string,
  from: string,
  to: string,
  at: string,
) => {
  const [fromKey, toKey] = [`BRANCH#${from} BRANCH`, `BRANCH#${to} BRANCH`];
  const order = before[`TERMINAL#${tid} TERMINAL`]?.['branch_order'] as string;
  return { [fromKey]: withRemoved(before[fromKey], at, tid), [toKey]: withAdded(before[toKey], at, order) };
};

const archive = async (tid: string) => {
  const { key } = world.provider;
  return (await call('archiveTerminal', { key, path: { id: tid }, body: { reason: 'Out of order' } })).body.data;
};

describe('200', () => {
  test('moves a terminal with all its values to the list of the target branch', async () => {
    await newSharedBranch(world, { mid: 'REASSIGNFROM' });
    await newSharedBranch(world, { mid: 'REASSIGNTO' });
    await newTerminal(world.provider, 'REASSIGNFROM');
    const { created_at } = await newTerminal(world.provider, 'REASSIGNFROM', {
      terminal_id: 'TREA1',
      serial_no: 'SREA1',
      terminal_model: 'Move/5000',
      payment_app: 'Checkout Go',
      acquirer_name: 'Atlantic Acquiring',
    });
    const { 'BRANCH#REASSIGNFROM BRANCH': from, 'BRANCH#REASSIGNTO BRANCH': to } = await stored();

    const { response, changed } = await storedBy(() => reassign('c86aaa00-cb35-5e53-b89b-cbeeee9bb5d7', 'REASSIGNTO'));

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({
      data: {
        tid: 'c86aaa00-cb35-5e53-b89b-cbeeee9bb5d7',
        terminal_id: 'TREA1',
        serial_no: 'SREA1',
        terminal_model: 'Move/5000',
        payment_app: 'Checkout Go',
        acquirer_name: 'Atlantic Acquiring',
        mid: 'REASSIGNTO',
        status: 'active',
        created_at,
        updated_at: TIME,
        archived_at: null,
        archive_reason: null,
      },
    });
    expect(Date.parse(updated_at)).toBeGreaterThan(Date.parse(created_at));
    expect([ordersIn(from).length, ordersIn(to).length]).toEqual([2, 0]);
    expect(changed).toEqual({
      'TERMINAL#c86aaa00-cb35-5e53-b89b-cbeeee9bb5d7 TERMINAL': {
        tid: 'c86aaa00-cb35-5e53-b89b-cbeeee9bb5d7',
        terminal_id: 'TREA1',
        serial_no: 'SREA1',
        terminal_model: 'Move/5000',
        payment_app: 'Checkout Go',
        acquirer_name: 'Atlantic Acquiring',
        mid: 'REASSIGNTO',
        branch_order: `${created_at}#000#c86aaa00-cb35-5e53-b89b-cbeeee9bb5d7`,
        created_at,
        updated_at,
      },
      'BRANCH#REASSIGNFROM BRANCH': withRemoved(from, updated_at, 'c86aaa00-cb35-5e53-b89b-cbeeee9bb5d7'),
      'BRANCH#REASSIGNTO BRANCH': {
        ...to,
        terminals: [`${created_at}#000#c86aaa00-cb35-5e53-b89b-cbeeee9bb5d7`],
        terminals_changed_at: updated_at,
      },
    });
    expect(await listedTerminals(world.provider, 'REASSIGNTO')).toEqual([response.body.data]);
  });

  test.each(['distributor', 'provider'] as const)('moves a terminal for the %s of both branches', async (who) => {
    const { terminal, target } = await newMove();
    const before = await stored();

    const { response, changed } = await storedBy(() => reassign(terminal.tid, target.mid, world[who].key));

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({ data: { ...terminal, mid: target.mid, updated_at: TIME } });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: {
        ...before[`TERMINAL#${terminal.tid} TERMINAL`],
        mid: target.mid,
        updated_at,
      },
      ...branchesAfterMove(before, terminal.tid, terminal.mid, target.mid, updated_at),
    });
  });

  test('moves a terminal from a shared branch to one without a distributor', async () => {
    const { mid } = await newSharedBranch(world);
    const terminal = await newTerminal(world.distributor, mid);
    const target = await newBranch(world.provider);

    const { response, changed } = await storedBy(() => reassign(terminal.tid, target.mid));

    expect(response.status).toBe(200);
    expect(response.body).toEqual({ data: { ...terminal, mid: target.mid, updated_at: TIME } });
    expect(Object.keys(changed).sort()).toEqual(
      [`TERMINAL#${terminal.tid} TERMINAL`, `BRANCH#${mid} BRANCH`, `BRANCH#${target.mid} BRANCH`].sort(),
    );
    // The distributor of the previous branch can no longer access it.
    expectProblem(
      await reassign(terminal.tid, mid, world.distributor.key),
      'not_under_requesting_psp',
      FOREIGN_TERMINAL,
    );
  });

  test('moves a terminal back to its previous branch', async () => {
    const { terminal, target } = await newMove();
    await reassign(terminal.tid, target.mid);
    const before = await stored();

    const { response, changed } = await storedBy(() => reassign(terminal.tid, terminal.mid));

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({ data: { ...terminal, updated_at: TIME } });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: {
        ...before[`TERMINAL#${terminal.tid} TERMINAL`],
        mid: terminal.mid,
        updated_at,
      },
      ...branchesAfterMove(before, terminal.tid, target.mid, terminal.mid, updated_at),
    });
  });

  test('finds the terminal by its TID in upper case', async () => {
    const { terminal, target } = await newMove();
    const { status, body } = await reassign(terminal.tid.toUpperCase(), target.mid);
    expect(status).toBe(200);
    expect(body).toEqual({ data: { ...terminal, mid: target.mid, updated_at: TIME } });
  });

  test('moves a terminal to a branch whose MID is a UUID', async () => {
    const { terminal } = await newMove();
    await newSharedBranch(world, { mid: 'd3a1f0c2-5b7e-4c86-9f1d-2e6a8b4c0d13' });
    const { status, body } = await reassign(terminal.tid, 'd3a1f0c2-5b7e-4c86-9f1d-2e6a8b4c0d13');
    expect(status).toBe(200);
    expect(body).toEqual({
      data: { ...terminal, mid: 'd3a1f0c2-5b7e-4c86-9f1d-2e6a8b4c0d13', updated_at: TIME },
    });
  });

  test('leaves an archived terminal archived', async () => {
    const { terminal, target } = await newMove();
    const archived = await archive(terminal.tid);
    const before = await stored();

    const { response, changed } = await storedBy(() => reassign(terminal.tid, target.mid));

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({
      data: {
        ...terminal,
        mid: target.mid,
        status: 'archived',
        updated_at: TIME,
        archived_at: archived.archived_at,
        archive_reason: 'Out of order',
      },
    });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: {
        ...before[`TERMINAL#${terminal.tid} TERMINAL`],
        mid: target.mid,
        updated_at,
        archived_at: archived.archived_at,
        archive_reason: 'Out of order',
      },
      ...branchesAfterMove(before, terminal.tid, terminal.mid, target.mid, updated_at),
    });
    expect(await listedTerminals(world.provider, target.mid)).toEqual([response.body.data]);
  });

  test('leaves a terminal archived that was archived with its branch, with the branch’s time and reason', async () => {
    const { terminal, target } = await newMove();
    const { archived_at } = await archiveBranch(world.provider, terminal.mid);
    const before = await stored();

    const { response, changed } = await storedBy(() => reassign(terminal.tid, target.mid));

    expect(archived_at).toEqual(TIME);
    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({
      data: {
        ...terminal,
        mid: target.mid,
        status: 'archived',
        updated_at: TIME,
        archived_at,
        archive_reason: 'Archived with its branch.',
      },
    });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: {
        ...before[`TERMINAL#${terminal.tid} TERMINAL`],
        mid: target.mid,
        updated_at,
        archived_at,
        archive_reason: 'Archived with its branch.',
      },
      ...branchesAfterMove(before, terminal.tid, terminal.mid, target.mid, updated_at),
    });
    expect(await listedTerminals(world.provider, target.mid)).toEqual([response.body.data]);
    // It can be restored there like any archived terminal.
    expect(await restoreTerminal(world.provider, terminal.tid)).toEqual({
      ...terminal,
      mid: target.mid,
      updated_at: TIME,
    });
  });

  test('leaves a terminal active that was restored under its archived branch, until the target is archived', async () => {
    const { terminal, target } = await newMove();
    await archiveBranch(world.provider, terminal.mid);
    await restoreTerminal(world.provider, terminal.tid);
    const before = await stored();
    const { restored, ...item } = before[`TERMINAL#${terminal.tid} TERMINAL`] ?? {};

    const { response, changed } = await storedBy(() => reassign(terminal.tid, target.mid));

    expect(restored).toBe(true);
    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({ data: { ...terminal, mid: target.mid, updated_at: TIME } });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: { ...item, mid: target.mid, updated_at },
      ...branchesAfterMove(before, terminal.tid, terminal.mid, target.mid, updated_at),
    });
    expect(await listedTerminals(world.provider, target.mid)).toEqual([response.body.data]);

    const { archived_at } = await archiveBranch(world.provider, target.mid);
    expect(await listedTerminals(world.provider, target.mid)).toEqual([
      {
        ...response.body.data,
        status: 'archived',
        updated_at: archived_at,
        archived_at,
        archive_reason: 'Archived with its branch.',
      },
    ]);
  });

  test('does not archive a terminal with the branch it has left', async () => {
    const { terminal, target } = await newMove();
    const { body: moved } = await reassign(terminal.tid, target.mid);
    await archiveBranch(world.provider, terminal.mid);
    expect(await listedTerminals(world.provider, target.mid)).toEqual([moved.data]);
    expect(moved.data.status).toBe('active');
  });
});

describe('400', () => {
  test('rejects the MID that the terminal is already under', async () => {
    const { terminal } = await newMove();
    const { response, changed } = await storedBy(() => reassign(terminal.tid, terminal.mid));
    expectProblem(response, 'already_under_target_mid', ALREADY_THERE);
    expect(changed).toEqual({});
  });

  test('rejects the MID that the terminal is already under, even if that branch is archived', async () => {
    const { terminal } = await newMove();
    await archiveBranch(world.provider, terminal.mid);
    const { response, changed } = await storedBy(() => reassign(terminal.tid, terminal.mid));
    expectProblem(response, 'already_under_target_mid', ALREADY_THERE);
    expect(changed).toEqual({});
  });

  test.each(['secondProvider', 'stranger', 'strangeDistributor'] as const)(
    'rejects a TID that is not under the requesting PSP: %s',
    async (who) => {
      const { terminal, target } = await newMove();
      const own = who === 'strangeDistributor' ? target : await newBranch(world[who]);
      for (const mid of [own.mid, target.mid, terminal.mid]) {
        const { response, changed } = await storedBy(() => reassign(terminal.tid, mid, world[who].key));
        expectProblem(response, 'not_under_requesting_psp', FOREIGN_TERMINAL);
        expect(changed).toEqual({});
      }
    },
  );

  test('rejects a target MID that is not under the requesting PSP, archived or not', async () => {
    const { terminal } = await newMove();
    const foreign = await newBranch(world.stranger);
    const archived = await newBranch(world.stranger);
    await call('archiveBranch', { key: world.stranger.key, path: { mid: archived.mid } });
    for (const { key } of [world.distributor, world.provider]) {
      for (const { mid } of [foreign, archived]) {
        const { response, changed } = await storedBy(() => reassign(terminal.tid, mid, key));
        expectProblem(response, 'not_under_requesting_psp', FOREIGN_TARGET);
        expect(changed).toEqual({});
      }
    }
  });

  test('rejects a distributor’s target branch that has another distributor or none', async () => {
    const { terminal } = await newMove();
    const target = await newBranch(world.provider);
    const { response, changed } = await storedBy(() => reassign(terminal.tid, target.mid, world.distributor.key));
    expectProblem(response, 'not_under_requesting_psp', FOREIGN_TARGET);
    expect(changed).toEqual({});
  });

  test('rejects a move between two payment providers of a distributor', async () => {
    const { terminal } = await newMove();
    const target = await newBranch(world.distributor, { payment_provider: world.secondProvider.id });
    const { response, changed } = await storedBy(() => reassign(terminal.tid, target.mid, world.distributor.key));
    expectProblem(response, 'not_under_requesting_psp', FOREIGN_TARGET);
    expect(changed).toEqual({});
  });

  test('rejects an archived target branch', async () => {
    const { terminal, target } = await newMove();
    await archiveBranch(world.provider, target.mid);
    const { response, changed } = await storedBy(() => reassign(terminal.tid, target.mid));
    expectProblem(response, 'branch_archived', BRANCH_ARCHIVED);
    expect(changed).toEqual({});
  });

  test('rejects an archived target branch for an archived terminal', async () => {
    const { terminal, target } = await newMove();
    await archive(terminal.tid);
    await archiveBranch(world.provider, target.mid);
    const { response, changed } = await storedBy(() => reassign(terminal.tid, target.mid));
    expectProblem(response, 'branch_archived', BRANCH_ARCHIVED);
    expect(changed).toEqual({});
  });

  test('moves a terminal once when two requests run concurrently', async () => {
    const { terminal, target } = await newMove();

    const responses = await Promise.all([reassign(terminal.tid, target.mid), reassign(terminal.tid, target.mid)]);

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    for (const response of responses.filter(({ status }) => status === 400))
      expectProblem(response, 'already_under_target_mid', ALREADY_THERE);
    const after = await stored();
    expect(ordersIn(after[`BRANCH#${terminal.mid} BRANCH`])).toHaveLength(0);
    expect(ordersIn(after[`BRANCH#${target.mid} BRANCH`])).toHaveLength(1);
  });
});

testCommonBehaviour('reassignTerminal', async () => {
  const { terminal, target } = await newMove({ serial_no: unique('S') });
  return { key: world.provider.key, path: { id: terminal.tid }, body: { mid: target.mid } };
});

describe('404', () => {
  test.each(NO_TIDS)('returns 404 for a TID that %s', async (_, tid) => {
    const { target } = await newMove();
    const { response, changed } = await storedBy(() => reassign(tid, target.mid));
    expectProblem(response, 'not_found', NO_TERMINAL);
    expect(changed).toEqual({});
  });

  test('returns 404 for a terminal_id in place of the TID', async () => {
    const { terminal, target } = await newMove();
    expectProblem(await reassign(terminal.terminal_id, target.mid), 'not_found', NO_TERMINAL);
  });

  test('returns 404 for a deleted terminal', async () => {
    const { terminal, target } = await newMove();
    await call('deleteTerminal', { key: world.provider.key, path: { id: terminal.tid } });
    expectProblem(await reassign(terminal.tid, target.mid), 'not_found', NO_TERMINAL);
  });

  test.each([
    ['is unknown', 'NOSUCHMID'],
    ['is a UUID of no branch', '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55'],
    ['has characters that no MID can have', 'no such mid'],
    ['contains a table key', 'X#BRANCH'],
    ['is longer than any MID', 'A'.repeat(255)],
  ])('returns 404 for a target MID that %s', async (_, mid) => {
    const { terminal } = await newMove();
    const { response, changed } = await storedBy(() => reassign(terminal.tid, mid));
    expectProblem(response, 'not_found', NO_TARGET);
    expect(changed).toEqual({});
  });
});

describe('422', () => {
  test.each<[string, unknown, [string, string, string]]>([
    ['without a mid', {}, ['/mid', 'required', 'Is required.']],
    ['with null as mid', { mid: null }, ['/mid', 'required', 'Is required.']],
    ['with an empty mid', { mid: '' }, ['/mid', 'required', 'Is required.']],
    ['that is absent', undefined, ['/mid', 'required', 'Is required.']],
    ['with a mid that is not a string', { mid: 4711 }, ['/mid', 'invalid_type', 'Must be a string.']],
    ['that is not an object', '"M1"', ['', 'invalid_type', 'Must be an object.']],
    ['that is null', 'null', ['', 'required', 'Is required.']],
  ])('rejects a body %s', async (_, body, fieldError) => {
    const { terminal } = await newMove();
    const { response, changed } = await storedBy(() =>
      call('reassignTerminal', { key: world.provider.key, path: { id: terminal.tid }, body }),
    );
    expectProblem(response, 'validation_failed', [fieldError]);
    expect(changed).toEqual({});
  });

  test('rejects an invalid body before reading the terminal', async () => {
    expectProblem(await reassign('no-uuid', null), 'validation_failed', [['/mid', 'required', 'Is required.']]);
  });
});
