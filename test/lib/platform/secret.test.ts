import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type SecretStore, startSecretStore } from '../../../infra/local/secretStore.ts';

let store: SecretStore;
const secrets: Record<string, string> = {};
const everywhere = process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'];
beforeEach(async () => {
  for (const name of Object.keys(secrets)) delete secrets[name];
  store = await startSecretStore(secrets);
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = store.endpoint;
});
afterEach(async () => {
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = everywhere;
  await store.stop();
});

/** Imports a new module instance for each test, since its client keeps its first endpoint. */
const secretText = async (name: string) => (await import(`../../lib/secret.ts?${name}`)).secretText(() => name);

describe('a secret', () => {
  test('is fetched on first use and then cached, also for concurrent uses', async () => {
    secrets['cached'] = 'first';
    const text = await secretText('cached');
    expect(await Promise.all([text(), text()])).toEqual(['first', 'first']);
    secrets['cached'] = 'second';
    expect(await text()).toBe('first');
  });

  test('that does not exist is an error, which is not cached', async () => {
    const text = await secretText('late');
    await expect(text()).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    secrets['late'] = 'there now';
    expect(await text()).toBe('there now');
  });

  test('without text is an error', async () => {
    secrets['empty'] = '';
    await expect((await secretText('empty'))()).rejects.toThrow('The secret has no text.');
  });
});
