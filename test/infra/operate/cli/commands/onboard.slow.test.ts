import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { issueApiKey, MOST_KEYS } from '../../../../../lib/acquirers/keyring.ts';
import { beforeNext } from '../../../../lib/table/intercept.ts';
import { call } from '../../../../support/api.ts';
import { ownFolder } from '../../../../support/scripts.ts';
import { newWorld, type World } from '../../../../support/world.ts';
import { expectFailure, jsonOf, operator } from '../operator.ts';

const BASE_URL = 'https://api.example.com';
const folder = ownFolder();

let world: World;
/** The name of the new acquirer, and the arguments of its onboarding. */
let name: string;
let args: string[];
beforeEach(async () => {
  world = await newWorld();
  name = `Blueline ${randomUUID()}`;
  args = onboarding('PAYMENT_PROVIDER', world.distributor.id);
});

const onboarding = (type: string, partner: string) => [
  ...['acquirers', 'onboard', '--type', type, '--name', name, '--partner', partner, '--label', 'production'],
  ...['--payment-app', 'Checkout Go', '--payment-app', 'Counter Plus', '--master-acquirer', 'Atlantic Acquiring'],
  ...['--rate', '40', '--base-url', `${BASE_URL}/`],
];
const types = async () => (await jsonOf('history', name)).map(({ type }: { type: string }) => type).reverse();
const ALL = [
  'acquirer.created',
  'partnership.linked',
  'reference_data.added',
  'reference_data.added',
  'acquirer.limited',
  'api_key.issued',
];

describe('acquirers onboard', () => {
  test('sets up an acquirer, and prints a text to send and, apart from it, a key that works', async () => {
    const { exitCode, stdout, stderr } = await operator(args);
    expect([exitCode, stderr]).toEqual([0, '']);
    const { id, ...shown } = await jsonOf('acquirers', 'show', name);
    const { key_id } = shown.api_keys[0];
    expect(shown).toMatchObject({
      type: 'PAYMENT_PROVIDER',
      limit: { rate: 40, burst: 80 },
      partners: [{ id: world.distributor.id, name: 'Northgate' }],
      payment_apps: ['Checkout Go', 'Counter Plus'],
      master_acquirers: ['Atlantic Acquiring'],
      api_keys: [{ label: 'production' }],
    });
    expect(await types()).toEqual(ALL);

    const [toSend = '', apart = ''] = stdout.split('To send apart from that, by a channel that shows it only once:');
    const [before = '', text] = toSend.split(`To send to ${name}:`);
    const [done = '', hint] = before.trim().split('\n\n');
    expect(hint).toBe('Add --docs-url to include the docs site.');
    expect(done.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['acquirer', `${name} (${id}), PAYMENT_PROVIDER`, 'done'],
      ['partner', `Northgate (${world.distributor.id})`, 'done'],
      ['payment app', 'Checkout Go', 'done'],
      ['payment app', 'Counter Plus', 'done'],
      ['master acquirer', 'Atlantic Acquiring', 'done'],
      ['limit', '40 requests a second, 80 at once', 'done'],
      ['API key', `${key_id} "production", full`, 'done'],
    ]);
    expect(text).toBe(`

  Base URL       ${BASE_URL}
  Acquirer id    ${id}

  You will receive your API key separately. To try it, list your branches. There are none yet:

  curl -H "API-KEY: $API_KEY" ${BASE_URL}/ext/api/v1/merchants

`);
    const [key = '', ...others] = apart.match(/apk_[\w-]+/g) ?? [];
    expect(others).toEqual([]);
    expect((await call('listBranches', { key })).status).toBe(200);
  });

  test('sets up a distributor, and prints JSON for scripts', async () => {
    const onboarded = await jsonOf(
      ...onboarding('DISTRIBUTOR', world.provider.id),
      '--docs-url',
      'https://docs.example.com/partners/',
    );
    expect(onboarded).toEqual({
      acquirer: expect.objectContaining({ type: 'DISTRIBUTOR', name, limit: { rate: 40, burst: 80 } }),
      base_url: BASE_URL,
      docs_url: 'https://docs.example.com/partners/',
      done: expect.arrayContaining([`partner: Payfair (${world.provider.id})`, 'payment app: Checkout Go']),
      api_key: expect.objectContaining({ label: 'production', api_key: expect.stringMatching(/^apk_/) }),
    });
    const { partners } = await jsonOf('acquirers', 'show', name);
    expect(partners).toEqual([{ id: world.provider.id, name: 'Payfair' }]);
  });

  test('includes the docs site of npm start, or the one that is named', async () => {
    const local = join(folder, 'demo.json');
    writeFileSync(local, '{"base_url":"http://127.0.0.1:3000"}');
    const onLaptop = [...args.slice(0, args.indexOf('--base-url')), '--local', local];
    expect(await jsonOf(...onLaptop)).toMatchObject({ docs_url: 'http://127.0.0.1:3000/' });
    expect(await jsonOf(...args)).toMatchObject({ docs_url: null });
    const { stdout } = await operator([...args, '--docs-url', 'https://docs.example.com/partners/']);
    expect(stdout).toMatch(/\n {2}Base URL {7}\S+\n {2}Documentation {2}https:\/\/docs\.example\.com\/partners\/\n/);
    expect(stdout).not.toContain('--docs-url');
  });

  test('repeated, completes what is missing and issues no second key', async () => {
    const { acquirer, api_key } = await jsonOf(...args);
    const { id } = acquirer;
    expect(await jsonOf(...args)).toMatchObject({ done: [], api_key: { key_id: api_key.key_id } });
    expect(await types()).toEqual(ALL);

    const { exitCode, stdout } = await operator([...args, '--payment-app', 'Tap Desk']);
    expect(exitCode).toBe(0);
    expect(stdout.match(/was there already$/gm)).toHaveLength(7);
    expect(stdout).toMatch(/^payment app +Tap Desk +done$/m);
    expect(stdout).toMatch(
      `\n\nNo API key was issued, because ${api_key.key_id} has this label. It cannot be shown again. To replace it, run "keys rotate ${id} ${api_key.key_id}".\n`,
    );
    expect(stdout).not.toMatch(/apk_/);
  });

  test('interrupted after any of its changes, is completed by running it again', async () => {
    for (let changes = 1; changes < ALL.length; changes += 1) {
      name = `Blueline ${randomUUID()}`;
      args = onboarding('PAYMENT_PROVIDER', world.distributor.id);
      let sent = 0;
      const fail = async () => {
        throw new Error('interrupted');
      };
      beforeNext(({ operation }) => operation === 'TransactWriteItems' && ++sent > changes, fail);
      expect(await operator(args)).toMatchObject({ exitCode: 1 });
      expect(await types()).toEqual(ALL.slice(0, changes));
      await jsonOf(...args);
      expect(await types()).toEqual(ALL);
    }
  });

  test('replaces a key that was rotated, because that expires', async () => {
    const { acquirer, api_key } = await jsonOf(...args);
    await jsonOf('keys', 'rotate', name, api_key.key_id);
    await jsonOf('keys', 'revoke', name, (await jsonOf('keys', 'list', name))[1].key_id, '--yes');
    expect((await jsonOf(...args)).done).toEqual([expect.stringMatching(/^API key: \w+ "production", full$/)]);
    expect(await jsonOf('keys', 'list', acquirer.id)).toHaveLength(2);
  });

  test('changes nothing if a partner is unknown or of its own type', async () => {
    const [unknown, { id }] = [randomUUID(), world.provider];
    await expectFailure([...args, '--partner', unknown], `There is no acquirer ${unknown}.`);
    await expectFailure(
      [...args, '--partner', id],
      `Payfair (${id}) is a PAYMENT_PROVIDER too, so it cannot be a partner. Nothing was changed.`,
    );
  });

  test('changes nothing if the acquirer is of another type, or disabled', async () => {
    const { acquirer } = await jsonOf(...args);
    const named = `${name} (${acquirer.id})`;
    await expectFailure(
      onboarding('DISTRIBUTOR', world.provider.id),
      `${named} is a PAYMENT_PROVIDER, not a DISTRIBUTOR. Nothing was changed.`,
    );
    const { disabled_at } = await jsonOf('acquirers', 'disable', name, '--yes');
    await expectFailure(args, `${named} has been disabled since ${disabled_at}. Nothing was changed.`);
  });

  test('gives the key a role, and changes nothing if there is such a key with another', async () => {
    const { acquirer, api_key } = await jsonOf(...args, '--role', 'viewer');
    expect(api_key).toMatchObject({ label: 'production', role: 'viewer' });
    expect((await jsonOf(...args, '--role', 'viewer')).done).toEqual([]);
    await expectFailure(
      [...args, '--payment-app', 'Tap Desk'],
      `${name} (${acquirer.id}) has an API key "production" with the role viewer. Use that --role or another --label. Nothing was changed.`,
    );
  });

  test('changes nothing if the acquirer needs another key but can have no more', async () => {
    const { acquirer } = await jsonOf(...args);
    for (let keys = 1; keys < MOST_KEYS; keys += 1) await issueApiKey(acquirer.id, 'other');
    expect((await jsonOf(...args, '--payment-app', 'Tap Desk')).done).toEqual(['payment app: Tap Desk']);
    await expectFailure(
      [...args, '--label', 'staging', '--payment-app', 'Pay Desk'],
      `${name} (${acquirer.id}) has 20 API keys, none of them "staging". Revoke one. Nothing was changed.`,
    );
  });

  test('links a partner that is named twice once', async () => {
    const { stdout } = await operator([...args, '--partner', world.distributor.id.toUpperCase()]);
    expect(stdout.match(/^partner /gm)).toHaveLength(1);
  });
});
