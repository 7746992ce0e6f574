import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type SecretStore, startSecretStore } from '../../../infra/local/secretStore.ts';

const ID = '0d9d3c2a-5b1e-4c53-9e8f-7b0f7a8f4f10';
const OTHER = '0d9d3c2a-5b1e-4c53-9e8f-7b0f7a8f4f11';
const secrets: Record<string, string> = { webhooks: 'the first key' };
const before = { ...process.env };
let store: SecretStore;
beforeAll(async () => {
  store = await startSecretStore(secrets);
  Object.assign(process.env, { AWS_ENDPOINT_URL_SECRETS_MANAGER: store.endpoint, WEBHOOK_KEY_SECRET: 'webhooks' });
});
afterAll(async () => {
  process.env = before;
  await store.stop();
});

/** A process that has not fetched the keys yet. */
const aProcess = (): Promise<typeof import('../../../lib/webhooks/secret.ts')> =>
  import(`../../../lib/webhooks/secret.ts?${Math.random()}`);

test('a secret is 32 random bytes, as Standard Webhooks spells them', async () => {
  const { newSecret } = await aProcess();
  const secret = newSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newSecret()).not.toBe(secret);
});

test('a sealed secret shows nothing of it, and opens for its webhook only', async () => {
  const { newSecret, openSecret, sealSecret } = await aProcess();
  const secret = newSecret();
  const sealed = await sealSecret(secret, ID);
  expect(sealed).not.toBe(await sealSecret(secret, ID));
  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain(secret.slice(6, 20));
  expect(await openSecret(sealed, ID)).toBe(secret);
  await expect(openSecret(sealed, OTHER)).rejects.toThrow(
    `No key in WEBHOOK_KEY_SECRET opens the secret of webhook ${OTHER}. Has a line been removed?`,
  );
  await expect(openSecret(`${sealed.slice(0, -2)}AA`, ID)).rejects.toThrow('No key in WEBHOOK_KEY_SECRET opens');
});

test('after a key was added, all processes open what either key sealed, and the new one seals', async () => {
  const [old, young] = [await aProcess(), await aProcess()];
  const sealedBefore = await old.sealSecret('whsec_before', ID);
  secrets['webhooks'] += '\nthe second key';
  const sealedAfter = await young.sealSecret('whsec_after', ID);
  for (const { openSecret } of [old, young]) {
    expect(await openSecret(sealedBefore, ID)).toBe('whsec_before');
    expect(await openSecret(sealedAfter, ID)).toBe('whsec_after');
  }
  secrets['webhooks'] = 'the second key';
  const { openSecret } = await aProcess();
  expect(await openSecret(sealedAfter, ID)).toBe('whsec_after');
  await expect(openSecret(sealedBefore, ID)).rejects.toThrow('Has a line been removed?');
});

test('keys that are not one a line are an error that names the setting', async () => {
  secrets['webhooks'] = 'the second key\n';
  const { sealSecret } = await aProcess();
  await expect(sealSecret('whsec_', ID)).rejects.toThrow('The secret in WEBHOOK_KEY_SECRET must have 1 to 8');
});
