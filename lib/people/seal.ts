import { hkdfSync } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { rotatingSecret } from '../aws/secret.ts';
import { setting } from '../base/config.ts';

/** How long a sealed value can be opened, in seconds. */
export const SEALED_S = 600;

const sealingKey = rotatingSecret(() => setting('SEALING_KEY_SECRET'));

/** A key of 256 bits for one purpose. No purpose's key tells anything about another's. */
const keyFor = (purpose: string, secret: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));

const cookieKey = (secret: string): Uint8Array => keyFor('sign-in cookie', secret);

/** The key under which addresses are hashed. It changes when the sealing key is rotated. */
export const addressKey = async (): Promise<Uint8Array> => keyFor('sign-in address', (await sealingKey.known())[0]);

/**
 * Seals a small value for {@link SEALED_S} (JWE, RFC 7516: `dir`, A256GCM): the browser can neither read nor change it.
 */
export async function seal(content: object): Promise<string> {
  const [secret] = await sealingKey.known();
  return await new EncryptJWT({ content })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setExpirationTime(Math.floor(Date.now() / 1000) + SEALED_S)
    .encrypt(cookieKey(secret));
}

/**
 * Opens a sealed value, also with the key from before the last rotation. Returns `undefined` if it has expired, was
 * changed, or was not sealed here.
 */
export async function open<T extends object>(sealed: string): Promise<T | undefined> {
  const known = await sealingKey.known();
  return (await openWith<T>(known, sealed)) ?? (await openWith<T>((await sealingKey.refreshed()) ?? [], sealed));
}

async function openWith<T extends object>(secrets: readonly string[], sealed: string): Promise<T | undefined> {
  for (const secret of secrets) {
    try {
      const { payload } = await jwtDecrypt<{ content: T }>(sealed, cookieKey(secret), {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        requiredClaims: ['exp'],
      });
      return payload.content;
    } catch {
      // Whatever is wrong with it: the next secret may open it.
    }
  }
  return undefined;
}
