import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { LIMITS, withinBudget } from '../table/sdk.ts';

const client = withinBudget(new SecretsManagerClient(LIMITS));

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

async function fetchText(SecretId: string, VersionStage?: 'AWSPREVIOUS'): Promise<string> {
  const { SecretString } = await client.send(
    new GetSecretValueCommand({ SecretId, ...(VersionStage && { VersionStage }) }),
  );
  if (!SecretString) throw new Error('The secret has no text.');
  return SecretString;
}

/** The text before the last rotation. `undefined` if the secret was never rotated. */
async function fetchPrevious(secretId: string): Promise<string | undefined> {
  try {
    return await fetchText(secretId, 'AWSPREVIOUS');
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

/** How long a process uses a text before it fetches the current one again, in milliseconds. */
const ROTATED_MS = 3_600_000;

/** How often a process fetches a secret because a text was not accepted, in milliseconds. */
const REFRESH_MS = 60_000;

/** A secret that may be rotated while processes use it. Its texts are distinct, the current one first. */
export interface RotatingSecret {
  /** The texts that this process knows: at least the one that was current an hour ago. */
  known: () => Promise<readonly [current: string, ...older: string[]]>;
  /** Fetches the current and the previous text. `undefined` if this process did so within the last minute. */
  refreshed: () => Promise<readonly [current: string, ...older: string[]] | undefined>;
}

/**
 * A secret in AWS Secrets Manager that is rotated with an overlap: the text before the last rotation is still valid.
 *
 * @param secretId Returns the secret's name or ARN.
 */
export function rotatingSecret(secretId: () => string): RotatingSecret {
  let texts: [current: string, ...older: string[]] | undefined;
  let expires = Number.NEGATIVE_INFINITY;
  let nextRefresh = Number.NEGATIVE_INFINITY;
  let fetching: Promise<[string, ...string[]]> | undefined;
  let refreshing: Promise<[string, ...string[]]> | undefined;

  const keep = (current: string, previous = texts?.find((text) => text !== current)) => {
    texts = previous === undefined || previous === current ? [current] : [current, previous];
    expires = performance.now() + ROTATED_MS;
    return texts;
  };
  const fetchBoth = async () => {
    const [current, previous] = await Promise.all([fetchText(secretId()), fetchPrevious(secretId())]);
    return keep(current, previous);
  };
  return {
    async known() {
      if (texts && expires > performance.now()) return texts;
      fetching ??= fetchText(secretId())
        .then((current) => keep(current))
        .finally(() => {
          fetching = undefined;
        });
      return fetching;
    },
    async refreshed() {
      // Whoever comes while others wait for a refresh waits for the same one.
      if (refreshing) return refreshing;
      if (nextRefresh > performance.now()) return undefined;
      nextRefresh = performance.now() + REFRESH_MS;
      refreshing = fetchBoth().finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
  };
}
