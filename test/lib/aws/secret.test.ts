import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type SecretStore, startSecretStore } from '../../../infra/local/secretStore.ts';
import { serve } from '../../../infra/local/serve.ts';
import { inRequest, requestContext } from '../../../lib/aws/requestContext.ts';

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

/** Imports a new module instance, whose client uses this file's store. Returns what gets the text of a secret. */
async function textOf(name: string): Promise<() => Promise<string>> {
  const { changingSecret } = await import(`../../../lib/aws/secret.ts?${name}`);
  const secret = changingSecret(() => name);
  return async () => (await secret.known()).text;
}

test('a secret is fetched on first use and then cached, also for concurrent uses', async () => {
  secrets['cached'] = 'first';
  const text = await textOf('cached');
  expect(await Promise.all([text(), text()])).toEqual(['first', 'first']);
  secrets['cached'] = 'second';
  expect(await text()).toBe('first');
});

test('a secret that does not exist is an error, which is not cached', async () => {
  const text = await textOf('late');
  await expect(text()).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  secrets['late'] = 'there now';
  expect(await text()).toBe('there now');
});

test('a secret without text is an error', async () => {
  secrets['empty'] = '';
  await expect((await textOf('empty'))()).rejects.toThrow('The secret has no text.');
});

describe('a secret that changes', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const MINUTE = 60_000;
  /** Sets the clock forward. */
  const passMinutes = (minutes: number) => {
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + minutes * MINUTE);
  };

  /** A store that responds after a while with its current text, or fails. */
  async function slowStore(name: string, check?: (text: string) => void) {
    const state = { text: 'first', held: Promise.resolve(), isDown: false };
    const { url, stop } = await serve(async (_, response) => {
      const { text, held, isDown } = state;
      response.statusCode = isDown ? 400 : 200;
      await held;
      response.end(JSON.stringify(isDown ? {} : { SecretString: text }));
    });
    process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = url;
    const { changingSecret } = await import(`../../../lib/aws/secret.ts?${name}`);
    const secret = changingSecret(() => name, check);
    const text = async () => (await secret.known()).text;
    expect(await text()).toBe('first');
    return { text, state, stop };
  }

  test('is fetched again after an hour, and used meanwhile if the response takes longer than 0.3 s', async () => {
    const { text, state, stop } = await slowStore('busy');
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    Object.assign(state, { text: 'second', held });
    passMinutes(59);
    expect(await text()).toBe('first');
    passMinutes(2);
    expect(await text()).toBe('first');
    release();
    while ((await text()) === 'first') await sleep(10);
    expect(await text()).toBe('second');
    await stop();
  });

  test('is waited for after an idle time longer than the grace, and used only if that fails, with a log', async () => {
    const { text, state, stop } = await slowStore('idle');
    Object.assign(state, { text: 'second', held: sleep(350) });
    passMinutes(180);
    expect(await text()).toBe('second');
    Object.assign(state, { text: 'third', isDown: true });
    passMinutes(180);
    const failures = await inRequest(async () => {
      expect(await text()).toBe('second');
      // Another attempt follows a minute later.
      state.isDown = false;
      expect(await text()).toBe('second');
      return requestContext().failures.secret;
    });
    expect(failures).toHaveLength(1);
    passMinutes(1);
    expect(await text()).toBe('third');
    await stop();
  });

  test('is not replaced by a malformed text', async () => {
    const { text, state, stop } = await slowStore('malformed', (each) => {
      if (each === 'malformed') throw new Error('It is malformed.');
    });
    state.text = 'malformed';
    passMinutes(61);
    expect(await text()).toBe('first');
    Object.assign(state, { text: 'second' });
    passMinutes(1);
    expect(await text()).toBe('second');
    await stop();
  });
});
