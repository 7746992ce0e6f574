import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { call, expectProblem } from '../../support/api.ts';
import { ordersIn, withAdded } from '../../support/branchItem.ts';
import { testCommonBehaviour } from '../../support/commonBehaviour.ts';
import {
  BRANCH_ARCHIVED,
  MALFORMED,
  NAME_UUID,
  NO_BRANCH,
  NO_MASTER_ACQUIRER,
  NO_MIDS,
  NO_PAYMENT_APP,
  NO_TEXT_CONTROLS,
  TIME,
} from '../../support/constants.ts';
import { branchItemOf, storedBy } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import {
  addNames,
  newBranch,
  newSharedBranch,
  newTerminal,
  newWorld,
  numbered,
  unique,
  type World,
} from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

const create = (mid: string, body: unknown, key = world.provider.key) =>
  call('createTerminals', { key, path: { id: mid }, body });

describe('201', () => {
  test('creates a terminal with every field set', async () => {
    await newSharedBranch(world, { mid: 'CREATEFULL' });
    const branch = await branchItemOf('CREATEFULL');

    const { response, changed } = await storedBy(() =>
      create('CREATEFULL', {
        terminals: [
          {
            terminal_id: 'TFULL1',
            serial_no: 'SFULL1',
            terminal_model: 'Move/5000 “Ñ” 🏪',
            payment_app: 'Checkout Go',
            acquirer_name: 'Atlantic Acquiring',
          },
        ],
      }),
    );

    expect(response.status).toBe(201);
    expect(response.headers['location']).toBe('https://api.example.com/ext/api/v1/terminals/CREATEFULL');
    const created_at = response.body.data[0].created_at;
    expect(response.body).toEqual({
      data: [
        {
          tid: 'ce806e38-f620-5e5d-a12d-a716a7000f02',
          terminal_id: 'TFULL1',
          serial_no: 'SFULL1',
          terminal_model: 'Move/5000 “Ñ” 🏪',
          payment_app: 'Checkout Go',
          acquirer_name: 'Atlantic Acquiring',
          mid: 'CREATEFULL',
          status: 'active',
          created_at: TIME,
          updated_at: created_at,
          archived_at: null,
          archive_reason: null,
        },
      ],
    });
    expect(changed).toEqual({
      'TERMINAL#ce806e38-f620-5e5d-a12d-a716a7000f02 TERMINAL': {
        tid: 'ce806e38-f620-5e5d-a12d-a716a7000f02',
        terminal_id: 'TFULL1',
        serial_no: 'SFULL1',
        terminal_model: 'Move/5000 “Ñ” 🏪',
        payment_app: 'Checkout Go',
        acquirer_name: 'Atlantic Acquiring',
        mid: 'CREATEFULL',
        branch_order: `${created_at}#000#ce806e38-f620-5e5d-a12d-a716a7000f02`,
        created_at,
        updated_at: created_at,
      },
      'SERIAL#SFULL1 SERIAL': { tid: 'ce806e38-f620-5e5d-a12d-a716a7000f02' },
      'BRANCH#CREATEFULL BRANCH': {
        ...branch,
        terminals: [`${created_at}#000#ce806e38-f620-5e5d-a12d-a716a7000f02`],
        terminals_changed_at: created_at,
      },
    });
  });

  test.each<[string, Record<string, unknown>]>([
    ['only its terminal_id', {}],
    ['null in every optional field', { serial_no: null, terminal_model: null, payment_app: null, acquirer_name: null }],
    [
      'a blank text in every optional field',
      { serial_no: '', terminal_model: ' ', payment_app: '\t', acquirer_name: '\u00a0\n' },
    ],
  ])('creates a terminal with %s', async (_, fields) => {
    const { mid } = await newSharedBranch(world);
    const branch = await branchItemOf(mid);
    const terminal_id = unique('T');

    const { response, changed } = await storedBy(() => create(mid, { terminals: [{ terminal_id, ...fields }] }));

    expect(response.status).toBe(201);
    const { tid, created_at } = response.body.data[0];
    expect(response.body).toEqual({
      data: [
        {
          tid: NAME_UUID,
          terminal_id,
          serial_no: null,
          terminal_model: null,
          payment_app: null,
          acquirer_name: null,
          mid,
          status: 'active',
          created_at: TIME,
          updated_at: created_at,
          archived_at: null,
          archive_reason: null,
        },
      ],
    });
    expect(changed).toEqual({
      [`TERMINAL#${tid} TERMINAL`]: {
        tid,
        terminal_id,
        mid,
        branch_order: `${created_at}#000#${tid}`,
        created_at,
        updated_at: created_at,
      },
      [`BRANCH#${mid} BRANCH`]: withAdded(branch, created_at, `${created_at}#000#${tid}`),
    });
  });

  test('creates 40 terminals in one request and returns them in request order', async () => {
    const { mid } = await newSharedBranch(world);
    const branch = await branchItemOf(mid);
    const terminals = numbered('FORTY', 40).map(({ terminal_id }, at) => ({
      terminal_id,
      serial_no: `SFORTY${at + 1}`,
      terminal_model: `Model ${at + 1}`,
      payment_app: at % 2 ? 'Checkout Go' : 'Counter Plus',
      acquirer_name: at % 2 ? 'Atlantic Acquiring' : 'Baltic Merchant Bank',
    }));

    const { response, changed, events } = await storedBy(() => create(mid, { terminals }));

    expect(response.status).toBe(201);
    const tids: string[] = response.body.data.map(({ tid }: { tid: string }) => tid);
    const { created_at } = response.body.data[0];
    expect(new Set(tids).size).toBe(40);
    expect(response.body).toEqual({
      data: terminals.map((terminal, at) => ({
        tid: tids[at],
        ...terminal,
        mid,
        status: 'active',
        created_at,
        updated_at: created_at,
        archived_at: null,
        archive_reason: null,
      })),
    });
    expect(changed).toEqual({
      [`BRANCH#${mid} BRANCH`]: withAdded(
        branch,
        created_at,
        ...tids.map((tid, at) => `${created_at}#${String(at).padStart(3, '0')}#${tid}`),
      ),
      ...Object.fromEntries(
        terminals.flatMap((terminal, at) => [
          [
            `TERMINAL#${tids[at]} TERMINAL`,
            {
              tid: tids[at],
              ...terminal,
              mid,
              branch_order: `${created_at}#${String(at).padStart(3, '0')}#${tids[at]}`,
              created_at,
              updated_at: created_at,
              creation_event: events?.[world.provider.id]?.[0]?.id,
            },
          ],
          [`SERIAL#${terminal.serial_no} SERIAL`, { tid: tids[at] }],
        ]),
      ),
    });
  });

  test('adds to the existing terminals of the branch', async () => {
    const { mid } = await newSharedBranch(world, { terminals: [{ terminal_id: unique('T') }] });
    const branch = await branchItemOf(mid);

    const { response, changed } = await storedBy(() => create(mid, { terminals: numbered(unique('T'), 2) }));

    const [first, second] = response.body.data;
    const { created_at } = first;
    expect(ordersIn(branch)).toHaveLength(1);
    expect(changed[`BRANCH#${mid} BRANCH`]).toEqual(
      withAdded(branch, created_at, `${created_at}#000#${first.tid}`, `${created_at}#001#${second.tid}`),
    );
  });

  test('adds terminals of one millisecond one after the other, in order', async () => {
    const { mid } = await newSharedBranch(world);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const responses = [];
    for (const count of [1, 40, 2]) responses.push(await create(mid, { terminals: numbered(unique('T'), count) }));
    jest.restoreAllMocks();
    const times = responses.map(({ body }) => Date.parse(body.data[0].created_at));
    expect(times.map((time) => time - (times[0] as number))).toEqual([0, 1, 2]);
    const tids = responses.flatMap(({ body }) => body.data.map(({ tid }: { tid: string }) => tid));
    expect(ordersIn(await branchItemOf(mid)).map((order) => order.split('#').at(-1))).toEqual(tids);
  });

  test('sends one read for every uniqueness and name check, and one write', async () => {
    const { mid } = await newSharedBranch(world);
    const terminals = numbered(unique('T'), 2).map((terminal) => ({
      ...terminal,
      serial_no: unique('S'),
      payment_app: 'Checkout Go',
      acquirer_name: 'Atlantic Acquiring',
    }));
    const sent = await tableRequestsBy(() => create(mid, { terminals }));
    expect(sent.response.status).toBe(201);
    expect(operationsOf(sent)).toBe('BatchGetItem TransactWriteItems');
    // The update of the branch has its own condition; names are not checked again. The last two are events, one for
    // each acquirer of the branch.
    const steps = sent.requests[1]?.input['TransactItems'] as object[];
    expect(steps.map((step) => Object.keys(step)[0])).toEqual(['Update', 'Put', 'Put', 'Put', 'Put', 'Put', 'Put']);
  });

  test('accepts values of 255 characters, counting an emoji as one', async () => {
    const { mid } = await newSharedBranch(world);
    const terminal = { terminal_id: 'T'.repeat(255), serial_no: 'S'.repeat(255), terminal_model: '🏪'.repeat(255) };

    const { response, changed } = await storedBy(() => create(mid, { terminals: [terminal] }));

    expect(response.status).toBe(201);
    expect(response.body.data).toEqual([expect.objectContaining(terminal)]);
    const { tid } = response.body.data[0];
    expect(changed).toEqual({
      [`BRANCH#${mid} BRANCH`]: expect.objectContaining({
        terminals: [`${response.body.data[0].created_at}#000#${tid}`],
      }),
      [`TERMINAL#${tid} TERMINAL`]: expect.objectContaining(terminal),
      [`SERIAL#${terminal.serial_no} SERIAL`]: { tid },
    });
  });

  test('creates terminals for the distributor and for the payment provider of a branch', async () => {
    const { mid } = await newSharedBranch(world);
    for (const { key } of [world.distributor, world.provider]) {
      const terminal = {
        terminal_id: unique('T'),
        serial_no: unique('S'),
        terminal_model: 'Move/5000',
        payment_app: 'Counter Plus',
        acquirer_name: 'Baltic Merchant Bank',
      };

      const { response, changed } = await storedBy(() => create(mid, { terminals: [terminal] }, key));

      expect(response.status).toBe(201);
      const { tid, created_at } = response.body.data[0];
      expect(response.body).toEqual({
        data: [
          {
            tid,
            ...terminal,
            mid,
            status: 'active',
            created_at,
            updated_at: created_at,
            archived_at: null,
            archive_reason: null,
          },
        ],
      });
      expect(Object.keys(changed).sort()).toEqual([
        `BRANCH#${mid} BRANCH`,
        `SERIAL#${terminal.serial_no} SERIAL`,
        `TERMINAL#${tid} TERMINAL`,
      ]);
    }
    expect(ordersIn(await branchItemOf(mid))).toHaveLength(2);
  });

  test('creates terminals for a branch whose MID is a UUID', async () => {
    await newSharedBranch(world, { mid: '0b8d4f5e-6c1a-4a52-8a0c-3f2b9d7e6a10' });

    const response = await create('0b8d4f5e-6c1a-4a52-8a0c-3f2b9d7e6a10', {
      terminals: [{ terminal_id: unique('T') }],
    });

    expect(response.status).toBe(201);
    expect(response.headers['location']).toBe(
      'https://api.example.com/ext/api/v1/terminals/0b8d4f5e-6c1a-4a52-8a0c-3f2b9d7e6a10',
    );
    expect(response.body.data[0].mid).toBe('0b8d4f5e-6c1a-4a52-8a0c-3f2b9d7e6a10');
  });
});

describe('400', () => {
  test('rejects a body that is not JSON before reading the branch', async () => {
    expectProblem(await create('NOSUCHMID', '{'), 'malformed_json', MALFORMED);
  });

  test('rejects terminals for an archived branch', async () => {
    const { mid } = await newSharedBranch(world);
    await call('archiveBranch', { key: world.provider.key, path: { mid } });

    const { response, changed } = await storedBy(() => create(mid, { terminals: [{ terminal_id: unique('T') }] }));

    expectProblem(response, 'branch_archived', BRANCH_ARCHIVED);
    expect(changed).toEqual({});
  });

  test('returns branch_archived and no field errors when the branch is archived', async () => {
    const { mid } = await newSharedBranch(world);
    const { terminal_id } = await newTerminal(world.provider, mid);
    await call('archiveBranch', { key: world.provider.key, path: { mid } });

    const { response, changed } = await storedBy(() =>
      create(mid, { terminals: [{ terminal_id, payment_app: 'Nobody’s' }] }),
    );

    expectProblem(response, 'branch_archived', BRANCH_ARCHIVED);
    expect(changed).toEqual({});
  });
});

testCommonBehaviour('createTerminals', async () => {
  const { mid } = await newSharedBranch(world);
  return { key: world.provider.key, path: { id: mid }, body: { terminals: [{ terminal_id: unique('T') }] } };
});

describe('404', () => {
  test.each(NO_MIDS)('returns 404 for a MID that %s', async (_, mid) => {
    const { response, changed } = await storedBy(() => create(mid, { terminals: [{ terminal_id: unique('T') }] }));
    expectProblem(response, 'not_found', NO_BRANCH);
    expect(changed).toEqual({});
  });

  test('returns 404 for a branch of another acquirer, archived or not', async () => {
    const { mid } = await newSharedBranch(world);
    const archived = await newSharedBranch(world);
    await call('archiveBranch', { key: world.provider.key, path: { mid: archived.mid } });
    for (const { key } of [world.secondProvider, world.stranger, world.strangeDistributor]) {
      for (const id of [mid, archived.mid]) {
        const { response, changed } = await storedBy(() =>
          create(id, { terminals: [{ terminal_id: unique('T'), payment_app: 'Nobody’s' }] }, key),
        );
        expectProblem(response, 'not_found', NO_BRANCH);
        expect(changed).toEqual({});
      }
    }
  });
});

describe('422', () => {
  test.each<[string, unknown, [string, string, string]]>([
    ['without terminals', {}, ['/terminals', 'required', 'Is required.']],
    ['with null as terminals', { terminals: null }, ['/terminals', 'required', 'Is required.']],
    ['whose terminals are not an array', { terminals: { 0: {} } }, ['/terminals', 'invalid_type', 'Must be an array.']],
    ['with an empty list of terminals', { terminals: [] }, ['/terminals', 'too_short', 'Must have at least 1 item.']],
    ['with 41 terminals', { terminals: numbered('T', 41) }, ['/terminals', 'too_long', 'Must have at most 40 items.']],
    [
      'with 41 items that are not objects',
      { terminals: Array(41).fill(1) },
      ['/terminals', 'too_long', 'Must have at most 40 items.'],
    ],
    [
      'with a terminal that is not an object',
      { terminals: ['T1'] },
      ['/terminals/0', 'invalid_type', 'Must be an object.'],
    ],
    ['with null as a terminal', { terminals: [null] }, ['/terminals/0', 'required', 'Is required.']],
    ['that is not an object', '"terminals"', ['', 'invalid_type', 'Must be an object.']],
    ['that is null', 'null', ['', 'required', 'Is required.']],
  ])('rejects a body %s', async (_, body, fieldError) => {
    const { mid } = await newSharedBranch(world);
    const { response, changed } = await storedBy(() => create(mid, body));
    expectProblem(response, 'validation_failed', [fieldError]);
    expect(changed).toEqual({});
  });

  test('lists every invalid field of every terminal', async () => {
    const { mid } = await newSharedBranch(world);
    const { response, changed } = await storedBy(() =>
      create(mid, {
        terminals: [
          { serial_no: 'S 1', terminal_model: 1, payment_app: '\u0007', acquirer_name: ['Atlantic Acquiring'] },
          { terminal_id: 'GOOD1', serial_no: 'SGOOD1' },
          { terminal_id: 'T-1', serial_no: 'S#1', terminal_model: 'x'.repeat(256), payment_app: 'a\u0000b' },
          { terminal_id: null },
          { terminal_id: 4711, serial_no: 'S'.repeat(256), acquirer_name: '🏪'.repeat(256) },
          { terminal_id: '' },
          { terminal_id: 'Ñ1', terminal_model: '\ud800' },
        ],
      }),
    );
    expectProblem(response, 'validation_failed', [
      ['/terminals/0/terminal_id', 'required', 'Is required.'],
      ['/terminals/0/serial_no', 'invalid_format', 'Must be alphanumeric (0-9, A-Z, a-z).'],
      ['/terminals/0/terminal_model', 'invalid_type', 'Must be a string.'],
      ['/terminals/0/payment_app', 'invalid_format', NO_TEXT_CONTROLS],
      ['/terminals/0/acquirer_name', 'invalid_type', 'Must be a string.'],
      ['/terminals/2/terminal_id', 'invalid_format', 'Must be alphanumeric (0-9, A-Z, a-z).'],
      ['/terminals/2/serial_no', 'invalid_format', 'Must be alphanumeric (0-9, A-Z, a-z).'],
      ['/terminals/2/terminal_model', 'too_long', 'Must have at most 255 characters.'],
      ['/terminals/2/payment_app', 'invalid_format', NO_TEXT_CONTROLS],
      ['/terminals/3/terminal_id', 'required', 'Is required.'],
      ['/terminals/4/terminal_id', 'invalid_type', 'Must be a string.'],
      ['/terminals/4/serial_no', 'too_long', 'Must have at most 255 characters.'],
      ['/terminals/4/acquirer_name', 'too_long', 'Must have at most 255 characters.'],
      ['/terminals/5/terminal_id', 'required', 'Is required.'],
      ['/terminals/6/terminal_id', 'invalid_format', 'Must be alphanumeric (0-9, A-Z, a-z).'],
      ['/terminals/6/terminal_model', 'invalid_format', NO_TEXT_CONTROLS],
    ]);
    expect(changed).toEqual({});
  });

  test('rejects a terminal_id and a serial_no that appear twice in the request', async () => {
    const { mid } = await newSharedBranch(world);
    const { response, changed } = await storedBy(() =>
      create(mid, {
        terminals: [
          { terminal_id: 'TWICE1', serial_no: 'STWICE1' },
          { terminal_id: 'TWICE2', serial_no: 'STWICE1' },
          { terminal_id: 'TWICE1', serial_no: null },
          { terminal_id: 'TWICE3', serial_no: null },
          { terminal_id: 'TWICE1' },
        ],
      }),
    );
    expectProblem(response, 'validation_failed', [
      ['/terminals/2/terminal_id', 'duplicate', 'Appears twice in this request; each terminal_id must differ.'],
      ['/terminals/4/terminal_id', 'duplicate', 'Appears twice in this request; each terminal_id must differ.'],
      ['/terminals/1/serial_no', 'duplicate', 'Appears twice in this request; each serial_no must differ.'],
    ]);
    expect(changed).toEqual({});
  });

  test('lists duplicates within the request together with invalid fields', async () => {
    const { mid } = await newSharedBranch(world);
    const { response, changed } = await storedBy(() =>
      create(mid, {
        terminals: [{ terminal_id: 'TBOTH1' }, { terminal_id: 'TBOTH1', serial_no: 'S-1' }, { terminal_id: null }],
      }),
    );
    expect(response.body.errors).toHaveLength(3);
    expect(response.body.errors).toEqual(
      expect.arrayContaining([
        {
          pointer: '/terminals/1/terminal_id',
          code: 'duplicate',
          detail: 'Appears twice in this request; each terminal_id must differ.',
        },
        {
          pointer: '/terminals/1/serial_no',
          code: 'invalid_format',
          detail: 'Must be alphanumeric (0-9, A-Z, a-z).',
        },
        { pointer: '/terminals/2/terminal_id', code: 'required', detail: 'Is required.' },
      ]),
    );
    expect(changed).toEqual({});
  });

  test('rejects an invalid body before reading the branch', async () => {
    expectProblem(await create('NOSUCHMID', {}), 'validation_failed', [['/terminals', 'required', 'Is required.']]);
  });

  test('lists every taken value and every unknown name, and creates none of the terminals', async () => {
    const { mid } = await newSharedBranch(world);
    const taken = await newTerminal(world.provider, mid, { serial_no: unique('S') });
    const other = await newTerminal(world.provider, mid, { serial_no: unique('S') });

    const { response: sent, changed } = await storedBy(() =>
      tableRequestsBy(() =>
        create(mid, {
          terminals: [
            { terminal_id: unique('T'), serial_no: unique('S'), payment_app: 'Checkout Go' },
            { terminal_id: taken.terminal_id, serial_no: other.serial_no },
            { terminal_id: unique('T'), payment_app: 'Nobody’s', acquirer_name: 'No one’s' },
            { terminal_id: other.terminal_id },
            { terminal_id: unique('T'), serial_no: taken.serial_no, payment_app: 'Nobody’s' },
          ],
        }),
      ),
    );

    expect(operationsOf(sent)).toBe('BatchGetItem');
    expectProblem(sent.response, 'validation_failed', [
      ['/terminals/2/payment_app', 'not_found', NO_PAYMENT_APP],
      ['/terminals/2/acquirer_name', 'not_found', NO_MASTER_ACQUIRER],
      ['/terminals/4/payment_app', 'not_found', NO_PAYMENT_APP],
      ['/terminals/1/terminal_id', 'taken', 'Another terminal has this terminal_id.'],
      ['/terminals/1/serial_no', 'taken', 'Another terminal has this serial_no.'],
      ['/terminals/3/terminal_id', 'taken', 'Another terminal has this terminal_id.'],
      ['/terminals/4/serial_no', 'taken', 'Another terminal has this serial_no.'],
    ]);
    expect(changed).toEqual({});
  });

  test('rejects a terminal_id and a serial_no of another acquirer’s terminal', async () => {
    const { mid } = await newSharedBranch(world);
    const foreign = await newBranch(world.stranger);
    const { terminal_id, serial_no } = await newTerminal(world.stranger, foreign.mid, { serial_no: unique('S') });

    const { response, changed } = await storedBy(() => create(mid, { terminals: [{ terminal_id, serial_no }] }));

    expectProblem(response, 'validation_failed', [
      ['/terminals/0/terminal_id', 'taken', 'Another terminal has this terminal_id.'],
      ['/terminals/0/serial_no', 'taken', 'Another terminal has this serial_no.'],
    ]);
    expect(changed).toEqual({});
  });

  test('rejects a terminal_id and a serial_no of an archived terminal', async () => {
    const { mid } = await newSharedBranch(world);
    const { tid, terminal_id, serial_no } = await newTerminal(world.provider, mid, { serial_no: unique('S') });
    await call('archiveTerminal', { key: world.provider.key, path: { id: tid }, body: { reason: 'Out of order' } });

    const { response, changed } = await storedBy(() => create(mid, { terminals: [{ terminal_id, serial_no }] }));

    expectProblem(response, 'validation_failed', [
      ['/terminals/0/terminal_id', 'taken', 'Another terminal has this terminal_id.'],
      ['/terminals/0/serial_no', 'taken', 'Another terminal has this serial_no.'],
    ]);
    expect(changed).toEqual({});
  });

  test('rejects a terminal_id that was created together with a branch', async () => {
    const terminal_id = unique('T');
    const { mid } = await newSharedBranch(world, { terminals: [{ terminal_id }] });

    const { response, changed } = await storedBy(() => create(mid, { terminals: [{ terminal_id }] }));

    expectProblem(response, 'validation_failed', [
      ['/terminals/0/terminal_id', 'taken', 'Another terminal has this terminal_id.'],
    ]);
    expect(changed).toEqual({});
  });

  test('rejects names that only the other acquirer of the branch has', async () => {
    const { mid } = await newSharedBranch(world);
    await addNames(world.provider, { paymentApps: ['Payfair App'], masterAcquirers: ['Payfair Bank'] });
    await addNames(world.distributor, { paymentApps: ['Northgate App'], masterAcquirers: ['Northgate Bank'] });
    const ofProvider = { payment_app: 'Payfair App', acquirer_name: 'Payfair Bank' };
    const ofDistributor = { payment_app: 'Northgate App', acquirer_name: 'Northgate Bank' };

    for (const [{ key }, own, others] of [
      [world.provider, ofProvider, ofDistributor],
      [world.distributor, ofDistributor, ofProvider],
    ] as const) {
      const { response, changed } = await storedBy(() =>
        create(mid, { terminals: [{ terminal_id: unique('T'), ...others }] }, key),
      );
      expectProblem(response, 'validation_failed', [
        ['/terminals/0/payment_app', 'not_found', NO_PAYMENT_APP],
        ['/terminals/0/acquirer_name', 'not_found', NO_MASTER_ACQUIRER],
      ]);
      expect(changed).toEqual({});
      expect((await create(mid, { terminals: [{ terminal_id: unique('T'), ...own }] }, key)).status).toBe(201);
    }
  });

  test('lists every unknown payment app and master acquirer of 40 terminals', async () => {
    const { mid } = await newSharedBranch(world);
    const prefix = unique('T');
    const terminals = numbered(prefix, 40).map(({ terminal_id }, at) => ({
      terminal_id,
      serial_no: `S${terminal_id}`,
      payment_app: `Unknown app ${at}`,
      acquirer_name: `Unknown acquirer ${at}`,
    }));

    const { response, changed } = await storedBy(() => create(mid, { terminals }));

    expect(response.status).toBe(422);
    expect(response.body.errors).toHaveLength(80);
    expect(response.body.errors).toEqual(
      expect.arrayContaining(
        terminals.flatMap((_, at) => [
          { pointer: `/terminals/${at}/payment_app`, code: 'not_found', detail: NO_PAYMENT_APP },
          { pointer: `/terminals/${at}/acquirer_name`, code: 'not_found', detail: NO_MASTER_ACQUIRER },
        ]),
      ),
    );
    expect(changed).toEqual({});
  });

  test('gives a terminal_id to only one of two concurrent requests', async () => {
    const { mid } = await newSharedBranch(world);
    const terminals = [{ terminal_id: unique('T') }];

    const responses = await Promise.all([create(mid, { terminals }), create(mid, { terminals })]);

    expect(responses.map(({ status }) => status).sort()).toEqual([201, 422]);
    for (const response of responses.filter(({ status }) => status === 422)) {
      expectProblem(response, 'validation_failed', [
        ['/terminals/0/terminal_id', 'taken', 'Another terminal has this terminal_id.'],
      ]);
    }
    expect(ordersIn(await branchItemOf(mid))).toHaveLength(1);
  });
});
