import { beforeAll, describe, expect, test } from '@jest/globals';
import { addCard, addReward } from '../lib/operator/memberImport.ts';
import { type ApiResponse, call, OPERATIONS, type Operation, type Request } from './support/api.ts';
import { newWorld, unique, type World } from './support/world.ts';

/*
 * The interface document, operation by operation, as a partner would check it without any other source. The tests of
 * the operations cover what it leaves open.
 */

let world: World;
let provider: string;
let distributor: string;
beforeAll(async () => {
  world = await newWorld();
  provider = world.provider.key;
  distributor = world.distributor.key;
  await addCard('anna', { card_id: 'card-anna', card_pseudo_token: 'token-anna' });
  await addReward('anna', {
    reward_id: 'welcome',
    name: 'Welcome',
    currency: 'EUR',
    minimum_amount: 10,
    valid_from: '2020-01-01T00:00:00.000Z',
    expires_at: '2999-01-01T00:00:00.000Z',
  });
});

/** Sends a request and asserts its status. */
async function request(status: number, operation: Operation, request: Request): Promise<ApiResponse> {
  const response = await call(operation, { key: provider, ...request });
  expect([response.status, response.body.errors]).toEqual([status, status === 422 ? expect.any(Array) : undefined]);
  return response;
}
const pointers = ({ body }: ApiResponse): string[] => body.errors.map(({ pointer }: { pointer: string }) => pointer);

const newBody = (more: object = {}) => ({ mid: unique('MID'), master_merchant_id: unique('MM'), ...more });
const createBranch = async (more: object = {}, key = provider) =>
  (await request(201, 'createBranch', { key, body: newBody(more) })).body.data;
const createTerminal = async (mid: string, more: object = {}) =>
  (
    await request(201, 'createTerminals', {
      path: { id: mid },
      body: { terminals: [{ terminal_id: unique('T'), ...more }] },
    })
  ).body.data[0];
/** Creates a branch of an unrelated acquirer, with a terminal. */
async function newForeignBranch() {
  const terminals = [{ terminal_id: unique('T') }];
  const branch = await createBranch({ terminals }, world.stranger.key);
  return { mid: branch.mid, tid: branch.terminals[0].tid };
}
const branchNow = async (mid: string) => (await request(200, 'getBranch', { path: { mid } })).body.data;
const terminalsNow = async (mid: string) =>
  (await request(200, 'listTerminals', { path: { id: mid }, query: { sort: 'asc' } })).body.data;

describe('access', () => {
  test.each(OPERATIONS)('%s needs a valid API key', async (operation) => {
    for (const key of [undefined, '', 'nonsense']) await request(401, operation, { key });
  });

  test('a branch is accessible to its payment provider and its distributor only', async () => {
    const { mid } = await createBranch({ payment_provider: world.provider.id }, distributor);
    for (const key of [provider, distributor]) await request(200, 'getBranch', { key, path: { mid } });
    for (const { key } of [world.stranger, world.secondProvider, world.strangeDistributor])
      await request(404, 'getBranch', { key, path: { mid } });
  });
});

describe('list branches', () => {
  test('returns data, links and meta, and the listed fields of each branch', async () => {
    await createBranch({ branch_name: 'Listed', area: 'Docks', city: 'Porto' });
    const { body } = await request(200, 'listBranches', {});
    expect(body.data[0]).toMatchObject({
      mid: expect.any(String),
      merchant_name: 'Listed',
      area: 'Docks',
      city: 'Porto',
      status: 'active',
      master_merchant_name: null,
      master_merchant_id: expect.any(String),
    });
    expect(Object.keys(body.links).sort()).toEqual(['first', 'last', 'next', 'prev']);
    expect(Object.keys(body.meta).sort()).toEqual(['current_page', 'per_page', 'total']);
  });

  test('sorts by created_at, newest first by default', async () => {
    const first = await createBranch();
    const last = await createBranch();
    const mids = async (query: Record<string, string>) =>
      (await request(200, 'listBranches', { query: { per_page: '100', ...query } })).body.data.map(
        ({ mid }: { mid: string }) => mid,
      );
    const descending = await mids({});
    expect(descending.indexOf(last.mid)).toBeLessThan(descending.indexOf(first.mid));
    expect(await mids({ sort: 'desc' })).toEqual(descending);
    expect(await mids({ sort: 'asc' })).toEqual(descending.toReversed());
  });

  test('has 10 items per page by default, and null links for pages that do not exist', async () => {
    const key = world.secondProvider.key;
    for (let count = 0; count < 11; count += 1) await createBranch({}, key);
    const { body: first } = await request(200, 'listBranches', { key });
    expect([first.data.length, first.meta]).toEqual([10, { current_page: 1, per_page: 10, total: 11 }]);
    expect(first.links).toMatchObject({ prev: null, next: expect.stringMatching(/page=2/) });
    const { body: second } = await request(200, 'listBranches', { key, query: { page: '2' } });
    expect([second.data.length, second.meta.current_page, second.links.next]).toEqual([1, 2, null]);
    const { body: three } = await request(200, 'listBranches', { key, query: { per_page: '3' } });
    expect([three.data.length, three.meta.per_page]).toEqual([3, 3]);
  });

  test.each([{ sort: 'up' }, { per_page: '0' }, { per_page: 'ten' }, { page: '-1' }])('returns 400 for %j', (query) =>
    request(400, 'listBranches', { query: query as Record<string, string> }),
  );
});

describe('create a branch', () => {
  test('needs only mid and one of the two master merchant fields', async () => {
    expect(await createBranch()).toMatchObject({ status: 'active', terminals: [] });
  });

  test.each([
    ['an absent body', undefined],
    ['an empty object', {}],
    ['blank fields', { mid: ' ', existing_master_merchant: '', master_merchant_id: '\t' }],
  ])('lists mid and both master merchant fields as required for %s', async (_, body) => {
    const response = await request(422, 'createBranch', { body });
    expect(pointers(response).sort()).toEqual(['/existing_master_merchant', '/master_merchant_id', '/mid']);
  });

  test('accepts a mid that is alphanumeric or a UUID, and nothing else', async () => {
    await createBranch({ mid: crypto.randomUUID() });
    for (const mid of ['with-dash', 'with space', 'é', 7, null])
      expect(pointers(await request(422, 'createBranch', { body: newBody({ mid }) }))).toEqual(['/mid']);
  });

  test('rejects a mid that is not unique', async () => {
    const { mid } = await createBranch();
    expect(pointers(await request(422, 'createBranch', { body: newBody({ mid }) }))).toEqual(['/mid']);
  });

  test('requires payment_provider from a distributor', async () => {
    const response = await request(422, 'createBranch', { key: distributor, body: newBody() });
    expect(pointers(response)).toEqual(['/payment_provider']);
    await createBranch({ payment_provider: world.provider.id }, distributor);
  });

  test('accepts a distributor from a payment provider', async () => {
    expect((await createBranch({ distributor: world.distributor.id })).distributor).toBe(world.distributor.id);
  });

  test('accepts an existing business by its UUID and returns its id and name', async () => {
    const { existing_master_merchant, master_merchant_id } = await createBranch({ master_merchant_name: 'Bakery' });
    const { body } = await request(201, 'createBranch', { body: { mid: unique('MID'), existing_master_merchant } });
    expect(body.data).toMatchObject({ master_merchant_id, master_merchant_name: 'Bakery' });
  });

  test('accepts every field of a new master merchant', async () => {
    await createBranch({
      master_merchant_name: 'Bakery',
      email: 'office@example.com',
      country_code: 'PT',
      phone: '+351 210 000 000',
      mcc: '5462',
      country: 'Portugal',
    });
  });

  test.each([
    ['payment_provider', 'no uuid'],
    ['distributor', 'no uuid'],
    ['existing_master_merchant', 'no uuid'],
    ['master_merchant_id', 'not alphanumeric!'],
    ['email', 'no address'],
    ['phone', '12-34'],
    ['terminals', []],
  ])('rejects %s %j', async (field, value) => {
    expect(pointers(await request(422, 'createBranch', { body: newBody({ [field]: value }) }))).toEqual([`/${field}`]);
  });

  test('accepts a phone number with and without +, and with spaces between groups of digits', async () => {
    for (const phone of ['351210000000', '+351210000000', '+351 21 000 00 00']) await createBranch({ phone });
  });

  test('requires a terminal_id for each terminal', async () => {
    const terminals = [{ terminal_id: unique('T') }, { terminal_model: 'Pocket' }];
    const response = await request(422, 'createBranch', { body: newBody({ terminals }) });
    expect(pointers(response)).toEqual(['/terminals/1/terminal_id']);
  });

  test('creates its terminals', async () => {
    const terminals = [{ terminal_id: unique('T'), terminal_model: 'Pocket' }];
    const { mid } = await createBranch({ terminals });
    expect(await terminalsNow(mid)).toMatchObject(terminals);
  });
});

describe('get a branch', () => {
  test('returns it, or 404 if it does not exist or is not accessible', async () => {
    const { mid } = await createBranch();
    expect((await branchNow(mid)).mid).toBe(mid);
    for (const other of [unique('MID'), (await newForeignBranch()).mid])
      await request(404, 'getBranch', { path: { mid: other } });
  });
});

describe('archive a branch', () => {
  test('archives it and its terminals, once', async () => {
    const { mid } = await createBranch({ terminals: [{ terminal_id: unique('T') }] });
    const { body } = await request(200, 'archiveBranch', { path: { mid } });
    expect(body.data.status).toBe('archived');
    expect(await terminalsNow(mid)).toMatchObject([{ status: 'archived' }]);
    await request(400, 'archiveBranch', { path: { mid } });
  });

  test('returns 404 if it does not exist or belongs to another acquirer', async () => {
    for (const mid of [unique('MID'), (await newForeignBranch()).mid])
      await request(404, 'archiveBranch', { path: { mid } });
  });
});

describe('list the terminals of a branch', () => {
  test('returns the list sorted and paged as requested', async () => {
    const terminals = [1, 2, 3].map((at) => ({ terminal_id: `${unique('T')}${at}` }));
    const { mid } = await createBranch({ terminals });
    const ids = async (query: Record<string, string>) =>
      (await request(200, 'listTerminals', { path: { id: mid }, query })).body.data.map(
        (each: { terminal_id: string }) => each.terminal_id,
      );
    const ascending = terminals.map(({ terminal_id }) => terminal_id);
    expect(await ids({ sort: 'asc' })).toEqual(ascending);
    expect(await ids({})).toEqual(ascending.toReversed());
    expect(await ids({ sort: 'asc', per_page: '2', page: '2' })).toEqual(ascending.slice(2));
  });

  test('returns 404 if the branch does not exist or is not accessible', async () => {
    for (const id of [unique('MID'), (await newForeignBranch()).mid])
      await request(404, 'listTerminals', { path: { id } });
  });
});

describe('create terminals', () => {
  test('creates them with all their fields', async () => {
    const { mid } = await createBranch();
    const fields = {
      serial_no: unique('S'),
      terminal_model: 'Pocket',
      payment_app: 'Checkout Go',
      acquirer_name: 'Atlantic Acquiring',
    };
    expect(await createTerminal(mid, fields)).toMatchObject({ ...fields, mid, status: 'active' });
  });

  test.each([
    ['an absent body', undefined, '/terminals'],
    ['no terminals', { terminals: [] }, '/terminals'],
    ['a terminal without an id', { terminals: [{}] }, '/terminals/0/terminal_id'],
    ['an id that is not alphanumeric', { terminals: [{ terminal_id: 'T-1' }] }, '/terminals/0/terminal_id'],
    [
      'an unknown payment app',
      { terminals: [{ terminal_id: 'T1', payment_app: 'Nobody' }] },
      '/terminals/0/payment_app',
    ],
    [
      'an unknown master acquirer',
      { terminals: [{ terminal_id: 'T1', acquirer_name: 'Nobody' }] },
      '/terminals/0/acquirer_name',
    ],
  ])('rejects %s', async (_, body, pointer) => {
    const { mid } = await createBranch();
    expect(pointers(await request(422, 'createTerminals', { path: { id: mid }, body }))).toEqual([pointer]);
  });

  test('rejects a terminal_id or serial_no of any other terminal, including one of another acquirer', async () => {
    const { mid } = await createBranch();
    const { terminal_id, serial_no } = await createTerminal(mid, { serial_no: unique('S') });
    const own = await createBranch({}, world.stranger.key);
    const response = await request(422, 'createTerminals', {
      key: world.stranger.key,
      path: { id: own.mid },
      body: { terminals: [{ terminal_id }, { terminal_id: unique('T'), serial_no }] },
    });
    expect(pointers(response)).toEqual(['/terminals/0/terminal_id', '/terminals/1/serial_no']);
  });

  test('returns 400 if the branch is archived and 404 if it does not exist or is not accessible', async () => {
    const { mid } = await createBranch();
    await request(200, 'archiveBranch', { path: { mid } });
    const body = { terminals: [{ terminal_id: unique('T') }] };
    await request(400, 'createTerminals', { path: { id: mid }, body });
    for (const id of [unique('MID'), (await newForeignBranch()).mid])
      await request(404, 'createTerminals', { path: { id }, body });
  });
});

describe('update a terminal', () => {
  test('changes only the fields that are sent', async () => {
    const { mid } = await createBranch();
    const terminal = await createTerminal(mid, { terminal_model: 'Pocket', payment_app: 'Checkout Go' });
    const { body } = await request(200, 'updateTerminal', {
      path: { id: terminal.tid },
      body: { acquirer_name: 'Atlantic Acquiring' },
    });
    expect(body.data).toMatchObject({
      terminal_model: 'Pocket',
      payment_app: 'Checkout Go',
      acquirer_name: 'Atlantic Acquiring',
    });
  });

  test('changes nothing without a body', async () => {
    const { mid } = await createBranch();
    const terminal = await createTerminal(mid);
    const { body } = await request(200, 'updateTerminal', { path: { id: terminal.tid } });
    expect(body.data).toEqual(terminal);
  });

  test('requires a serial_no that no other terminal has', async () => {
    const { mid } = await createBranch();
    const { tid, serial_no } = await createTerminal(mid, { serial_no: unique('S') });
    const other = await createTerminal(mid);
    await request(200, 'updateTerminal', { path: { id: tid }, body: { serial_no } });
    const response = await request(422, 'updateTerminal', { path: { id: other.tid }, body: { serial_no } });
    expect(pointers(response)).toEqual(['/serial_no']);
  });

  test.each([{ serial_no: 'S-1' }, { payment_app: 'Nobody' }, { acquirer_name: 'Nobody' }])(
    'returns 422 for %j',
    async (body) => {
      const { tid } = await createTerminal((await createBranch()).mid);
      await request(422, 'updateTerminal', { path: { id: tid }, body });
    },
  );

  test('returns 400 for a TID of another acquirer and 404 for one that does not exist', async () => {
    await request(400, 'updateTerminal', { path: { id: (await newForeignBranch()).tid }, body: {} });
    await request(404, 'updateTerminal', { path: { id: crypto.randomUUID() }, body: {} });
  });
});

describe('delete a terminal', () => {
  test('deletes it, even if archived, and then returns 404', async () => {
    const { mid } = await createBranch();
    const { tid } = await createTerminal(mid);
    await request(200, 'archiveTerminal', { path: { id: tid }, body: { reason: 'Lost' } });
    await request(200, 'deleteTerminal', { path: { id: tid } });
    await request(404, 'deleteTerminal', { path: { id: tid } });
    expect(await terminalsNow(mid)).toEqual([]);
  });

  test('accepts deletes from the distributor and the payment provider only', async () => {
    const { mid } = await createBranch({ distributor: world.distributor.id });
    for (const key of [distributor, provider]) {
      const { tid } = await createTerminal(mid);
      await request(404, 'deleteTerminal', { key: world.stranger.key, path: { id: tid } });
      await request(200, 'deleteTerminal', { key, path: { id: tid } });
    }
  });
});

describe('archive a terminal', () => {
  test('archives it with its reason, once', async () => {
    const { tid } = await createTerminal((await createBranch()).mid);
    const reason = 'r'.repeat(255);
    const { body } = await request(200, 'archiveTerminal', { path: { id: tid }, body: { reason } });
    expect(body.data).toMatchObject({ status: 'archived', archive_reason: reason });
    await request(400, 'archiveTerminal', { path: { id: tid }, body: { reason } });
  });

  test.each([undefined, {}, { reason: '' }, { reason: ' ' }, { reason: null }, { reason: 'r'.repeat(256) }])(
    'rejects the body %j',
    async (body) => {
      const { tid } = await createTerminal((await createBranch()).mid);
      expect(pointers(await request(422, 'archiveTerminal', { path: { id: tid }, body }))).toEqual(['/reason']);
    },
  );

  test('returns 400 for a TID of another acquirer and 404 for one that does not exist', async () => {
    await request(400, 'archiveTerminal', { path: { id: (await newForeignBranch()).tid }, body: { reason: 'Lost' } });
    await request(404, 'archiveTerminal', { path: { id: crypto.randomUUID() }, body: { reason: 'Lost' } });
  });
});

describe('restore a terminal', () => {
  test('restores an archived terminal and returns 400 for one that is not archived', async () => {
    const { tid } = await createTerminal((await createBranch()).mid);
    await request(400, 'restoreTerminal', { path: { id: tid } });
    await request(200, 'archiveTerminal', { path: { id: tid }, body: { reason: 'Lost' } });
    expect((await request(200, 'restoreTerminal', { path: { id: tid } })).body.data.status).toBe('active');
  });

  test('returns 404 for a TID that does not exist or is not accessible', async () => {
    for (const id of [crypto.randomUUID(), (await newForeignBranch()).tid])
      await request(404, 'restoreTerminal', { path: { id } });
  });
});

describe('reassign a terminal', () => {
  test('moves it to the target branch and returns 400 for its current branch', async () => {
    const [from, to] = [await createBranch(), await createBranch()];
    const { tid } = await createTerminal(from.mid);
    const { body } = await request(200, 'reassignTerminal', { path: { id: tid }, body: { mid: to.mid } });
    expect(body.data.mid).toBe(to.mid);
    expect([await terminalsNow(from.mid), await terminalsNow(to.mid)]).toMatchObject([[], [{ tid }]]);
    await request(400, 'reassignTerminal', { path: { id: tid }, body: { mid: to.mid } });
  });

  test.each([undefined, {}, { mid: '' }])('requires mid: rejects the body %j', async (body) => {
    const { tid } = await createTerminal((await createBranch()).mid);
    const response = await request(422, 'reassignTerminal', { path: { id: tid }, body });
    expect(response.body.errors).toMatchObject([{ pointer: '/mid', code: 'required' }]);
  });

  test('returns 400 for a TID or MID of another acquirer and 404 for one that does not exist', async () => {
    const { mid } = await createBranch();
    const { tid } = await createTerminal(mid);
    const other = await newForeignBranch();
    await request(400, 'reassignTerminal', { path: { id: other.tid }, body: { mid } });
    await request(400, 'reassignTerminal', { path: { id: tid }, body: { mid: other.mid } });
    await request(404, 'reassignTerminal', { path: { id: crypto.randomUUID() }, body: { mid } });
    await request(404, 'reassignTerminal', { path: { id: tid }, body: { mid: unique('MID') } });
  });
});

describe('look up reference data', () => {
  test.each(['paymentProviders', 'distributors', 'acquirers', 'paymentApp', 'masterMerchants'])(
    'returns key and text for %s, filtered by search',
    async (method) => {
      await createBranch({ master_merchant_name: 'Findable Bakery', distributor: world.distributor.id });
      const { body: all } = await request(200, 'lookup', { path: { method } });
      expect(all.data.length).toBeGreaterThan(0);
      for (const item of all.data) expect(item).toEqual({ key: expect.any(String), text: expect.any(String) });
      const search = all.data[0].text.slice(1).toUpperCase();
      const { body: found } = await request(200, 'lookup', { path: { method }, query: { search } });
      expect(found.data).toContainEqual(all.data[0]);
      const { body: none } = await request(200, 'lookup', { path: { method }, query: { search: 'none of them' } });
      expect(none.data).toEqual([]);
    },
  );

  test('returns 404 for any other method', () => request(404, 'lookup', { path: { method: 'terminals' } }));

  test('returns keys that creates accept', async () => {
    const key = async (method: string, search: string) =>
      (await request(200, 'lookup', { path: { method }, query: { search } })).body.data[0].key;
    const { master_merchant_id } = await createBranch();
    const { mid } = await createBranch({
      master_merchant_id: undefined,
      existing_master_merchant: await key('masterMerchants', master_merchant_id),
      payment_provider: await key('paymentProviders', ''),
      distributor: await key('distributors', ''),
    });
    await createTerminal(mid, { payment_app: await key('paymentApp', ''), acquirer_name: await key('acquirers', '') });
  });
});

describe('member check', () => {
  const body = async (more: object = {}) => ({
    amount: 0,
    card_id: 'card-anna',
    card_pseudo_token: 'token-anna',
    currency: 'EUR',
    terminal_id: (await createTerminal((await createBranch()).mid)).terminal_id,
    acquirer_id: world.provider.id,
    ...more,
  });

  test('returns whether the member is identified and has available rewards', async () => {
    for (const [amount, isAvailable] of [
      [0, false],
      [10, true],
    ] as const)
      expect((await request(200, 'memberCheck', { body: await body({ amount }) })).body.data).toMatchObject({
        member_identified: true,
        rewards_available: isAvailable,
      });
    expect((await request(200, 'memberCheck', { body: await body({ card_id: 'nobody' }) })).body.data).toMatchObject({
      member_identified: false,
      rewards_available: false,
    });
  });

  test('lists every required field for a missing body', async () => {
    expect(pointers(await request(422, 'memberCheck', {}))).toEqual(
      ['amount', 'card_id', 'card_pseudo_token', 'currency', 'terminal_id', 'acquirer_id'].map((name) => `/${name}`),
    );
  });

  test.each([
    ['amount', -0.01],
    ['amount', '5'],
    ['currency', 'EURO'],
    ['card_id', ''],
  ])('rejects %s %j', async (field, value) => {
    const response = await request(422, 'memberCheck', { body: await body({ [field]: value }) });
    expect(pointers(response)).toEqual([`/${field}`]);
  });

  test('returns 400 for a body that is not JSON', () => request(400, 'memberCheck', { body: '{' }));
});
