import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, expectProblem } from '../../support/api.ts';
import { testCommonBehaviour } from '../../support/commonBehaviour.ts';
import { NO_TERMINAL, NO_TIDS, TIME } from '../../support/constants.ts';
import { storedBy, terminalItemOf } from '../../support/stored.ts';
import {
  archiveBranch,
  listedTerminals,
  newSharedBranch,
  newSharedTerminal,
  newTerminal,
  newWorld,
  type World,
} from '../../support/world.ts';

const NOT_ARCHIVED = 'The terminal is not archived.';

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

const restore = (tid: string, key = world.provider.key) => call('restoreTerminal', { key, path: { id: tid } });

const archive = (tid: string) =>
  call('archiveTerminal', { key: world.provider.key, path: { id: tid }, body: { reason: 'Out of order' } });

/** A stored terminal without the attributes that archiving sets. */
async function itemOf(tid: string) {
  const { archived_at, archive_reason, ...item } = (await terminalItemOf(tid)) ?? {};
  return item;
}

describe('200', () => {
  test('restores an archived terminal', async () => {
    const { mid } = await newSharedBranch(world);
    const { created_at } = await newTerminal(world.provider, mid, {
      terminal_id: 'TRES1',
      serial_no: 'SRES1',
      terminal_model: 'Move/5000',
      payment_app: 'Checkout Go',
      acquirer_name: 'Atlantic Acquiring',
    });
    const { body: archived } = await archive('b85821fc-831f-5204-9b08-a5fcaf2f0a23');

    const { response, changed } = await storedBy(() => restore('b85821fc-831f-5204-9b08-a5fcaf2f0a23'));

    expect(archived.data.status).toBe('archived');
    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({
      data: {
        tid: 'b85821fc-831f-5204-9b08-a5fcaf2f0a23',
        terminal_id: 'TRES1',
        serial_no: 'SRES1',
        terminal_model: 'Move/5000',
        payment_app: 'Checkout Go',
        acquirer_name: 'Atlantic Acquiring',
        mid,
        status: 'active',
        created_at,
        updated_at: TIME,
        archived_at: null,
        archive_reason: null,
      },
    });
    expect(Date.parse(updated_at)).toBeGreaterThan(Date.parse(archived.data.updated_at));
    expect(changed).toEqual({
      'TERMINAL#b85821fc-831f-5204-9b08-a5fcaf2f0a23 TERMINAL': {
        tid: 'b85821fc-831f-5204-9b08-a5fcaf2f0a23',
        terminal_id: 'TRES1',
        serial_no: 'SRES1',
        terminal_model: 'Move/5000',
        payment_app: 'Checkout Go',
        acquirer_name: 'Atlantic Acquiring',
        mid,
        branch_order: `${created_at}#000#b85821fc-831f-5204-9b08-a5fcaf2f0a23`,
        created_at,
        updated_at,
      },
    });
    expect(await listedTerminals(world.provider, mid)).toEqual([response.body.data]);
  });

  test.each(['distributor', 'provider'] as const)('restores a terminal for the %s of its branch', async (who) => {
    const terminal = await newSharedTerminal(world);
    await archive(terminal.tid);
    const item = await itemOf(terminal.tid);

    const { response, changed } = await storedBy(() => restore(terminal.tid, world[who].key));

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({ data: { ...terminal, updated_at: TIME } });
    expect(changed).toEqual({ [`TERMINAL#${terminal.tid} TERMINAL`]: { ...item, updated_at } });
    expect(await listedTerminals(world[who], terminal.mid)).toEqual([response.body.data]);
  });

  test('needs no body and ignores one', async () => {
    const terminal = await newSharedTerminal(world);
    await archive(terminal.tid);
    const item = await itemOf(terminal.tid);

    const { response, changed } = await storedBy(() =>
      call('restoreTerminal', { key: world.provider.key, path: { id: terminal.tid }, body: '{' }),
    );

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({ data: { ...terminal, updated_at } });
    expect(changed).toEqual({ [`TERMINAL#${terminal.tid} TERMINAL`]: { ...item, updated_at } });
  });

  test('finds the terminal by its TID in upper case', async () => {
    const terminal = await newSharedTerminal(world);
    await archive(terminal.tid);

    const { response, changed } = await storedBy(() => restore(terminal.tid.toUpperCase()));

    expect(response.status).toBe(200);
    expect(response.body).toEqual({ data: { ...terminal, updated_at: TIME } });
    expect(Object.keys(changed)).toEqual([`TERMINAL#${terminal.tid} TERMINAL`]);
  });

  test('restores a terminal that was archived with its branch; the branch stays archived', async () => {
    const terminal = await newSharedTerminal(world);
    const other = await newTerminal(world.provider, terminal.mid);
    const branch = await archiveBranch(world.provider, terminal.mid);
    const item = await itemOf(terminal.tid);

    const { response, changed } = await storedBy(() => restore(terminal.tid));

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({ data: { ...terminal, updated_at: TIME } });
    expect(Date.parse(updated_at)).toBeGreaterThan(Date.parse(branch.archived_at));
    expect(changed).toEqual({ [`TERMINAL#${terminal.tid} TERMINAL`]: { ...item, updated_at, restored: true } });
    expect(await listedTerminals(world.provider, terminal.mid)).toEqual([
      {
        ...other,
        status: 'archived',
        updated_at: branch.archived_at,
        archived_at: branch.archived_at,
        archive_reason: 'Archived with its branch.',
      },
      response.body.data,
    ]);
    const { body } = await call('getBranch', { key: world.provider.key, path: { mid: terminal.mid } });
    expect(body.data.status).toBe('archived');
  });

  test('shows a terminal that was restored under its archived branch as active in later responses', async () => {
    const { tid, mid } = await newSharedTerminal(world);
    await archiveBranch(world.provider, mid);
    const { body: restored } = await restore(tid);

    const { body } = await call('updateTerminal', {
      key: world.provider.key,
      path: { id: tid },
      body: { terminal_model: 'Desk/3500' },
    });

    expect(body).toEqual({
      data: {
        ...restored.data,
        terminal_model: 'Desk/3500',
        updated_at: body.data.updated_at,
        status: 'active',
        archived_at: null,
        archive_reason: null,
      },
    });
    expect(await listedTerminals(world.provider, mid)).toEqual([body.data]);
  });

  test('restores a terminal that was archived before its branch was', async () => {
    const terminal = await newSharedTerminal(world);
    await archive(terminal.tid);
    await archiveBranch(world.provider, terminal.mid);
    const item = await itemOf(terminal.tid);

    const { response, changed } = await storedBy(() => restore(terminal.tid));

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({ data: { ...terminal, updated_at: TIME } });
    expect(changed).toEqual({ [`TERMINAL#${terminal.tid} TERMINAL`]: { ...item, updated_at, restored: true } });
    expect(await listedTerminals(world.provider, terminal.mid)).toEqual([response.body.data]);
  });

  test('archives a restored terminal again with its branch', async () => {
    const { tid, mid } = await newSharedTerminal(world);
    await archive(tid);
    const { body: restored } = await restore(tid);
    const branch = await archiveBranch(world.provider, mid);

    expect(await listedTerminals(world.provider, mid)).toEqual([
      {
        ...restored.data,
        status: 'archived',
        updated_at: branch.archived_at,
        archived_at: branch.archived_at,
        archive_reason: 'Archived with its branch.',
      },
    ]);
  });

  test('restores a terminal as often as it is archived, also under an archived branch', async () => {
    const terminal = await newSharedTerminal(world);
    await archiveBranch(world.provider, terminal.mid);
    await restore(terminal.tid);
    await archive(terminal.tid);
    const item = await itemOf(terminal.tid);

    const { response, changed } = await storedBy(() => restore(terminal.tid));

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({ data: { ...terminal, updated_at: TIME } });
    expect(changed).toEqual({ [`TERMINAL#${terminal.tid} TERMINAL`]: { ...item, updated_at, restored: true } });
  });
});

describe('400', () => {
  test('rejects a terminal that was never archived', async () => {
    const { tid } = await newSharedTerminal(world);
    const { response, changed } = await storedBy(() => restore(tid));
    expectProblem(response, 'not_archived', NOT_ARCHIVED);
    expect(changed).toEqual({});
  });

  test('rejects a terminal that is already restored', async () => {
    const { tid } = await newSharedTerminal(world);
    await archive(tid);
    await restore(tid);

    const { response, changed } = await storedBy(() => restore(tid));

    expectProblem(response, 'not_archived', NOT_ARCHIVED);
    expect(changed).toEqual({});
  });

  test('rejects a terminal that is already restored under its archived branch', async () => {
    const { tid, mid } = await newSharedTerminal(world);
    await archiveBranch(world.provider, mid);
    await restore(tid);

    const { response, changed } = await storedBy(() => restore(tid));

    expectProblem(response, 'not_archived', NOT_ARCHIVED);
    expect(changed).toEqual({});
  });
});

testCommonBehaviour('restoreTerminal', async () => {
  const { tid } = await newSharedTerminal(world);
  await archive(tid);
  return { key: world.provider.key, path: { id: tid } };
});

describe('404', () => {
  test.each(NO_TIDS)('returns 404 for a TID that %s', async (_, tid) => {
    const { response, changed } = await storedBy(() => restore(tid));
    expectProblem(response, 'not_found', NO_TERMINAL);
    expect(changed).toEqual({});
  });

  test('returns 404 for a terminal_id in place of the TID', async () => {
    const { tid, terminal_id } = await newSharedTerminal(world);
    await archive(tid);
    expectProblem(await restore(terminal_id), 'not_found', NO_TERMINAL);
  });

  test('returns 404 for a deleted terminal', async () => {
    const { tid } = await newSharedTerminal(world);
    await archive(tid);
    await call('deleteTerminal', { key: world.provider.key, path: { id: tid } });
    expectProblem(await restore(tid), 'not_found', NO_TERMINAL);
  });

  test('returns 404 for a terminal of another acquirer, archived or not', async () => {
    const active = await newSharedTerminal(world);
    const archived = await newSharedTerminal(world);
    await archive(archived.tid);
    for (const { key } of [world.secondProvider, world.stranger, world.strangeDistributor]) {
      for (const { tid } of [active, archived]) {
        const { response, changed } = await storedBy(() => restore(tid, key));
        expectProblem(response, 'not_found', NO_TERMINAL);
        expect(changed).toEqual({});
      }
    }
  });
});
