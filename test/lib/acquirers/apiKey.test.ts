import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { type ApiKey, resolveApiKey } from '../../../lib/acquirers/apiKey.ts';
import { issueApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '../../../lib/acquirers/keyring.ts';
import { isWellFormedApiKey, newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { CACHE_MS } from '../../../lib/base/cache.ts';
import { disableAcquirer, enableAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { call } from '../../support/api.ts';
import { stopClocks } from '../../support/clock.ts';
import { INVALID_KEY } from '../../support/constants.ts';
import { expectRefused } from '../../support/outcomes.ts';
import { stored, storedBy } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import { type Caller, newAcquirer, useProvider } from '../../support/world.ts';

const caller = useProvider();
afterEach(() => void jest.restoreAllMocks());

const issue = async (): Promise<string> => (await issueApiKey(caller.id, 'production')).api_key;
const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex');
/** What an API key of the acquirer resolves to. */
const resolved = (key: string, label = 'production'): ApiKey & { pk: string; sk: string } => ({
  pk: `API_KEY#${sha256(key)}`,
  sk: 'API_KEY',
  key_id: sha256(key).slice(0, 12),
  label,
  acquirer: { id: caller.id, type: caller.type, name: caller.name },
});

/** The table requests that it takes to resolve a key, which resolves to this. */
async function requestsFor(key: string, expected: unknown): Promise<string> {
  const sent = await tableRequestsBy(() => resolveApiKey(key));
  expect(sent.response).toEqual(expected);
  return operationsOf(sent);
}

describe('an issued key', () => {
  test('is unique, identifies its acquirer, and ends in a checksum', async () => {
    const keys = [await issue(), await issue(), await issue()];
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) {
      expect(key).toMatch(/^apk_[0-9A-Za-z_-]{48}$/);
      const bytes = Buffer.from(key.slice(4), 'base64url');
      expect(bytes.readUInt32BE(32)).toBe(crc32(bytes.subarray(0, 32)));
      expect(await resolveApiKey(key)).toEqual(resolved(key));
    }
  });
});

describe('resolving a key', () => {
  test('costs one read, and none while it is cached', async () => {
    const key = await issue();
    const wait = stopClocks();
    expect(await requestsFor(key, resolved(key))).toBe('GetItem');
    for (const elapsed of [1, CACHE_MS - 1]) {
      wait(elapsed);
      expect(await requestsFor(key, resolved(key))).toBe('');
    }
    wait(CACHE_MS);
    expect(await requestsFor(key, resolved(key))).toBe('GetItem');
  });

  test('fails after the cache time if the key is revoked, even if the wall clock was set back meanwhile', async () => {
    const key = await issue();
    const wait = stopClocks();
    await resolveApiKey(key);
    await revokeApiKey(caller.id, sha256(key).slice(0, 12));
    wait(CACHE_MS);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    expect(await resolveApiKey(key)).toBeUndefined();
  });

  test('costs a read each time for a key that was never issued: only hits are cached', async () => {
    const key = newApiKey();
    for (const _ of [1, 2]) expect(await requestsFor(key, undefined)).toBe('GetItem');
  });

  test('costs nothing for a malformed key', async () => {
    expect(await requestsFor('apk_junk', undefined)).toBe('');
    const junk = () => call('listBranches', { key: 'apk_junk' });
    const sent = await tableRequestsBy(() => expectRefused(junk, 'invalid_api_key', INVALID_KEY));
    expect(operationsOf(sent)).toBe('');
  });
});

describe('an acquirer’s keys', () => {
  let own: Caller;
  beforeEach(async () => {
    own = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
  });
  const statusesWith = (...keys: string[]) =>
    Promise.all(keys.map(async (key) => (await call('listBranches', { key })).status));

  test('are limited to twenty', async () => {
    for (let count = 1; count < 20; count += 1) await issueApiKey(own.id, 'many');
    const [{ key_id = '' } = {}] = await listApiKeys(own.id);
    const detail =
      'An acquirer can have at most 20 API keys, including rotated keys that have not expired. Revoke one.';
    const tooMany = { code: 'validation_failed', errors: [{ pointer: '', code: 'too_long', detail }] };
    const { changed } = await storedBy(async () => {
      await expect(issueApiKey(own.id, 'many')).rejects.toMatchObject(tooMany);
      await expect(rotateApiKey(own.id, key_id, 1000)).rejects.toMatchObject(tooMany);
    });
    expect(changed).toEqual({});

    await rotateApiKey(own.id, key_id, 0);
    await disableAcquirer(own.id);
    const left = Object.entries(await stored()).filter(
      ([key, item]) => key.startsWith('API_KEY#') && (item['acquirer'] as Acquirer).id === own.id,
    );
    expect(left).toEqual([]);
  });

  test('are all stored when several are issued concurrently', async () => {
    const issued = await Promise.all(['a', 'b', 'c', 'd'].map((label) => issueApiKey(own.id, label)));
    const labels = (await listApiKeys(own.id)).map(({ label }) => label);
    expect(labels.sort()).toEqual(['a', 'b', 'c', 'd', 'test']);
    expect(await statusesWith(...issued.map(({ api_key }) => api_key))).toEqual([200, 200, 200, 200]);
  });

  test('are both valid during the overlap of a rotation, then only the new one, even if both were cached', async () => {
    const wait = stopClocks();
    const start = Date.now();
    const { api_key: old, ...before } = await issueApiKey(own.id, 'production');
    const { api_key, rotated, ...after } = await rotateApiKey(own.id, before.key_id, 3_600_000);
    const expires_at = new Date(Date.parse(after.created_at) + 3_600_000).toISOString();
    expect(rotated).toEqual({ key_id: before.key_id, expires_at });
    expect((await listApiKeys(own.id)).slice(1)).toEqual([{ ...before, expires_at }, after]);

    const end = Date.parse(expires_at) - start;
    wait(end - 1);
    expect(await statusesWith(old, api_key)).toEqual([200, 200]);
    wait(end);
    expect(await statusesWith(old, api_key)).toEqual([401, 200]);
  });

  test('are rejected within the cache time after the acquirer is disabled, and valid once it is enabled', async () => {
    const wait = stopClocks();
    const { api_key: second, key_id } = await issueApiKey(own.id, 'second');
    expect(await statusesWith(own.key, second)).toEqual([200, 200]);
    await disableAcquirer(own.id);
    wait(CACHE_MS);
    expect(await statusesWith(own.key, second)).toEqual([401, 401]);

    // A key that is revoked while the acquirer is disabled stays revoked.
    await revokeApiKey(own.id, key_id);
    await enableAcquirer(own.id);
    expect(await statusesWith(own.key, second)).toEqual([200, 401]);
  });
});

describe('the form of an API key is not that of', () => {
  const key = newApiKey();
  test.each([
    ['a key with another prefix', key.replace('apk_', 'APK_')],
    ['a key without its last character', key.slice(0, -1)],
    ['a key in the alphabet of plain base64', `apk_${'/'.repeat(44)}bKsL`],
    ['only the checksum of no bytes', 'apk_AAAAAA'],
  ])('%s', (_, text) => {
    expect(isWellFormedApiKey(text)).toBe(false);
  });

  test('a key with one wrong character, at any position', () => {
    for (const [at, character] of [...key].entries()) {
      const wrong = `${key.slice(0, at)}${character === 'A' ? 'B' : 'A'}${key.slice(at + 1)}`;
      expect([wrong, isWellFormedApiKey(wrong)]).toEqual([wrong, false]);
    }
  });
});
