import { createHash, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { CACHE_MS } from '../../../../lib/base/cache.ts';
import { createAcquirer } from '../../../../lib/operator/acquirers.ts';
import { issueApiKey } from '../../../../lib/operator/apiKeys.ts';
import { call } from '../../../support/api.ts';
import { stopClocks } from '../../../support/clock.ts';
import { TIME } from '../../../support/constants.ts';
import { stored, storedBy } from '../../../support/stored.ts';
import { admin, done, failed, jsonOf } from '../admin.ts';
import { testConfirmation } from '../confirmation.ts';

const API_KEY = expect.stringMatching(/^apk_[\w-]{48}$/);
const KEY_ID = expect.stringMatching(/^[\da-f]{12}$/);
const HOUR = 3_600_000;

let acquirer: string;
/** An API key of the acquirer. */
let key: string;
let keyId: string;
beforeEach(async () => {
  acquirer = randomUUID();
  await createAcquirer({ id: acquirer, type: 'PAYMENT_PROVIDER', name: 'Payfair' });
  ({ api_key: key, key_id: keyId } = await issueApiKey(acquirer, 'production'));
});
afterEach(() => {
  jest.restoreAllMocks();
});

const status = async (apiKey: string) => (await call('listBranches', { key: apiKey })).status;
const named = () => `API key ${keyId} "production" of Payfair (${acquirer})`;

/** The only API key in the output. */
function keyIn(text: string): string {
  const found = text.match(/apk_[\w-]+/g) ?? [];
  expect(found).toEqual([API_KEY]);
  return found[0] as string;
}

async function expectNotStored(apiKey: string): Promise<void> {
  const everything = JSON.stringify(await stored());
  expect(everything).not.toContain(apiKey.slice('apk_'.length, -6));
  expect(everything).toContain(createHash('sha256').update(apiKey).digest('hex'));
}

describe('issue', () => {
  test('shows a working key once and stores only its hash', async () => {
    const { exitCode, stdout, stderr } = await admin(['keys', 'issue', acquirer, '--label', 'staging']);
    const issued = keyIn(stdout);
    const [, { key_id }] = await jsonOf('keys', 'list', acquirer);
    expect(stdout).toBe(`API key ${key_id} "staging". It works immediately and is never shown again:\n\n${issued}\n`);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(await status(issued)).toBe(200);
    await expectNotStored(issued);
  });

  test('prints JSON for scripts', async () => {
    const issued = await jsonOf('keys', 'issue', acquirer, '--label', 'staging');
    expect(issued).toEqual({ key_id: KEY_ID, label: 'staging', created_at: TIME, api_key: API_KEY });
    expect(await status(issued.api_key)).toBe(200);
  });

  test.each([
    ['no label', [], `Wrong usage: required option '--label <label>' not specified (see "npm run admin -- --help")`],
    ['an empty label', ['--label', ''], 'Wrong usage: --label <label>: Is required.'],
  ])('rejects %s', async (_, options, line) => {
    const { response, changed } = await storedBy(() => admin(['keys', 'issue', acquirer, ...options]));
    expect(response).toEqual(failed(line, 2));
    expect(changed).toEqual({});
  });

  test('rejects a label that is an API key, without repeating it', async () => {
    const { response, changed } = await storedBy(() => admin(['keys', 'issue', acquirer, '--label', key]));
    expect(response).toMatchObject({ exitCode: 2, stdout: '' });
    expect(response.stderr).toMatch(/^Wrong usage: --label <label>: Must not contain an API key\..*\n$/);
    expect(response.stderr).not.toContain(key);
    expect(changed).toEqual({});
  });
});

describe('list', () => {
  test('lists the keys without the keys themselves', async () => {
    const infos = await jsonOf('keys', 'list', acquirer);
    expect(infos).toEqual([{ key_id: keyId, label: 'production', created_at: TIME, expires_at: null }]);
    expect(await admin(['keys', 'list', acquirer])).toEqual(
      done(
        [
          'KEY ID        LABEL       CREATED                   EXPIRES',
          `${keyId}  production  ${infos[0].created_at}`,
        ].join('\n'),
      ),
    );
  });
});

describe('rotate', () => {
  test('issues a successor and expires the key after the overlap', async () => {
    const wait = stopClocks();
    const start = Date.now();
    const { exitCode, stdout } = await admin(['keys', 'rotate', acquirer, keyId, '--overlap', '2h']);
    expect(exitCode).toBe(0);
    const successor = keyIn(stdout);
    const [old, fresh] = await jsonOf('keys', 'list', acquirer);
    expect(fresh).toMatchObject({ label: 'production', expires_at: null });
    expect(Date.parse(old.expires_at) - Date.parse(fresh.created_at)).toBe(2 * HOUR);
    expect(stdout).toBe(
      `API key ${fresh.key_id} "production". It works immediately and is never shown again:\n\n${successor}\n\n` +
        `The old API key ${keyId} is valid until ${old.expires_at}.\n`,
    );
    expect([await status(key), await status(successor)]).toEqual([200, 200]);
    await expectNotStored(successor);

    wait(Date.parse(old.expires_at) - start);
    expect([await status(key), await status(successor)]).toEqual([401, 200]);
  });

  test('lets the old key expire after a day by default', async () => {
    const { created_at, rotated, ...issued } = await jsonOf('keys', 'rotate', acquirer, keyId);
    expect(issued).toEqual({ key_id: KEY_ID, label: 'production', api_key: API_KEY });
    expect(rotated.key_id).toBe(keyId);
    expect(Date.parse(rotated.expires_at) - Date.parse(created_at)).toBe(24 * HOUR);
    expect((await jsonOf('keys', 'list', acquirer))[0].expires_at).toBe(rotated.expires_at);

    const { response, changed } = await storedBy(() => admin(['keys', 'rotate', acquirer, keyId]));
    expect(response).toEqual(failed(`API key ${keyId} was already rotated; it expires at ${rotated.expires_at}.`));
    expect(changed).toEqual({});
  });

  test('rejects the old key after the cache time if there is no overlap', async () => {
    const wait = stopClocks();
    expect(await status(key)).toBe(200);
    const { stdout } = await admin(['keys', 'rotate', acquirer, keyId, '--overlap', '0h', '--yes']);
    expect(stdout).toMatch(new RegExp(`\n\nThe old API key ${keyId} is refused within 30 seconds\\.\n$`));
    wait(CACHE_MS);
    expect([await status(key), await status(keyIn(stdout))]).toEqual([401, 200]);
  });

  describe('without an overlap', () => {
    testConfirmation(async () => ({
      args: ['keys', 'rotate', acquirer, keyId, '--overlap', '0m'],
      what: `rotate ${named()} without an overlap: the old key is refused within 30 seconds`,
    }));
  });

  test.each(['24', 'h', '1.5h', '-1h', '24 h', '1w', '99999d'])('rejects an overlap of %j', async (overlap) => {
    const { response, changed } = await storedBy(() =>
      admin(['keys', 'rotate', acquirer, keyId, `--overlap=${overlap}`]),
    );
    expect(response).toEqual(
      failed(
        'Wrong usage: --overlap <duration>: Must be a number of minutes, hours or days, such as 90m, 24h or 7d.',
        2,
      ),
    );
    expect(changed).toEqual({});
  });
});

describe('revoke', () => {
  testConfirmation(async () => ({
    args: ['keys', 'revoke', acquirer, keyId],
    what: `revoke ${named()}, so that it is refused within 30 seconds`,
  }));

  test('revokes a key and no other', async () => {
    const other = await jsonOf('keys', 'issue', acquirer, '--label', 'other');
    const wait = stopClocks();
    expect([await status(key), await status(other.api_key)]).toEqual([200, 200]);
    expect(await admin(['keys', 'revoke', acquirer, keyId, '--yes'])).toEqual(
      done(`Revoked ${named()}: it is refused within 30 seconds.`),
    );
    wait(CACHE_MS);
    expect([await status(key), await status(other.api_key)]).toEqual([401, 200]);
    expect(await jsonOf('keys', 'revoke', acquirer, other.key_id, '--yes')).toEqual({
      key_id: other.key_id,
      revoked: true,
    });
  });

  test('rejects an unknown key id', async () => {
    const { response, changed } = await storedBy(() => admin(['keys', 'revoke', acquirer, '0123456789ab', '--yes']));
    expect(response).toEqual(failed('The acquirer has no API key 0123456789ab.'));
    expect(changed).toEqual({});
  });

  test('does not repeat a key that is given instead of its id', async () => {
    expect(await admin(['keys', 'revoke', acquirer, key])).toEqual(
      failed('Wrong usage: <key-id>: Must be the 12 hex digits from "keys list", not the key itself.', 2),
    );
    const { stderr } = await admin(['keys', 'list', acquirer, key]);
    expect(stderr).toMatch(/^Wrong usage: too many arguments .*\n$/);
    expect(stderr).not.toContain(key);
  });
});
