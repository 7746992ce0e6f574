import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { issueApiKey, MOST_KEYS } from '../../../../../lib/acquirers/keyring.ts';
import { beforeNext } from '../../../../lib/table/intercept.ts';
import { call } from '../../../../support/api.ts';
import { TIME } from '../../../../support/constants.ts';
import { ownFolder } from '../../../../support/scripts.ts';
import { newWorld, type World } from '../../../../support/world.ts';
import { cellsIn, expectFailure, jsonOf, operator } from '../operator.ts';

const BASE_URL = 'https://api.example.com';
const folder = ownFolder();

let world: World;
/** The name of the new acquirer, and the arguments of its onboarding. */
let name: string;
let args: string[];
beforeAll(async () => {
  world = await newWorld();
});
beforeEach(() => {
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
    expect(cellsIn({ stdout: before })).toEqual([
      ['acquirer', `${name} (${id}), PAYMENT_PROVIDER`, 'done'],
      ['partner', `Northgate (${world.distributor.id})`, 'done'],
      ['payment app', 'Checkout Go', 'done'],
      ['payment app', 'Counter Plus', 'done'],
      ['master acquirer', 'Atlantic Acquiring', 'done'],
      ['limit', '40 requests a second, 80 at once', 'done'],
      ['API key', `${key_id} "production", full`, 'done'],
      [''],
      ['Add --docs-url to include the docs site.'],
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

  test('sets up a distributor with a role of its key, and prints JSON for scripts', async () => {
    const { id } = world.provider;
    const docs_url = 'https://docs.example.com/partners/';
    const typed = [...onboarding('DISTRIBUTOR', id), '--role', 'viewer', '--docs-url', docs_url];
    const onboarded = await jsonOf(...typed);
    const { key_id } = onboarded.api_key;
    expect(onboarded).toEqual({
      acquirer: expect.objectContaining({ type: 'DISTRIBUTOR', name, limit: { rate: 40, burst: 80 } }),
      base_url: BASE_URL,
      docs_url,
      done: [
        `acquirer: ${name} (${onboarded.acquirer.id}), DISTRIBUTOR`,
        `partner: Payfair (${id})`,
        'payment app: Checkout Go',
        'payment app: Counter Plus',
        'master acquirer: Atlantic Acquiring',
        'limit: 40 requests a second, 80 at once',
        `API key: ${key_id} "production", viewer`,
      ],
      api_key: {
        ...{ key_id, label: 'production', role: 'viewer', created_at: TIME },
        api_key: expect.stringMatching(/^apk_/),
      },
    });
    expect((await jsonOf('acquirers', 'show', name)).partners).toEqual([{ id, name: 'Payfair' }]);
    expect((await operator(typed)).stdout).toContain(`\n  Documentation  ${docs_url}\n`);
    await expectFailure(
      [...typed, '--role', 'full'],
      `${name} (${onboarded.acquirer.id}) has an API key "production" with the role viewer. Use that --role or another --label. Nothing was changed.`,
    );
  });

  test('includes the URLs of npm start', async () => {
    const local = join(folder, 'demo.json');
    writeFileSync(local, '{"base_url":"http://127.0.0.1:3000"}');
    const onLaptop = [...args.slice(0, args.indexOf('--base-url')), '--local', local];
    const urls = { base_url: 'http://127.0.0.1:3000', docs_url: 'http://127.0.0.1:3000/' };
    expect(await jsonOf(...onLaptop)).toMatchObject(urls);
  });

  test('repeated, completes what is missing and issues no second key', async () => {
    const { acquirer, api_key } = await jsonOf(...args);
    expect(await jsonOf(...args)).toMatchObject({ done: [], docs_url: null, api_key: { key_id: api_key.key_id } });
    expect(await types()).toEqual(ALL);
    // A partner that is named twice is one.
    const more = ['--payment-app', 'Tap Desk', '--partner', world.distributor.id.toUpperCase()];
    const { stdout } = await operator([...args, ...more]);
    expect(stdout.match(/was there already$/gm)).toHaveLength(7);
    expect(stdout).toMatch(/^payment app +Tap Desk +done$/m);
    expect(stdout).toMatch(
      `\n\nNo API key was issued, because ${api_key.key_id} has this label. It cannot be shown again. To replace it, run "keys rotate ${acquirer.id} ${api_key.key_id}".\n`,
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
    const { key_id } = await jsonOf('keys', 'rotate', name, api_key.key_id);
    await jsonOf('keys', 'revoke', name, key_id, '--yes');
    expect((await jsonOf(...args)).done).toEqual([expect.stringMatching(/^API key: \w+ "production", full$/)]);
    expect(await jsonOf('keys', 'list', acquirer.id)).toHaveLength(2);
  });

  test('changes nothing if a partner is unknown or of its type, or the acquirer of another or disabled', async () => {
    const [unknown, { id }] = [randomUUID(), world.provider];
    await expectFailure([...args, '--partner', unknown], `There is no acquirer ${unknown}.`);
    await expectFailure(
      [...args, '--partner', id],
      `Payfair (${id}) is a PAYMENT_PROVIDER too, so it cannot be a partner. Nothing was changed.`,
    );
    const named = `${name} (${(await jsonOf(...args)).acquirer.id})`;
    await expectFailure(
      onboarding('DISTRIBUTOR', id),
      `${named} is a PAYMENT_PROVIDER, not a DISTRIBUTOR. Nothing was changed.`,
    );
    const { disabled_at } = await jsonOf('acquirers', 'disable', name, '--yes');
    await expectFailure(args, `${named} has been disabled since ${disabled_at}. Nothing was changed.`);
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
});
