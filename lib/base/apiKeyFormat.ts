import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/*
 * An API key is `apk_` and the base64url of 32 random bytes followed by their CRC-32: 52 characters without padding.
 * Secret scanners find a leaked key by its prefix. The checksum rejects a malformed key without reading the table.
 */
const PREFIX = 'apk_';
const RANDOM_BYTES = 32;

const checksum = (bytes: Uint8Array): Buffer => {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
};

export function newApiKey(): string {
  const random = randomBytes(RANDOM_BYTES);
  return PREFIX + Buffer.concat([random, checksum(random)]).toString('base64url');
}

/** Whether a text has the form of an API key, with a valid checksum. */
export function isWellFormedApiKey(text: string): boolean {
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url');
  const random = bytes.subarray(0, RANDOM_BYTES);
  return (
    // The decoder is lenient: re-encoding rejects every spelling but the canonical one.
    text === PREFIX + bytes.toString('base64url') && bytes.subarray(RANDOM_BYTES).equals(checksum(random))
  );
}

/** The hash by which an API key is stored. 256 random bits need no slow hash. */
export const hashOf = (apiKey: string): string => createHash('sha256').update(apiKey).digest('hex');
