import { randomUUID } from 'node:crypto';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { issueApiKey, listApiKeys, revokeApiKey } from '../../../lib/acquirers/keyring.ts';
import { createAcquirer, listAcquirers } from '../../../lib/acquirers/registry.ts';
import { LIMITS } from '../../../lib/aws/sdk.ts';
import { Problem } from '../../../lib/base/problem.ts';
import { enableAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { SELF_CHECK } from '../../../lib/selfCheck/selfCheck.ts';
import { connectionTo } from './connection.ts';

export { SELF_CHECK };

const LABEL = 'self-check';

/**
 * Issues a new API key for the self-check, stores it, and then revokes the earlier ones, so after a failure the stored
 * key is still valid. Registers the acquirer if it is missing, and enables it if it is disabled. Safe to repeat, and to run
 * twice at once.
 *
 * @param store Stores the key in the secret of the self-check.
 * @returns The ids of the new key and of the revoked ones.
 * @throws What `store` throws; Problem as {@link issueApiKey} does.
 */
export async function rotateSelfCheckKey(
  store: (apiKey: string) => Promise<unknown>,
): Promise<{ key_id: string; revoked: string[] }> {
  const { id } = SELF_CHECK;
  await makeEnabled(SELF_CHECK);
  const { api_key, key_id } = await issueApiKey(id, LABEL);
  await store(api_key);
  const ids = (await listApiKeys(id)).map((key) => key.key_id);
  // Another call has issued a newer key, and may have stored it before. So the last key to be stored is the newest one.
  if (ids.at(-1) !== key_id) return rotateSelfCheckKey(store);
  const revoked = ids.slice(0, -1);
  for (const each of revoked) await revokeApiKey(id, each).catch(unlessGone);
  return { key_id, revoked };
}

export async function makeEnabled(acquirer: Acquirer): Promise<void> {
  const isRegistered = (await listAcquirers()).some(({ id }) => id === acquirer.id);
  await (isRegistered ? enableAcquirer(acquirer.id) : createAcquirer(acquirer));
}

/** Another call has removed it too. */
export function unlessGone(error: unknown): void {
  if (!(error instanceof Problem && error.code === 'not_found')) throw error;
}

/**
 * Stores a text in an existing secret of AWS Secrets Manager. Throws the SDK's errors.
 *
 * @param ClientRequestToken The id of the new version; a random one by default.
 */
export const putSecretText = (
  SecretId: string,
  SecretString: string,
  ClientRequestToken: string = randomUUID(),
): Promise<unknown> =>
  new SecretsManagerClient({ ...LIMITS, ...connectionTo('SECRETS_MANAGER') }).send(
    new PutSecretValueCommand({ SecretId, SecretString, ClientRequestToken }),
  );
