import { hkdfSync } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';

/** A key of 256 bits for one purpose. No purpose's key tells anything about another's. */
export const keyFor = (purpose: string, secret: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));

/**
 * Encrypts a small value (JWE, RFC 7516: `dir`, A256GCM). Who does not have the key can neither read nor change it.
 *
 * @param endsAt When it can no longer be decrypted, in seconds since 1970. By default, never.
 */
export async function encrypted(content: unknown, key: Uint8Array, endsAt?: number): Promise<string> {
  const jwt = new EncryptJWT({ content }).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' });
  return await (endsAt === undefined ? jwt : jwt.setExpirationTime(endsAt)).encrypt(key);
}

/**
 * Decrypts a value of {@link encrypted} with the first of these keys that can.
 *
 * @param requiredClaims `exp` if the value must have an end.
 * @returns `undefined` if none can, the value was changed, or it has ended.
 */
export async function decrypted<T>(
  text: string,
  keys: readonly Uint8Array[],
  requiredClaims: string[] = [],
): Promise<T | undefined> {
  for (const key of keys) {
    try {
      const { payload } = await jwtDecrypt<{ content: T }>(text, key, {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        requiredClaims,
      });
      return payload.content;
    } catch {
      // Whatever is wrong with it: the next key may decrypt it.
    }
  }
  return undefined;
}
