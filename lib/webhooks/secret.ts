import { randomBytes } from 'node:crypto';
import { changingSecret, keysIn } from '../aws/secret.ts';
import { setting } from '../base/config.ts';
import { decrypted, encrypted, keyFor } from '../base/jwe.ts';

/*
 * Secrets of webhooks. They sign, so they are stored sealed, not hashed. The secret in WEBHOOK_KEY_SECRET has one key
 * per line, oldest first: the newest seals, and each opens what it has sealed, for as long as its line is there. The
 * key is also derived from the webhook's id, so a sealed secret is of no use in another webhook's item.
 */

/** A new secret of a webhook, as Standard Webhooks spells it: 32 random bytes. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const MOST_WEBHOOK_KEYS = 8;

const keySecret = changingSecret(() => setting('WEBHOOK_KEY_SECRET'), keysOf);

/** The newest first. */
function keysOf(text: string): string[] {
  return keysIn('WEBHOOK_KEY_SECRET', text, MOST_WEBHOOK_KEYS).reverse();
}

const sealingKey = (webhook: string) => (secret: string) => keyFor(`webhook ${webhook}`, secret);

/** @param webhook Id of the webhook. */
export async function sealSecret(secret: string, webhook: string): Promise<string> {
  const [newest] = keysOf((await keySecret.known()).text) as [string];
  return await encrypted(secret, sealingKey(webhook)(newest));
}

/**
 * @param webhook Id of the webhook for which it was sealed.
 * @throws Error if none of the keys opens it, also after they were fetched again.
 */
export async function openSecret(sealed: string, webhook: string): Promise<string> {
  const openWith = ({ text }: { text: string }) => decrypted<string>(sealed, keysOf(text).map(sealingKey(webhook)));
  const secret = (await openWith(await keySecret.known())) ?? (await openWith(await keySecret.fetched()));
  if (secret === undefined)
    throw new Error(`No key in WEBHOOK_KEY_SECRET opens the secret of webhook ${webhook}. Has a line been removed?`);
  return secret;
}
