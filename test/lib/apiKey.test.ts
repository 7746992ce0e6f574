import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { CACHE_MS, issueApiKey, isWellFormedApiKey, resolveApiKey } from '../../lib/apiKey.ts';
import { table } from '../../lib/table/client.ts';
import { apiKeyKey } from '../../lib/table/keys.ts';
import { exists, remove, transact } from '../../lib/table/transaction.ts';
import { call, expectProblem } from '../support/api.ts';
import { INVALID_KEY } from '../support/constants.ts';
import { stored, storedBy } from '../support/stored.ts';
import { type Caller, newAcquirer } from '../support/world.ts';

let caller: Caller;
/** The same acquirer as a key identifies it. */
let acquirer: Omit<Caller, 'key'>;
beforeAll(async () => {
  const { key, ...rest } = await newAcquirer('DISTRIBUTOR', 'Northgate');
  [caller, acquirer] = [{ key, ...rest }, rest];
});

/** Names of the requests that were sent to the table in a test. */
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

/** A key that has the form of one, or would have it in base64url, but was never issued. */
function forge(random: Buffer = randomBytes(32), encoding: 'base64url' | 'base64' = 'base64url'): string {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(random));
  return `apk_${Buffer.concat([random, checksum]).toString(encoding)}`;
}

describe('an issued key', () => {
  test('is apk_ and 48 characters that need no escaping, of which the last are a checksum', async () => {
    const key = await issueApiKey(acquirer);
    expect(key).toMatch(/^apk_[0-9A-Za-z_-]{48}$/);
    expect(key).toHaveLength(52);
    const bytes = Buffer.from(key.slice(4), 'base64url');
    expect(bytes.readUInt32BE(32)).toBe(crc32(bytes.subarray(0, 32)));
  });

  test('differs from every other, and each identifies its acquirer', async () => {
    const keys = [caller.key, await issueApiKey(acquirer), await issueApiKey(acquirer)];
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(await resolveApiKey(key)).toEqual(acquirer);
  });

  test('identifies no other acquirer', async () => {
    const other = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    expect(await resolveApiKey(other.key)).toEqual({ id: other.id, type: 'PAYMENT_PROVIDER', name: 'Payfair' });
    expect(await resolveApiKey(caller.key)).toEqual(acquirer);
  });

  test('is stored as its hash only', async () => {
    const { answer: key, changed } = await storedBy(() => issueApiKey(acquirer));
    expect(changed).toEqual({
      [`API_KEY#${createHash('sha256').update(key).digest('hex')} API_KEY`]: { acquirer },
    });
    const all = JSON.stringify(await stored());
    expect(all).not.toContain(key);
    expect(all).not.toContain(key.slice('apk_'.length, -6));
  });
});

describe('the cost of a key', () => {
  test('is one read, and then none for as long as it is cached', async () => {
    const key = await issueApiKey(acquirer);
    requests = [];
    for (let time = 1; time <= 3; time += 1) expect(await resolveApiKey(key)).toEqual(acquirer);
    expect(requests).toEqual(['GetItemCommand']);
  });

  test('is one read again when its time in the cache is over', async () => {
    const key = await issueApiKey(acquirer);
    const start = Date.now();
    const now = jest.spyOn(Date, 'now').mockReturnValue(start);
    await resolveApiKey(key);
    requests = [];

    now.mockReturnValue(start + CACHE_MS - 1);
    expect(await resolveApiKey(key)).toEqual(acquirer);
    expect(requests).toEqual([]);

    now.mockReturnValue(start + CACHE_MS);
    expect(await resolveApiKey(key)).toEqual(acquirer);
    expect(requests).toEqual(['GetItemCommand']);
  });

  test('is a refusal from then on at the latest when it was revoked', async () => {
    const key = await issueApiKey(acquirer);
    const start = Date.now();
    const now = jest.spyOn(Date, 'now').mockReturnValue(start);
    await resolveApiKey(key);
    await transact([remove(apiKeyKey(key), exists('stale'))]);

    now.mockReturnValue(start + CACHE_MS);
    expect(await resolveApiKey(key)).toBeUndefined();
    now.mockReturnValue(start);
    expect(await resolveApiKey(key)).toBeUndefined();
  });

  test('is one read each time for a key that was never issued: only hits are cached', async () => {
    const forged = forge();
    expect(isWellFormedApiKey(forged)).toBe(true);
    expect(await resolveApiKey(forged)).toBeUndefined();
    expect(await resolveApiKey(forged)).toBeUndefined();
    expect(requests).toEqual(['GetItemCommand', 'GetItemCommand']);
  });

  test('is none for an unknown key that a partner sends, if it is junk', async () => {
    expectProblem(await call('listBranches', { key: 'Bearer apk_junk' }), 'invalid_api_key', INVALID_KEY);
    expect(requests).toEqual([]);
  });
});

describe('junk is refused without a read:', () => {
  test.each<[string, () => string]>([
    ['no text at all', () => ''],
    ['the prefix alone', () => 'apk_'],
    ['a key without its prefix', () => caller.key.slice(4)],
    ['a key with another prefix', () => caller.key.replace('apk_', 'APK_')],
    ['a key and a blank', () => `${caller.key} `],
    ['a blank and a key', () => ` ${caller.key}`],
    ['a key with padding', () => `${caller.key}=`],
    ['a key and more', () => `${caller.key}AAAA`],
    ['two keys, as a repeated header joins them', () => `${caller.key},${caller.key}`],
    ['a key without its end', () => caller.key.slice(0, -1)],
    ['a key in the alphabet of plain base64', () => forge(Buffer.alloc(32, 0xff), 'base64')],
    ['only a checksum, that of nothing', () => 'apk_AAAAAA'],
    ['a very long text', () => `apk_${'A'.repeat(100_000)}`],
  ])('%s', async (_, junk) => {
    expect(await resolveApiKey(junk())).toBeUndefined();
    expect(requests).toEqual([]);
  });

  test('a key with one wrong character, wherever it is', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const change = fc.tuple(fc.nat(caller.key.length - 1), fc.constantFrom(...alphabet));
    await fc.assert(
      fc.asyncProperty(change, async ([at, character]) => {
        const changed = caller.key.slice(0, at) + character + caller.key.slice(at + 1);
        expect(await resolveApiKey(changed)).toEqual(changed === caller.key ? acquirer : undefined);
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
