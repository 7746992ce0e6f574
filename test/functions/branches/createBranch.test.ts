import { describe, expect, test } from '@jest/globals';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { masterMerchantEntryKey } from '../../../lib/table/keys.ts';
import { beforeNextWrite } from '../../lib/table/intercept.ts';
import { call, expectProblem } from '../../support/api.ts';
import { NAME_UUID, NO_MASTER_ACQUIRER, NO_PAYMENT_APP, TIME, unknownField } from '../../support/constants.ts';
import { bodyOf } from '../../support/outcomes.ts';
import { branchBody, terminalBody } from '../../support/requests.ts';
import { storedBy } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import {
  type Caller,
  newBranch,
  newSharedBranch,
  newTerminal,
  numbered,
  unique,
  useWorld,
} from '../../support/world.ts';
import { shownTerminal, storedTerminal } from '../terminals/terminals.ts';

type FieldError = [pointer: string, code: string, detail: string];
const taken = (pointer: string, what: string): FieldError => [pointer, 'taken', `Another ${what}.`];
const MID_TAKEN = taken('/mid', 'branch has this MID');
const terminalTaken = (at: number) => taken(`/terminals/${at}/terminal_id`, 'terminal has this terminal_id');
const DIFFERS = 'Differs from what is stored for this master merchant. Send the stored value, or omit the field.';
const differs = (pointer: string): FieldError => [pointer, 'differs', DIFFERS];
const LOOKS_ALIKE =
  'Looks like the stored value, but differs in invisible characters, spaces, forms of letters or case. Send what ' +
  'find returns, or omit the field.';
const NO_PARTNER = 'Must be the UUID of one of your partners.';
const notAPartner = (pointer: string, detail = NO_PARTNER): FieldError => [pointer, 'not_a_partner', detail];
const MASTER_MERCHANT_UNKNOWN: FieldError = [
  '/existing_master_merchant',
  'not_found',
  'Must be a master merchant of this payment provider that you may use; see lookup masterMerchants.',
];

/** A UUID that belongs to no master merchant. */
const UNKNOWN_UUID = '5f1f7f3e-9c51-4b6c-8a88-0f4c5b4d9a01';

const world = useWorld();

const create = (caller: Caller, body: unknown) => storedBy(() => call('createBranch', { key: caller.key, body }));

/** Asserts a 422 with exactly these field errors, no write request and an unchanged table. */
async function expectRejected(caller: Caller, body: unknown, fieldErrors: FieldError[]): Promise<void> {
  const { response: sent, changed } = await storedBy(() =>
    tableRequestsBy(() => call('createBranch', { key: caller.key, body })),
  );
  expectProblem(sent.response, 'validation_failed', fieldErrors);
  expect(sent.requests.filter(({ operation }) => !/Get/.test(operation))).toEqual([]);
  expect(changed).toEqual({});
}

/** A body with every text. */
const fullBody = () => branchBody() as object as Record<string, string>;
/** A body with the required fields only. */
const newBody = (more: object = {}) => ({ mid: unique('MID'), master_merchant_id: unique('MM'), ...more });

/** The key of a master merchant in an acquirer's lookup, as `changed` names it. */
const inLookup = ({ id }: Pick<Caller, 'id'>, uuid: string): string => {
  const { pk, sk } = masterMerchantEntryKey(id, uuid);
  return `${pk} ${sk}`;
};

/** A new branch in the response, with `null` for fields that are not given. */
const shownBranch = (fields: Record<string, unknown>) => ({
  merchant_name: null,
  area: null,
  city: null,
  master_merchant_name: null,
  status: 'active',
  created_at: TIME,
  existing_master_merchant: NAME_UUID,
  distributor: null,
  terminal_count: 0,
  updated_at: fields['created_at'],
  archived_at: null,
  terminals: [],
  ...fields,
});

/** The stored item of a new branch without terminals, from its response. */
const storedBranch = ({ status: _, terminals, terminal_count, ...shown }: Record<string, unknown>) => {
  const { created_at, distributor } = shown;
  const position = Date.parse(String(created_at));
  return {
    ...Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null)),
    provider_position: position,
    ...(distributor !== null && { distributor_position: position }),
    terminals_changed_at: created_at,
  };
};

/** What a new branch without terminals stores of itself: its item, and an entry in the list of each acquirer. */
const itemsOf = (data: Record<string, unknown>, ...acquirers: Caller[]) => ({
  [`BRANCH#${data['mid']} BRANCH`]: storedBranch(data),
  ...Object.fromEntries(
    acquirers.map(({ id }) => [`ACQUIRER#${id} BRANCH_LIST#${data['created_at']}#${data['mid']}`, {}]),
  ),
});

/** Asserts that getBranch returns a new branch to these acquirers as its create did. */
async function expectGot({ terminals, ...branch }: { mid: string; terminals: object }, ...callers: Caller[]) {
  for (const { key } of callers)
    expect(await bodyOf(() => call('getBranch', { key, path: { mid: branch.mid } }))).toEqual({ data: branch });
}

describe('201', () => {
  test('creates a branch, its master merchant and its terminals with every field', async () => {
    const { secondProvider: provider } = world;
    const sent = fullBody();
    const sentTerminals = [terminalBody(), { terminal_id: unique('T') }];
    const { response, changed, events } = await create(provider, { ...sent, terminals: sentTerminals });

    const { mid, branch_name, area, city, master_merchant_id, master_merchant_name } = sent;
    const { created_at, existing_master_merchant: uuid, terminals } = response.body.data;
    expect(response.status).toBe(201);
    expect(response.headers['location']).toBe(`https://api.example.com/ext/api/v1/merchants/${mid}`);
    expect(created_at).toEqual(TIME);
    expect(response.body).toEqual({
      data: shownBranch({
        ...{ mid, merchant_name: branch_name, area, city, master_merchant_name, master_merchant_id, created_at },
        payment_provider: provider.id,
        terminal_count: 2,
        terminals: sentTerminals.map((terminal) =>
          shownTerminal({ ...terminal, mid, created_at, updated_at: created_at }),
        ),
      }),
    });
    const [first, second] = terminals;
    const creation_event = events?.[provider.id]?.[0]?.id;
    const { email, country_code, phone, mcc, country } = sent;
    expect(changed).toEqual({
      ...itemsOf(response.body.data, provider),
      [`BRANCH#${mid} BRANCH`]: {
        ...storedBranch(response.body.data),
        terminals: [`${created_at}#000#${first.tid}`, `${created_at}#001#${second.tid}`],
      },
      [inLookup(provider, uuid)]: { name: master_merchant_name, master_merchant_id },
      [`MASTER_MERCHANT#${uuid} MASTER_MERCHANT`]: {
        ...{ uuid, payment_provider: provider.id, master_merchant_id, name: master_merchant_name },
        ...{ email, country_code, phone, mcc, country },
      },
      [`TERMINAL#${first.tid} TERMINAL`]: { ...storedTerminal(first), creation_event },
      [`SERIAL#${first.serial_no} SERIAL`]: { tid: first.tid },
      [`TERMINAL#${second.tid} TERMINAL`]: { ...storedTerminal(second, 1), creation_event },
    });
    await expectGot(response.body.data, provider);
  });

  test('creates a distributor’s branch, in the lists and with the master merchant in the lookups of both', async () => {
    const { distributor, provider } = world;
    const { mid, master_merchant_id } = newBody();
    const payment_provider = provider.id.toUpperCase();
    const { response, changed } = await create(distributor, { mid, master_merchant_id, payment_provider });

    const { created_at, existing_master_merchant: uuid } = response.body.data;
    const acquirers = { payment_provider: provider.id, distributor: distributor.id };
    expect(response.status).toBe(201);
    expect(response.body).toEqual({ data: shownBranch({ mid, master_merchant_id, created_at, ...acquirers }) });
    expect(changed).toEqual({
      ...itemsOf(response.body.data, provider, distributor),
      [`MASTER_MERCHANT#${uuid} MASTER_MERCHANT`]: { uuid, payment_provider: provider.id, master_merchant_id },
      [inLookup(provider, uuid)]: { master_merchant_id },
      [inLookup(distributor, uuid)]: { master_merchant_id, payment_provider: provider.id },
    });
    await expectGot(response.body.data, provider, distributor);
  });

  test('takes name and id from an existing master merchant and shares it with the named distributor', async () => {
    const { distributor, provider } = world;
    const owner = await newBranch(provider, { master_merchant_name: 'Shared Bakery' });
    const { existing_master_merchant, master_merchant_id } = owner;
    const named = { existing_master_merchant, master_merchant_id, master_merchant_name: 'Shared Bakery' };

    const mid = unique('MID');
    const { response, changed } = await create(provider, {
      mid,
      existing_master_merchant,
      distributor: distributor.id,
    });
    const { data } = response.body;
    expect(response.status).toBe(201);
    expect(data).toMatchObject({ ...named, distributor: distributor.id });
    const shared = { name: 'Shared Bakery', master_merchant_id, payment_provider: provider.id };
    expect(changed).toEqual({
      ...itemsOf(data, provider, distributor),
      [inLookup(distributor, existing_master_merchant)]: shared,
    });

    const third = await create(distributor, {
      mid: unique('MID'),
      payment_provider: provider.id,
      existing_master_merchant: existing_master_merchant.toUpperCase(),
    });
    expect(third.response.body.data).toMatchObject(named);
    expect(third.changed).toEqual(itemsOf(third.response.body.data, provider, distributor));
  });

  test('reuses the master merchant of an earlier branch with the same master_merchant_id', async () => {
    const { distributor, provider } = world;
    const details = { master_merchant_name: 'Joined Bakery', email: 'joined@example.com', mcc: '5462' };
    const { existing_master_merchant: uuid, master_merchant_id } = await newBranch(provider, details);
    const joined = { existing_master_merchant: uuid, master_merchant_id, master_merchant_name: 'Joined Bakery' };

    const ours = await create(provider, newBody({ master_merchant_id, ...details }));
    expect(ours.response.body.data).toMatchObject(joined);
    expect(ours.changed).toEqual(itemsOf(ours.response.body.data, provider));

    // A distributor without a branch of this master merchant, which omits every detail.
    const theirs = await create(distributor, newBody({ payment_provider: provider.id, master_merchant_id }));
    expect(theirs.response.body.data).toMatchObject(joined);
    expect(theirs.changed).toEqual({
      ...itemsOf(theirs.response.body.data, provider, distributor),
      [inLookup(distributor, uuid)]: { name: 'Joined Bakery', master_merchant_id, payment_provider: provider.id },
    });
  });

  test('accepts existing_master_merchant and master_merchant_id together when they match', async () => {
    const { distributor, provider } = world;
    const { existing_master_merchant, master_merchant_id } = await newBranch(provider);
    const both = { existing_master_merchant, master_merchant_id };
    const { response } = await create(provider, newBody(both));
    expect(response.body.data).toMatchObject(both);
    // For a distributor without a branch of the master merchant, the matching id is what grants access.
    const { response: theirs } = await create(distributor, newBody({ payment_provider: provider.id, ...both }));
    expect(theirs.body.data).toMatchObject(both);
  });

  test.each([
    [
      'composed, then decomposed',
      { master_merchant_name: 'Caf\u00e9 S\u00e3o' },
      { master_merchant_name: 'Cafe\u0301 Sa\u0303o' },
    ],
    ['in another case of ASCII letters', { email: 'Info@M\u00fcller.de' }, { email: 'info@m\u00fcller.DE' }],
    ['with other spaces', { phone: '+351 912 345 678' }, { phone: '+351912\u00a0345678' }],
    ['in other case', { country_code: 'pt', country: 'Espa\u00f1a' }, { country_code: 'PT', country: 'ESPAN\u0303A' }],
  ])('takes details that look alike for the same, and keeps what was stored first: %s', async (_, first, later) => {
    const { provider } = world;
    const { existing_master_merchant, master_merchant_id } = await newBranch(provider, first);
    const { response, changed } = await create(provider, { mid: unique('MID'), master_merchant_id, ...later });
    expect(response.status).toBe(201);
    expect(Object.keys(changed).filter((key) => key.includes(existing_master_merchant))).toEqual([]);
    expect((await call('find', { key: provider.key, query: { master_merchant_id } })).body.data).toMatchObject(first);
  });

  test('sends one read and one write, also with 40 terminals, and returns them in request order', async () => {
    const { key } = world.provider;
    // Caches the API key.
    await newBranch(world.provider);
    const terminals = numbered(unique('T'), 40);
    const body = newBody({ terminals });
    const sent = await tableRequestsBy(() => call('createBranch', { key, body }));
    expect(sent.response.status).toBe(201);
    expect(operationsOf(sent)).toBe('BatchGetItem TransactWriteItems');
    const { data } = sent.response.body;
    expect(data.terminals).toMatchObject(terminals);
  });

  test('accepts a MID in UUID form in either case and stores and returns it in lower case', async () => {
    const { provider } = world;
    const mid = crypto.randomUUID();
    const { response, changed } = await create(provider, newBody({ mid: mid.toUpperCase() }));
    expect(response.body.data.mid).toBe(mid);
    expect(response.headers['location']).toBe(`https://api.example.com/ext/api/v1/merchants/${mid}`);
    expect(changed).toHaveProperty([`BRANCH#${mid} BRANCH`]);
    for (const path of [mid.toUpperCase(), mid]) {
      const { body } = await call('getBranch', { key: provider.key, path: { mid: path } });
      expect(body.data.mid).toBe(mid);
    }
    await expectRejected(provider, newBody({ mid: mid.toUpperCase() }), [MID_TAKEN]);
  });

  test('stores a MID, ids and a phone number without what is invisible, and finds them as they were sent', async () => {
    const { key } = world.provider;
    const ids = { mid: unique('MID'), master_merchant_id: unique('MM') };
    const terminal = { terminal_id: unique('T'), serial_no: unique('S') };
    const sent = <T extends object>(fields: T): T =>
      Object.fromEntries(
        Object.entries(fields).map(([name, id]) => [name, `\u202d${id.slice(0, 3)}\u200b${id.slice(3)}\u202c`]),
      ) as T;
    const details = { phone: '+351 220 000 000', country_code: 'PT' };
    const { changed } = await create(world.provider, { ...sent({ ...ids, ...details }), terminals: [sent(terminal)] });
    expect(JSON.stringify(changed)).not.toMatch(/\p{Default_Ignorable_Code_Point}/u);
    expect(changed).toHaveProperty([`BRANCH#${ids.mid} BRANCH`]);
    expect(changed).toHaveProperty([`SERIAL#${terminal.serial_no} SERIAL`]);
    await expectRejected(world.provider, { ...sent(ids) }, [MID_TAKEN]);
    const shown = await call('getBranch', { key, path: sent({ mid: ids.mid }) });
    expect(shown.body.data.mid).toBe(ids.mid);
    for (const [by, id] of Object.entries(sent({ ...ids, ...terminal }))) {
      const { status, body } = await call('find', { key, query: { [by]: ` ${id}` } });
      expect([by, status, body.data[by]]).toEqual([by, 200, { ...ids, ...terminal }[by]]);
    }
  });

  test.each([
    ['null', null],
    ['blank', ' \n'],
    ['invisible', '\u200b\ufeff'],
  ])('treats an optional field that is %s as absent', async (_, absent) => {
    const { provider } = world;
    const { mid, master_merchant_id, ...optional } = fullBody();
    const nothing = { merchant_name: null, area: null, city: null, master_merchant_name: null };
    const fields = ['distributor', 'existing_master_merchant', ...Object.keys(optional)];
    const body = { mid, master_merchant_id, ...Object.fromEntries(fields.map((field) => [field, absent])) };
    const { response, changed } = await create(provider, { ...body, terminals: null });
    expect(response.status).toBe(201);
    expect(response.body).not.toHaveProperty('warnings');
    const { data } = response.body;
    expect(data).toMatchObject({ payment_provider: provider.id, distributor: null, terminals: [], ...nothing });
    const uuid = data.existing_master_merchant;
    expect(changed).toEqual({
      ...itemsOf(data, provider),
      [`MASTER_MERCHANT#${uuid} MASTER_MERCHANT`]: { uuid, payment_provider: provider.id, master_merchant_id },
      [inLookup(provider, uuid)]: { master_merchant_id },
    });
  });

  test('accepts the caller’s own UUID, in either case', async () => {
    const { distributor, provider } = world;
    const names = { payment_provider: provider.id, distributor: distributor.id };
    for (const [caller, own] of [
      [provider, { payment_provider: ` ${provider.id.toUpperCase()} ` }],
      [distributor, { distributor: distributor.id.toUpperCase() }],
    ] as const)
      expect(await newBranch(caller, { ...names, ...own })).toMatchObject(names);
  });

  test('warns about every unknown field of its terminals and stores none of them', async () => {
    const terminals = [{ terminal_id: unique('T') }, { terminal_id: unique('T'), serial: 'SN1', tid: null }];
    const { response, changed } = await create(world.provider, newBody({ terminals }));
    expect([response.status, Object.keys(response.body)]).toEqual([201, ['data', 'warnings']]);
    expect(response.body.warnings).toEqual(['/terminals/1/serial', '/terminals/1/tid'].map(unknownField));
    expect(JSON.stringify(changed)).not.toContain('SN1');
  });
});

describe('422', () => {
  test('returns every field error of a body at once', async () => {
    await expectRejected(
      world.distributor,
      {
        mid: 'not a mid',
        distributor: world.strangeDistributor.id,
        existing_master_merchant: 'no uuid',
        master_merchant_name: '4111 1111 1111 1111',
        phone: '12-34',
        terminals: [{}, { terminal_id: 'DUP' }, 5, { terminal_id: 'DUP', terminal_model: [] }, null],
      },
      [
        ['/mid', 'invalid_format', 'Must be a UUID, or alphanumeric (0-9, A-Z, a-z) with at most 64 characters.'],
        ['/payment_provider', 'required', 'Is required.'],
        ['/distributor', 'not_yourself', 'Must be your own UUID, or omitted.'],
        ['/existing_master_merchant', 'invalid_format', 'Must be a UUID.'],
        ['/master_merchant_name', 'card_number', 'Must not contain a payment card number.'],
        [
          '/phone',
          'invalid_format',
          'Must be digits, with spaces allowed between them, after an optional +, such as +351 210 000 000.',
        ],
        ['/terminals/0/terminal_id', 'required', 'Is required.'],
        ['/terminals/2', 'invalid_type', 'Must be an object.'],
        ['/terminals/3/terminal_model', 'invalid_type', 'Must be a string.'],
        ['/terminals/4', 'required', 'Is required.'],
        ['/terminals/3/terminal_id', 'duplicate', 'Appears twice in this request; each terminal_id must differ.'],
      ],
    );
  });

  test('lists every detail that differs from the stored master merchant', async () => {
    const { distributor, provider } = world;
    const stored = { master_merchant_name: 'Northern Bakery', country: 'Portugal', distributor: distributor.id };
    const { existing_master_merchant, master_merchant_id } = await newBranch(provider, stored);
    const details = {
      master_merchant_name: 'Southern Bakery',
      email: 'south@example.com',
      country_code: 'ES',
      phone: '+34 1',
      mcc: '5812',
      country: 'Spain',
    };
    const fieldErrors = Object.keys(details).map((field) => differs(`/${field}`));
    const mid = unique('MID');
    await expectRejected(provider, { mid, master_merchant_id, ...details }, fieldErrors);
    const theirs = { mid, payment_provider: provider.id, existing_master_merchant, ...details };
    await expectRejected(distributor, theirs, fieldErrors);
    const another = newBody({ existing_master_merchant, country: 'Portugal' });
    await expectRejected(provider, another, [differs('/master_merchant_id')]);
  });

  test.each([
    ['accents', { master_merchant_name: 'Caf\u00e9' }, { master_merchant_name: 'Cafe' }],
    ['digits', { phone: '+351 912 345 678' }, { phone: '351912345678' }],
    ['letters', { country: 'Portugal' }, { country: 'Portuga' }],
  ])('does not take details for the same that differ in %s', async (_, first, later) => {
    const { master_merchant_id } = await newBranch(world.provider, first);
    const body = { mid: unique('MID'), master_merchant_id, ...later };
    await expectRejected(world.provider, body, [differs(`/${Object.keys(later)[0]}`)]);
  });

  test.each([
    ['case', { master_merchant_name: 'Caf\u00e9' }, { master_merchant_name: 'CAF\u00c9' }],
    ['case of other letters in an address', { email: 'info@m\u00fcller.de' }, { email: 'info@M\u00dcLLER.de' }],
    ['a joiner', { master_merchant_name: 'Caf\u00e9 Porto' }, { master_merchant_name: 'Caf\u00e9\u200d Porto' }],
    ['a no-break space', { country: 'New Zealand' }, { country: 'New\u00a0Zealand' }],
    ['the width of letters', { master_merchant_name: 'ABC' }, { master_merchant_name: '\uff21\uff22\uff23' }],
    ['a ligature', { master_merchant_name: 'Office' }, { master_merchant_name: 'O\ufb03ce' }],
  ])('says that details look alike that differ in %s, without the stored value', async (_, first, later) => {
    const { master_merchant_id } = await newBranch(world.provider, first);
    const body = { mid: unique('MID'), master_merchant_id, ...later };
    await expectRejected(world.provider, body, [[`/${Object.keys(later)[0]}`, 'differs', LOOKS_ALIKE]]);
  });

  test('lists everything that is taken, unknown or different at once', async () => {
    const { provider, secondProvider } = world;
    // The MID and the first terminal are those of another acquirer.
    const { mid } = await newBranch(secondProvider);
    const foreign = await newTerminal(secondProvider, mid, { serial_no: unique('S') });
    const own = await newBranch(provider, { country: 'Portugal', terminals: numbered(unique('T'), 1) });
    await expectRejected(
      provider,
      {
        mid,
        master_merchant_id: own.master_merchant_id,
        country: 'Spain',
        terminals: [
          { terminal_id: foreign.terminal_id, payment_app: 'Nobody Pay' },
          { terminal_id: unique('FREE'), serial_no: foreign.serial_no },
          { terminal_id: own.terminals[0].terminal_id, acquirer_name: 'Nobody Bank' },
        ],
      },
      [
        MID_TAKEN,
        differs('/country'),
        ['/terminals/0/payment_app', 'not_found', NO_PAYMENT_APP],
        ['/terminals/2/acquirer_name', 'not_found', NO_MASTER_ACQUIRER],
        terminalTaken(0),
        taken('/terminals/1/serial_no', 'terminal has this serial_no'),
        terminalTaken(2),
      ],
    );
  });

  test('lists all faults also if another create with its MID and new master merchant comes in between', async () => {
    const { key } = world.provider;
    const body = { ...branchBody(), master_merchant_name: 'Harbour Cafés' };
    beforeNextWrite(() => call('createBranch', { key, body: { ...body, master_merchant_name: 'Other' } }));
    const response = await call('createBranch', { key, body });
    expectProblem(response, 'validation_failed', [MID_TAKEN, differs('/master_merchant_name')]);
  });

  test('lists what is taken together with an unknown existing_master_merchant', async () => {
    const { distributor, provider } = world;
    const terminals = numbered(unique('T'), 1);
    const { mid } = await newSharedBranch(world, { terminals });
    const body = { mid, existing_master_merchant: UNKNOWN_UUID, terminals };
    const fieldErrors = [MID_TAKEN, MASTER_MERCHANT_UNKNOWN, terminalTaken(0)];
    await expectRejected(provider, body, fieldErrors);
    await expectRejected(distributor, { ...body, payment_provider: provider.id }, fieldErrors);
  });

  test('rejects a master merchant that the distributor does not use, or only with another provider', async () => {
    const { distributor, provider, secondProvider } = world;
    const unused = await newBranch(provider);
    const ofAnother = await newBranch(distributor, { payment_provider: secondProvider.id });
    for (const { existing_master_merchant } of [unused, ofAnother]) {
      const body = { mid: unique('MID'), payment_provider: provider.id, existing_master_merchant };
      await expectRejected(distributor, body, [MASTER_MERCHANT_UNKNOWN]);
    }
  });

  test('rejects acquirers that name themselves as their partner', async () => {
    const { distributor, provider } = world;
    const yourself = (pointer: string) => notAPartner(pointer, 'Must be the UUID of a partner, not your own.');
    const asProvider = newBody({ payment_provider: distributor.id });
    await expectRejected(distributor, asProvider, [yourself('/payment_provider')]);
    await expectRejected(provider, newBody({ distributor: provider.id }), [yourself('/distributor')]);
  });

  test('does not read the branch list of an acquirer that is not a partner', async () => {
    const { distributor, stranger } = world;
    SEALING.probability = 1;
    const body = newBody({ payment_provider: stranger.id });
    const sent = await tableRequestsBy(() => call('createBranch', { key: distributor.key, body }));
    SEALING.probability = 0;
    expectProblem(sent.response, 'validation_failed', [notAPartner('/payment_provider')]);
    expect(operationsOf(sent)).toBe('BatchGetItem');
  });

  test('returns only not_a_partner when a payment provider names an unrelated distributor', async () => {
    const { provider, strangeDistributor } = world;
    const terminals = numbered(unique('T'), 1);
    const { mid, master_merchant_id } = await newBranch(provider, { terminals });
    await expectRejected(provider, { mid, master_merchant_id, terminals, distributor: strangeDistributor.id }, [
      notAPartner('/distributor'),
    ]);
  });
});
