import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type SecretStore, startSecretStore } from '../../../infra/local/secretStore.ts';

const everywhere = process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'];
const secrets: Record<string, string> = {};
let store: SecretStore;
beforeAll(async () => {
  store = await startSecretStore(secrets);
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = store.endpoint;
});
afterAll(async () => {
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = everywhere;
  await store.stop();
});

/** Imports a new module instance, whose client uses this file's store. */
const secretText = async (name: string) =>
  (await import(`../../../lib/platform/secret.ts?${name}`)).secretText(() => name);

test('a secret is fetched on first use and then cached, also for concurrent uses', async () => {
  secrets['cached'] = 'first';
  const text = await secretText('cached');
  expect(await Promise.all([text(), text()])).toEqual(['first', 'first']);
  secrets['cached'] = 'second';
  expect(await text()).toBe('first');
});

test('a secret that does not exist is an error, which is not cached', async () => {
  const text = await secretText('late');
  await expect(text()).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  secrets['late'] = 'there now';
  expect(await text()).toBe('there now');
});

test('a secret without text is an error', async () => {
  secrets['empty'] = '';
  await expect((await secretText('empty'))()).rejects.toThrow('The secret has no text.');
});
