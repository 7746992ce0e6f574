import { randomUUID } from 'node:crypto';
import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { CACHE_MS } from '../../../lib/base/cache.ts';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { removeReferenceData } from '../../../lib/operator/referenceData.ts';
import { queryPrefix } from '../../../lib/table/client.ts';
import { unindexedWordsKey, unindexedWordsOf } from '../../../lib/table/keys.ts';
import { put, transact } from '../../../lib/table/transaction.ts';
import { failTable, intercept, release } from '../../lib/table/intercept.ts';
import { type ApiResponse, call, eventOf } from '../../support/api.ts';
import { stopClocks } from '../../support/clock.ts';
import { unknownParameter } from '../../support/constants.ts';
import { invoke } from '../../support/invoke.ts';
import { captureLog } from '../../support/log.ts';
import { bodyOf, expectRefused } from '../../support/outcomes.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import { addNames, type Caller, newAcquirer, newBranch, unique, useWorld, type World } from '../../support/world.ts';

const NO_SUCH_LOOKUP =
  'Unknown lookup. Use one of paymentProviders, distributors, acquirers, paymentApp, masterMerchants.';

const lookup = ({ key }: Pick<Caller, 'key'>, method: string, query: Query = {}) =>
  call('lookup', { key, path: { method }, query });
/** The body of a successful lookup. */
const listed = (caller: Caller, method: string, query?: Query) => bodyOf(() => lookup(caller, method, query));
type Query = Record<string, string>;

const world = useWorld();
/** Payment apps and master acquirers of each acquirer. */
const APPS = ['Checkout Go', 'Counter Plus'];
const BANKS = ['Atlantic Acquiring', 'Baltic Merchant Bank'];
const named = (names: string[]) => names.map((name) => ({ key: name, text: name }));

describe('200', () => {
  const item = ({ id, name }: Caller) => ({ key: id, text: name });

  test.each<[method: string, who: keyof World, items: () => object[]]>([
    // Their partners.
    ['paymentProviders', 'distributor', () => [world.provider, world.secondProvider].map(item)],
    ['distributors', 'provider', () => [item(world.distributor)]],
    // Themselves, with or without partners.
    ['paymentProviders', 'provider', () => [item(world.provider)]],
    ['paymentProviders', 'stranger', () => [item(world.stranger)]],
    ['distributors', 'distributor', () => [item(world.distributor)]],
    ['distributors', 'strangeDistributor', () => [item(world.strangeDistributor)]],
    ['paymentProviders', 'strangeDistributor', () => []],
    ['distributors', 'stranger', () => []],
    ['masterMerchants', 'stranger', () => []],
    ['masterMerchants', 'strangeDistributor', () => []],
    ['acquirers', 'distributor', () => named(BANKS)],
    ['acquirers', 'provider', () => named(BANKS)],
    ['paymentApp', 'distributor', () => named(APPS)],
    ['paymentApp', 'provider', () => named(APPS)],
  ])('lists %s for a %s', async (method, who, items) => {
    expect(await listed(world[who], method)).toEqual({ data: items() });
  });

  describe('masterMerchants', () => {
    test('lists all of a payment provider once, with the id if there is no name, and finds them by both', async () => {
      const provider = await newAcquirer('PAYMENT_PROVIDER', 'Mono Pay');
      const named = { master_merchant_id: 'BUSINESS2', master_merchant_name: 'Casa Verde', email: 'casa@example.com' };
      const { existing_master_merchant: key } = await newBranch(provider, named);
      await newBranch(provider, { master_merchant_id: null, existing_master_merchant: key });
      const nameless = await newBranch(provider, { master_merchant_id: 'BUSINESS1' });
      expect(await listed(provider, 'masterMerchants')).toEqual({
        data: [
          { key: nameless.existing_master_merchant, text: 'BUSINESS1', master_merchant_id: 'BUSINESS1' },
          { key, text: 'Casa Verde', master_merchant_id: 'BUSINESS2' },
        ],
      });
      for (const search of ['ness2', 'VERDE'])
        expect(await listed(provider, 'masterMerchants', { search })).toEqual({
          data: [{ key, text: 'Casa Verde', master_merchant_id: 'BUSINESS2' }],
        });
    });

    test('filters a distributor’s list by payment_provider', async () => {
      const [distributor, first] = await newPartners();
      const second = await newAcquirer('PAYMENT_PROVIDER', 'Second Pay');
      await linkPartners(distributor.id, second.id);
      const items = [];
      for (const { id: payment_provider } of [first, second]) {
        const branch = await newBranch(distributor, { payment_provider, master_merchant_id: 'SAMEID' });
        items.push({ key: branch.existing_master_merchant, text: 'SAMEID', master_merchant_id: 'SAMEID' });
      }
      const [ofFirst, ofSecond] = items;
      const filtered = (payment_provider: string, caller = distributor) =>
        listed(caller, 'masterMerchants', { payment_provider });
      expect(await filtered(first.id)).toEqual({ data: [ofFirst] });
      expect(await filtered(` ${second.id.toUpperCase()} `)).toEqual({ data: [ofSecond] });
      expect(await filtered(distributor.id)).toEqual({ data: [] });
      expect((await filtered('')).data).toHaveLength(2);
      expect(await filtered(first.id, first)).toEqual({ data: [ofFirst] });
      expect(await filtered(second.id, first)).toEqual({ data: [] });
    });

    test('lists a partner’s master merchant from the first shared branch on, for that distributor only', async () => {
      const [distributor, provider] = await newPartners();
      const shown = { master_merchant_name: 'Estrela Books' };
      const { existing_master_merchant: key, master_merchant_id } = await newBranch(provider, shown);
      expect(await listed(distributor, 'masterMerchants')).toEqual({ data: [] });

      const shared = { master_merchant_id: null, existing_master_merchant: key, distributor: distributor.id };
      await newBranch(provider, shared);

      for (const caller of [distributor, provider])
        expect(await listed(caller, 'masterMerchants')).toEqual({
          data: [{ key, text: 'Estrela Books', master_merchant_id }],
        });
      for (const caller of [world.provider, world.stranger, world.strangeDistributor])
        expect(await listed(caller, 'masterMerchants', { search: 'Estrela' })).toEqual({ data: [] });
    });
  });

  describe('search', () => {
    const NAMES = ['a.b', 'a*b (c)', '[a]+b\\d', '^Ñandú$', 'axb', '100%', 'tab_le'];
    let caller: Caller;
    let all: string[];
    beforeAll(async () => {
      caller = await newAcquirer('PAYMENT_PROVIDER', 'Search & Find');
      await addNames(caller, { paymentApps: NAMES });
      all = await texts('');
    });
    const texts = async (search: string): Promise<string[]> =>
      (await listed(caller, 'paymentApp', { search })).data.map(({ text }: { text: string }) => text);

    test.each([
      ['Checkout Go', ['Checkout Go']],
      ['cHECKOUT gO', ['Checkout Go']],
      [' Checkout ', ['Checkout Go']],
      ['out', ['Checkout Go']],
      ['o', ['Checkout Go', 'Counter Plus']],
      ['ñANDÚ', ['^Ñandú$']],
      ['ñandú'.normalize('NFD'), ['^Ñandú$']],
      ['nothing is called this', []],
      ['Checkout  Go', []],
      ['🏪'.repeat(255), []],
      // A pattern is taken literally.
      ['[a]+', ['[a]+b\\d']],
      ['_', ['tab_le']],
      ['.*', []],
    ])('finds %j anywhere in a name, ignoring case', async (search, found) => {
      expect(await texts(search)).toEqual(found);
    });

    test('ignores a blank search', async () => {
      expect(all.toSorted()).toEqual([...NAMES, ...APPS].toSorted());
      expect(await texts('\t\n')).toEqual(all);
      expect((await listed(caller, 'paymentApp')).data).toHaveLength(all.length);
    });

    test('searches the text, not the key', async () => {
      expect(await listed(caller, 'paymentProviders', { search: '& FIND' })).toEqual({ data: [item(caller)] });
      expect(await listed(caller, 'paymentProviders', { search: caller.id })).toEqual({ data: [] });
    });

    test('is the only parameter of paymentProviders; others are ignored with a warning', async () => {
      const { id } = world.stranger;
      expect(await listed(caller, 'paymentProviders', { page: 'x', per_page: '0', payment_provider: id })).toEqual({
        data: [item(caller)],
        warnings: ['page', 'per_page', 'payment_provider'].map(unknownParameter),
      });
    });
  });

  test('sorts by text, ignoring case and accents, and texts that differ only in case by key', async () => {
    const caller = await newAcquirer('DISTRIBUTOR', 'Sorted');
    await addNames(caller, { paymentApps: ['Zeta', 'éclair', 'apple', 'APPLE', 'Apple', 'Ébène', 'eden'] });
    const sorted = ['APPLE', 'Apple', 'apple', ...APPS, 'Ébène', 'éclair', 'eden', 'Zeta'];
    expect(await listed(caller, 'paymentApp')).toEqual({ data: named(sorted) });
  });
});

describe('400', () => {
  test('rejects both a search of more than 255 characters and a payment_provider that is not a UUID', async () => {
    const query = { search: '🏪'.repeat(256), payment_provider: 'Payfair' };
    const detail = 'search: Must have at most 255 characters. payment_provider: Must be a UUID.';
    await expectRefused(() => lookup(world.provider, 'masterMerchants', query), 'invalid_query', detail);
  });
});

describe('a long list', () => {
  const incomplete = (detail: string) => [{ parameter: 'search', code: 'incomplete', detail }];
  const TOO_MANY = incomplete('More than 1000 items match. Search for more of the name.');
  const TOO_LONG = incomplete('This list is too long to be read as a whole, so items may be missing.');
  const namesTo = (count: number) => Array.from({ length: count }, (_, at) => String(at + 1).padStart(5, '0'));

  /** From now on, a list in the table has so many items, or more than fit into a response of the table. */
  const haveItems = (count: number, hasMore = false, list = 'MASTER_ACQUIRERS#') =>
    intercept(async (send, { input }) => {
      const { ExpressionAttributeValues: values } = input as Pick<QueryCommandInput, 'ExpressionAttributeValues'>;
      // The table would refuse a key that it has not returned.
      if (values?.[':pk']?.startsWith(list)) delete input['ExclusiveStartKey'];
      const result = await send();
      const Items = namesTo(count).map((sk) => ({ pk: 'pk', sk }));
      const LastEvaluatedKey = hasMore ? { pk: 'pk', sk: 'sk' } : undefined;
      if (values?.[':pk']?.startsWith(list)) Object.assign(result.output, { Items, LastEvaluatedKey });
      return result;
    });
  const lookupOf = (query = {}) => call('lookup', { key: world.provider.key, path: { method: 'acquirers' }, query });
  const textsOf = ({ body }: ApiResponse): string[] => body.data.map(({ text }: { text: string }) => text);

  test('returns its first 1,000 items, with a warning if there are more; search finds the others', async () => {
    haveItems(1_000);
    const all = await lookupOf();
    expect([textsOf(all), all.body.warnings]).toEqual([namesTo(1_000), undefined]);
    release();
    haveItems(1_001);
    const response = await lookupOf();
    expect([textsOf(response), response.body.warnings]).toEqual([namesTo(1_000), TOO_MANY]);
    const found = await lookupOf({ search: '01001' });
    expect([textsOf(found), found.body.warnings]).toEqual([['01001'], undefined]);
  });

  test('that the table returns in parts is read in part, with one request, and says so', async () => {
    // Caches the API key.
    await lookupOf();
    haveItems(400, true);
    const sent = await tableRequestsBy(() => lookupOf());
    expect(operationsOf(sent)).toBe('Query');
    expect(new Set(textsOf(sent.response))).toEqual(new Set(namesTo(400)));
    expect(sent.response.body.warnings).toEqual(TOO_LONG);
  });

  test('of master merchants is searched by words', async () => {
    const { provider, distributor } = world;
    const [name, master_merchant_id] = [`Çelik ${unique('Name')}`, unique('MM')];
    const branch = { mid: unique('MID'), distributor: distributor.id, master_merchant_id, master_merchant_name: name };
    const { existing_master_merchant } = await newBranch(provider, branch);
    haveItems(0, true, 'MASTER_MERCHANTS#');
    const path = { method: 'masterMerchants' };
    const searchOf = async (search: string, query = {}) =>
      (await call('lookup', { key: distributor.key, path, query: { search, ...query } })).body;
    const data = [{ key: existing_master_merchant, text: name, master_merchant_id }];
    for (const search of [`celik ${name.slice(6, 14)}`, master_merchant_id])
      expect(await searchOf(search, { payment_provider: provider.id })).toEqual({ data });
    const nameless = await newBranch(provider, { distributor: distributor.id });
    const { master_merchant_id: id } = nameless;
    expect(await searchOf(id)).toEqual({
      data: [{ key: nameless.existing_master_merchant, text: id, master_merchant_id: id }],
    });
    expect(await searchOf(name, { payment_provider: world.secondProvider.id })).toEqual({ data: [] });
    expect((await searchOf('-')).warnings).toEqual(
      incomplete('This list is too long to be read as a whole, so items may be missing. Search for words.'),
    );
  });

  // A create cannot store them if its transaction is full: test/functions/branches/search.test.ts.
  test('of master merchants stores the search entries that a create left out', async () => {
    const { id, key } = world.stranger;
    await transact([put(unindexedWordsKey('MASTER_MERCHANTS', id, randomUUID()), { words: 'HARBOUR' })]);
    haveItems(0, true, 'MASTER_MERCHANTS#');
    const query = { search: 'nothing' };
    expect((await call('lookup', { key, path: { method: 'masterMerchants' }, query })).status).toBe(200);
    release();
    expect(await queryPrefix(unindexedWordsOf('MASTER_MERCHANTS', id))).toEqual([]);
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
  afterEach(() => void jest.restoreAllMocks());

  test('sends no request for 30 seconds, whatever its search, and then returns what is new', async () => {
    const caller = await newAcquirer('DISTRIBUTOR', 'Patient');
    expect(await again(caller, 'paymentApp')).toEqual(APPS);
    await addNames(caller, { paymentApps: ['Brand New'] });
    await removeReferenceData(caller.id, 'PAYMENT_APPS', ['Counter Plus']);

    wait(CACHE_MS - 1);
    // Refreshes the cached API key.
    await again(caller, 'distributors');
    const repeated = await tableRequestsBy(() => again(caller, 'paymentApp'));
    expect([operationsOf(repeated), repeated.response]).toEqual(['', APPS]);
    const searched = await tableRequestsBy(() => again(caller, 'paymentApp', { search: 'counter' }));
    expect([operationsOf(searched), searched.response]).toEqual(['', ['Counter Plus']]);

    wait(CACHE_MS);
    await again(caller, 'distributors');
    const later = await tableRequestsBy(() => again(caller, 'paymentApp'));
    expect([operationsOf(later), later.response]).toEqual(['Query', ['Brand New', 'Checkout Go']]);
  });

  test('caches each list of each acquirer separately', async () => {
    const [distributor, provider] = await newPartners();
    await addNames(provider, { paymentApps: ['Only Theirs'] });
    // The second pass reads from the cache.
    for (const _ of [1, 2]) {
      expect(await again(distributor, 'paymentApp')).toEqual(APPS);
      expect(await again(provider, 'paymentApp')).toEqual([...APPS, 'Only Theirs']);
      expect(await again(provider, 'acquirers')).toEqual(BANKS);
      expect(await again(provider, 'distributors')).toEqual(['Southgate']);
      expect(await again(distributor, 'paymentProviders')).toEqual(['Duo Pay']);
    }
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
    captureLog();
    failTable(() => new Error('out of order'));
    const failed = await invoke('lookup', eventOf('lookup', { key: caller.key, path: { method: 'paymentApp' } }));
    release();
    expect(failed.status).toBe(400);
    expect(await again(caller, 'paymentApp')).toEqual(APPS);
  });
});

describe('404', () => {
  test.each(['noSuchLookup', '__proto__', 'PaymentApp'])('returns 404 for the method %j', async (method) => {
    await expectRefused(() => lookup(world.provider, method), 'not_found', NO_SUCH_LOOKUP);
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
