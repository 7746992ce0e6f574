import { beforeAll, describe, expect, test } from '@jest/globals';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { masterMerchantEntryKey } from '../../../lib/table/keys.ts';
import { call, expectProblem } from '../../support/api.ts';
import { testCommonBehaviour } from '../../support/commonBehaviour.ts';
import { NAME_UUID, TIME, unknownField } from '../../support/constants.ts';
import { storedBy } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import {
  type Caller,
  newBranch,
  newSharedBranch,
  newTerminal,
  newWorld,
  unique,
  type World,
} from '../../support/world.ts';

const MID_TAKEN = ['/mid', 'taken', 'Another branch has this MID.'] as const;
const differs = (pointer: string) =>
  [
    pointer,
    'differs',
    'Differs from what is stored for this master merchant. Send the stored value, or omit the field.',
  ] as const;
const MASTER_MERCHANT_UNKNOWN = [
  '/existing_master_merchant',
  'not_found',
  'Must be a master merchant of this payment provider that you may use; see lookup masterMerchants.',
] as const;
const NOT_A_PARTNER = 'Must be the UUID of one of your partners.';
const terminalTaken = (at: number) =>
  [`/terminals/${at}/terminal_id`, 'taken', 'Another terminal has this terminal_id.'] as const;

/** A UUID that belongs to no master merchant. */
const UNKNOWN_UUID = '5f1f7f3e-9c51-4b6c-8a88-0f4c5b4d9a01';

// A create writes only its own branch; test/lib/branches/listBranches.test.ts covers sealing.
SEALING.probability = 0;

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

const create = (caller: Caller, body: unknown) => storedBy(() => call('createBranch', { key: caller.key, body }));

/** Asserts a 422 with exactly these field errors, no write request and an unchanged table. */
async function expectRejected(caller: Caller, body: unknown, fieldErrors: (readonly [string, string, string])[]) {
  const { response, changed } = await storedBy(() =>
    tableRequestsBy(() => call('createBranch', { key: caller.key, body })),
  );
  expectProblem(
    response.response,
    'validation_failed',
    fieldErrors.map(([pointer, code, detail]) => [pointer, code, detail]),
  );
  expect(response.requests.filter(({ operation }) => !/Get/.test(operation))).toEqual([]);
  expect(changed).toEqual({});
}

/** The key of a branch's entry in the list of one of its acquirers, as `changed` names it. */
const entry = ({ id }: Pick<Caller, 'id'>, { created_at, mid }: { created_at: string; mid: string }) =>
  `ACQUIRER#${id} BRANCH_LIST#${created_at}#${mid}`;

/** The key of a master merchant in an acquirer's lookup, as `changed` names it. */
const inLookup = ({ id }: Pick<Caller, 'id'>, uuid: string): string => {
  const { pk, sk } = masterMerchantEntryKey(id, uuid);
  return `${pk} ${sk}`;
};

describe('201', () => {
  test('creates a branch, its master merchant and its terminals for a payment provider', async () => {
    const { secondProvider: provider } = world;
    const { response, changed, events } = await create(provider, {
      mid: 'ALL1',
      branch_name: 'Harbour Café',
      area: 'Docks',
      city: 'Porto',
      master_merchant_id: 'MMALL1',
      master_merchant_name: 'Harbour Cafés',
      email: 'office@example.com',
      country_code: 'PT',
      phone: '+351 210 000 000',
      mcc: '5812',
      country: 'Portugal',
      terminals: [{ terminal_id: 'TALL1', terminal_model: 'Countertop 3' }, { terminal_id: 'TALL2' }],
    });

    const { created_at, existing_master_merchant: uuid, terminals } = response.body.data;
    const terminal = {
      tid: NAME_UUID,
      serial_no: null,
      terminal_model: null,
      payment_app: null,
      acquirer_name: null,
      mid: 'ALL1',
      status: 'active',
      created_at,
      updated_at: created_at,
      archived_at: null,
      archive_reason: null,
    };
    expect(response.status).toBe(201);
    expect(response.headers['location']).toBe('https://api.example.com/ext/api/v1/merchants/ALL1');
    expect(response.body).toEqual({
      data: {
        mid: 'ALL1',
        merchant_name: 'Harbour Café',
        area: 'Docks',
        city: 'Porto',
        master_merchant_name: 'Harbour Cafés',
        master_merchant_id: 'MMALL1',
        status: 'active',
        created_at: TIME,
        existing_master_merchant: NAME_UUID,
        payment_provider: provider.id,
        distributor: null,
        terminal_count: 2,
        updated_at: created_at,
        archived_at: null,
        terminals: [
          { ...terminal, terminal_id: 'TALL1', terminal_model: 'Countertop 3' },
          { ...terminal, terminal_id: 'TALL2' },
        ],
      },
    });
    const [first, second] = terminals;
    const creation_event = events?.[provider.id]?.[0]?.id;
    expect(changed).toEqual({
      'BRANCH#ALL1 BRANCH': {
        mid: 'ALL1',
        merchant_name: 'Harbour Café',
        area: 'Docks',
        city: 'Porto',
        existing_master_merchant: uuid,
        master_merchant_id: 'MMALL1',
        master_merchant_name: 'Harbour Cafés',
        payment_provider: provider.id,
        provider_position: Date.parse(created_at),
        terminals: [`${created_at}#000#${first.tid}`, `${created_at}#001#${second.tid}`],
        terminals_changed_at: created_at,
        created_at,
        updated_at: created_at,
      },
      [entry(provider, { created_at, mid: 'ALL1' })]: {},
      [inLookup(provider, uuid)]: { name: 'Harbour Cafés', master_merchant_id: 'MMALL1' },
      [`MASTER_MERCHANT#${uuid} MASTER_MERCHANT`]: {
        uuid,
        payment_provider: provider.id,
        master_merchant_id: 'MMALL1',
        name: 'Harbour Cafés',
        email: 'office@example.com',
        country_code: 'PT',
        phone: '+351 210 000 000',
        mcc: '5812',
        country: 'Portugal',
      },
      [`TERMINAL#${first.tid} TERMINAL`]: {
        tid: first.tid,
        terminal_id: 'TALL1',
        terminal_model: 'Countertop 3',
        mid: 'ALL1',
        branch_order: `${created_at}#000#${first.tid}`,
        created_at,
        updated_at: created_at,
        creation_event,
      },
      [`TERMINAL#${second.tid} TERMINAL`]: {
        tid: second.tid,
        terminal_id: 'TALL2',
        mid: 'ALL1',
        branch_order: `${created_at}#001#${second.tid}`,
        created_at,
        updated_at: created_at,
        creation_event,
      },
    });
  });

  test('creates a distributor’s branch, lists it for both acquirers and adds the master merchant to both lookups', async () => {
    const { distributor, provider } = world;
    const before = await newBranch(distributor, { payment_provider: provider.id });
    const { response, changed } = await create(distributor, {
      mid: 'DIST1',
      payment_provider: provider.id.toUpperCase(),
      master_merchant_id: 'MMDIST1',
    });

    const { created_at, existing_master_merchant: uuid } = response.body.data;
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      data: {
        mid: 'DIST1',
        merchant_name: null,
        area: null,
        city: null,
        master_merchant_name: null,
        master_merchant_id: 'MMDIST1',
        status: 'active',
        created_at: TIME,
        existing_master_merchant: NAME_UUID,
        payment_provider: provider.id,
        distributor: distributor.id,
        terminal_count: 0,
        updated_at: created_at,
        archived_at: null,
        terminals: [],
      },
    });
    expect(created_at >= before.created_at).toBe(true);
    expect(changed).toEqual({
      'BRANCH#DIST1 BRANCH': {
        mid: 'DIST1',
        existing_master_merchant: uuid,
        master_merchant_id: 'MMDIST1',
        payment_provider: provider.id,
        provider_position: Date.parse(created_at),
        distributor: distributor.id,
        distributor_position: Date.parse(created_at),
        terminals_changed_at: created_at,
        created_at,
        updated_at: created_at,
      },
      [entry(provider, { created_at, mid: 'DIST1' })]: {},
      [entry(distributor, { created_at, mid: 'DIST1' })]: {},
      [`MASTER_MERCHANT#${uuid} MASTER_MERCHANT`]: {
        uuid,
        payment_provider: provider.id,
        master_merchant_id: 'MMDIST1',
      },
      [inLookup(provider, uuid)]: { master_merchant_id: 'MMDIST1' },
      [inLookup(distributor, uuid)]: { master_merchant_id: 'MMDIST1', payment_provider: provider.id },
    });
  });

  test('takes name and id from an existing master merchant and shares it with the named distributor', async () => {
    const { distributor, provider } = world;
    const { existing_master_merchant } = await newBranch(provider, {
      master_merchant_id: 'MMSHARED',
      master_merchant_name: 'Shared Bakery',
    });

    const { response, changed } = await create(provider, {
      mid: 'SHARED2',
      existing_master_merchant,
      distributor: distributor.id,
    });
    expect(response.status).toBe(201);
    expect(response.body.data).toMatchObject({
      existing_master_merchant,
      master_merchant_id: 'MMSHARED',
      master_merchant_name: 'Shared Bakery',
      distributor: distributor.id,
    });
    const { created_at } = response.body.data;
    expect(changed).toEqual({
      'BRANCH#SHARED2 BRANCH': {
        mid: 'SHARED2',
        existing_master_merchant,
        master_merchant_id: 'MMSHARED',
        master_merchant_name: 'Shared Bakery',
        payment_provider: provider.id,
        provider_position: Date.parse(created_at),
        distributor: distributor.id,
        distributor_position: Date.parse(created_at),
        terminals_changed_at: created_at,
        created_at,
        updated_at: created_at,
      },
      [entry(provider, { created_at, mid: 'SHARED2' })]: {},
      [entry(distributor, { created_at, mid: 'SHARED2' })]: {},
      [inLookup(distributor, existing_master_merchant)]: {
        name: 'Shared Bakery',
        master_merchant_id: 'MMSHARED',
        payment_provider: provider.id,
      },
    });

    const { response: third, changed: changedByThird } = await create(distributor, {
      mid: 'SHARED3',
      payment_provider: provider.id,
      existing_master_merchant: existing_master_merchant.toUpperCase(),
    });
    expect(third.body.data).toMatchObject({ existing_master_merchant, master_merchant_name: 'Shared Bakery' });
    expect(Object.keys(changedByThird).sort()).toEqual(
      ['BRANCH#SHARED3 BRANCH', entry(provider, third.body.data), entry(distributor, third.body.data)].sort(),
    );
  });

  test('writes no item that another branch of the same master merchant writes', async () => {
    const { distributor, provider } = world;
    const body = { payment_provider: provider.id, terminals: [{ terminal_id: unique('T') }] };
    const { existing_master_merchant } = await newBranch(distributor, body);
    const written = [];
    for (const mid of ['APART1', 'APART2']) {
      const { changed } = await create(distributor, {
        mid,
        payment_provider: provider.id,
        existing_master_merchant,
        terminals: [{ terminal_id: `T${mid}` }],
      });
      written.push(Object.keys(changed));
    }
    expect(written.map(({ length }) => length)).toEqual([4, 4]);
    expect(new Set(written.flat()).size).toBe(8);
  });

  test('sends one read and one write', async () => {
    const { distributor, provider } = world;
    await newSharedBranch(world);
    const sent = await tableRequestsBy(() =>
      call('createBranch', {
        key: distributor.key,
        body: {
          mid: unique('MID'),
          master_merchant_id: unique('MM'),
          payment_provider: provider.id,
          terminals: Array.from({ length: 40 }, () => ({ terminal_id: unique('T') })),
        },
      }),
    );
    expect(sent.response.status).toBe(201);
    expect(operationsOf(sent)).toBe('BatchGetItem TransactWriteItems');
  });

  test('creates separate master merchants when two payment providers use the same master_merchant_id', async () => {
    const { provider, secondProvider } = world;
    const ours = await newBranch(provider, { master_merchant_id: 'MMTWICE' });
    const theirs = await newBranch(secondProvider, { master_merchant_id: 'MMTWICE' });
    expect(ours.existing_master_merchant).not.toBe(theirs.existing_master_merchant);
  });

  test('accepts a MID in UUID form in either case and stores and returns it in lower case', async () => {
    const { provider } = world;
    const sent = '0B0E7C1A-5F0E-4D0C-8B57-0A4B8D2F6C11';
    const mid = sent.toLowerCase();
    const { response, changed } = await create(provider, { mid: sent, master_merchant_id: unique('MM') });
    expect(response.body.data.mid).toBe(mid);
    expect(response.headers['location']).toBe(`https://api.example.com/ext/api/v1/merchants/${mid}`);
    expect(changed).toHaveProperty([`BRANCH#${mid} BRANCH`]);
    for (const path of [sent, mid]) {
      const { body } = await call('getBranch', { key: provider.key, path: { mid: path } });
      expect(body.data.mid).toBe(mid);
    }
    await expectRejected(provider, { mid: sent, master_merchant_id: unique('MM') }, [MID_TAKEN]);
  });

  test('trims texts and treats blank ones as absent', async () => {
    const { provider } = world;
    const { response } = await create(provider, {
      mid: '\tTRIM1 ',
      branch_name: '  Harbour  Café\n',
      area: '',
      city: ' \u00a0\u3000',
      payment_provider: ` ${provider.id.toUpperCase()} `,
      distributor: '',
      existing_master_merchant: ' ',
      master_merchant_id: ' MMTRIM1 ',
      phone: ' +351 210 000 000 ',
      terminals: [{ terminal_id: ' TTRIM1', serial_no: '', payment_app: ' Checkout Go ' }],
    });
    expect(response.status).toBe(201);
    expect(response.body.data).toMatchObject({
      mid: 'TRIM1',
      merchant_name: 'Harbour  Café',
      area: null,
      city: null,
      distributor: null,
      payment_provider: provider.id,
      master_merchant_id: 'MMTRIM1',
      terminals: [{ terminal_id: 'TTRIM1', serial_no: null, payment_app: 'Checkout Go' }],
    });
  });

  test('creates terminals with every field that createTerminals accepts', async () => {
    const { provider } = world;
    const [first, second] = [unique('T'), unique('T')];
    const [serial_no, free] = [unique('S'), unique('S')];
    const full = {
      serial_no,
      terminal_model: 'Pocket',
      payment_app: 'Checkout Go',
      acquirer_name: 'Atlantic Acquiring',
    };
    const { response, changed } = await create(provider, {
      mid: 'FULL1',
      master_merchant_id: 'MMFULL1',
      terminals: [
        { terminal_id: first, ...full },
        { terminal_id: second, serial_no: free },
      ],
    });
    expect(response.status).toBe(201);
    const [{ tid, created_at }, other] = response.body.data.terminals;
    expect(response.body.data.terminals).toMatchObject([full, { serial_no: free, payment_app: null }]);
    expect(changed).toMatchObject({
      [`TERMINAL#${tid} TERMINAL`]: {
        ...full,
        tid,
        terminal_id: first,
        mid: 'FULL1',
        created_at,
        updated_at: created_at,
        branch_order: `${created_at}#000#${tid}`,
      },
      [`SERIAL#${serial_no} SERIAL`]: { tid },
      [`SERIAL#${free} SERIAL`]: { tid: other.tid },
    });
    const listed = await call('listTerminals', { key: provider.key, path: { id: 'FULL1' }, query: { sort: 'asc' } });
    expect(listed.body.data).toEqual(response.body.data.terminals);
  });

  test('warns about every unknown field and stores none of them', async () => {
    const { provider } = world;
    const { response, changed } = await create(provider, {
      mid: 'WARN1',
      merchant_name: 'Harbour Café',
      master_merchant_id: 'MMWARN1',
      'a/b~c': { deep: 1 },
      terminals: [{ terminal_id: 'TWARN1' }, { terminal_id: 'TWARN2', serial: 'SN1', tid: null }],
    });
    expect(response.status).toBe(201);
    expect(Object.keys(response.body)).toEqual(['data', 'warnings']);
    expect(response.body.data).toMatchObject({ mid: 'WARN1', merchant_name: null });
    expect(response.body.warnings).toEqual(
      ['/merchant_name', '/a~1b~0c', '/terminals/1/serial', '/terminals/1/tid'].map(unknownField),
    );
    expect(Object.keys(changed)).toHaveLength(6);
  });

  test('reuses the master merchant of an earlier branch with the same master_merchant_id', async () => {
    const { distributor, provider } = world;
    const details = { master_merchant_name: 'Joined Bakery', email: 'joined@example.com', mcc: '5462' };
    const first = await newBranch(provider, { master_merchant_id: 'MMJOIN', ...details });
    const { existing_master_merchant: uuid } = first;

    const { response, changed } = await create(provider, { mid: 'JOIN2', master_merchant_id: 'MMJOIN', ...details });
    expect(response.status).toBe(201);
    expect(response.body.data).toMatchObject({
      existing_master_merchant: uuid,
      master_merchant_id: 'MMJOIN',
      master_merchant_name: 'Joined Bakery',
    });
    expect(Object.keys(changed).sort()).toEqual([entry(provider, response.body.data), 'BRANCH#JOIN2 BRANCH']);

    // A distributor without a branch of this master merchant, which omits every detail.
    const { response: theirs, changed: changedByThem } = await create(distributor, {
      mid: 'JOIN3',
      payment_provider: provider.id,
      master_merchant_id: 'MMJOIN',
    });
    expect(theirs.status).toBe(201);
    expect(theirs.body.data).toMatchObject({
      existing_master_merchant: uuid,
      master_merchant_name: 'Joined Bakery',
    });
    expect(changedByThem[inLookup(distributor, uuid)]).toEqual({
      name: 'Joined Bakery',
      master_merchant_id: 'MMJOIN',
      payment_provider: provider.id,
    });
    expect(Object.keys(changedByThem)).toHaveLength(4);
  });

  test('accepts existing_master_merchant and master_merchant_id together when they match', async () => {
    const { distributor, provider } = world;
    const { existing_master_merchant } = await newBranch(provider, { master_merchant_id: 'MMBOTH' });
    const both = { existing_master_merchant, master_merchant_id: 'MMBOTH' };
    const { response } = await create(provider, { mid: 'BOTH1', ...both });
    expect(response.body.data).toMatchObject({ mid: 'BOTH1', ...both });
    // For a distributor without a branch of the master merchant, the matching id is what grants access.
    const { response: theirs } = await create(distributor, { mid: 'BOTH2', payment_provider: provider.id, ...both });
    expect(theirs.body.data).toMatchObject({ mid: 'BOTH2', ...both });
  });

  test('creates a new master merchant only once when many concurrent creates name it', async () => {
    const { provider } = world;
    const mids = Array.from({ length: 8 }, (_, at) => `ATONCE${at}`);
    const body = { master_merchant_id: 'MMATONCE', master_merchant_name: 'At Once' };
    const responses = await Promise.all(
      mids.map((mid) => call('createBranch', { key: provider.key, body: { mid, ...body } })),
    );
    expect(responses.map(({ status }) => status)).toEqual(mids.map(() => 201));
    expect(new Set(responses.map((response) => response.body.data.existing_master_merchant)).size).toBe(1);
  });

  test('treats null as absent and accepts the caller’s own UUID', async () => {
    const { provider } = world;
    const mid = 'NULLS1';
    const { response } = await create(provider, {
      mid,
      branch_name: null,
      area: null,
      city: null,
      payment_provider: provider.id,
      distributor: null,
      existing_master_merchant: null,
      master_merchant_id: 'MMNULL',
      master_merchant_name: null,
      email: null,
      country_code: null,
      phone: null,
      mcc: null,
      country: null,
      terminals: null,
    });
    expect(response.status).toBe(201);
    expect(response.body.data).toMatchObject({ mid, status: 'active', distributor: null, terminals: [] });
    expect(response.body).not.toHaveProperty('warnings');
  });

  test('creates up to 40 terminals and returns them in request order', async () => {
    const { provider } = world;
    const ids = Array.from({ length: 40 }, (_, at) => `FORTY${at}`);
    const { terminals, mid } = await newBranch(provider, {
      terminals: ids.map((terminal_id) => ({ terminal_id })),
    });
    expect(terminals.map(({ terminal_id }: { terminal_id: string }) => terminal_id)).toEqual(ids);
    const listed = await call('listTerminals', {
      key: provider.key,
      path: { id: mid },
      query: { sort: 'asc', per_page: '100' },
    });
    expect(listed.body.data).toEqual(terminals);
  });
});

testCommonBehaviour('createBranch', () => ({
  key: world.provider.key,
  body: { mid: unique('MID'), master_merchant_id: unique('MM') },
}));

describe('422', () => {
  const ownerRequired = ['/existing_master_merchant', '/master_merchant_id'].map(
    (pointer) => [pointer, 'required', 'One of existing_master_merchant and master_merchant_id is required.'] as const,
  );

  test('returns every field error of a body at once', async () => {
    await expectRejected(
      world.distributor,
      {
        mid: 'not a mid',
        branch_name: 7,
        area: ['Docks'],
        city: 'x'.repeat(256),
        distributor: world.strangeDistributor.id,
        existing_master_merchant: 'no uuid',
        master_merchant_id: 'no-alphanumeric',
        email: 'nobody',
        phone: '12-34',
        mcc: '12',
        country: 'Bad\u0000Land',
        terminals: [{}, { terminal_id: 'a b' }, { terminal_id: 'DUP' }, 5, { terminal_id: 'DUP', terminal_model: [] }],
      },
      [
        ['/mid', 'invalid_format', 'Must be a UUID, or alphanumeric (0-9, A-Z, a-z) with at most 64 characters.'],
        ['/branch_name', 'invalid_type', 'Must be a string.'],
        ['/area', 'invalid_type', 'Must be a string.'],
        ['/city', 'too_long', 'Must have at most 255 characters.'],
        ['/existing_master_merchant', 'invalid_format', 'Must be a UUID.'],
        ['/master_merchant_id', 'invalid_format', 'Must be alphanumeric (0-9, A-Z, a-z).'],
        ['/email', 'invalid_format', 'Must be an e-mail address, such as name@example.com.'],
        ['/phone', 'invalid_format', 'Must be digits, with single spaces allowed between them, after an optional +.'],
        ['/mcc', 'invalid_format', 'Must be four digits.'],
        ['/country', 'invalid_format', 'Must not have control characters, unpaired surrogates or U+FFFD.'],
        ['/terminals/0/terminal_id', 'required', 'Is required.'],
        ['/terminals/1/terminal_id', 'invalid_format', 'Must be alphanumeric (0-9, A-Z, a-z).'],
        ['/terminals/3', 'invalid_type', 'Must be an object.'],
        ['/terminals/4/terminal_model', 'invalid_type', 'Must be a string.'],
        ['/terminals/4/terminal_id', 'duplicate', 'Appears twice in this request; each terminal_id must differ.'],
        ['/payment_provider', 'required', 'Is required.'],
        ['/distributor', 'not_yourself', 'Must be your own UUID, or omitted.'],
      ],
    );
  });

  test.each([
    ['null', null, 'required', 'Is required.'],
    ['a list', [], 'invalid_type', 'Must be an object.'],
    ['a string', '"text"', 'invalid_type', 'Must be an object.'],
  ])('rejects a body that is %s', async (_, body, code, detail) => {
    const { response, changed } = await create(world.provider, body === null ? 'null' : body);
    expect(response.status).toBe(422);
    expect(response.body.errors[0]).toMatchObject({ code, detail });
    expect(changed).toEqual({});
  });

  test('requires existing_master_merchant or master_merchant_id', async () => {
    await expectRejected(world.provider, { mid: 'NONE1' }, ownerRequired);
    await expectRejected(
      world.provider,
      { mid: 'NONE1', existing_master_merchant: '', master_merchant_id: ' ' },
      ownerRequired,
    );
  });

  test.each([
    ['absent', undefined],
    ['empty', ''],
  ])('lists every required field when the body is %s', async (_, body) => {
    await expectRejected(world.distributor, body, [
      ['/mid', 'required', 'Is required.'],
      ['/payment_provider', 'required', 'Is required.'],
      ...ownerRequired,
    ]);
  });

  test('treats a blank required field as missing', async () => {
    await expectRejected(
      world.distributor,
      { mid: ' ', payment_provider: '', master_merchant_id: 'MMBLANK', terminals: [{ terminal_id: '\n' }] },
      [
        ['/mid', 'required', 'Is required.'],
        ['/terminals/0/terminal_id', 'required', 'Is required.'],
        ['/payment_provider', 'required', 'Is required.'],
      ],
    );
  });

  test('rejects an email address without a dot in its domain', async () => {
    const body = { mid: unique('MID'), master_merchant_id: unique('MM') };
    for (const email of ['office@localhost', 'office.porto@example'])
      await expectRejected(world.provider, { ...body, email }, [
        ['/email', 'invalid_format', 'Must be an e-mail address, such as name@example.com.'],
      ]);
  });

  test('lists every detail that differs from the stored master merchant', async () => {
    const { distributor, provider } = world;
    const { existing_master_merchant } = await newBranch(provider, {
      master_merchant_id: 'MMDIFFERS',
      master_merchant_name: 'Northern Bakery',
      country: 'Portugal',
      distributor: distributor.id,
    });
    const details = {
      master_merchant_name: 'Southern Bakery',
      email: 'south@example.com',
      country_code: 'ES',
      phone: '+34 1',
      mcc: '5812',
      country: 'Spain',
    };
    const fieldErrors = Object.keys(details).map((field) => differs(`/${field}`));
    await expectRejected(provider, { mid: 'DIFF1', master_merchant_id: 'MMDIFFERS', ...details }, fieldErrors);
    await expectRejected(
      distributor,
      { mid: 'DIFF1', payment_provider: provider.id, existing_master_merchant, ...details },
      fieldErrors,
    );
    await expectRejected(
      provider,
      { mid: 'DIFF1', existing_master_merchant, master_merchant_id: 'MMOTHER', country: 'Portugal' },
      [differs('/master_merchant_id')],
    );
  });

  test('does not reveal to a distributor which master_merchant_id an unshared master merchant has', async () => {
    const { distributor, provider } = world;
    const { existing_master_merchant } = await newBranch(provider, { master_merchant_id: 'MMUNSHARED' });
    const body = { mid: 'UNSH1', payment_provider: provider.id, master_merchant_id: 'MMGUESS' };
    await expectRejected(distributor, { ...body, existing_master_merchant }, [MASTER_MERCHANT_UNKNOWN]);
    await expectRejected(distributor, { ...body, existing_master_merchant: UNKNOWN_UUID }, [MASTER_MERCHANT_UNKNOWN]);
  });

  test('lists every taken serial_no and every name that the caller does not have', async () => {
    const { provider, secondProvider } = world;
    const serial_no = unique('S');
    const { mid } = await newBranch(secondProvider);
    await newTerminal(secondProvider, mid, { serial_no });
    await expectRejected(
      provider,
      {
        mid: unique('MID'),
        master_merchant_id: unique('MM'),
        terminals: [
          { terminal_id: unique('T'), serial_no, payment_app: 'Nobody Pay' },
          { terminal_id: unique('T'), acquirer_name: 'Nobody Bank' },
        ],
      },
      [
        ['/terminals/0/payment_app', 'not_found', 'Must be one of your payment apps; see lookup paymentApp.'],
        ['/terminals/1/acquirer_name', 'not_found', 'Must be one of your master acquirers; see lookup acquirers.'],
        ['/terminals/0/serial_no', 'taken', 'Another terminal has this serial_no.'],
      ],
    );
  });

  test('rejects a serial_no that appears twice in the request', async () => {
    const [serial_no, mid] = [unique('S'), unique('MID')];
    const terminals = [1, 2].map(() => ({ terminal_id: unique('T'), serial_no }));
    await expectRejected(world.provider, { mid, master_merchant_id: unique('MM'), terminals }, [
      ['/terminals/1/serial_no', 'duplicate', 'Appears twice in this request; each serial_no must differ.'],
    ]);
  });

  test('rejects an empty list of terminals and one of more than 40', async () => {
    const terminals = Array.from({ length: 41 }, (_, at) => ({ terminal_id: `MANY${at}` }));
    const body = { mid: 'LEN1', master_merchant_id: 'MMLEN1' };
    await expectRejected(world.provider, { ...body, terminals: [] }, [
      ['/terminals', 'too_short', 'Must have at least 1 item.'],
    ]);
    await expectRejected(world.provider, { ...body, terminals }, [
      ['/terminals', 'too_long', 'Must have at most 40 items.'],
    ]);
  });

  test('lists everything that is taken at once, without a write', async () => {
    const { provider } = world;
    const { mid, master_merchant_id } = await newBranch(provider, { country: 'Portugal' });
    const { terminal_id } = await newTerminal(provider, mid);
    const { terminal_id: other } = await newTerminal(provider, mid);
    await expectRejected(
      provider,
      {
        mid,
        master_merchant_id,
        country: 'Spain',
        terminals: [{ terminal_id: other }, { terminal_id: unique('FREE') }, { terminal_id }],
      },
      [MID_TAKEN, differs('/country'), terminalTaken(0), terminalTaken(2)],
    );
  });

  test('lists what is taken together with an unknown existing_master_merchant', async () => {
    const { distributor, provider } = world;
    const terminal_id = unique('T');
    const { mid } = await newSharedBranch(world, { terminals: [{ terminal_id }] });
    const body = { mid, existing_master_merchant: UNKNOWN_UUID, terminals: [{ terminal_id }] };
    const fieldErrors = [MID_TAKEN, MASTER_MERCHANT_UNKNOWN, terminalTaken(0)];
    await expectRejected(provider, body, fieldErrors);
    await expectRejected(distributor, { ...body, payment_provider: provider.id }, fieldErrors);
  });

  test('rejects a MID that a branch of another acquirer has', async () => {
    const { mid } = await newBranch(world.secondProvider);
    await expectRejected(world.provider, { mid, master_merchant_id: unique('MM') }, [MID_TAKEN]);
  });

  test('rejects a payment_provider or distributor that is not a partner', async () => {
    const { distributor, provider, stranger, strangeDistributor } = world;
    const self = 'Must be the UUID of a partner, not your own.';
    const own = 'Must be your own UUID, or omitted.';
    const body = () => ({ mid: unique('P'), master_merchant_id: unique('MM') });
    await expectRejected(distributor, { ...body(), payment_provider: stranger.id }, [
      ['/payment_provider', 'not_a_partner', NOT_A_PARTNER],
    ]);
    await expectRejected(distributor, { ...body(), payment_provider: distributor.id }, [
      ['/payment_provider', 'not_a_partner', self],
    ]);
    await expectRejected(provider, { ...body(), distributor: strangeDistributor.id }, [
      ['/distributor', 'not_a_partner', NOT_A_PARTNER],
    ]);
    await expectRejected(provider, { ...body(), distributor: provider.id }, [['/distributor', 'not_a_partner', self]]);
    await expectRejected(provider, { ...body(), payment_provider: stranger.id }, [
      ['/payment_provider', 'not_yourself', own],
    ]);
  });

  test('reveals nothing about the data of a payment provider to an acquirer that is not its partner', async () => {
    const { distributor, stranger } = world;
    const terminals = [{ terminal_id: unique('T') }];
    const { mid, master_merchant_id, existing_master_merchant } = await newBranch(stranger, { terminals });
    for (const guess of [
      { master_merchant_id },
      { master_merchant_id: unique('MM') },
      { existing_master_merchant },
      { existing_master_merchant: UNKNOWN_UUID },
    ])
      for (const taken of [{}, { mid }, { terminals }, { mid, terminals }])
        await expectRejected(distributor, { mid: unique('P'), payment_provider: stranger.id, ...guess, ...taken }, [
          ['/payment_provider', 'not_a_partner', NOT_A_PARTNER],
        ]);
  });

  test('does not read the branch list of an acquirer that is not a partner', async () => {
    const { distributor, stranger } = world;
    SEALING.probability = 1;
    const body = { mid: unique('P'), payment_provider: stranger.id, master_merchant_id: unique('MM') };
    const sent = await tableRequestsBy(() => call('createBranch', { key: distributor.key, body }));
    SEALING.probability = 0;
    expectProblem(sent.response, 'validation_failed', [['/payment_provider', 'not_a_partner', NOT_A_PARTNER]]);
    expect(operationsOf(sent)).toBe('BatchGetItem');
  });

  test('returns only not_a_partner when a payment provider names an unrelated distributor', async () => {
    const { provider, strangeDistributor } = world;
    const terminals = [{ terminal_id: unique('T') }];
    const { mid, master_merchant_id } = await newBranch(provider, { terminals });
    await expectRejected(provider, { mid, master_merchant_id, terminals, distributor: strangeDistributor.id }, [
      ['/distributor', 'not_a_partner', NOT_A_PARTNER],
    ]);
  });

  test('rejects an existing master merchant of another payment provider or one that the caller cannot access', async () => {
    const { distributor, provider, secondProvider } = world;
    const unshared = await newBranch(provider);
    const ofSecond = await newBranch(distributor, { payment_provider: secondProvider.id });
    const naming = (existing_master_merchant: string, payment_provider?: string) => ({
      mid: unique('MID'),
      existing_master_merchant,
      ...(payment_provider && { payment_provider }),
    });
    await expectRejected(provider, naming(UNKNOWN_UUID), [MASTER_MERCHANT_UNKNOWN]);
    // A UUID of version 9, which RFC 9562 does not define.
    await expectRejected(distributor, naming('7d0a1a36-4d6f-9b53-9b0e-1f8f0b6b1c55', provider.id), [
      MASTER_MERCHANT_UNKNOWN,
    ]);
    await expectRejected(provider, naming(ofSecond.existing_master_merchant), [MASTER_MERCHANT_UNKNOWN]);
    await expectRejected(distributor, naming(unshared.existing_master_merchant, provider.id), [
      MASTER_MERCHANT_UNKNOWN,
    ]);
    await expectRejected(distributor, naming(ofSecond.existing_master_merchant, provider.id), [
      MASTER_MERCHANT_UNKNOWN,
    ]);
  });
});
