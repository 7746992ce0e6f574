import { randomUUID } from 'node:crypto';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { issueApiKey, listApiKeys, revokeApiKey } from '../../lib/acquirers/keyring.ts';
import { createAcquirer, listAcquirers } from '../../lib/acquirers/registry.ts';
import { disableAcquirer, enableAcquirer } from '../../lib/operator/acquirerChanges.ts';
import { SELF_CHECK } from '../../lib/platform/selfCheck.ts';
import { LIMITS } from '../../lib/table/sdk.ts';

export { SELF_CHECK };

/** The acquirer of the self-check of version 1.0: a distributor, which cannot create a branch without a partner. */
const FORMER = '5e1fc4ec-0000-4000-8000-000000000001';

const LABEL = 'self-check';

/**
 * Issues a new API key for the self-check, stores it, and then revokes the earlier ones, so after a failure the stored
 * key is still valid. Registers the acquirer if it is missing, enables it if it is disabled, and disables the one that it
 * replaced. Safe to repeat.
 *
 * @param store Stores the key in the secret of the self-check.
 * @returns The ids of the new key and of the revoked ones.
 * @throws What `store` throws; Problem as {@link issueApiKey} does.
 */
export async function rotateSelfCheckKey(
  store: (apiKey: string) => Promise<unknown>,
): Promise<{ key_id: string; revoked: string[] }> {
  const { id } = SELF_CHECK;
  const registered = new Set((await listAcquirers()).map((acquirer) => acquirer.id));
  await (registered.has(id) ? enableAcquirer(id) : createAcquirer(SELF_CHECK));
  const { api_key, key_id } = await issueApiKey(id, LABEL);
  await store(api_key);
  const revoked = await revokeAll(id, key_id);
  if (!registered.has(FORMER)) return { key_id, revoked };
  const former = await revokeAll(FORMER);
  await disableAcquirer(FORMER);
  return { key_id, revoked: [...revoked, ...former] };
}

/** Revokes all API keys of an acquirer, except one. Returns their ids. */
async function revokeAll(acquirer: string, except?: string): Promise<string[]> {
  const ids = (await listApiKeys(acquirer)).map(({ key_id }) => key_id).filter((key_id) => key_id !== except);
  for (const each of ids) await revokeApiKey(acquirer, each);
  return ids;
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
  new SecretsManagerClient(LIMITS).send(new PutSecretValueCommand({ SecretId, SecretString, ClientRequestToken }));
