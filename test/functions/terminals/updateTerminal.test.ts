import { beforeAll, describe, expect, test } from '@jest/globals';

import { tableName } from '../../../lib/table/client.ts';
import { call, expectProblem } from '../../support/api.ts';
import { testCommonBehaviour } from '../../support/commonBehaviour.ts';
import {
  FOREIGN_TERMINAL,
  NO_MASTER_ACQUIRER,
  NO_PAYMENT_APP,
  NO_TERMINAL,
  NO_TEXT_CONTROLS,
  NO_TIDS,
  TIME,
} from '../../support/constants.ts';
import { stored, storedBy, terminalItemOf } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import {
  addNames,
  newBranch,
  newSharedBranch,
  newTerminal,
  newWorld,
  unique,
  type World,
} from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

/** Creates a terminal of a shared branch with every field set. */
async function newFullTerminal() {
  const { mid } = await newSharedBranch(world);
  return newTerminal(world.provider, mid, {
    serial_no: unique('S'),
    terminal_model: 'Move/5000',
    payment_app: 'Checkout Go',
    acquirer_name: 'Atlantic Acquiring',
  });
}

const update = (tid: string, body: unknown, key = world.provider.key) =>
  call('updateTerminal', { key, path: { id: tid }, body });

describe('200', () => {
  test('changes all fields in one request', async () => {
    const { mid } = await newSharedBranch(world);
    const { created_at } = await newTerminal(world.provider, mid, {
      terminal_id: 'TUPD1',
      serial_no: 'SUPD1',
      terminal_model: 'Move/5000',
      payment_app: 'Checkout Go',
      acquirer_name: 'Atlantic Acquiring',
    });

    const { response, changed } = await storedBy(() =>
      update('b9aff6a1-176b-59bf-bf14-162d34966434', {
        serial_no: 'SUPD2',
        terminal_model: 'Desk “Ñ” 🏪',
        payment_app: 'Counter Plus',
        acquirer_name: 'Baltic Merchant Bank',
      }),
    );

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({
      data: {
        tid: 'b9aff6a1-176b-59bf-bf14-162d34966434',
        terminal_id: 'TUPD1',
        serial_no: 'SUPD2',
        terminal_model: 'Desk “Ñ” 🏪',
        payment_app: 'Counter Plus',
        acquirer_name: 'Baltic Merchant Bank',
        mid,
        status: 'active',
        created_at,
        updated_at: TIME,
        archived_at: null,
        archive_reason: null,
      },
    });
    expect(Date.parse(updated_at)).toBeGreaterThan(Date.parse(created_at));
    expect(changed).toEqual({
      'TERMINAL#b9aff6a1-176b-59bf-bf14-162d34966434 TERMINAL': {
        tid: 'b9aff6a1-176b-59bf-bf14-162d34966434',
        terminal_id: 'TUPD1',
        serial_no: 'SUPD2',
        terminal_model: 'Desk “Ñ” 🏪',
        payment_app: 'Counter Plus',
        acquirer_name: 'Baltic Merchant Bank',
        mid,
        branch_order: `${created_at}#000#b9aff6a1-176b-59bf-bf14-162d34966434`,
        created_at,
        updated_at,
      },
      'SERIAL#SUPD1 SERIAL': null,
      'SERIAL#SUPD2 SERIAL': { tid: 'b9aff6a1-176b-59bf-bf14-162d34966434' },
    });
  });

  test.each([
    ['terminal_model', 'Desk/3500'],
    ['payment_app', 'Counter Plus'],
    ['acquirer_name', 'Baltic Merchant Bank'],
  ])('changes only the %s when only that is sent', async (field, value) => {
    const terminal = await newFullTerminal();
    const before = await terminalItemOf(terminal.tid);

    const { response, changed } = await storedBy(() => update(terminal.tid, { [field]: value }));

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(Date.parse(updated_at)).toBeGreaterThan(Date.parse(terminal.updated_at));
    expect(response.body).toEqual({ data: { ...terminal, [field]: value, updated_at } });
    expect(changed).toEqual({ [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, [field]: value, updated_at } });
  });

  test('changes only the serial_no when only that is sent, and releases the previous one', async () => {
    const terminal = await newFullTerminal();
    const before = await terminalItemOf(terminal.tid);
    const serial_no = unique('S');

    const { response, changed } = await storedBy(() => update(terminal.tid, { serial_no }));

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({ data: { ...terminal, serial_no, updated_at } });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, serial_no, updated_at },
      [`SERIAL#${terminal.serial_no} SERIAL`]: null,
      [`SERIAL#${serial_no} SERIAL`]: { tid: terminal.tid },
    });
  });

  test('sets a serial_no on a terminal that had none', async () => {
    const { mid } = await newSharedBranch(world);
    const terminal = await newTerminal(world.provider, mid);
    const before = await terminalItemOf(terminal.tid);
    const serial_no = unique('S');

    const { response, changed } = await storedBy(() => update(terminal.tid, { serial_no }));

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({ data: { ...terminal, serial_no, updated_at } });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, serial_no, updated_at },
      [`SERIAL#${serial_no} SERIAL`]: { tid: terminal.tid },
    });
  });

  test('changes nothing when the terminal already has every value', async () => {
    const terminal = await newFullTerminal();
    const { serial_no, terminal_model } = terminal;

    const { response, changed } = await storedBy(() => update(terminal.tid, { serial_no, terminal_model }));

    expect(response.status).toBe(200);
    expect(response.body).toEqual({ data: terminal });
    expect(changed).toEqual({});
  });

  test('accepts the terminal’s current serial_no together with another change', async () => {
    const terminal = await newFullTerminal();
    const before = await terminalItemOf(terminal.tid);
    const changes = { serial_no: terminal.serial_no, terminal_model: 'Desk/3500' };

    const { response, changed } = await storedBy(() => update(terminal.tid, changes));

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({ data: { ...terminal, terminal_model: 'Desk/3500', updated_at } });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, terminal_model: 'Desk/3500', updated_at },
    });
  });

  test('clears every field that is null and releases the serial_no', async () => {
    const terminal = await newFullTerminal();

    const { response, changed } = await storedBy(() =>
      update(terminal.tid, { serial_no: null, terminal_model: null, payment_app: null, acquirer_name: null }),
    );

    expect(response.status).toBe(200);
    const { tid, terminal_id, mid, created_at } = terminal;
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({
      data: {
        tid,
        terminal_id,
        serial_no: null,
        terminal_model: null,
        payment_app: null,
        acquirer_name: null,
        mid,
        status: 'active',
        created_at,
        updated_at: TIME,
        archived_at: null,
        archive_reason: null,
      },
    });
    expect(changed).toEqual({
      [`TERMINAL#${tid} TERMINAL`]: {
        tid,
        terminal_id,
        mid,
        branch_order: `${created_at}#000#${tid}`,
        created_at,
        updated_at,
      },
      [`SERIAL#${terminal.serial_no} SERIAL`]: null,
    });
  });

  test.each(['serial_no', 'terminal_model', 'payment_app', 'acquirer_name'])(
    'clears only the %s when only that is null',
    async (field) => {
      const terminal = await newFullTerminal();
      const { [field]: _, ...rest } = (await terminalItemOf(terminal.tid)) as Record<string, unknown>;

      const { response, changed } = await storedBy(() => update(terminal.tid, { [field]: null }));

      expect(response.status).toBe(200);
      const { updated_at } = response.body.data;
      expect(response.body).toEqual({ data: { ...terminal, [field]: null, updated_at } });
      expect(changed).toEqual({
        [`TERMINAL#${terminal.tid} TERMINAL`]: { ...rest, updated_at },
        ...(field === 'serial_no' && { [`SERIAL#${terminal.serial_no} SERIAL`]: null }),
      });
    },
  );

  test('changes nothing when a field that was never set is null', async () => {
    const { mid } = await newSharedBranch(world);
    const terminal = await newTerminal(world.provider, mid);

    const { response, changed } = await storedBy(() => update(terminal.tid, { serial_no: null, terminal_model: null }));

    expect(response.status).toBe(200);
    expect(response.body).toEqual({ data: terminal });
    expect(changed).toEqual({});
  });

  test.each([
    ['cleared', null],
    ['replaced', 'SREPLACED'],
  ])('releases a serial_no that was %s for another terminal', async (_, serial_no) => {
    const terminal = await newFullTerminal();
    const other = await newTerminal(world.provider, terminal.mid);
    await update(terminal.tid, { serial_no });

    const { response, changed } = await storedBy(() => update(other.tid, { serial_no: terminal.serial_no }));

    expect(response.status).toBe(200);
    expect(response.body.data.serial_no).toBe(terminal.serial_no);
    expect(changed[`SERIAL#${terminal.serial_no} SERIAL`]).toEqual({ tid: other.tid });
  });

  test.each<[string, unknown]>([
    ['no fields', {}],
    ['no content', undefined],
  ])('changes nothing for a body with %s', async (_, body) => {
    const terminal = await newFullTerminal();
    const { response, changed } = await storedBy(() => update(terminal.tid, body));
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ data: terminal });
    expect(changed).toEqual({});
  });

  test('updates a terminal for the distributor and for the payment provider of its branch', async () => {
    const terminal = await newFullTerminal();
    for (const { key, name } of [world.distributor, world.provider]) {
      const before = await terminalItemOf(terminal.tid);

      const { response, changed } = await storedBy(() =>
        update(terminal.tid, { terminal_model: `Chosen by ${name}`, payment_app: 'Counter Plus' }, key),
      );

      expect(response.status).toBe(200);
      const values = {
        terminal_model: `Chosen by ${name}`,
        payment_app: 'Counter Plus',
        updated_at: response.body.data.updated_at,
      };
      expect(response.body).toEqual({ data: { ...terminal, ...values } });
      expect(changed).toEqual({ [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, ...values } });
    }
  });

  test('sends two reads and one write, without a condition on the branch, payment app or master acquirer', async () => {
    const terminal = await newFullTerminal();
    const serial_no = unique('S');
    const sent = await tableRequestsBy(() =>
      update(terminal.tid, { serial_no, payment_app: 'Counter Plus', acquirer_name: 'Baltic Merchant Bank' }),
    );
    expect(sent.response.status).toBe(200);
    expect(operationsOf(sent)).toBe('BatchGetItem GetItem TransactWriteItems');
    expect(sent.requests[2]?.input['TransactItems']).toEqual([
      { Update: expect.objectContaining({ Key: { pk: `TERMINAL#${terminal.tid}`, sk: 'TERMINAL' } }) },
      {
        Put: expect.objectContaining({ Item: { pk: `SERIAL#${serial_no}`, sk: 'SERIAL', tid: terminal.tid } }),
      },
      { Delete: expect.objectContaining({ Key: { pk: `SERIAL#${terminal.serial_no}`, sk: 'SERIAL' } }) },
      // One event for each acquirer of the branch: new items, without a condition.
      ...[world.provider, world.distributor].map(({ id }) => ({
        Put: {
          TableName: tableName(),
          Item: expect.objectContaining({ pk: expect.stringContaining(`EVENTS#${id}#`) }),
        },
      })),
    ]);
  });

  test('finds the terminal by its TID in upper case', async () => {
    const terminal = await newFullTerminal();
    const before = await terminalItemOf(terminal.tid);

    const { response, changed } = await storedBy(() =>
      update(terminal.tid.toUpperCase(), { terminal_model: 'Desk/3500' }),
    );

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({ data: { ...terminal, terminal_model: 'Desk/3500', updated_at } });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, terminal_model: 'Desk/3500', updated_at },
    });
  });

  test('updates an archived terminal, which stays archived', async () => {
    const { tid } = await newFullTerminal();
    const { key } = world.provider;
    const { body: archived } = await call('archiveTerminal', { key, path: { id: tid }, body: { reason: 'Stolen' } });
    const before = await terminalItemOf(tid);

    const { response, changed } = await storedBy(() => update(tid, { terminal_model: 'Desk/3500' }));

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(archived.data).toMatchObject({ status: 'archived', archive_reason: 'Stolen' });
    expect(response.body).toEqual({ data: { ...archived.data, terminal_model: 'Desk/3500', updated_at } });
    expect(changed).toEqual({ [`TERMINAL#${tid} TERMINAL`]: { ...before, terminal_model: 'Desk/3500', updated_at } });
  });

  test('updates a terminal that was archived with its branch, which stays archived', async () => {
    const terminal = await newFullTerminal();
    const { key } = world.provider;
    const { body: branch } = await call('archiveBranch', { key, path: { mid: terminal.mid } });
    const before = await terminalItemOf(terminal.tid);
    const serial_no = unique('S');

    const { response, changed } = await storedBy(() => update(terminal.tid, { serial_no }));

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(response.body).toEqual({
      data: {
        ...terminal,
        serial_no,
        updated_at,
        status: 'archived',
        archived_at: branch.data.archived_at,
        archive_reason: 'Archived with its branch.',
      },
    });
    expect(changed).toEqual({
      [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, serial_no, updated_at },
      [`SERIAL#${terminal.serial_no} SERIAL`]: null,
      [`SERIAL#${serial_no} SERIAL`]: { tid: terminal.tid },
    });
  });

  test('updates a terminal that was restored under its archived branch, which stays active', async () => {
    const { tid, mid } = await newFullTerminal();
    const { key } = world.provider;
    await call('archiveBranch', { key, path: { mid } });
    const { body: restored } = await call('restoreTerminal', { key, path: { id: tid } });
    const before = await terminalItemOf(tid);

    const { response, changed } = await storedBy(() => update(tid, { payment_app: 'Counter Plus' }));

    expect(response.status).toBe(200);
    const { updated_at } = response.body.data;
    expect(restored.data.status).toBe('active');
    expect(response.body).toEqual({ data: { ...restored.data, payment_app: 'Counter Plus', updated_at } });
    expect(changed).toEqual({
      [`TERMINAL#${tid} TERMINAL`]: { ...before, payment_app: 'Counter Plus', updated_at },
    });
  });
});

describe('400', () => {
  test.each(['secondProvider', 'stranger', 'strangeDistributor'] as const)(
    'rejects a TID that is not under the requesting PSP: %s',
    async (who) => {
      const { tid } = await newFullTerminal();
      for (const body of [{ terminal_model: 'Desk/3500' }, { serial_no: null, payment_app: 'Nobody’s' }, {}]) {
        const { response, changed } = await storedBy(() => update(tid, body, world[who].key));
        expectProblem(response, 'not_under_requesting_psp', FOREIGN_TERMINAL);
        expect(changed).toEqual({});
      }
    },
  );
});

testCommonBehaviour('updateTerminal', async () => {
  const { tid } = await newFullTerminal();
  return { key: world.provider.key, path: { id: tid }, body: { terminal_model: 'Desk/3500' } };
});

describe('404', () => {
  test.each(NO_TIDS)('returns 404 for a TID that %s', async (_, tid) => {
    const { response, changed } = await storedBy(() => update(tid, { terminal_model: 'Desk/3500' }));
    expectProblem(response, 'not_found', NO_TERMINAL);
    expect(changed).toEqual({});
  });

  test('returns 404 for a terminal_id in place of the TID', async () => {
    const { terminal_id } = await newFullTerminal();
    expectProblem(await update(terminal_id, { terminal_model: 'Desk/3500' }), 'not_found', NO_TERMINAL);
  });

  test('returns 404 for a deleted terminal', async () => {
    const { tid } = await newFullTerminal();
    await call('deleteTerminal', { key: world.provider.key, path: { id: tid } });
    expectProblem(await update(tid, { terminal_model: 'Desk/3500' }), 'not_found', NO_TERMINAL);
  });
});

describe('422', () => {
  test('lists every invalid field', async () => {
    const { tid } = await newFullTerminal();
    const { response, changed } = await storedBy(() =>
      update(tid, { serial_no: 'S-1', terminal_model: 5000, payment_app: '\u0000', acquirer_name: 'x'.repeat(256) }),
    );
    expectProblem(response, 'validation_failed', [
      ['/serial_no', 'invalid_format', 'Must be alphanumeric (0-9, A-Z, a-z).'],
      ['/terminal_model', 'invalid_type', 'Must be a string.'],
      ['/payment_app', 'invalid_format', NO_TEXT_CONTROLS],
      ['/acquirer_name', 'too_long', 'Must have at most 255 characters.'],
    ]);
    expect(changed).toEqual({});
  });

  test.each<[string, string, [string, string, string]]>([
    ['a string', '"Desk/3500"', ['', 'invalid_type', 'Must be an object.']],
    ['null', 'null', ['', 'required', 'Is required.']],
    ['an array', '[]', ['', 'invalid_type', 'Must be an object.']],
  ])('rejects a body that is %s instead of an object', async (_, body, fieldError) => {
    const { tid } = await newFullTerminal();
    const { response, changed } = await storedBy(() => update(tid, body));
    expectProblem(response, 'validation_failed', [fieldError]);
    expect(changed).toEqual({});
  });

  test('rejects an invalid body before reading the terminal', async () => {
    expectProblem(await update('no-uuid', { serial_no: 1 }), 'validation_failed', [
      ['/serial_no', 'invalid_type', 'Must be a string.'],
    ]);
  });

  test('rejects the serial_no of any other terminal, including one of another acquirer', async () => {
    const { tid, mid } = await newFullTerminal();
    const foreign = await newBranch(world.stranger);
    const others = [
      await newTerminal(world.provider, mid, { serial_no: unique('S') }),
      await newTerminal(world.stranger, foreign.mid, { serial_no: unique('S') }),
    ];
    for (const { serial_no } of others) {
      const { response, changed } = await storedBy(() => update(tid, { serial_no, terminal_model: 'Desk/3500' }));
      expectProblem(response, 'validation_failed', [['/serial_no', 'taken', 'Another terminal has this serial_no.']]);
      expect(changed).toEqual({});
    }
  });

  test('rejects names that the caller does not have', async () => {
    const { tid } = await newFullTerminal();
    const { response, changed } = await storedBy(() =>
      update(tid, { payment_app: 'checkout go', acquirer_name: 'Checkout Go' }),
    );
    expectProblem(response, 'validation_failed', [
      ['/payment_app', 'not_found', NO_PAYMENT_APP],
      ['/acquirer_name', 'not_found', NO_MASTER_ACQUIRER],
    ]);
    expect(changed).toEqual({});
  });

  test('rejects names that only the other acquirer of the branch has', async () => {
    const { tid } = await newFullTerminal();
    await addNames(world.provider, { paymentApps: ['Payfair App'], masterAcquirers: ['Payfair Bank'] });
    const body = { payment_app: 'Payfair App', acquirer_name: 'Payfair Bank' };

    const { response, changed } = await storedBy(() => update(tid, body, world.distributor.key));

    expectProblem(response, 'validation_failed', [
      ['/payment_app', 'not_found', NO_PAYMENT_APP],
      ['/acquirer_name', 'not_found', NO_MASTER_ACQUIRER],
    ]);
    expect(changed).toEqual({});
    expect((await update(tid, body)).status).toBe(200);
  });

  test('lists a taken serial_no together with unknown names', async () => {
    const { tid, mid } = await newFullTerminal();
    const { serial_no } = await newTerminal(world.provider, mid, { serial_no: unique('S') });
    const { response: sent, changed } = await storedBy(() =>
      tableRequestsBy(() =>
        update(tid, { serial_no, terminal_model: null, payment_app: 'Nobody’s', acquirer_name: 'No one’s' }),
      ),
    );
    expect(operationsOf(sent)).toBe('BatchGetItem GetItem');
    expectProblem(sent.response, 'validation_failed', [
      ['/serial_no', 'taken', 'Another terminal has this serial_no.'],
      ['/payment_app', 'not_found', NO_PAYMENT_APP],
      ['/acquirer_name', 'not_found', NO_MASTER_ACQUIRER],
    ]);
    expect(changed).toEqual({});
  });

  test('gives a serial_no to only one of two terminals that are updated concurrently', async () => {
    const { mid } = await newSharedBranch(world);
    const [one, other] = [await newTerminal(world.provider, mid), await newTerminal(world.provider, mid)];
    const serial_no = unique('S');

    const responses = await Promise.all([one, other].map(({ tid }) => update(tid, { serial_no })));

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 422]);
    const winner = responses.find(({ status }) => status === 200);
    expect((await stored())[`SERIAL#${serial_no} SERIAL`]).toEqual({ tid: winner?.body.data.tid });
  });
});
