import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { issueApiKey } from '../../../../../lib/acquirers/keyring.ts';
import { KEY_USE } from '../../../../../lib/acquirers/keyUse.ts';
import { createAcquirer } from '../../../../../lib/acquirers/registry.ts';
import { SEALING } from '../../../../../lib/branches/ranks.ts';
import { call } from '../../../../support/api.ts';
import { EVENT_ID, TIME } from '../../../../support/constants.ts';
import { ownFolder } from '../../../../support/scripts.ts';
import { newBranch, newTerminal, newWorld } from '../../../../support/world.ts';
import { cellsIn, done, expectFailure, jsonOf, operator } from '../operator.ts';

const ID = '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55';
const UUID = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);

const API_KEY = expect.stringMatching(/^apk_[\w-]{48}$/);
const KEY_ID = expect.stringMatching(/^[\da-f]{12}$/);
const HOUR = 3_600_000;

const folder = ownFolder();

/** A payment provider, and the id of its API key. */
let [id, keyId] = ['', ''];
beforeEach(async () => {
  id = randomUUID();
  await createAcquirer({ id, type: 'PAYMENT_PROVIDER', name: 'Payfair' });
  ({ key_id: keyId } = await issueApiKey(id, 'production'));
});

/** An acquirer as JSON. */
const shownAs = (more: object) => ({
  id,
  type: 'PAYMENT_PROVIDER',
  name: 'Payfair',
  limit: null,
  created_at: TIME,
  disabled_at: null,
  ...more,
});

describe('acquirers create', () => {
  test('registers an acquirer with a new UUID', async () => {
    const created = await jsonOf('acquirers', 'create', '--type', 'DISTRIBUTOR', '--name', 'Northgate');
    expect(created).toEqual(shownAs({ id: UUID, type: 'DISTRIBUTOR', name: 'Northgate' }));
    expect(await jsonOf('acquirers', 'show', created.id)).toMatchObject(created);
    expect((await operator(['acquirers', 'show', created.id])).stdout).toMatch(
      /\npartners +none\npayment apps +none\nmaster acquirers +none\nbranches +0\nlast change +none\n\nAPI keys:\nNone\.\n$/,
    );
  });

  test('registers an acquirer with a given UUID, only once', async () => {
    const args = ['acquirers', 'create', '--type', 'PAYMENT_PROVIDER', '--name', 'Payfair', '--id', ID.toUpperCase()];
    expect(await operator(args)).toEqual(done(`Created the PAYMENT_PROVIDER Payfair (${ID}).`));
    await expectFailure(args, `Acquirer ${ID} already exists.`);
  });
});

test('acquirers list lists every acquirer, including disabled ones', async () => {
  const args = ['acquirers', 'create', '--type', 'DISTRIBUTOR', '--name', 'A\nname'];
  const disabled = await jsonOf('acquirers', 'disable', (await jsonOf(...args)).id, '--yes');
  expect(disabled).toEqual(shownAs({ id: UUID, type: 'DISTRIBUTOR', name: 'A\nname', disabled_at: TIME }));
  const all = await jsonOf('acquirers', 'list');
  expect(all).toEqual(expect.arrayContaining([shownAs({}), disabled]));

  const [heads, ...rows] = cellsIn(await operator(['acquirers', 'list']));
  expect(heads).toEqual(['ID', 'TYPE', 'NAME', 'CREATED', 'DISABLED']);
  expect(rows).toHaveLength(all.length);
  expect(rows).toContainEqual([disabled.id, 'DISTRIBUTOR', 'A name', TIME, disabled.disabled_at]);
});

/** The option of an `npm start` whose file has this content. */
function localWith(content: object): string[] {
  const file = join(folder, `${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(content));
  return ['--local', file];
}
const LOCAL = () => localWith({ limit: { rate: 50, burst: 100 } });

describe('acquirers show', () => {
  test('shows everything about an acquirer', async () => {
    const { distributor, provider, secondProvider } = await newWorld();
    KEY_USE.intervalMs = 0;
    const { mid } = await newBranch(distributor, { payment_provider: provider.id });
    KEY_USE.intervalMs = Number.POSITIVE_INFINITY;
    const { tid } = await newTerminal(provider, mid, { terminal_id: 'TERM1' });
    await call('archiveTerminal', { key: provider.key, path: { id: tid }, body: { reason: 'Lost' } });
    const shown = await jsonOf('acquirers', 'show', distributor.id.toUpperCase(), ...LOCAL());
    expect(shown).toEqual({
      ...shownAs({ id: distributor.id, type: 'DISTRIBUTOR', name: 'Northgate' }),
      default_limit: { rate: 50, burst: 100 },
      partners: expect.arrayContaining([
        { id: provider.id, name: 'Payfair' },
        { id: secondProvider.id, name: 'Quickpay' },
      ]),
      payment_apps: ['Checkout Go', 'Counter Plus'],
      master_acquirers: ['Atlantic Acquiring', 'Baltic Merchant Bank'],
      api_keys: [
        { key_id: KEY_ID, label: 'test', role: 'full', created_at: TIME, last_used_at: TIME, expires_at: null },
      ],
      branches: 1,
      last_change: { id: EVENT_ID, at: TIME, type: 'terminal.archived', by: provider.id },
    });

    const [key] = shown.api_keys;
    expect(await operator(['acquirers', 'show', distributor.id, ...LOCAL()])).toEqual(
      done(`id                ${distributor.id}
type              DISTRIBUTOR
name              Northgate
created           ${shown.created_at}
limit             50 requests a second, 100 at once (the stage's default)
disabled          no
partners          ${shown.partners.map(({ id, name }: { id: string; name: string }) => `${name} (${id})`).join(', ')}
payment apps      Checkout Go, Counter Plus
master acquirers  Atlantic Acquiring, Baltic Merchant Bank
branches          1
last change       ${shown.last_change.at} terminal.archived TERM1, by Payfair

API keys:
KEY ID        LABEL  ROLE  CREATED                   LAST USED                 EXPIRES
${key.key_id}  test   full  ${key.created_at}  ${key.last_used_at}`),
    );
  });

  test('counts branches that are ranked and branches that are not', async () => {
    const { provider } = await newWorld();
    for (let count = 0; count < 3; count += 1) await newBranch(provider);
    const before = { ...SEALING };
    Object.assign(SEALING, { horizonMs: 0, least: 1, most: 2 });
    await call('listBranches', { key: provider.key });
    Object.assign(SEALING, before);
    await newBranch(provider);
    expect(await jsonOf('acquirers', 'show', provider.id)).toMatchObject({ branches: 4 });
  });

  test.each([
    ['none', { limit: null }, "none (the stage's default)", null],
    ['unknown', {}, "the stage's default (rate and burst of the stage in infra/stack/stages.yml)", undefined],
  ])('says if the default limit is %s', async (_, content, text, default_limit) => {
    const { stdout } = await operator(['acquirers', 'show', id, ...localWith(content)]);
    expect(stdout).toContain(`\nlimit             ${text}\n`);
    expect((await jsonOf('acquirers', 'show', id, ...localWith(content))).default_limit).toBe(default_limit);
  });
});

describe('an acquirer', () => {
  const name = `Bluewater ${randomUUID()}`;
  let other: string;
  beforeAll(async () => {
    ({ id: other } = await jsonOf('acquirers', 'create', '--type', 'DISTRIBUTOR', '--name', name));
  });

  test('can be named in any command, in upper or lower case', async () => {
    const named = name.toUpperCase();
    expect(await jsonOf('acquirers', 'show', named)).toMatchObject({ id: other });
    expect(await jsonOf('partnerships', 'link', named, id)).toMatchObject({ distributor: other });
    expect(await jsonOf('payment-apps', 'add', named, 'Tap')).toEqual(['Tap']);
    const { key_id } = await jsonOf('keys', 'issue', named, '--label', 'production');
    expect(await jsonOf('keys', 'list', named)).toMatchObject([{ key_id }]);
    await jsonOf('acquirers', 'limit', named, '--rate', '7');
    expect(await jsonOf('acquirers', 'disable', named, '--yes')).toMatchObject({ id: other, limit: { rate: 7 } });
    expect((await jsonOf('history', named))[0]).toMatchObject({ type: 'acquirer.disabled' });
    expect(await operator(['acquirers', 'enable', named])).toMatchObject({ exitCode: 0 });
  });

  test.each([
    ['that is misspelt', name.replace('Bluewater', 'Bluewatre'), ` Did you mean ${name}?`],
    ['without any similar one', 'Zzzyzx Holding', ' "acquirers list" shows all.'],
  ])('is not found by a name %s', async (_, text, hint) => {
    await expectFailure(['keys', 'list', text], `There is no acquirer "${text}".${hint}`);
  });

  test('must be named by its id if others have its name', async () => {
    const [twin, ...names] = ['Twin Pay', 'DISTRIBUTOR', 'PAYMENT_PROVIDER'] as const;
    const ids: string[] = [];
    for (const type of names) ids.push((await jsonOf('acquirers', 'create', '--type', type, '--name', twin)).id);
    const { stderr, exitCode } = await operator(['acquirers', 'rename', 'twin pay', 'New']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^2 acquirers are named "Twin Pay"\. Name one by its id: \S+ \(\w+\), \S+ \(\w+\)\.\n$/);
    for (const [at, type] of names.entries()) expect(stderr).toContain(`${ids[at]} (${type})`);
    expect(await jsonOf('acquirers', 'show', ids[0] as string)).toMatchObject({ name: 'Twin Pay' });
  });
});

test('acquirers rename renames an acquirer', async () => {
  expect(await operator(['acquirers', 'rename', id, 'Payfair SA'])).toEqual(
    done(`Renamed Payfair SA (${id}). Partners see the new name within 30 seconds.`),
  );
  expect(await jsonOf('acquirers', 'rename', id, 'Payfair AG')).toEqual(shownAs({ name: 'Payfair AG' }));
});

test('acquirers limit sets a rate limit, by default with bursts of twice the rate', async () => {
  const LIMITED = `The limit of Payfair (${id}) is now`;
  expect(await operator(['acquirers', 'limit', id, '--rate', '100', '--burst', '300'])).toEqual(
    done(`${LIMITED} 100 requests a second, 300 at once. It applies within 30 seconds.`),
  );
  expect((await operator(['acquirers', 'show', id])).stdout).toContain(
    '\nlimit             100 requests a second, 300 at once\n',
  );
  const limited = await jsonOf('acquirers', 'limit', id, '--rate', '7');
  expect(limited).toEqual(shownAs({ limit: { rate: 7, burst: 14 } }));
  expect(await operator(['acquirers', 'limit', id, '--default', ...LOCAL()])).toEqual(
    done(`${LIMITED} 50 requests a second, 100 at once (the stage's default). It applies within 30 seconds.`),
  );
  expect(await jsonOf('acquirers', 'show', id)).toMatchObject({ limit: null });
});

test('acquirers disable says when API keys are refused; acquirers enable makes them valid again', async () => {
  expect(await operator(['acquirers', 'disable', id, '--yes'])).toEqual(
    done(`Disabled Payfair (${id}): its API keys are refused within 30 seconds.`),
  );
  expect((await operator(['acquirers', 'show', id])).stdout).toMatch(/\ndisabled {10}\d.+Z\n/);
  expect(await operator(['acquirers', 'enable', id])).toEqual(
    done(`Enabled Payfair (${id}): its API keys work immediately.`),
  );
  expect(await jsonOf('acquirers', 'enable', id)).toEqual(shownAs({}));
});

test('partnerships link links partners; partnerships unlink ends their partnership', async () => {
  const distributor = randomUUID();
  await createAcquirer({ id: distributor, type: 'DISTRIBUTOR', name: 'Northgate' });
  const names = `Northgate (${distributor}) and Payfair (${id})`;
  const link = ['partnerships', 'link', distributor, id];
  const unlink = ['partnerships', 'unlink', distributor, id, '--yes'];
  const document = { distributor, payment_provider: id };
  expect(await operator(link)).toEqual(done(`${names} are partners.`));
  expect(await operator(unlink)).toEqual(done(`${names} are no longer partners.`));
  expect(await jsonOf(...link)).toEqual({ ...document, partners: true });
  expect((await jsonOf('acquirers', 'show', id)).partners).toEqual([{ id: distributor, name: 'Northgate' }]);
  expect(await jsonOf(...unlink)).toEqual({ ...document, partners: false });
});

describe.each([
  ['payment-apps', 'payment apps', 'Checkout Go', 'Counter Plus'],
  ['master-acquirers', 'master acquirers', 'Atlantic Acquiring', 'Baltic Merchant Bank'],
])('%s', (group, what, first, second) => {
  beforeEach(async () => {
    await operator([group, 'add', id, first, second]);
  });

  const now = (...names: string[]) => done(`The ${what} of Payfair (${id}): ${names.join(', ') || 'none'}.`);

  test('list shows the names', async () => {
    expect(await jsonOf(group, 'list', id)).toEqual([first, second]);
    expect(await operator([group, 'list', id])).toEqual(now(first, second));
  });

  test('add adds names and can be repeated', async () => {
    const args = [group, 'add', id, first, 'Zeta #1', 'Éclair'];
    expect(await jsonOf(...args)).toEqual([first, second, 'Zeta #1', 'Éclair']);
    expect(await operator(args)).toEqual(now(first, second, 'Zeta #1', 'Éclair'));
  });

  test('remove removes names', async () => {
    expect(await operator([group, 'remove', id, first, second, first, '--yes'])).toEqual(now());
  });

  test('remove changes nothing if one of the names is unknown', async () => {
    const line = `Unknown ${what}: Nonesuch. Nothing was changed.`;
    await expectFailure([group, 'remove', id, first, 'Nonesuch', '--yes'], line);
  });
});

const infos = () => jsonOf('keys', 'list', id);

/** Asserts that a command shows a working API key, once; returns its other output. */
async function expectKeyShown(args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await operator(args);
  expect([exitCode, stderr]).toEqual([0, '']);
  const [key = '', ...others] = stdout.match(/apk_[\w-]+/g) ?? [];
  expect([key, others]).toEqual([API_KEY, []]);
  expect((await call('listBranches', { key })).status).toBe(200);
  return stdout.replace(key, '<key>');
}

describe('keys issue', () => {
  test('shows a working key once', async () => {
    const shown = await expectKeyShown(['keys', 'issue', id, '--label', 'staging']);
    const [, { key_id }] = await infos();
    expect(shown).toBe(
      `API key ${key_id} "staging" of Payfair (${id}), with the role full. It works immediately and is never shown again:\n\n<key>\n`,
    );
  });

  test('prints JSON for scripts', async () => {
    const issued = await jsonOf('keys', 'issue', id, '--label', 'staging');
    expect(issued).toEqual({ key_id: KEY_ID, label: 'staging', role: 'full', created_at: TIME, api_key: API_KEY });
  });

  test('gives the key a role', async () => {
    const { api_key: key, ...issued } = await jsonOf('keys', 'issue', id, '--label', 'store-12', '--role', 'till');
    expect(issued).toMatchObject({ label: 'store-12', role: 'till' });
    expect((await call('listBranches', { key })).status).toBe(403);
    const { role } = await jsonOf('keys', 'rotate', id, issued.key_id);
    expect([role, (await infos()).map((each: { role: string }) => each.role)]).toEqual([
      'till',
      ['full', 'till', 'till'],
    ]);
  });
});

test('keys list lists the keys without the keys themselves', async () => {
  const [info, ...others] = await infos();
  expect(info).toEqual({
    key_id: keyId,
    label: 'production',
    role: 'full',
    created_at: TIME,
    last_used_at: null,
    expires_at: null,
  });
  expect(others).toEqual([]);
  expect(await operator(['keys', 'list', id])).toEqual(
    done(`KEY ID        LABEL       ROLE  CREATED                   LAST USED      EXPIRES
${keyId}  production  full  ${info.created_at}  none recorded`),
  );
});

describe('keys rotate', () => {
  test('shows the successor and when the old key expires', async () => {
    const shown = await expectKeyShown(['keys', 'rotate', id, keyId, '--overlap', '2h']);
    const [{ expires_at }, { key_id }] = await infos();
    expect(shown).toBe(
      `API key ${key_id} "production" of Payfair (${id}), with the role full. It works immediately and is never shown again:\n\n<key>\n\n` +
        `The old API key ${keyId} is valid until ${expires_at}.\n`,
    );
  });

  test('says how soon the old key is refused if there is no overlap', async () => {
    const shown = await expectKeyShown(['keys', 'rotate', id, keyId, '--overlap', '0h', '--yes']);
    expect(shown).toContain(`\n\nThe old API key ${keyId} is refused within 30 seconds.\n`);
    expect(await infos()).toHaveLength(1);
  });

  test.each([
    ['a day by default', [], 24 * HOUR],
    ['some minutes', ['--overlap', '90m'], 1.5 * HOUR],
    ['some days', ['--overlap', '7d'], 7 * 24 * HOUR],
  ])('lets the old key expire after %s', async (_, options, overlap) => {
    const { created_at, rotated, ...issued } = await jsonOf('keys', 'rotate', id, keyId, ...options);
    expect(issued).toEqual({ key_id: KEY_ID, label: 'production', role: 'full', api_key: API_KEY });
    const expires_at = new Date(Date.parse(created_at) + overlap).toISOString();
    expect(rotated).toEqual({ key_id: keyId, expires_at });
    expect((await infos())[0].expires_at).toBe(expires_at);
  });
});

test('keys revoke revokes a key and no other', async () => {
  const { key_id } = await issueApiKey(id, 'other');
  expect(await operator(['keys', 'revoke', id, keyId, '--yes'])).toEqual(
    done(`Revoked API key ${keyId} "production" of Payfair (${id}): it is refused within 30 seconds.`),
  );
  expect(await infos()).toMatchObject([{ key_id }]);
  expect(await jsonOf('keys', 'revoke', id, key_id, '--yes')).toEqual({ key_id, revoked: true });
});
