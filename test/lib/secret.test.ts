import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type SecretStore, startSecretStore } from '../../infra/local/secretStore.ts';

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

/** A module of its own for each test: its client keeps the endpoint that it was first used with. */
const secretText = async (name: string) => (await import(`../../lib/secret.ts?${name}`)).secretText(() => name);

describe('a secret', () => {
  test('is fetched at its first use and then kept, by many uses at once too', async () => {
    secrets['kept'] = 'first';
    const text = await secretText('kept');
    expect(await Promise.all([text(), text()])).toEqual(['first', 'first']);
    secrets['kept'] = 'second';
    expect(await text()).toBe('first');
  });

  test('that is not there is an error, which is not kept', async () => {
    const text = await secretText('late');
    await expect(text()).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    secrets['late'] = 'there now';
    expect(await text()).toBe('there now');
  });

  test('without a text is an error', async () => {
    secrets['empty'] = '';
    await expect((await secretText('empty'))()).rejects.toThrow('The secret has no text.');
  });
});
