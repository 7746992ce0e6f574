import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type SecretStore, type Secrets, startSecretStore } from '../../../../../infra/local/secretStore.ts';
import { rotateSelfCheckKey, SELF_CHECK } from '../../../../../infra/operate/cli/selfCheckKey.ts';
import { LOCAL_ENVIRONMENT } from '../../../../../infra/stack/localEnvironment.ts';
import { CACHE_MS } from '../../../../../lib/base/cache.ts';
import { call } from '../../../../support/api.ts';
import { stopClocks } from '../../../../support/clock.ts';
import { TIME } from '../../../../support/constants.ts';
import { expectNoViolations } from '../../../../support/invariants.ts';
import { stored } from '../../../../support/stored.ts';
import { done, failed, jsonOf, operator } from '../operator.ts';

const SECRET = LOCAL_ENVIRONMENT.SELF_CHECK_KEY_SECRET;
const ACQUIRER = `Self-check (${SELF_CHECK.id})`;
const KEY_ID = expect.stringMatching(/^[\da-f]{12}$/);

const secrets: Secrets = {};
let store: SecretStore;
const everywhere = process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'];
beforeAll(async () => {
  // A store of its own: other test files may need the shared one empty.
  store = await startSecretStore(secrets);
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = store.endpoint;
});
afterAll(expectNoViolations);
afterAll(async () => {
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = everywhere;
  await store.stop();
});
beforeEach(() => {
  secrets[SECRET] = undefined;
});
afterEach(() => {
  jest.restoreAllMocks();
});

const enable = () => operator(['self-check', 'enable']);
const keyIds = async () =>
  (await jsonOf('keys', 'list', SELF_CHECK.id)).map(({ key_id }: { key_id: string }) => key_id);
const list = async (key: string | undefined) => {
  const { status, body } = await call('listBranches', { key });
  return [status, body.meta?.total];
};

describe('enable', () => {
  test('registers the acquirer and stores a key that sees nothing of others, without showing it', async () => {
    const response = await enable();
    const { api_keys, ...shown } = await jsonOf('acquirers', 'show', SELF_CHECK.id);
    expect(shown).toMatchObject(SELF_CHECK);
    const rest = { ends_with: expect.stringMatching(/^[\w-]{4}$/), replaces: null };
    const times = { ...rest, created_at: TIME, last_used_at: null, expires_at: null };
    expect(api_keys).toEqual([{ key_id: KEY_ID, label: 'self-check', role: 'full', ...times }]);
    expect(response).toEqual(done(`Stored API key ${api_keys[0].key_id} of ${ACQUIRER} in the secret ${SECRET}.`));
    expect(await list(secrets[SECRET])).toEqual([200, 0]);
    expect(JSON.stringify(await stored())).not.toContain(secrets[SECRET]);
  });

  test('repeated, stores a new key, revokes the previous ones and enables a disabled acquirer again', async () => {
    const wait = stopClocks();
    await enable();
    const [old, [oldId]] = [secrets[SECRET], await keyIds()];
    expect(await list(old)).toEqual([200, 0]);
    await jsonOf('acquirers', 'disable', SELF_CHECK.id, '--yes');

    const response = await enable();
    const ids = await keyIds();
    const stored = `Stored API key ${ids} of ${ACQUIRER} in the secret ${SECRET}.`;
    expect(response).toEqual(done(`${stored} Revoked ${oldId}: refused within 30 seconds.`));
    wait(CACHE_MS);
    expect(await list(old)).toEqual([401, undefined]);
    expect(await list(secrets[SECRET])).toEqual([200, 0]);
    const document = { acquirer: SELF_CHECK.id, key_id: KEY_ID, secret: SECRET, revoked: ids };
    expect(await jsonOf('self-check', 'enable')).toEqual(document);
  });

  test('stores a valid key when two run at once, whichever stores first', async () => {
    const issued: string[] = [];
    let other: Promise<unknown> | undefined;
    const { key_id } = await rotateSelfCheckKey(async (apiKey) => {
      // Another run begins and ends between the issue of this key and its storage.
      other ??= rotateSelfCheckKey(async (theirs) => {
        issued.push(theirs);
      });
      await other;
      issued.push(apiKey);
    });
    expect(await keyIds()).toEqual([key_id]);
    expect(issued).toHaveLength(3);
    expect((await list(issued.at(-1)))[0]).toBe(200);
  });

  test('leaves the previous key valid if the secret does not exist, and revokes both keys the next time', async () => {
    await enable();
    const [keyId] = await keyIds();
    delete secrets[SECRET];
    expect(await enable()).toEqual(failed(`There is no self-check secret ${SECRET} at ${store.endpoint}.`));
    const ids = await keyIds();
    expect(ids).toEqual([keyId, KEY_ID]);

    secrets[SECRET] = undefined;
    expect(await jsonOf('self-check', 'enable')).toMatchObject({ revoked: ids });
    expect(await keyIds()).toHaveLength(1);
  });
});
