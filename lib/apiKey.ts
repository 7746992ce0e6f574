import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Acquirer } from './acquirer.ts';
import { getItem } from './table/client.ts';
import { apiKeyKey } from './table/keys.ts';
import { put, transact } from './table/transaction.ts';

/*
 * An API key is `apk_` and the base64url of 32 random bytes followed by their CRC-32: 52 characters without padding.
 * The prefix lets secret scanners find a leaked key; the checksum lets junk be refused without a read of the table.
 */
const PREFIX = 'apk_';
const RANDOM_BYTES = 32;

/** How long a key that was found stays known to a process: a revoked key is refused after this at the latest. */
export const CACHE_MS = 30_000;

const cache = new Map<string, { acquirer: Acquirer; until: number }>();

const checksum = (bytes: Uint8Array): Buffer => {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
};

function newApiKey(): string {
  const random = randomBytes(RANDOM_BYTES);
  return PREFIX + Buffer.concat([random, checksum(random)]).toString('base64url');
}

/** Whether a text has the form of an API key, checksum included. */
export function isWellFormedApiKey(text: string): boolean {
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url');
  const random = bytes.subarray(0, RANDOM_BYTES);
  return (
    // Re-encoding refuses every other spelling that the lenient decoder accepts.
    text === PREFIX + bytes.toString('base64url') && bytes.subarray(RANDOM_BYTES).equals(checksum(random))
  );
}

/** Issues a further API key of an acquirer. The result is the only place where it is ever seen: its hash is stored. */
export async function issueApiKey(acquirer: Acquirer): Promise<string> {
  const apiKey = newApiKey();
  const { id, type, name } = acquirer;
  await transact([put(apiKeyKey(apiKey), { acquirer: { id, type, name } })]);
  return apiKey;
}

/**
 * The acquirer that an API key identifies (interface §5), or `undefined`. Junk costs no read, a known key none within
 * {@link CACHE_MS}, anything else one. Only hits are cached, so a new key works at once.
 */
export async function resolveApiKey(apiKey: string): Promise<Acquirer | undefined> {
  if (!isWellFormedApiKey(apiKey)) return undefined;
  const key = apiKeyKey(apiKey);
  const known = cache.get(key.pk);
  if (known && known.until > Date.now()) return known.acquirer;
  const stored = await getItem<{ acquirer: Acquirer }>(key);
  if (stored) cache.set(key.pk, { acquirer: stored.acquirer, until: Date.now() + CACHE_MS });
  else cache.delete(key.pk);
  return stored?.acquirer;
}
