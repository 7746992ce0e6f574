import { rotatingSecret } from '../aws/secret.ts';
import { setting } from '../base/config.ts';
import { decrypted, encrypted, keyFor } from '../base/jwe.ts';

/** How long a sealed value can be opened, in seconds. */
export const SEALED_S = 600;

const sealingKey = rotatingSecret(() => setting('SEALING_KEY_SECRET'));

const cookieKey = (secret: string): Uint8Array => keyFor('sign-in cookie', secret);

/** The key under which addresses are hashed. It changes when the sealing key is rotated. */
export const addressKey = async (): Promise<Uint8Array> => keyFor('sign-in address', (await sealingKey.known())[0]);

/** Seals a small value for {@link SEALED_S}: the browser can neither read nor change it. */
export async function seal(content: object): Promise<string> {
  const [secret] = await sealingKey.known();
  return await encrypted(content, cookieKey(secret), Math.floor(Date.now() / 1000) + SEALED_S);
}

/**
 * Opens a sealed value, also with the key from before the last rotation. Returns `undefined` if it has expired, was
 * changed, or was not sealed here.
 */
export async function open<T extends object>(sealed: string): Promise<T | undefined> {
  const openWith = (secrets: readonly string[]) => decrypted<T>(sealed, secrets.map(cookieKey), ['exp']);
  return (await openWith(await sealingKey.known())) ?? (await openWith((await sealingKey.refreshed()) ?? []));
}
