import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { LIMITS } from '../table/sdk.ts';

const client = new SecretsManagerClient(LIMITS);

/**
 * Returns a function that gets the text of a secret from AWS Secrets Manager. It is fetched on the first call, then
 * cached in the process. Failures are not cached. `AWS_ENDPOINT_URL_SECRETS_MANAGER` overrides the endpoint.
 *
 * @param secretId Returns the secret's name or ARN.
 * @returns A function that resolves to the text, or rejects with the SDK's error.
 */
export function secretText(secretId: () => string): () => Promise<string> {
  let fetching: Promise<string> | undefined;
  return () => {
    fetching ??= fetchText(secretId()).catch((error) => {
      fetching = undefined;
      throw error;
    });
    return fetching;
  };
}

async function fetchText(SecretId: string): Promise<string> {
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
  if (!SecretString) throw new Error('The secret has no text.');
  return SecretString;
}
