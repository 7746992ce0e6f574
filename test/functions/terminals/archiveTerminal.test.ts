import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { table } from '../../../lib/table/client.ts';
import { call, expectProblem } from '../../support/api.ts';
import { stored, storedBy } from '../../support/stored.ts';
import { newBranch, newTerminal, newWorld } from '../../support/world.ts';

const NO_TERMINAL = 'No terminal with this TID exists or is accessible to you.';
const ALREADY_ARCHIVED = 'The terminal is archived already.';
const MALFORMED = 'Send a JSON object (RFC 8259) as the request body, without a key __proto__.';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let world: Awaited<ReturnType<typeof newWorld>>;
beforeAll(async () => {
  world = await newWorld();
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** A branch of both the distributor and the provider. */
const newSharedBranch = () => newBranch(world.distributor, { payment_provider: world.provider.id });

/** A terminal of both. */
async function newSharedTerminal(fields = {}) {
  const { mid } = await newSharedBranch();
  return newTerminal(world.provider, mid, fields);
}

const archive = (tid: string, body: unknown = { reason: 'Out of order' }, key = world.provider.key) =>
  call('archiveTerminal', { key, path: { id: tid }, body });

const archiveBranch = async (mid: string) =>
  (await call('archiveBranch', { key: world.provider.key, path: { mid } })).body.data;

const restore = async (tid: string) =>
  (await call('restoreTerminal', { key: world.provider.key, path: { id: tid } })).body.data;

const itemOf = async (tid: string) => (await stored())[`TERMINAL#${tid} TERMINAL`];

describe('200', () => {
  test('archives a terminal, with the time and the reason', async () => {
    const { mid } = await newSharedBranch();
    const { created_at } = await newTerminal(world.provider, mid, {
      terminal_id: 'TARC1',
      serial_no: 'SARC1',
      terminal_model: 'Move/5000',
      payment_app: 'Checkout Go',
      acquirer_name: 'Atlantic Acquiring',
    });

    const { answer, changed } = await storedBy(() =>
      archive('0dfb2fbd-b437-5dd8-804e-666fe52efa90', { reason: 'Stolen “Ñ” 🏪\nsee case 12' }),
    );

    expect(answer.status).toBe(200);
    const { archived_at, updated_at } = answer.body.data;
    expect(answer.body).toEqual({
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

  test.each(['distributor', 'provider'] as const)('lets the %s of the branch archive its terminal', async (who) => {
    const terminal = await newSharedTerminal();
    const before = await itemOf(terminal.tid);

    const { answer, changed } = await storedBy(() => archive(terminal.tid, { reason: 'Out of order' }, world[who].key));

    expect(answer.status).toBe(200);
    const { archived_at, updated_at } = answer.body.data;
    expect(answer.body).toEqual({
      data: { ...terminal, status: 'archived', updated_at, archived_at: TIME, archive_reason: 'Out of order' },
    });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, updated_at, archived_at, archive_reason: 'Out of order' },
    });
  });

  test.each([
    ['255 letters', 'r'.repeat(255)],
    ['255 characters, emoji among them', `${'🏪'.repeat(200)}${'é'.repeat(55)}`],
    ['255 emoji', '🏪'.repeat(255)],
    ['one character', '.'],
  ])('takes a reason of %s', async (_, reason) => {
    const terminal = await newSharedTerminal();
    const before = await itemOf(terminal.tid);

    const { answer, changed } = await storedBy(() => archive(terminal.tid, { reason }));

    expect(answer.status).toBe(200);
    const { archived_at, updated_at } = answer.body.data;
    expect(answer.body).toEqual({
      data: { ...terminal, status: 'archived', updated_at, archived_at: TIME, archive_reason: reason },
    });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, updated_at, archived_at, archive_reason: reason },
    });
  });

  test('ignores unknown fields', async () => {
    const terminal = await newSharedTerminal();
    const before = await itemOf(terminal.tid);

    const { answer, changed } = await storedBy(() =>
      archive(terminal.tid, { reason: 'Lost', archived_at: '2020-01-01T00:00:00.000Z', terminal_model: 'Desk/3500' }),
    );

    expect(answer.status).toBe(200);
    const { archived_at, updated_at } = answer.body.data;
    expect(Date.parse(archived_at)).toBeGreaterThan(Date.parse(terminal.created_at));
    expect(answer.body).toEqual({
      data: { ...terminal, status: 'archived', updated_at, archived_at, archive_reason: 'Lost' },
    });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, updated_at, archived_at, archive_reason: 'Lost' },
    });
  });

  test('finds the terminal by its TID in upper case', async () => {
    const terminal = await newSharedTerminal();

    const { answer, changed } = await storedBy(() => archive(terminal.tid.toUpperCase()));

    expect(answer.status).toBe(200);
    expect(answer.body.data.tid).toBe(terminal.tid);
    expect(Object.keys(changed)).toEqual([`TERMINAL#${terminal.tid} TERMINAL`]);
  });

  test('archives a terminal again after it was restored, with the new reason', async () => {
    const terminal = await newSharedTerminal();
    await archive(terminal.tid, { reason: 'Stolen' });
    await restore(terminal.tid);
    const before = await itemOf(terminal.tid);

    const { answer, changed } = await storedBy(() => archive(terminal.tid, { reason: 'Stolen again' }));

    expect(answer.status).toBe(200);
    const { archived_at, updated_at } = answer.body.data;
    expect(answer.body).toEqual({
      data: { ...terminal, status: 'archived', updated_at, archived_at: TIME, archive_reason: 'Stolen again' },
    });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, updated_at, archived_at, archive_reason: 'Stolen again' },
    });
  });

  test('archives a terminal that was restored under its archived branch, with its own time and reason', async () => {
    const terminal = await newSharedTerminal();
    const branch = await archiveBranch(terminal.mid);
    await restore(terminal.tid);
    const { restored, ...before } = (await itemOf(terminal.tid)) as Record<string, unknown>;

    const { answer, changed } = await storedBy(() => archive(terminal.tid, { reason: 'Stolen' }));

    expect(restored).toBe(true);
    expect(answer.status).toBe(200);
    const { archived_at, updated_at } = answer.body.data;
    expect(Date.parse(archived_at)).toBeGreaterThan(Date.parse(branch.archived_at));
    expect(answer.body).toEqual({
      data: { ...terminal, status: 'archived', updated_at, archived_at, archive_reason: 'Stolen' },
    });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, updated_at, archived_at, archive_reason: 'Stolen' },
    });
  });

  test('keeps its own time and reason when its branch is archived later', async () => {
    const terminal = await newSharedTerminal();
    const { body: archived } = await archive(terminal.tid, { reason: 'Stolen' });
    await archiveBranch(terminal.mid);

    const { body } = await call('listTerminals', { key: world.provider.key, path: { id: terminal.mid } });

    expect(archived.data.archive_reason).toBe('Stolen');
    expect(body.data).toEqual([archived.data]);
  });
});

describe('400', () => {
  test.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['is not JSON', 'reason=Stolen'],
    ['ends too early', '{"reason":"Stolen"'],
  ])('refuses a body that %s', async (_, body) => {
    const { tid } = await newSharedTerminal();
    const { answer, changed } = await storedBy(() =>
      call('archiveTerminal', { key: world.provider.key, path: { id: tid }, body }),
    );
    expectProblem(answer, 'malformed_json', MALFORMED);
    expect(changed).toEqual({});
  });

  test('refuses a terminal that was archived by itself already', async () => {
    const { tid } = await newSharedTerminal();
    await archive(tid, { reason: 'Stolen' });

    const { answer, changed } = await storedBy(() => archive(tid, { reason: 'Lost' }));

    expectProblem(answer, 'already_archived', ALREADY_ARCHIVED);
    expect(changed).toEqual({});
  });

  test('refuses a terminal that was archived with its branch already', async () => {
    const { tid, mid } = await newSharedTerminal();
    await archiveBranch(mid);

    const { answer, changed } = await storedBy(() => archive(tid));

    expectProblem(answer, 'already_archived', ALREADY_ARCHIVED);
    expect(changed).toEqual({});
  });

  test('refuses a terminal that was archived again after it was restored under its archived branch', async () => {
    const { tid, mid } = await newSharedTerminal();
    await archiveBranch(mid);
    await restore(tid);
    await archive(tid, { reason: 'Stolen' });

    const { answer, changed } = await storedBy(() => archive(tid));

    expectProblem(answer, 'already_archived', ALREADY_ARCHIVED);
    expect(changed).toEqual({});
  });

  test('archives a terminal only once when it is asked twice at the same time', async () => {
    const { tid } = await newSharedTerminal();

    const answers = await Promise.all([archive(tid, { reason: 'Stolen' }), archive(tid, { reason: 'Lost' })]);

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    for (const answer of answers.filter(({ status }) => status === 400))
      expectProblem(answer, 'already_archived', ALREADY_ARCHIVED);
    const winner = answers.find(({ status }) => status === 200);
    expect((await itemOf(tid))?.['archive_reason']).toBe(winner?.body.data.archive_reason);
  });

  test.each(['secondProvider', 'stranger', 'strangeDistributor'] as const)(
    'refuses a TID that is not under the requesting PSP, archived or not: %s',
    async (who) => {
      const { tid } = await newSharedTerminal();
      const archived = await newSharedTerminal();
      await archive(archived.tid);
      for (const id of [tid, archived.tid]) {
        const { answer, changed } = await storedBy(() => archive(id, { reason: 'Stolen' }, world[who].key));
        expectProblem(
          answer,
          'not_under_requesting_psp',
          'The terminal with this TID is under a branch that is not accessible to you.',
        );
        expect(changed).toEqual({});
      }
    },
  );

  test('tells nothing of what went wrong inside the service, and stores nothing', async () => {
    const { tid } = await newSharedTerminal();
    const log = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    jest.spyOn(table, 'send').mockImplementation(() => Promise.reject(new Error('an internal')));

    const { answer, changed } = await storedBy(() => archive(tid));

    expectProblem(answer, 'server_error', 'The service failed. Tell us the request_id if this goes on.');
    expect(changed).toEqual({});
    expect(log).toHaveBeenCalledWith(expect.stringContaining('an internal'));
  });
});

describe('401', () => {
  test.each([
    ['no key', undefined],
    ['an invalid key', 'apk_wrong'],
  ])('refuses a call with %s', async (_, key) => {
    const { tid } = await newSharedTerminal();
    const { answer, changed } = await storedBy(() =>
      call('archiveTerminal', { key, path: { id: tid }, body: { reason: 'Stolen' } }),
    );
    expectProblem(answer, 'invalid_api_key', 'Send a valid API key in the header API-KEY.');
    expect(changed).toEqual({});
  });

  test('refuses the key before it looks at the body', async () => {
    expectProblem(
      await call('archiveTerminal', { path: { id: 'no-uuid' }, body: '{' }),
      'invalid_api_key',
      'Send a valid API key in the header API-KEY.',
    );
  });
});

describe('404', () => {
  test.each([
    ['is unknown', '3f0e8a52-7c1d-4b9e-a6f4-5d2c1b0a9e87'],
    ['is no UUID', 'no-uuid'],
    ['is a UUID without hyphens', '3f0e8a527c1d4b9ea6f45d2c1b0a9e87'],
    ['looks like another key of the table', 'X#TERMINAL'],
    ['is longer than any TID', 'a'.repeat(3000)],
  ])('finds no terminal whose TID %s', async (_, tid) => {
    const { answer, changed } = await storedBy(() => archive(tid));
    expectProblem(answer, 'not_found', NO_TERMINAL);
    expect(changed).toEqual({});
  });

  test('finds no terminal by its terminal_id', async () => {
    const { terminal_id } = await newSharedTerminal();
    expectProblem(await archive(terminal_id), 'not_found', NO_TERMINAL);
  });

  test('finds no terminal that was deleted', async () => {
    const { tid } = await newSharedTerminal();
    await call('deleteTerminal', { key: world.provider.key, path: { id: tid } });
    expectProblem(await archive(tid), 'not_found', NO_TERMINAL);
  });
});

describe('422', () => {
  test.each<[string, unknown, [string, string, string]]>([
    ['without a reason', {}, ['/reason', 'required', 'Is required.']],
    ['with null for a reason', { reason: null }, ['/reason', 'required', 'Is required.']],
    ['with an empty reason', { reason: '' }, ['/reason', 'too_short', 'Must not be empty.']],
    ['with a reason that is no text', { reason: 12 }, ['/reason', 'invalid_type', 'Must be a string.']],
    [
      'with a reason of 256 letters',
      { reason: 'r'.repeat(256) },
      ['/reason', 'too_long', 'Must have at most 255 characters.'],
    ],
    [
      'with a reason of 256 characters, an emoji among them',
      { reason: `${'r'.repeat(255)}🏪` },
      ['/reason', 'too_long', 'Must have at most 255 characters.'],
    ],
    [
      'with a control character in its reason',
      { reason: 'Sto\u0007len' },
      ['/reason', 'invalid_format', 'Must not have control characters or unpaired surrogates.'],
    ],
    ['that is no object', '"Stolen"', ['', 'invalid_type', 'Must be an object.']],
    ['that is null', 'null', ['', 'required', 'Is required.']],
  ])('refuses a body %s', async (_, body, fault) => {
    const { tid } = await newSharedTerminal();
    const { answer, changed } = await storedBy(() => archive(tid, body));
    expectProblem(answer, 'validation_failed', [fault]);
    expect(changed).toEqual({});
  });

  test('refuses an invalid body before it looks for the terminal', async () => {
    expectProblem(await archive('no-uuid', {}), 'validation_failed', [['/reason', 'required', 'Is required.']]);
  });

  test('refuses an invalid body before it finds that the terminal is archived already', async () => {
    const { tid } = await newSharedTerminal();
    await archive(tid);
    expectProblem(await archive(tid, {}), 'validation_failed', [['/reason', 'required', 'Is required.']]);
  });
});
