import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { CACHE_MS } from '../../../lib/base/cache.ts';
import { createAcquirer } from '../../../lib/operator/acquirers.ts';
import { issueApiKey } from '../../../lib/operator/apiKeys.ts';
import { linkPartners, unlinkPartners } from '../../../lib/operator/partnerships.ts';
import { removeReferenceData } from '../../../lib/operator/referenceData.ts';
import { table } from '../../../lib/table/client.ts';
import { masterAcquirerKey } from '../../../lib/table/keys.ts';
import { type ApiResponse, call, eventOf, expectProblem } from '../../support/api.ts';
import { stopClocks } from '../../support/clock.ts';
import { testCommonBehaviour } from '../../support/commonBehaviour.ts';
import { unknownParameter } from '../../support/constants.ts';
import { invoke } from '../../support/invoke.ts';
import { storedBy } from '../../support/stored.ts';
import { storeMany } from '../../support/storeMany.ts';
import { operationsOf, tableRequestsBy, unitsOf } from '../../support/tableRequests.ts';
import { addNames, type Caller, newAcquirer, newBranch, newWorld, unique } from '../../support/world.ts';

const METHODS = ['paymentProviders', 'distributors', 'acquirers', 'paymentApp', 'masterMerchants'];
const NO_SUCH_LOOKUP =
  'Unknown lookup. Use one of paymentProviders, distributors, acquirers, paymentApp, masterMerchants.';

/** Sends a lookup and asserts that it stores nothing. */
async function lookup(caller: Pick<Caller, 'key'>, method: string, query: Record<string, string> = {}) {
  const { response, changed } = await storedBy(() => call('lookup', { key: caller.key, path: { method }, query }));
  expect(changed).toEqual({});
  return response;
}

/** The body of a successful lookup. */
async function listed(caller: Caller, method: string, query: Record<string, string> = {}) {
  const { status, body } = await lookup(caller, method, query);
  expect(status).toBe(200);
  return body;
}

let world: Awaited<ReturnType<typeof newWorld>>;
beforeAll(async () => {
  world = await newWorld();
});

describe('200', () => {
  describe('paymentProviders', () => {
    test('lists a distributor’s partners', async () => {
      const { distributor, provider, secondProvider } = world;
      expect(await listed(distributor, 'paymentProviders')).toEqual({
        data: [
          { key: provider.id, text: 'Payfair' },
          { key: secondProvider.id, text: 'Quickpay' },
        ],
      });
    });

    test('lists a payment provider only itself, with or without partners', async () => {
      const { provider, stranger } = world;
      expect(await listed(provider, 'paymentProviders')).toEqual({ data: [{ key: provider.id, text: 'Payfair' }] });
      expect(await listed(stranger, 'paymentProviders')).toEqual({ data: [{ key: stranger.id, text: 'Trustcard' }] });
    });
  });

  describe('distributors', () => {
    test('lists a payment provider’s partners', async () => {
      const { distributor, secondProvider } = world;
      const another = await newAcquirer('DISTRIBUTOR', 'Eastgate');
      await linkPartners(another.id, secondProvider.id);
      expect(await listed(secondProvider, 'distributors')).toEqual({
        data: [
          { key: another.id, text: 'Eastgate' },
          { key: distributor.id, text: 'Northgate' },
        ],
      });
    });

    test('lists a distributor only itself, with or without partners', async () => {
      const { distributor, strangeDistributor } = world;
      expect(await listed(distributor, 'distributors')).toEqual({ data: [{ key: distributor.id, text: 'Northgate' }] });
      expect(await listed(strangeDistributor, 'distributors')).toEqual({
        data: [{ key: strangeDistributor.id, text: 'Silverline' }],
      });
    });
  });

  describe.each([
    ['acquirers', ['Atlantic Acquiring', 'Baltic Merchant Bank'], 'masterAcquirers'],
    ['paymentApp', ['Checkout Go', 'Counter Plus'], 'paymentApps'],
  ] as const)('%s', (method, names, kind) => {
    test.each([
      ['distributor', 'distributor'],
      ['payment provider', 'provider'],
    ] as const)('lists a %s’s own names, each with itself as key', async (_, who) => {
      expect(await listed(world[who], method)).toEqual({ data: names.map((name) => ({ key: name, text: name })) });
    });

    test('does not list names of another acquirer, not even of a partner', async () => {
      const [distributor, provider] = await Promise.all([
        newAcquirer('DISTRIBUTOR', 'Westgate'),
        newAcquirer('PAYMENT_PROVIDER', 'Only Pay'),
      ]);
      await linkPartners(distributor.id, provider.id);
      await addNames(provider, { paymentApps: [], masterAcquirers: [], [kind]: ['Only Theirs'] });
      expect(await listed(distributor, method, { search: 'only theirs' })).toEqual({ data: [] });
      expect(await listed(provider, method, { search: 'only theirs' })).toEqual({
        data: [{ key: 'Only Theirs', text: 'Only Theirs' }],
      });
    });
  });

  describe('masterMerchants', () => {
    test('lists all master merchants of a payment provider, with the id as text if there is no name', async () => {
      const provider = await newAcquirer('PAYMENT_PROVIDER', 'Mono Pay');
      const named = await newBranch(provider, {
        master_merchant_id: 'BUSINESS2',
        master_merchant_name: 'Casa Verde',
        email: 'casa@example.com',
      });
      const nameless = await newBranch(provider, { master_merchant_id: 'BUSINESS1' });
      expect(await listed(provider, 'masterMerchants')).toEqual({
        data: [
          { key: nameless.existing_master_merchant, text: 'BUSINESS1' },
          { key: named.existing_master_merchant, text: 'Casa Verde' },
        ],
      });
    });

    test('finds a master merchant by its master_merchant_id or its name', async () => {
      const provider = await newAcquirer('PAYMENT_PROVIDER', 'Ident Pay');
      const body = { master_merchant_id: 'QX7000', master_merchant_name: 'Casa Azul' };
      const { existing_master_merchant: key } = await newBranch(provider, body);
      await newBranch(provider, { master_merchant_id: 'OTHER1' });
      for (const search of ['qx70', 'AZUL'])
        expect(await listed(provider, 'masterMerchants', { search })).toEqual({ data: [{ key, text: 'Casa Azul' }] });
    });

    test('filters a distributor’s list by payment_provider', async () => {
      const [distributor, first, second] = await Promise.all([
        newAcquirer('DISTRIBUTOR', 'Middlegate'),
        newAcquirer('PAYMENT_PROVIDER', 'First Pay'),
        newAcquirer('PAYMENT_PROVIDER', 'Second Pay'),
      ]);
      const items = [];
      for (const { id } of [first, second]) {
        await linkPartners(distributor.id, id);
        const { existing_master_merchant: key } = await newBranch(distributor, {
          payment_provider: id,
          master_merchant_id: 'SAMEID',
        });
        items.push({ key, text: 'SAMEID' });
      }
      const [ofFirst, ofSecond] = items;
      const filtered = (payment_provider: string) => listed(distributor, 'masterMerchants', { payment_provider });
      expect(await filtered(first.id)).toEqual({ data: [ofFirst] });
      expect(await filtered(` ${second.id.toUpperCase()} `)).toEqual({ data: [ofSecond] });
      expect(await filtered(distributor.id)).toEqual({ data: [] });
      expect((await filtered('')).data).toHaveLength(2);
      expect(await listed(first, 'masterMerchants', { payment_provider: first.id })).toEqual({ data: [ofFirst] });
      expect(await listed(first, 'masterMerchants', { payment_provider: second.id })).toEqual({ data: [] });
    });

    test('lists a master merchant once, however many branches it has', async () => {
      const provider = await newAcquirer('PAYMENT_PROVIDER', 'Chain Pay');
      const { existing_master_merchant } = await newBranch(provider, { master_merchant_name: 'Chain' });
      await newBranch(provider, { master_merchant_id: null, existing_master_merchant });
      expect(await listed(provider, 'masterMerchants')).toEqual({
        data: [{ key: existing_master_merchant, text: 'Chain' }],
      });
    });

    test('lists a master merchant for the distributor that created its branch and for the payment provider', async () => {
      const [distributor, provider] = await newPartners();
      const { existing_master_merchant } = await newBranch(distributor, {
        payment_provider: provider.id,
        master_merchant_name: 'Estrela Books',
      });
      const shown = { data: [{ key: existing_master_merchant, text: 'Estrela Books' }] };
      expect(await listed(distributor, 'masterMerchants')).toEqual(shown);
      expect(await listed(provider, 'masterMerchants')).toEqual(shown);
    });

    test('lists a partner’s master merchant for a distributor from its first shared branch on', async () => {
      const [distributor, provider] = await newPartners();
      const master_merchant_id = unique('MM');
      const { existing_master_merchant } = await newBranch(provider, { master_merchant_id });
      expect(await listed(distributor, 'masterMerchants')).toEqual({ data: [] });

      await newBranch(provider, {
        master_merchant_id: null,
        existing_master_merchant,
        distributor: distributor.id,
      });

      expect(await listed(distributor, 'masterMerchants')).toEqual({
        data: [{ key: existing_master_merchant, text: master_merchant_id }],
      });
    });

    test('returns keys that createBranch accepts as existing_master_merchant', async () => {
      const [distributor, provider] = await newPartners();
      await newBranch(provider, { master_merchant_name: 'Figueira Bakery', distributor: distributor.id });
      const { data } = await listed(distributor, 'masterMerchants');
      const branch = await newBranch(distributor, {
        payment_provider: provider.id,
        master_merchant_id: null,
        existing_master_merchant: data[0].key,
      });
      expect(branch.master_merchant_name).toBe('Figueira Bakery');
    });

    test('does not list master merchants of unrelated acquirers', async () => {
      const [distributor, provider] = await newPartners();
      await newBranch(provider, { master_merchant_name: 'Secret Shop', distributor: distributor.id });
      for (const caller of [world.provider, world.stranger, world.strangeDistributor])
        expect(await listed(caller, 'masterMerchants', { search: 'Secret' })).toEqual({ data: [] });
    });
  });

  describe('search', () => {
    const NAMES = ['a.b', 'a*b (c)', '[a]+b\\d', '^Ñandú$', 'axb', '100%', 'tab_le'];
    let caller: Caller;
    beforeAll(async () => {
      caller = await newAcquirer('PAYMENT_PROVIDER', 'Search & Find');
      await addNames(caller, { paymentApps: NAMES, masterAcquirers: [] });
    });
    const texts = async (search: string) =>
      (await listed(caller, 'paymentApp', { search })).data.map(({ text }: { text: string }) => text);

    test.each([
      ['Checkout Go', ['Checkout Go']],
      ['cHECKOUT gO', ['Checkout Go']],
      ['out', ['Checkout Go']],
      ['o', ['Checkout Go', 'Counter Plus']],
      ['ñANDÚ', ['^Ñandú$']],
      ['ñandú'.normalize('NFD'), ['^Ñandú$']],
    ])('finds %j anywhere in a name, ignoring case', async (search, found) => {
      expect(await texts(search)).toEqual(found);
    });

    test.each([
      ['.', ['a.b']],
      ['a*b', ['a*b (c)']],
      ['(', ['a*b (c)']],
      ['[a]+', ['[a]+b\\d']],
      ['\\d', ['[a]+b\\d']],
      ['^', ['^Ñandú$']],
      ['$', ['^Ñandú$']],
      ['%', ['100%']],
      ['_', ['tab_le']],
      ['.*', []],
      ['a|b', []],
    ])('takes %j literally, not as a pattern', async (search, found) => {
      expect(await texts(search)).toEqual(found);
    });

    test.each([
      ['a text that is in no name', 'nothing is called this'],
      ['a name with an extra space', 'Checkout  Go'],
      ['a text of 255 characters', 'x'.repeat(255)],
      ['a text of 255 emojis', '🏪'.repeat(255)],
    ])('finds nothing for %s', async (_, search) => {
      expect(await listed(caller, 'paymentApp', { search })).toEqual({ data: [] });
    });

    test.each(['', ' ', '\t\n'])('ignores a blank search: %j', async (search) => {
      const all = await listed(caller, 'paymentApp');
      expect(all.data).toHaveLength(NAMES.length + 2);
      expect(await listed(caller, 'paymentApp', { search })).toEqual(all);
    });

    test('trims the search', async () => {
      expect(await texts(' Checkout ')).toEqual(['Checkout Go']);
    });

    test('searches the text, not the key', async () => {
      expect(await listed(caller, 'paymentProviders', { search: '& FIND' })).toEqual({
        data: [{ key: caller.id, text: 'Search & Find' }],
      });
      expect(await listed(caller, 'paymentProviders', { search: caller.id })).toEqual({ data: [] });
    });

    test.each(METHODS)('filters %s', async (method) => {
      await newBranch(world.provider, { master_merchant_name: `Findable ${unique('')}` });
      const all = (await listed(world.provider, method)).data;
      const wanted = all[0].text.slice(1, 6).toUpperCase();
      expect(await listed(world.provider, method, { search: wanted })).toEqual({
        data: all.filter(({ text }: { text: string }) => text.toUpperCase().includes(wanted)),
      });
    });

    test('is the only parameter of paymentProviders; others are ignored with a warning', async () => {
      const { id } = await newAcquirer('PAYMENT_PROVIDER', 'Anybody');
      expect(await listed(caller, 'paymentProviders', { page: 'x', per_page: '0', payment_provider: id })).toEqual({
        data: [{ key: caller.id, text: 'Search & Find' }],
        warnings: ['page', 'per_page', 'payment_provider'].map(unknownParameter),
      });
    });
  });

  test('sorts by text, ignoring case and accents', async () => {
    const caller = await newAcquirer('DISTRIBUTOR', 'Sorted');
    const names = ['Zeta', 'éclair', 'apple', 'Ébène', 'Banana', 'eden'];
    await addNames(caller, { paymentApps: names, masterAcquirers: [] });
    expect(await listed(caller, 'paymentApp')).toEqual({
      data: ['apple', 'Banana', 'Checkout Go', 'Counter Plus', 'Ébène', 'éclair', 'eden', 'Zeta'].map((name) => ({
        key: name,
        text: name,
      })),
    });
  });

  test('sorts texts that differ only in case by key', async () => {
    const caller = await newAcquirer('DISTRIBUTOR', 'Same');
    await addNames(caller, { paymentApps: ['apple', 'APPLE', 'Apple'], masterAcquirers: [] });
    const { data } = await listed(caller, 'paymentApp', { search: 'apple' });
    expect(data.map(({ text }: { text: string }) => text)).toEqual(['APPLE', 'Apple', 'apple']);
  });

  test.each(['distributors', 'masterMerchants'])(
    'returns an empty list when a payment provider has no %s',
    async (method) => {
      expect(await listed(await newAcquirer('PAYMENT_PROVIDER', 'Lonely Pay'), method)).toEqual({ data: [] });
    },
  );

  test.each(['paymentProviders', 'masterMerchants'])(
    'returns an empty list when a distributor has no %s',
    async (method) => {
      expect(await listed(world.strangeDistributor, method)).toEqual({ data: [] });
    },
  );
});

describe('400', () => {
  test('rejects both a search of more than 255 characters and a payment_provider that is not a UUID', async () => {
    for (const search of ['x'.repeat(256), '🏪'.repeat(256)])
      expectProblem(
        await lookup(world.provider, 'masterMerchants', { search, payment_provider: 'Payfair' }),
        'invalid_query',
        'search: Must have at most 255 characters. payment_provider: Must be a UUID.',
      );
  });
});

testCommonBehaviour('lookup', () => ({ key: world.provider.key, path: { method: 'paymentApp' } }));

describe('a long list', () => {
  const incomplete = (detail: string) => [{ parameter: 'search', code: 'incomplete', detail }];
  const TOO_MANY = incomplete('More than 1000 items match. Search for more of the name.');
  const TOO_LONG = incomplete(
    'This list is too long to be searched as a whole, so items may be missing. To find a master merchant by its master_merchant_id, use GET /ext/api/v1/find.',
  );
  let caller: Caller;
  /** Stores an acquirer's reference data, with this many characters of four bytes at the end of each name. */
  const store = async (count: number, length = 0) => {
    const acquirer = await createAcquirer({ id: randomUUID(), type: 'PAYMENT_PROVIDER', name: 'Manifold' });
    caller = { ...acquirer, key: (await issueApiKey(acquirer.id, 'test')).api_key };
    const names = Array.from({ length: count }, (_, at) => `${String(at + 1).padStart(5, '0')}${'🏪'.repeat(length)}`);
    await storeMany(1, count, (place) => masterAcquirerKey(caller.id, names[place - 1] as string));
    return names;
  };
  const lookupOf = (query = {}) => call('lookup', { key: caller.key, path: { method: 'acquirers' }, query });
  const textsOf = ({ body }: ApiResponse): string[] => body.data.map(({ text }: { text: string }) => text);

  test('of 1,000 items is returned as a whole, without a warning', async () => {
    const names = await store(1_000);
    const response = await lookupOf();
    expect(textsOf(response)).toEqual(names);
    expect(response.body.warnings).toBeUndefined();
  });

  test('returns its first 1,000 items with a warning; search finds the others', async () => {
    const names = await store(1_001);
    const response = await lookupOf();
    expect(textsOf(response)).toEqual(names.slice(0, 1_000));
    expect(response.body.warnings).toEqual(TOO_MANY);
    const found = await lookupOf({ search: '01001' });
    expect(textsOf(found)).toEqual(names.slice(-1));
    expect(found.body.warnings).toBeUndefined();
  });

  test('of more than 1 MB is read in part, for at most 130 units, and says so', async () => {
    const names = await store(1_200, 246);
    const sent = await tableRequestsBy(() => lookupOf());
    // The first is that of the API key.
    expect(operationsOf(sent)).toBe('GetItem Query');
    expect(unitsOf(sent)).toBeLessThanOrEqual(130);
    expect(textsOf(sent.response).length).toBeGreaterThan(900);
    expect(names.slice(0, 1_000)).toEqual(expect.arrayContaining(textsOf(sent.response)));
    expect(sent.response.body.warnings).toEqual(TOO_LONG);
    expect(Buffer.byteLength(JSON.stringify(sent.response.body))).toBeLessThan(3 * 2 ** 20);
  });
});

describe('a repeated lookup', () => {
  /** A lookup by a process with a warm cache; `call` clears the cache each time. */
  const again = async (caller: Caller, method: string, query: Record<string, string> = {}): Promise<string[]> => {
    const { status, body } = await invoke('lookup', eventOf('lookup', { key: caller.key, path: { method }, query }));
    expect(status).toBe(200);
    return body.data.map(({ text }: { text: string }) => text);
  };

  let wait: (milliseconds: number) => void;
  beforeEach(() => {
    wait = stopClocks();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('sends no request for 30 seconds, whatever its search, and then returns what is new', async () => {
    const caller = await newAcquirer('DISTRIBUTOR', 'Patient');
    const names = ['Checkout Go', 'Counter Plus'];
    expect(await again(caller, 'paymentApp')).toEqual(names);
    await addNames(caller, { paymentApps: ['Brand New'] });
    await removeReferenceData(caller.id, 'PAYMENT_APPS', ['Counter Plus']);

    wait(CACHE_MS - 1);
    // Refreshes the cached API key.
    await again(caller, 'distributors');
    const repeated = await tableRequestsBy(() => again(caller, 'paymentApp'));
    expect([operationsOf(repeated), repeated.response]).toEqual(['', names]);
    const searched = await tableRequestsBy(() => again(caller, 'paymentApp', { search: 'counter' }));
    expect([operationsOf(searched), searched.response]).toEqual(['', ['Counter Plus']]);

    wait(CACHE_MS);
    await again(caller, 'distributors');
    const later = await tableRequestsBy(() => again(caller, 'paymentApp'));
    expect([operationsOf(later), later.response]).toEqual(['Query', ['Brand New', 'Checkout Go']]);
  });

  test('caches each list of each acquirer separately', async () => {
    const [distributor, provider] = await newPartners();
    await addNames(provider, { paymentApps: ['Only Theirs'], masterAcquirers: ['Only Their Bank'] });
    await newBranch(provider, { master_merchant_name: 'Estrela Books' });
    const shown = {
      paymentProviders: ['Duo Pay'],
      distributors: ['Southgate'],
      acquirers: ['Atlantic Acquiring', 'Baltic Merchant Bank'],
      paymentApp: ['Checkout Go', 'Counter Plus'],
      masterMerchants: [],
    };
    const shownToProvider = {
      ...shown,
      acquirers: [...shown.acquirers, 'Only Their Bank'],
      paymentApp: [...shown.paymentApp, 'Only Theirs'],
      masterMerchants: ['Estrela Books'],
    };
    // The second pass reads from the cache.
    for (const _ of [1, 2])
      for (const method of METHODS as (keyof typeof shown)[]) {
        expect(await again(distributor, method)).toEqual(shown[method]);
        expect(await again(provider, method)).toEqual(shownToProvider[method]);
      }
  });

  test('returns new partners and master merchants after 30 seconds', async () => {
    const [distributor, provider] = await newPartners();
    const other = await newAcquirer('PAYMENT_PROVIDER', 'Third Pay');
    expect(await again(distributor, 'paymentProviders')).toEqual(['Duo Pay']);
    expect(await again(distributor, 'masterMerchants')).toEqual([]);
    await linkPartners(distributor.id, other.id);
    await unlinkPartners(distributor.id, provider.id);
    // Not with `call`, which clears the cache.
    const body = { mid: unique('MID'), master_merchant_id: 'NEWSHOP', payment_provider: other.id };
    expect(await invoke('createBranch', eventOf('createBranch', { key: distributor.key, body }))).toMatchObject({
      status: 201,
    });

    expect(await again(distributor, 'paymentProviders')).toEqual(['Duo Pay']);
    expect(await again(distributor, 'masterMerchants')).toEqual([]);
    wait(CACHE_MS);
    expect(await again(distributor, 'paymentProviders')).toEqual(['Third Pay']);
    expect(await again(distributor, 'masterMerchants')).toEqual(['NEWSHOP']);
  });

  test('reads eventually consistently, at half the price', async () => {
    const caller = await newAcquirer('DISTRIBUTOR', 'Thrifty');
    await again(caller, 'distributors');
    for (const method of ['paymentProviders', 'acquirers', 'paymentApp', 'masterMerchants']) {
      const { requests } = await tableRequestsBy(() => again(caller, method));
      expect(requests).toMatchObject([{ operation: 'Query', input: { ConsistentRead: false } }]);
    }
  });

  test('reads again after a failed read', async () => {
    const caller = await newAcquirer('DISTRIBUTOR', 'Unlucky');
    await again(caller, 'distributors');
    const fail = () => () => Promise.reject(new Error('out of order'));
    table.middlewareStack.add(fail, { step: 'initialize', name: 'failing' });
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const failed = await invoke('lookup', eventOf('lookup', { key: caller.key, path: { method: 'paymentApp' } }));
    write.mockRestore();
    table.middlewareStack.remove('failing');
    expect(failed.status).toBe(400);
    expect(await again(caller, 'paymentApp')).toEqual(['Checkout Go', 'Counter Plus']);
  });
});

describe('404', () => {
  test.each([
    'noSuchLookup',
    'constructor',
    '__proto__',
    'toString',
    'PaymentApp',
    'paymentApps',
    'acquirers ',
    'LISTS',
  ])('returns 404 for the method %j', async (method) => {
    expectProblem(await lookup(world.provider, method), 'not_found', NO_SUCH_LOOKUP);
    expectProblem(await lookup(world.distributor, method, { search: 'a' }), 'not_found', NO_SUCH_LOOKUP);
  });
});

/** A distributor and a payment provider, each the other's only partner. */
async function newPartners() {
  const [distributor, provider] = await Promise.all([
    newAcquirer('DISTRIBUTOR', 'Southgate'),
    newAcquirer('PAYMENT_PROVIDER', 'Duo Pay'),
  ]);
  await linkPartners(distributor.id, provider.id);
  return [distributor, provider] as const;
}
