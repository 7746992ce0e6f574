import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { type ApiKey, resolveApiKey } from '../../../lib/acquirers/apiKey.ts';
import { isWellFormedApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { CACHE_MS } from '../../../lib/base/cache.ts';
import { disableAcquirer, enableAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { issueApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '../../../lib/operator/apiKeys.ts';
import { table } from '../../../lib/table/client.ts';
import { call, expectProblem } from '../../support/api.ts';
import { stopClocks } from '../../support/clock.ts';
import { INVALID_KEY, recorded, TIME } from '../../support/constants.ts';
import { splitRecord, stored, storedBy } from '../../support/stored.ts';
import { type Caller, newAcquirer } from '../../support/world.ts';

let caller: Caller;
/** The acquirer as its API key identifies it. */
let acquirer: Omit<Caller, 'key'>;
beforeAll(async () => {
  const { key, ...rest } = await newAcquirer('DISTRIBUTOR', 'Northgate');
  [caller, acquirer] = [{ key, ...rest }, rest];
});

/** The commands sent to the table in a test. */
let requests: string[];
beforeEach(() => {
  requests = [];
  table.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        requests.push(commandName ?? '');
        return next(args);
      },
    { step: 'initialize', name: 'count' },
  );
});
afterEach(() => {
  table.middlewareStack.remove('count');
  jest.restoreAllMocks();
});

const issue = async (): Promise<string> => (await issueApiKey(caller.id, 'production')).api_key;
const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex');
/** What an API key of the acquirer resolves to. */
const resolved = (key: string, label = 'production'): ApiKey & { pk: string; sk: string } => ({
  pk: `API_KEY#${sha256(key)}`,
  sk: 'API_KEY',
  key_id: sha256(key).slice(0, 12),
  label,
  acquirer,
});

/** A well-formed key that was never issued; with `base64`, in the wrong alphabet. */
function forge(random: Buffer = randomBytes(32), encoding: 'base64url' | 'base64' = 'base64url'): string {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(random));
  return `apk_${Buffer.concat([random, checksum]).toString(encoding)}`;
}

describe('an issued key', () => {
  test('is apk_ and 48 URL-safe characters that end in a checksum', async () => {
    const key = await issue();
    expect(key).toMatch(/^apk_[0-9A-Za-z_-]{48}$/);
    expect(key).toHaveLength(52);
    const bytes = Buffer.from(key.slice(4), 'base64url');
    expect(bytes.readUInt32BE(32)).toBe(crc32(bytes.subarray(0, 32)));
  });

  test('is unique and identifies its acquirer', async () => {
    const keys = [await issue(), await issue(), await issue()];
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(await resolveApiKey(key)).toEqual(resolved(key));
  });

  test('does not identify another acquirer', async () => {
    const other = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    expect((await resolveApiKey(other.key))?.acquirer).toEqual({
      id: other.id,
      type: 'PAYMENT_PROVIDER',
      name: 'Payfair',
    });
    expect(await resolveApiKey(caller.key)).toEqual(resolved(caller.key, 'test'));
  });

  test('is stored only as its hash', async () => {
    const { response: key, changed } = await storedBy(issue);
    const key_id = sha256(key).slice(0, 12);
    const issued = recorded('api_key.issued', { acquirer: caller.id, key_id, label: 'production' }, 'test');
    expect(splitRecord(changed)).toEqual({
      others: {
        [`API_KEY#${sha256(key)} API_KEY`]: { acquirer, label: 'production', key_id },
        [`ACQUIRERS ACQUIRER#${caller.id}`]: expect.objectContaining({
          api_keys: expect.arrayContaining([{ key_id, label: 'production', created_at: TIME, sha256: sha256(key) }]),
        }),
      },
      events: { [`ACQUIRER#${caller.id}`]: [issued], [`API_KEY#${key_id}`]: [issued] },
    });
    const all = JSON.stringify(await stored());
    expect(all).not.toContain(key);
    expect(all).not.toContain(key.slice('apk_'.length, -6));
  });
});

describe('resolving a key', () => {
  test('costs one read, and none while it is cached', async () => {
    const key = await issue();
    requests = [];
    for (let time = 1; time <= 3; time += 1) expect(await resolveApiKey(key)).toEqual(resolved(key));
    expect(requests).toEqual(['GetItemCommand']);
  });

  test('costs another read after the cache time', async () => {
    const key = await issue();
    const wait = stopClocks();
    await resolveApiKey(key);
    requests = [];

    wait(CACHE_MS - 1);
    expect(await resolveApiKey(key)).toEqual(resolved(key));
    expect(requests).toEqual([]);

    wait(CACHE_MS);
    expect(await resolveApiKey(key)).toEqual(resolved(key));
    expect(requests).toEqual(['GetItemCommand']);
  });

  test('fails after the cache time at the latest if the key is revoked', async () => {
    const key = await issue();
    const wait = stopClocks();
    await resolveApiKey(key);
    await revokeApiKey(caller.id, sha256(key).slice(0, 12));

    wait(CACHE_MS);
    expect(await resolveApiKey(key)).toBeUndefined();
  });

  test('fails after the cache time even if the wall clock was set back meanwhile', async () => {
    const key = await issue();
    const wait = stopClocks();
    await resolveApiKey(key);
    await revokeApiKey(caller.id, sha256(key).slice(0, 12));
    wait(CACHE_MS);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    expect(await resolveApiKey(key)).toBeUndefined();
  });

  test('costs a read each time for a key that was never issued: only hits are cached', async () => {
    const forged = forge();
    expect(isWellFormedApiKey(forged)).toBe(true);
    expect(await resolveApiKey(forged)).toBeUndefined();
    expect(await resolveApiKey(forged)).toBeUndefined();
    expect(requests).toEqual(['GetItemCommand', 'GetItemCommand']);
  });

  test('costs nothing for a malformed key', async () => {
    expectProblem(await call('listBranches', { key: 'Bearer apk_junk' }), 'invalid_api_key', INVALID_KEY);
    expect(requests).toEqual([]);
  });
});

describe('an acquirer’s keys', () => {
  let own: Caller;
  beforeEach(async () => {
    own = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
  });
  const info = (key: string, label: string) => ({ key_id: sha256(key).slice(0, 12), label, created_at: TIME });
  const statusWith = async (key: string) => (await call('listBranches', { key })).status;

  test('are listed without secrets, oldest first', async () => {
    const { api_key, ...issued } = await issueApiKey(own.id, 'till 7');
    expect(await listApiKeys(own.id)).toEqual([info(own.key, 'test'), issued]);
    expect(issued).toEqual(info(api_key, 'till 7'));
  });

  test('are limited to twenty', async () => {
    for (let count = 1; count < 20; count += 1) await issueApiKey(own.id, 'many');
    const { response, changed } = await storedBy(() => issueApiKey(own.id, 'many').catch((error: unknown) => error));
    expect(response).toMatchObject({
      code: 'validation_failed',
      errors: [
        {
          detail: 'An acquirer can have at most 20 API keys, including rotated keys that have not expired. Revoke one.',
        },
      ],
    });
    expect(changed).toEqual({});
    const [{ key_id = '' } = {}] = await listApiKeys(own.id);
    await expect(rotateApiKey(own.id, key_id, 1000)).rejects.toMatchObject({ errors: [{ code: 'too_long' }] });
    await rotateApiKey(own.id, key_id, 0);
    await disableAcquirer(own.id);
    const left = Object.entries(await stored()).filter(
      ([key, item]) => key.startsWith('API_KEY#') && (item['acquirer'] as Acquirer).id === own.id,
    );
    expect(left).toEqual([]);
  });

  test('are all stored when several are issued concurrently', async () => {
    const issued = await Promise.all(['a', 'b', 'c', 'd'].map((label) => issueApiKey(own.id, label)));
    expect((await listApiKeys(own.id)).map(({ label }) => label).sort()).toEqual(['a', 'b', 'c', 'd', 'test']);
    for (const { api_key } of issued) expect(await statusWith(api_key)).toBe(200);
  });

  test('require an existing acquirer', async () => {
    const nobody = '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55';
    const error = { code: 'not_found', message: `There is no acquirer ${nobody}.` };
    const { changed } = await storedBy(async () => {
      await expect(issueApiKey(nobody, 'x')).rejects.toMatchObject(error);
      await expect(listApiKeys(nobody)).rejects.toMatchObject(error);
      await expect(rotateApiKey(nobody, 'x', 0)).rejects.toMatchObject(error);
      await expect(revokeApiKey(nobody, 'x')).rejects.toMatchObject(error);
      await expect(disableAcquirer(nobody)).rejects.toMatchObject(error);
      await expect(enableAcquirer(nobody)).rejects.toMatchObject(error);
    });
    expect(changed).toEqual({});
  });

  test('are both valid during the overlap of a rotation, and then only the new one, even if the old one was cached', async () => {
    const wait = stopClocks();
    const start = Date.now();
    const { api_key: old, key_id } = await issueApiKey(own.id, 'production');
    const issued = await rotateApiKey(own.id, key_id, 3_600_000);
    const expires_at = new Date(Date.parse(issued.created_at) + 3_600_000).toISOString();
    expect(issued).toEqual({
      ...info(issued.api_key, 'production'),
      api_key: issued.api_key,
      rotated: { key_id, expires_at },
    });
    expect(await listApiKeys(own.id)).toEqual([
      info(own.key, 'test'),
      { ...info(old, 'production'), expires_at },
      info(issued.api_key, 'production'),
    ]);
    // DynamoDB deletes the old key after it expires.
    expect((await stored())[`API_KEY#${sha256(old)} API_KEY`]).toMatchObject({
      expires_at,
      ttl: Math.ceil(Date.parse(expires_at) / 1000),
    });

    const end = Date.parse(expires_at) - start;
    wait(end - 1);
    expect([await statusWith(old), await statusWith(issued.api_key)]).toEqual([200, 200]);
    wait(end);
    expect([await statusWith(old), await statusWith(issued.api_key)]).toEqual([401, 200]);
  });

  test('are deleted by the next change after they expire', async () => {
    const { api_key, key_id } = await issueApiKey(own.id, 'production');
    await rotateApiKey(own.id, key_id, 1);
    await new Promise((done) => setTimeout(done, 5));
    const { key_id: latest } = await issueApiKey(own.id, 'staging');
    const ids = (await listApiKeys(own.id)).map((each) => each.key_id);
    expect(ids).not.toContain(key_id);
    expect(ids).toContain(latest);
    expect(await stored()).not.toHaveProperty([`API_KEY#${sha256(api_key)} API_KEY`]);
  });

  test('expire immediately when rotated without overlap', async () => {
    stopClocks();
    const { api_key: old, key_id } = await issueApiKey(own.id, 'leaked');
    const { api_key } = await rotateApiKey(own.id, key_id, 0);
    expect([await statusWith(old), await statusWith(api_key)]).toEqual([401, 200]);
    expect((await listApiKeys(own.id)).map(({ label }) => label)).toEqual(['test', 'leaked']);
  });

  test('are rotated once: repeating the rotation issues no third key', async () => {
    const { key_id } = await issueApiKey(own.id, 'production');
    await rotateApiKey(own.id, key_id, 3_600_000);
    const { response, changed } = await storedBy(() =>
      rotateApiKey(own.id, key_id, 0).catch((error: unknown) => error),
    );
    expect(response).toMatchObject({
      errors: [
        { code: 'rotated', detail: expect.stringContaining(`API key ${key_id} was already rotated; it expires at`) },
      ],
    });
    expect(changed).toEqual({});
  });

  test('cannot be revoked or rotated by another acquirer’s key id', async () => {
    const other = await newAcquirer('DISTRIBUTOR', 'Westgate');
    const [{ key_id = '' } = {}] = await listApiKeys(other.id);
    const error = { code: 'not_found', message: `The acquirer has no API key ${key_id}.` };
    const { changed } = await storedBy(async () => {
      await expect(revokeApiKey(own.id, key_id)).rejects.toMatchObject(error);
      await expect(rotateApiKey(own.id, key_id, 0)).rejects.toMatchObject(error);
    });
    expect(changed).toEqual({});
  });

  test('are rejected within the cache time after the acquirer is disabled, cannot be issued meanwhile, and are valid again once it is enabled', async () => {
    const wait = stopClocks();
    const { api_key: second, key_id } = await issueApiKey(own.id, 'second');
    expect([await statusWith(own.key), await statusWith(second)]).toEqual([200, 200]);
    await disableAcquirer(own.id);
    expect(await storedBy(() => disableAcquirer(own.id))).toEqual({ response: undefined, changed: {} });
    const disabled = {
      errors: [{ code: 'disabled', detail: expect.stringContaining('The acquirer has been disabled since') }],
    };
    await expect(issueApiKey(own.id, 'third')).rejects.toMatchObject(disabled);
    await expect(rotateApiKey(own.id, key_id, 0)).rejects.toMatchObject(disabled);
    const item = `ACQUIRERS ACQUIRER#${own.id}`;
    expect(Object.keys(await stored()).filter((key) => key.includes(sha256(second)))).toEqual([]);

    wait(CACHE_MS);
    expect([await statusWith(own.key), await statusWith(second)]).toEqual([401, 401]);

    // A key that is revoked while the acquirer is disabled stays revoked.
    await revokeApiKey(own.id, key_id);
    await enableAcquirer(own.id);
    expect(await storedBy(() => enableAcquirer(own.id))).toEqual({ response: undefined, changed: {} });
    expect([await statusWith(own.key), await statusWith(second)]).toEqual([200, 401]);
    expect((await stored())[item]).not.toHaveProperty('disabled_at');
  });
});

describe('a malformed key is rejected without a read:', () => {
  test.each<[string, () => string]>([
    ['an empty text', () => ''],
    ['the prefix alone', () => 'apk_'],
    ['a key without its prefix', () => caller.key.slice(4)],
    ['a key with another prefix', () => caller.key.replace('apk_', 'APK_')],
    ['a key and a space', () => `${caller.key} `],
    ['a space and a key', () => ` ${caller.key}`],
    ['a key with padding', () => `${caller.key}=`],
    ['a key with characters appended', () => `${caller.key}AAAA`],
    ['two keys, as a repeated header joins them', () => `${caller.key},${caller.key}`],
    ['a key without its last character', () => caller.key.slice(0, -1)],
    ['a key in the alphabet of plain base64', () => forge(Buffer.alloc(32, 0xff), 'base64')],
    ['only the checksum of no bytes', () => 'apk_AAAAAA'],
    ['a very long text', () => `apk_${'A'.repeat(100_000)}`],
  ])('%s', async (_, junk) => {
    expect(await resolveApiKey(junk())).toBeUndefined();
    expect(requests).toEqual([]);
  });

  test('a key with one wrong character, at any position', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const change = fc.tuple(fc.nat(caller.key.length - 1), fc.constantFrom(...alphabet));
    await fc.assert(
      fc.asyncProperty(change, async ([at, character]) => {
        const changed = caller.key.slice(0, at) + character + caller.key.slice(at + 1);
        expect(await resolveApiKey(changed)).toEqual(changed === caller.key ? resolved(changed, 'test') : undefined);
      }),
      { numRuns: 1000 },
    );
    expect(requests.length).toBeLessThanOrEqual(1);
  });

  test('any string that was not issued', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((end) => `apk_${end}`),
      fc.uint8Array({ minLength: 36, maxLength: 36 }).map((bytes) => `apk_${Buffer.from(bytes).toString('base64url')}`),
    );
    await fc.assert(
      fc.asyncProperty(text, async (junk) => {
        expect(await resolveApiKey(junk)).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
    expect(requests).toEqual([]);
  });
});
