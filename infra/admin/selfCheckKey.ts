import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import { issueApiKey, listApiKeys, revokeApiKey } from '../../lib/acquirers/keyring.ts';
import { createAcquirer, listAcquirers } from '../../lib/acquirers/registry.ts';
import { enableAcquirer } from '../../lib/operator/acquirerChanges.ts';
import { LIMITS } from '../../lib/table/sdk.ts';

/** The acquirer of the self-check. A distributor without partners can neither read nor create branches. */
export const SELF_CHECK: Acquirer = {
  id: '5e1fc4ec-0000-4000-8000-000000000001',
  type: 'DISTRIBUTOR',
  name: 'Self-check',
};

const LABEL = 'self-check';

/**
 * Issues a new API key for the self-check, stores it, and then revokes the earlier ones, so after a failure the stored
 * key is still valid. Registers the acquirer if it is missing, and enables it if it is disabled. Safe to repeat.
 *
 * @param store Stores the key in the secret of the self-check.
 * @returns The ids of the new key and of the revoked ones.
 * @throws What `store` throws; Problem as {@link issueApiKey} does.
 */
export async function rotateSelfCheckKey(
  store: (apiKey: string) => Promise<unknown>,
): Promise<{ key_id: string; revoked: string[] }> {
  const { id } = SELF_CHECK;
  const isRegistered = (await listAcquirers()).some((acquirer) => acquirer.id === id);
  await (isRegistered ? enableAcquirer(id) : createAcquirer(SELF_CHECK));
  const { api_key, key_id } = await issueApiKey(id, LABEL);
  await store(api_key);
  const revoked = (await listApiKeys(id)).map((key) => key.key_id).filter((each) => each !== key_id);
  for (const each of revoked) await revokeApiKey(id, each);
  return { key_id, revoked };
}

/** Stores a text in an existing secret of AWS Secrets Manager. Throws the SDK's errors. */
export const putSecretText = (SecretId: string, SecretString: string): Promise<unknown> =>
  new SecretsManagerClient(LIMITS).send(new PutSecretValueCommand({ SecretId, SecretString }));
