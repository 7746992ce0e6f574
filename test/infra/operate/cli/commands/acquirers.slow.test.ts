import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { SHARED } from '../../../../../infra/operate/cli/finders.ts';
import { issueApiKey } from '../../../../../lib/acquirers/keyring.ts';
import { KEY_USE } from '../../../../../lib/acquirers/keyUse.ts';
import { createAcquirer } from '../../../../../lib/acquirers/registry.ts';
import { SEALING } from '../../../../../lib/branches/ranks.ts';
import { renameAcquirer } from '../../../../../lib/operator/acquirerChanges.ts';
import { call } from '../../../../support/api.ts';
import { EVENT_ID, TIME } from '../../../../support/constants.ts';
import { ownFolder } from '../../../../support/scripts.ts';
import { newBranch, newTerminal, newWorld } from '../../../../support/world.ts';
import { done, expectFailure, jsonOf, operator } from '../operator.ts';

const UUID = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
const API_KEY = expect.stringMatching(/^apk_[\w-]{48}$/);
const KEY_ID = expect.stringMatching(/^[\da-f]{12}$/);
const END = expect.stringMatching(/^[\w-]{4}$/);
const HOUR = 3_600_000;

const folder = ownFolder();

/** The ids of a payment provider, of a distributor and of the provider's API key. */
let [id, other, keyId] = ['', '', ''];
/** The payment provider in messages. */
let payfair: string;
beforeEach(async () => {
  [id, other] = [randomUUID(), randomUUID()];
  payfair = `Payfair (${id})`;
  await createAcquirer({ id, type: 'PAYMENT_PROVIDER', name: 'Payfair' });
  await createAcquirer({ id: other, type: 'DISTRIBUTOR', name: 'Northgate' });
  ({ key_id: keyId } = await issueApiKey(id, 'production'));
});

/** The payment provider as JSON. */
const shownAs = (more: object = {}) => ({
  id,
  type: 'PAYMENT_PROVIDER',
  name: 'Payfair',
  limit: null,
  created_at: TIME,
  disabled_at: null,
  ...more,
});

test.each<[command: string, args: () => string[], document: () => object]>([
  ['acquirers rename', () => [id, 'Payfair SA'], () => shownAs({ name: 'Payfair SA' })],
  ['acquirers limit', () => [id, '--rate', '7'], () => shownAs({ limit: { rate: 7, burst: 14 } })],
  [
    'acquirers limit',
    () => [id, '--rate', '100', '--burst', '300'],
    () => shownAs({ limit: { rate: 100, burst: 300 } }),
  ],
  ['acquirers limit', () => [id, '--default'], () => shownAs()],
  ['acquirers disable', () => [id, '--yes'], () => shownAs({ disabled_at: TIME })],
  ['acquirers enable', () => [id], () => shownAs()],
  ['partnerships link', () => [other, id], () => ({ distributor: other, payment_provider: id, partners: true })],
])('%s says what it did, also when it is repeated', async (command, args, document) => {
  for (let times = 0; times < 2; times += 1) expect(await jsonOf(...command.split(' '), ...args())).toEqual(document());
});

describe('partnerships unlink', () => {
  test('ends a partnership, and says how many branches it concerns', async () => {
    const { distributor, provider, secondProvider } = await newWorld();
    for (const { id: payment_provider } of [provider, provider, secondProvider])
      await newBranch(distributor, { payment_provider });
    await newBranch(provider);
    const names = [`Northgate (${distributor.id})`, `Payfair (${provider.id})`];
    expect(await operator(['partnerships', 'unlink', distributor.id, provider.id, '--yes'])).toEqual(
      done(
        `${names.join(' and ')} are no longer partners. Northgate can read what they share, but not change it, ` +
          `within 30 seconds (branches: 2).`,
      ),
    );
    // Here the payment provider has fewer branches.
    const ended = await jsonOf('partnerships', 'unlink', distributor.id, secondProvider.id, '--yes');
    const partners = { distributor: distributor.id, payment_provider: secondProvider.id, partners: false };
    expect(ended).toEqual({ ...partners, shared_branches: { count: 1, is_complete: true } });
  });

  test('says “at least” if it has not looked at all branches', async () => {
    const { distributor, provider } = await newWorld();
    for (let count = 0; count < 3; count += 1) await newBranch(distributor, { payment_provider: provider.id });
    const { most } = SHARED;
    SHARED.most = 2;
    const { stdout } = await operator(['partnerships', 'unlink', distributor.id, provider.id, '--yes']);
    SHARED.most = most;
    expect(stdout).toMatch(/ \(branches: at least 2\)\.\n$/);
  });
});

test('acquirers create registers an acquirer with a new UUID, or with a given one only once', async () => {
  const args = ['acquirers', 'create', '--type', 'DISTRIBUTOR', '--name', 'A\nname'];
  const created = await jsonOf(...args);
  expect(created).toEqual(shownAs({ id: UUID, type: 'DISTRIBUTOR', name: 'A\nname' }));
  const given = randomUUID();
  const withId = [...args.slice(0, 5), 'Southgate', '--id', given.toUpperCase()];
  expect(await operator(withId)).toEqual(done(`Created the DISTRIBUTOR Southgate (${given}).`));
  await expectFailure(withId, `Acquirer ${given} already exists.`);
});

describe('the name of an acquirer', () => {
  const taken = () =>
    `The DISTRIBUTOR ${name} (${other}) exists already. Choose a name that tells them apart, because commands take ` +
    `names.`;
  let name: string;
  beforeEach(async () => {
    name = `Bluewater ${randomUUID()}`;
    await renameAcquirer(other, name);
  });

  test('is new when it is created, so that a command that is repeated creates nothing', async () => {
    await expectFailure(['acquirers', 'create', '--type', 'PAYMENT_PROVIDER', '--name', name.toUpperCase()], taken());
    await expectFailure(['acquirers', 'create', '--type', 'DISTRIBUTOR', '--name', other], taken());
  });

  test('is new when it is renamed, or its own in another spelling', async () => {
    await expectFailure(['acquirers', 'rename', id, name], taken());
    const spelling = name.replace('Blue', 'BLUE');
    expect(await jsonOf('acquirers', 'rename', other, spelling)).toMatchObject({ name: spelling });
  });
});

test('acquirers list lists every acquirer, including disabled ones', async () => {
  const disabled = await jsonOf('acquirers', 'disable', other, '--yes');
  const all = await jsonOf('acquirers', 'list');
  expect(all).toEqual(expect.arrayContaining([shownAs(), disabled]));
});

describe('acquirers show', () => {
  test('shows everything about an acquirer', async () => {
    const { distributor, provider } = await newWorld();
    KEY_USE.intervalMs = 0;
    const { mid } = await newBranch(distributor, { payment_provider: provider.id });
    KEY_USE.intervalMs = Number.POSITIVE_INFINITY;
    await newTerminal(provider, mid, { terminal_id: 'TERM1' });
    const local = join(folder, 'demo.json');
    writeFileSync(local, JSON.stringify({ limit: { rate: 50, burst: 100 } }));
    const args = ['acquirers', 'show', distributor.id.toUpperCase(), '--local', local];
    const times = { created_at: TIME, last_used_at: TIME, expires_at: null };
    const key = { key_id: KEY_ID, label: 'test', role: 'full', ends_with: END, replaces: null, ...times };
    expect(await jsonOf(...args)).toEqual({
      ...shownAs({ id: distributor.id, type: 'DISTRIBUTOR', name: 'Northgate' }),
      default_limit: { rate: 50, burst: 100 },
      partners: expect.arrayContaining([{ id: provider.id, name: 'Payfair' }]),
      payment_apps: ['Checkout Go', 'Counter Plus'],
      master_acquirers: ['Atlantic Acquiring', 'Baltic Merchant Bank'],
      api_keys: [key],
      branches: 1,
      last_change: { id: EVENT_ID, at: TIME, type: 'terminals.created', by: provider.id },
    });
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
});

describe('an acquirer', () => {
  let name: string;
  beforeEach(async () => {
    name = `Bluewater ${randomUUID()}`;
    await renameAcquirer(other, name);
  });

  test('can be named in upper or lower case', async () => {
    expect(await jsonOf('partnerships', 'link', name.toUpperCase(), id)).toMatchObject({ distributor: other });
  });

  test('is not found by a name that is misspelt', async () => {
    const text = name.replace('Bluewater', 'Bluewatre');
    await expectFailure(['keys', 'list', text], `There is no acquirer "${text}". "acquirers list" shows all.`);
  });

  test('must be named by its id if others have its name', async () => {
    const [twin, ...types] = [`Twin ${randomUUID()}`, 'DISTRIBUTOR', 'PAYMENT_PROVIDER'] as const;
    const names: string[] = [];
    // As two operators who create them at the same moment.
    for (const type of types)
      names.push(`${(await createAcquirer({ id: randomUUID(), type, name: twin })).id} (${type})`);
    await expectFailure(
      ['acquirers', 'rename', twin.toLowerCase(), 'New'],
      `2 acquirers are named "${twin}". Name one by its id: ${names.sort().join(', ')}.`,
    );
  });
});

describe.each([
  ['payment-apps', 'payment apps', 'Checkout Go', 'Counter Plus'],
  ['master-acquirers', 'master acquirers', 'Atlantic Acquiring', 'Baltic Merchant Bank'],
])('%s', (group, what, first, second) => {
  const now = (...names: string[]) => done(`The ${what} of ${payfair}: ${names.join(', ') || 'none'}.`);

  test('adds, lists and removes names', async () => {
    const add = [group, 'add', id, first, second, 'Zeta #1', 'Éclair', first];
    for (let times = 0; times < 2; times += 1)
      expect(await operator(add)).toEqual(now(first, second, 'Zeta #1', 'Éclair'));
    expect(await jsonOf(group, 'list', id)).toEqual([first, second, 'Zeta #1', 'Éclair']);
    const remove = [group, 'remove', id, '--yes'];
    await expectFailure([...remove, first, 'Nonesuch'], `Acquirer ${id} has no "Nonesuch".`);
    expect(await operator([...remove, first, second, 'Zeta #1', 'Éclair', first])).toEqual(now());
  });

  test('adds and removes more names than fit in a transaction', async () => {
    const names = Array.from({ length: 101 }, (_, at) => `Name ${1000 + at}`);
    expect(await jsonOf(group, 'add', id, ...names)).toEqual(names);
    expect(await jsonOf(group, 'remove', id, ...names, '--yes')).toEqual([]);
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
const shownOnce = (key_id: string, label: string) =>
  `API key ${key_id} "${label}" of ${payfair}, with the role full. It works immediately and is never shown ` +
  `again:\n\n<key>\n`;

describe('keys issue', () => {
  test('shows a working key once', async () => {
    const shown = await expectKeyShown(['keys', 'issue', id, '--label', 'staging']);
    expect(shown).toBe(shownOnce((await infos())[1].key_id, 'staging'));
  });

  test('gives the key a role', async () => {
    const { api_key: key, ...issued } = await jsonOf('keys', 'issue', id, '--label', 'store-12', '--role', 'till');
    expect([key, issued]).toEqual([
      API_KEY,
      { key_id: KEY_ID, label: 'store-12', role: 'till', created_at: TIME, ends_with: END },
    ]);
  });
});

test('keys list lists the keys without the keys themselves', async () => {
  const [info, ...others] = await infos();
  const times = { created_at: TIME, ends_with: END, replaces: null, last_used_at: null, expires_at: null };
  expect([info, others]).toEqual([{ key_id: keyId, label: 'production', role: 'full', ...times }, []]);
  expect(await operator(['keys', 'list', id])).toEqual(
    done(`KEY ID        LABEL       ROLE  CREATED                   LAST USED      EXPIRES
${keyId}  production  full  ${info.created_at}  none recorded`),
  );
});

describe('keys rotate', () => {
  test.each([
    ['a day by default', [], 24 * HOUR],
    ['some minutes', ['--overlap', '90m'], 1.5 * HOUR],
    ['some days', ['--overlap', '7d'], 7 * 24 * HOUR],
  ])('lets the old key expire after %s, and shows its successor', async (_, options, overlap) => {
    const shown = await expectKeyShown(['keys', 'rotate', id, keyId, ...options]);
    const [{ expires_at }, successor] = await infos();
    expect(Date.parse(expires_at) - Date.parse(successor.created_at)).toBe(overlap);
    const end = `The old API key ${keyId} is valid until ${expires_at}.`;
    expect(shown).toBe(`${shownOnce(successor.key_id, 'production')}\n${end}\n`);
  });

  test('without an overlap ends the old key, here with JSON output', async () => {
    const { rotated, ...issued } = await jsonOf('keys', 'rotate', id, keyId, '--overlap', '0h', '--yes');
    const made = { key_id: KEY_ID, label: 'production', role: 'full', created_at: TIME };
    expect(issued).toEqual({ ...made, ends_with: issued.api_key.slice(-4), replaces: keyId, api_key: API_KEY });
    expect(rotated).toEqual({ key_id: keyId, expires_at: null });
    expect(await infos()).toMatchObject([{ key_id: issued.key_id }]);
    const again = await expectKeyShown(['keys', 'rotate', id, issued.key_id, '--overlap', '0h', '--yes']);
    expect(again).toMatch(`\n\nThe old API key ${issued.key_id} is refused within 30 seconds.\n`);
  });
});

test('keys revoke revokes a key and no other', async () => {
  const { key_id } = await issueApiKey(id, 'other');
  expect(await operator(['keys', 'revoke', id, keyId, '--yes'])).toEqual(
    done(`Revoked API key ${keyId} "production" of ${payfair}: it is refused within 30 seconds.`),
  );
  expect(await infos()).toMatchObject([{ key_id }]);
  expect(await jsonOf('keys', 'revoke', id, key_id, '--yes')).toEqual({ key_id, revoked: true });
});
