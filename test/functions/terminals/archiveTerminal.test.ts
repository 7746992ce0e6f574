import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, expectProblem } from '../../support/api.ts';
import { testCommonBehaviour } from '../../support/commonBehaviour.ts';
import { FOREIGN_TERMINAL, NO_TERMINAL, NO_TEXT_CONTROLS, NO_TIDS, TIME } from '../../support/constants.ts';
import { storedBy, terminalItemOf } from '../../support/stored.ts';
import {
  archiveBranch,
  newSharedBranch,
  newSharedTerminal,
  newTerminal,
  newWorld,
  restoreTerminal,
  type World,
} from '../../support/world.ts';

const ALREADY_ARCHIVED = 'The terminal is already archived.';

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

const archive = (tid: string, body: unknown = { reason: 'Out of order' }, key = world.provider.key) =>
  call('archiveTerminal', { key, path: { id: tid }, body });

describe('200', () => {
  test('stores the time and the reason', async () => {
    const { mid } = await newSharedBranch(world);
    const { created_at } = await newTerminal(world.provider, mid, {
      terminal_id: 'TARC1',
      serial_no: 'SARC1',
      terminal_model: 'Move/5000',
      payment_app: 'Checkout Go',
      acquirer_name: 'Atlantic Acquiring',
    });

    const { response, changed } = await storedBy(() =>
      archive('0dfb2fbd-b437-5dd8-804e-666fe52efa90', { reason: 'Stolen “Ñ” 🏪\nsee case 12' }),
    );

    expect(response.status).toBe(200);
    const { archived_at, updated_at } = response.body.data;
    expect(response.body).toEqual({
      data: {
        tid: '0dfb2fbd-b437-5dd8-804e-666fe52efa90',
        terminal_id: 'TARC1',
        serial_no: 'SARC1',
        terminal_model: 'Move/5000',
        payment_app: 'Checkout Go',
        acquirer_name: 'Atlantic Acquiring',
        mid,
        status: 'archived',
        created_at,
        updated_at: TIME,
        archived_at: TIME,
        archive_reason: 'Stolen “Ñ” 🏪\nsee case 12',
      },
    });
    expect(Date.parse(archived_at)).toBeGreaterThan(Date.parse(created_at));
    expect(Date.parse(updated_at)).toBeGreaterThanOrEqual(Date.parse(archived_at));
    expect(changed).toEqual({
      'TERMINAL#0dfb2fbd-b437-5dd8-804e-666fe52efa90 TERMINAL': {
        tid: '0dfb2fbd-b437-5dd8-804e-666fe52efa90',
        terminal_id: 'TARC1',
        serial_no: 'SARC1',
        terminal_model: 'Move/5000',
        payment_app: 'Checkout Go',
        acquirer_name: 'Atlantic Acquiring',
        mid,
        branch_order: `${created_at}#000#0dfb2fbd-b437-5dd8-804e-666fe52efa90`,
        created_at,
        updated_at,
        archived_at,
        archive_reason: 'Stolen “Ñ” 🏪\nsee case 12',
      },
    });
  });

  test.each(['distributor', 'provider'] as const)('archives a terminal for the %s of its branch', async (who) => {
    const terminal = await newSharedTerminal(world);
    const before = await terminalItemOf(terminal.tid);

    const { response, changed } = await storedBy(() =>
      archive(terminal.tid, { reason: 'Out of order' }, world[who].key),
    );

    expect(response.status).toBe(200);
    const { archived_at, updated_at } = response.body.data;
    expect(response.body).toEqual({
      data: { ...terminal, status: 'archived', updated_at, archived_at: TIME, archive_reason: 'Out of order' },
    });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, updated_at, archived_at, archive_reason: 'Out of order' },
    });
  });

  test.each([
    ['255 letters', 'r'.repeat(255)],
    ['255 characters including emoji', `${'🏪'.repeat(200)}${'é'.repeat(55)}`],
    ['255 emoji', '🏪'.repeat(255)],
    ['one character', '.'],
  ])('accepts a reason of %s', async (_, reason) => {
    const terminal = await newSharedTerminal(world);
    const before = await terminalItemOf(terminal.tid);

    const { response, changed } = await storedBy(() => archive(terminal.tid, { reason }));

    expect(response.status).toBe(200);
    const { archived_at, updated_at } = response.body.data;
    expect(response.body).toEqual({
      data: { ...terminal, status: 'archived', updated_at, archived_at: TIME, archive_reason: reason },
    });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, updated_at, archived_at, archive_reason: reason },
    });
  });

  test('finds the terminal by its TID in upper case', async () => {
    const terminal = await newSharedTerminal(world);

    const { response, changed } = await storedBy(() => archive(terminal.tid.toUpperCase()));

    expect(response.status).toBe(200);
    expect(response.body.data.tid).toBe(terminal.tid);
    expect(Object.keys(changed)).toEqual([`TERMINAL#${terminal.tid} TERMINAL`]);
  });

  test('archives a restored terminal again, with the new reason', async () => {
    const terminal = await newSharedTerminal(world);
    await archive(terminal.tid, { reason: 'Stolen' });
    await restoreTerminal(world.provider, terminal.tid);
    const before = await terminalItemOf(terminal.tid);

    const { response, changed } = await storedBy(() => archive(terminal.tid, { reason: 'Stolen again' }));

    expect(response.status).toBe(200);
    const { archived_at, updated_at } = response.body.data;
    expect(response.body).toEqual({
      data: { ...terminal, status: 'archived', updated_at, archived_at: TIME, archive_reason: 'Stolen again' },
    });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, updated_at, archived_at, archive_reason: 'Stolen again' },
    });
  });

  test('archives a terminal that was restored under its archived branch, with its own time and reason', async () => {
    const terminal = await newSharedTerminal(world);
    const branch = await archiveBranch(world.provider, terminal.mid);
    await restoreTerminal(world.provider, terminal.tid);
    const { restored, ...before } = (await terminalItemOf(terminal.tid)) as Record<string, unknown>;

    const { response, changed } = await storedBy(() => archive(terminal.tid, { reason: 'Stolen' }));

    expect(restored).toBe(true);
    expect(response.status).toBe(200);
    const { archived_at, updated_at } = response.body.data;
    expect(Date.parse(archived_at)).toBeGreaterThan(Date.parse(branch.archived_at));
    expect(response.body).toEqual({
      data: { ...terminal, status: 'archived', updated_at, archived_at, archive_reason: 'Stolen' },
    });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, updated_at, archived_at, archive_reason: 'Stolen' },
    });
  });

  test('keeps the terminal’s own time and reason when its branch is archived later', async () => {
    const terminal = await newSharedTerminal(world);
    const { body: archived } = await archive(terminal.tid, { reason: 'Stolen' });
    await archiveBranch(world.provider, terminal.mid);

    const { body } = await call('listTerminals', { key: world.provider.key, path: { id: terminal.mid } });

    expect(archived.data.archive_reason).toBe('Stolen');
    expect(body.data).toEqual([archived.data]);
  });
});

describe('400', () => {
  test('rejects a terminal that is already archived', async () => {
    const { tid } = await newSharedTerminal(world);
    await archive(tid, { reason: 'Stolen' });

    const { response, changed } = await storedBy(() => archive(tid, { reason: 'Lost' }));

    expectProblem(response, 'already_archived', ALREADY_ARCHIVED);
    expect(changed).toEqual({});
  });

  test('rejects a terminal that is already archived with its branch', async () => {
    const { tid, mid } = await newSharedTerminal(world);
    await archiveBranch(world.provider, mid);

    const { response, changed } = await storedBy(() => archive(tid));

    expectProblem(response, 'already_archived', ALREADY_ARCHIVED);
    expect(changed).toEqual({});
  });

  test('rejects a terminal that was restored under its archived branch and archived again', async () => {
    const { tid, mid } = await newSharedTerminal(world);
    await archiveBranch(world.provider, mid);
    await restoreTerminal(world.provider, tid);
    await archive(tid, { reason: 'Stolen' });

    const { response, changed } = await storedBy(() => archive(tid));

    expectProblem(response, 'already_archived', ALREADY_ARCHIVED);
    expect(changed).toEqual({});
  });

  test('archives a terminal once when two requests run concurrently', async () => {
    const { tid } = await newSharedTerminal(world);

    const responses = await Promise.all([archive(tid, { reason: 'Stolen' }), archive(tid, { reason: 'Lost' })]);

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    for (const response of responses.filter(({ status }) => status === 400))
      expectProblem(response, 'already_archived', ALREADY_ARCHIVED);
    const winner = responses.find(({ status }) => status === 200);
    expect((await terminalItemOf(tid))?.['archive_reason']).toBe(winner?.body.data.archive_reason);
  });

  test.each(['secondProvider', 'stranger', 'strangeDistributor'] as const)(
    'rejects a TID that is not under the requesting PSP, archived or not: %s',
    async (who) => {
      const { tid } = await newSharedTerminal(world);
      const archived = await newSharedTerminal(world);
      await archive(archived.tid);
      for (const id of [tid, archived.tid]) {
        const { response, changed } = await storedBy(() => archive(id, { reason: 'Stolen' }, world[who].key));
        expectProblem(response, 'not_under_requesting_psp', FOREIGN_TERMINAL);
        expect(changed).toEqual({});
      }
    },
  );
});

testCommonBehaviour('archiveTerminal', async () => {
  const { tid } = await newSharedTerminal(world);
  return { key: world.provider.key, path: { id: tid }, body: { reason: 'Stolen' } };
});

describe('404', () => {
  test.each(NO_TIDS)('returns 404 for a TID that %s', async (_, tid) => {
    const { response, changed } = await storedBy(() => archive(tid));
    expectProblem(response, 'not_found', NO_TERMINAL);
    expect(changed).toEqual({});
  });

  test('returns 404 for a terminal_id in place of the TID', async () => {
    const { terminal_id } = await newSharedTerminal(world);
    expectProblem(await archive(terminal_id), 'not_found', NO_TERMINAL);
  });

  test('returns 404 for a deleted terminal', async () => {
    const { tid } = await newSharedTerminal(world);
    await call('deleteTerminal', { key: world.provider.key, path: { id: tid } });
    expectProblem(await archive(tid), 'not_found', NO_TERMINAL);
  });
});

describe('422', () => {
  test.each<[string, unknown, [string, string, string]]>([
    ['without a reason', {}, ['/reason', 'required', 'Is required.']],
    ['with null as reason', { reason: null }, ['/reason', 'required', 'Is required.']],
    ['with an empty reason', { reason: '' }, ['/reason', 'required', 'Is required.']],
    ['with a blank reason', { reason: ' \n' }, ['/reason', 'required', 'Is required.']],
    ['that is empty', '', ['/reason', 'required', 'Is required.']],
    ['with a reason that is not a string', { reason: 12 }, ['/reason', 'invalid_type', 'Must be a string.']],
    [
      'with a reason of 256 letters',
      { reason: 'r'.repeat(256) },
      ['/reason', 'too_long', 'Must have at most 255 characters.'],
    ],
    [
      'with a reason of 256 characters including an emoji',
      { reason: `${'r'.repeat(255)}🏪` },
      ['/reason', 'too_long', 'Must have at most 255 characters.'],
    ],
    [
      'with a control character in its reason',
      { reason: 'Sto\u0007len' },
      ['/reason', 'invalid_format', NO_TEXT_CONTROLS],
    ],
    ['that is not an object', '"Stolen"', ['', 'invalid_type', 'Must be an object.']],
    ['that is null', 'null', ['', 'required', 'Is required.']],
  ])('rejects a body %s', async (_, body, fieldError) => {
    const { tid } = await newSharedTerminal(world);
    const { response, changed } = await storedBy(() => archive(tid, body));
    expectProblem(response, 'validation_failed', [fieldError]);
    expect(changed).toEqual({});
  });

  test('rejects an invalid body before reading the terminal', async () => {
    expectProblem(await archive('no-uuid', {}), 'validation_failed', [['/reason', 'required', 'Is required.']]);
  });

  test('rejects an invalid body even if the terminal is already archived', async () => {
    const { tid } = await newSharedTerminal(world);
    await archive(tid);
    expectProblem(await archive(tid, {}), 'validation_failed', [['/reason', 'required', 'Is required.']]);
  });
});
