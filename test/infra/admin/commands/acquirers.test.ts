import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { CACHE_MS } from '../../../../lib/base/cache.ts';
import { createAcquirer } from '../../../../lib/operator/acquirers.ts';
import { issueApiKey } from '../../../../lib/operator/apiKeys.ts';
import { call } from '../../../support/api.ts';
import { stopClocks } from '../../../support/clock.ts';
import { recorded, TIME } from '../../../support/constants.ts';
import { splitRecord, storedBy } from '../../../support/stored.ts';
import { newBranch, newWorld } from '../../../support/world.ts';
import { admin, done, failed, jsonOf } from '../admin.ts';
import { testConfirmation } from '../confirmation.ts';

const ID = '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55';
const UUID = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);

afterEach(() => {
  jest.restoreAllMocks();
});

describe('create', () => {
  test('registers an acquirer with a new UUID', async () => {
    const { response, changed } = await storedBy(() =>
      jsonOf('acquirers', 'create', '--type', 'DISTRIBUTOR', '--name', 'Northgate'),
    );
    expect(response).toEqual({
      id: UUID,
      type: 'DISTRIBUTOR',
      name: 'Northgate',
      limit: null,
      created_at: TIME,
      disabled_at: null,
    });
    const { limit: _, disabled_at: __, ...stored } = response;
    expect(splitRecord(changed)).toEqual({
      others: { [`ACQUIRERS ACQUIRER#${response.id}`]: { ...stored, updated_at: stored.created_at } },
      events: {
        [`ACQUIRER#${response.id}`]: [recorded('acquirer.created', { type: 'DISTRIBUTOR', name: 'Northgate' })],
      },
    });
  });

  test('registers an acquirer with a given UUID, only once', async () => {
    const args = ['acquirers', 'create', '--type', 'PAYMENT_PROVIDER', '--name', 'Payfair', '--id', ID.toUpperCase()];
    expect(await admin(args)).toEqual(done(`Created the PAYMENT_PROVIDER Payfair (${ID}).`));
    const { response, changed } = await storedBy(() => admin(args));
    expect(response).toEqual(failed(`Acquirer ${ID} already exists.`));
    expect(changed).toEqual({});
  });

  test.each([
    [['--name', 'X'], `Wrong usage: required option '--type <type>' not specified (see "npm run admin -- --help")`],
    [['--type', 'DISTRIBUTOR', '--name', ''], 'Wrong usage: --name <name>: Is required.'],
    [['--type', 'DISTRIBUTOR', '--name', 'X', '--id', '1'], 'Wrong usage: --id <uuid>: Must be a UUID.'],
    [
      ['--type', 'BANK', '--name', 'X'],
      `Wrong usage: option '--type <type>' argument 'BANK' is invalid. Allowed choices are DISTRIBUTOR, PAYMENT_PROVIDER. (see "npm run admin -- --help")`,
    ],
  ])('rejects %j', async (options, line) => {
    const { response, changed } = await storedBy(() => admin(['acquirers', 'create', ...options]));
    expect(response).toEqual(failed(line, 2));
    expect(changed).toEqual({});
  });
});

describe('list', () => {
  test('lists every acquirer, including disabled ones', async () => {
    const { id } = await jsonOf('acquirers', 'create', '--type', 'DISTRIBUTOR', '--name', 'A\nname');
    const { disabled_at } = await jsonOf('acquirers', 'disable', id, '--yes');
    const all = await jsonOf('acquirers', 'list');
    expect(all).toContainEqual({
      id,
      type: 'DISTRIBUTOR',
      name: 'A\nname',
      limit: null,
      created_at: TIME,
      disabled_at,
    });

    const { stdout } = await admin(['acquirers', 'list']);
    const [heads, ...rows] = stdout.trimEnd().split('\n');
    expect(heads?.split(/ {2,}/)).toEqual(['ID', 'TYPE', 'NAME', 'CREATED', 'DISABLED']);
    expect(rows).toHaveLength(all.length);
    const row = rows.find((line) => line.startsWith(id));
    expect(row?.split(/ {2,}/)).toEqual([id, 'DISTRIBUTOR', 'A name', TIME, disabled_at]);
  });
});

describe('show', () => {
  test('shows everything about an acquirer', async () => {
    const { distributor, provider, secondProvider } = await newWorld();
    await newBranch(distributor, { payment_provider: provider.id });
    const shown = await jsonOf('acquirers', 'show', distributor.id);
    expect(shown).toEqual({
      id: distributor.id,
      type: 'DISTRIBUTOR',
      name: 'Northgate',
      limit: null,
      created_at: TIME,
      disabled_at: null,
      partners: expect.arrayContaining([
        { id: provider.id, name: 'Payfair' },
        { id: secondProvider.id, name: 'Quickpay' },
      ]),
      payment_apps: ['Checkout Go', 'Counter Plus'],
      master_acquirers: ['Atlantic Acquiring', 'Baltic Merchant Bank'],
      api_keys: [{ key_id: expect.any(String), label: 'test', created_at: TIME, expires_at: null }],
      branches: 1,
    });

    const [key] = shown.api_keys;
    expect(await admin(['acquirers', 'show', provider.id.toUpperCase()])).toMatchObject({ exitCode: 0 });
    expect((await admin(['acquirers', 'show', distributor.id])).stdout).toBe(
      `id                ${distributor.id}
type              DISTRIBUTOR
name              Northgate
created           ${shown.created_at}
limit             the stage's
disabled          no
partners          ${shown.partners.map(({ id, name }: { id: string; name: string }) => `${name} (${id})`).join(', ')}
payment apps      Checkout Go, Counter Plus
master acquirers  Atlantic Acquiring, Baltic Merchant Bank
branches          1

API keys:
KEY ID        LABEL  CREATED                   EXPIRES
${key.key_id}  test   ${key.created_at}
`,
    );
  });

  test('shows an acquirer without any data', async () => {
    const { id } = await jsonOf('acquirers', 'create', '--type', 'DISTRIBUTOR', '--name', 'New');
    expect((await admin(['acquirers', 'show', id])).stdout).toMatch(
      /\npartners +none\npayment apps +none\nmaster acquirers +none\nbranches +0\n\nAPI keys:\nNone\.\n$/,
    );
  });

  test.each([
    ['show', '--yes'],
    ['disable', '--yes'],
    ['enable', '--yes'],
    ['limit', '--default'],
    ['rename', 'Payfair'],
  ])('rejects an unknown acquirer, as does %s', async (command, flag) => {
    const { response, changed } = await storedBy(() =>
      admin(['acquirers', command, '00000000-0000-4000-8000-000000000000', flag]),
    );
    expect(response).toEqual(failed('There is no acquirer 00000000-0000-4000-8000-000000000000.'));
    expect(changed).toEqual({});
  });
});

describe('rename', () => {
  let id: string;
  beforeEach(async () => {
    id = randomUUID();
    await createAcquirer({ id, type: 'PAYMENT_PROVIDER', name: 'Payfair' });
  });

  test('renames an acquirer and can be repeated', async () => {
    const { response, changed } = await storedBy(() => admin(['acquirers', 'rename', id, 'Payfair SA']));
    const renamed = done(`Renamed Payfair SA (${id}). Partners see the new name within 30 seconds.`);
    expect(response).toEqual(renamed);
    expect(splitRecord(changed)).toEqual({
      others: { [`ACQUIRERS ACQUIRER#${id}`]: expect.objectContaining({ id, name: 'Payfair SA' }) },
      events: { [`ACQUIRER#${id}`]: [recorded('acquirer.renamed', { name: 'Payfair SA', name_before: 'Payfair' })] },
    });
    expect(await storedBy(() => admin(['acquirers', 'rename', id, 'Payfair SA']))).toEqual({
      response: renamed,
      changed: {},
    });
    expect(await jsonOf('acquirers', 'rename', id, 'Payfair')).toEqual({
      id,
      type: 'PAYMENT_PROVIDER',
      name: 'Payfair',
      limit: null,
      created_at: TIME,
      disabled_at: null,
    });
  });

  test.each([
    ['an empty name', '', 'Is required.'],
    ['a card number in the name', 'Pay 4242 4242 4242 4242', 'Must not contain a payment card number.'],
  ])('rejects %s', async (_, name, reason) => {
    const { response, changed } = await storedBy(() => admin(['acquirers', 'rename', id, name]));
    expect(response).toEqual(failed(`Wrong usage: <name>: ${reason}`, 2));
    expect(changed).toEqual({});
  });
});

describe('limit', () => {
  let id: string;
  beforeEach(async () => {
    id = randomUUID();
    await createAcquirer({ id, type: 'PAYMENT_PROVIDER', name: 'Payfair' });
  });
  const limitOf = async () => (await jsonOf('acquirers', 'show', id)).limit;

  test('sets a rate limit, which applies after the cache time', async () => {
    const wait = stopClocks();
    const { api_key: key } = await issueApiKey(id, 'first');
    const policy = async () => (await call('listBranches', { key })).headers['ratelimit-policy'];
    expect(await policy()).toBeUndefined();

    expect(await admin(['acquirers', 'limit', id, '--rate', '100', '--burst', '300'])).toEqual(
      done(`The limit of Payfair (${id}) is now 100 requests a second, 300 at once. It applies within 30 seconds.`),
    );
    wait(CACHE_MS);
    expect(await policy()).toBe('"requests";q=300;w=3');
    expect(await limitOf()).toEqual({ rate: 100, burst: 300 });
    expect((await admin(['acquirers', 'show', id])).stdout).toContain(
      '\nlimit             100 requests a second, 300 at once\n',
    );

    expect(await admin(['acquirers', 'limit', id, '--default'])).toEqual(
      done(`The limit of Payfair (${id}) is now the stage's. It applies within 30 seconds.`),
    );
    wait(2 * CACHE_MS);
    expect(await policy()).toBeUndefined();
    expect(await limitOf()).toBeNull();
  });

  test('allows bursts of twice the rate by default', async () => {
    await jsonOf('acquirers', 'limit', id, '--rate', '7');
    expect(await limitOf()).toEqual({ rate: 7, burst: 14 });
  });

  test.each([
    [[], 'Wrong usage: add --rate or --default.', 2],
    [['--burst', '10'], 'Wrong usage: add --rate or --default.', 2],
    [['--rate', '0'], 'Wrong usage: --rate <count>: Must be a whole number of 1 or more.', 2],
    [['--rate', '1.5'], 'Wrong usage: --rate <count>: Must be a whole number of 1 or more.', 2],
    [
      ['--rate', '10', '--default'],
      `Wrong usage: option '--default' cannot be used with option '--rate <count>' (see "npm run admin -- --help")`,
      2,
    ],
    [
      ['--rate', '10', '--burst', '15'],
      'The rate must be a positive whole number and the burst a multiple of it, at most 60 times the rate: not 10 and 15.',
      1,
    ],
  ])('rejects %j', async (options, line, exitCode) => {
    const { response, changed } = await storedBy(() => admin(['acquirers', 'limit', id, ...options]));
    expect(response).toEqual(failed(line, exitCode));
    expect(changed).toEqual({});
  });
});

describe('disable', () => {
  let caller: { id: string; key: string };
  beforeEach(async () => {
    const id = randomUUID();
    await createAcquirer({ id, type: 'PAYMENT_PROVIDER', name: 'Payfair' });
    caller = { id, key: (await issueApiKey(id, 'first')).api_key };
  });
  const status = async (key = caller.key) => (await call('listBranches', { key })).status;

  testConfirmation(async () => ({
    args: ['acquirers', 'disable', caller.id],
    what: `disable Payfair (${caller.id}), so that all its API keys are refused within 30 seconds`,
  }));

  test('rejects all API keys after the cache time; enable makes them valid again immediately', async () => {
    const second = (await issueApiKey(caller.id, 'second')).api_key;
    const wait = stopClocks();
    expect([await status(), await status(second)]).toEqual([200, 200]);

    expect(await admin(['acquirers', 'disable', caller.id, '--yes'])).toEqual(
      done(`Disabled Payfair (${caller.id}): its API keys are refused within 30 seconds.`),
    );
    wait(CACHE_MS);
    expect([await status(), await status(second)]).toEqual([401, 401]);
    expect(await admin(['keys', 'issue', caller.id, '--label', 'third'])).toEqual(
      failed(`The acquirer has been disabled since ${(await jsonOf('acquirers', 'show', caller.id)).disabled_at}.`),
    );

    expect(await admin(['acquirers', 'enable', caller.id])).toEqual(
      done(`Enabled Payfair (${caller.id}): its API keys work immediately.`),
    );
    expect([await status(), await status(second)]).toEqual([200, 200]);
    expect((await jsonOf('acquirers', 'show', caller.id)).disabled_at).toBeNull();
  });
});
