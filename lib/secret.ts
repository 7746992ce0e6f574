import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { LIMITS } from './table/sdk.ts';

const client = new SecretsManagerClient(LIMITS);

/**
 * The text of a secret in AWS Secrets Manager, by its name or ARN. It is fetched at its first use and then kept by the
 * process; a failure is not kept, so the next use tries again. `AWS_ENDPOINT_URL_SECRETS_MANAGER` points elsewhere.
 *
 * @returns A function that resolves to the text, or rejects with the SDK's error.
 */
export function secretText(SecretId: string): () => Promise<string> {
  let fetching: Promise<string> | undefined;
  return () => {
    fetching ??= fetchText(SecretId).catch((error) => {
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
