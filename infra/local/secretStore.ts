import { text } from 'node:stream/consumers';
import { serve } from './serve.ts';

/** A running secret store. `stop` closes it and its connections. */
export interface SecretStore {
  endpoint: string;
  stop: () => Promise<void>;
}

/** Secret values by name; `undefined` for a secret without a value. */
export type Secrets = Record<string, string | undefined>;

/** The name under which the value before the last `PutSecretValue` is kept. */
const previous = (name: string): string => `${name} AWSPREVIOUS`;

interface Input {
  SecretString?: string;
  VersionStage?: string;
}

/** The actions on an existing secret. Each returns the response, or `undefined` for a `ResourceNotFoundException`. */
const ACTIONS: Record<string, (secrets: Secrets, name: string, input: Input) => object | undefined> = {
  GetSecretValue(secrets, Name, { VersionStage }) {
    const SecretString = secrets[VersionStage === 'AWSPREVIOUS' ? previous(Name) : Name];
    return SecretString === undefined ? undefined : { Name, SecretString };
  },
  PutSecretValue(secrets, Name, { SecretString }) {
    secrets[previous(Name)] = secrets[Name];
    secrets[Name] = SecretString;
    return { Name };
  },
};

/**
 * Starts a server for `GetSecretValue` and `PutSecretValue` of AWS Secrets Manager (JSON 1.1 protocol), so local
 * functions read secrets as deployed ones do. Point the SDK to it with `AWS_ENDPOINT_URL_SECRETS_MANAGER`.
 *
 * @param secrets The secrets that exist. `PutSecretValue` changes it.
 */
export async function startSecretStore(secrets: Secrets): Promise<SecretStore> {
  const { url, stop } = await serve(async (request, response) => {
    const { SecretId = '', ...input } = JSON.parse((await text(request)) || '{}');
    const action = ACTIONS[String(request.headers['x-amz-target']).replace('secretsmanager.', '')];
    const result = Object.hasOwn(secrets, SecretId) ? action?.(secrets, SecretId, input) : undefined;
    response.writeHead(result ? 200 : 400, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(result ?? { __type: 'ResourceNotFoundException' }));
  });
  return { endpoint: url, stop };
}
