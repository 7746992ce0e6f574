import { randomUUID } from 'node:crypto';
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
  ClientRequestToken?: string;
}

/**
 * Starts a server for `GetSecretValue` and `PutSecretValue` of AWS Secrets Manager (JSON 1.1 protocol), so local
 * functions read secrets as deployed ones do. Point the SDK to it with `AWS_ENDPOINT_URL_SECRETS_MANAGER`.
 *
 * @param secrets The secrets that exist. `PutSecretValue` changes it.
 * @param clock Returns the time of the service, in milliseconds since 1970.
 */
export async function startSecretStore(secrets: Secrets, clock = () => Date.now()): Promise<SecretStore> {
  const newVersion = (VersionId: string = randomUUID()) => ({ VersionId, CreatedDate: clock() / 1000 });
  /** The version of whatever was not put here. */
  const initial = newVersion();
  /** The current version of each secret that was put here. */
  const versions = new Map<string, typeof initial>();

  /** The actions on an existing secret. Each returns the response or the name of an error. */
  const actions: Record<string, (name: string, input: Input) => object | string> = {
    GetSecretValue(Name, { VersionStage }) {
      const SecretString = secrets[VersionStage === 'AWSPREVIOUS' ? previous(Name) : Name];
      return SecretString === undefined
        ? 'ResourceNotFoundException'
        : { Name, SecretString, ...(VersionStage === undefined && (versions.get(Name) ?? initial)) };
    },
    // A token is the id of the version, which cannot be changed (API reference of PutSecretValue).
    PutSecretValue(Name, { SecretString, ClientRequestToken }) {
      if (ClientRequestToken !== undefined && versions.get(Name)?.VersionId === ClientRequestToken)
        return secrets[Name] === SecretString ? { Name } : 'ResourceExistsException';
      secrets[previous(Name)] = secrets[Name];
      secrets[Name] = SecretString;
      versions.set(Name, newVersion(ClientRequestToken));
      return { Name };
    },
  };

  const { url, stop } = await serve(async (request, response) => {
    const { SecretId = '', ...input } = JSON.parse((await text(request)) || '{}');
    const action = actions[String(request.headers['x-amz-target']).replace('secretsmanager.', '')];
    const isThere = action && Object.hasOwn(secrets, SecretId);
    const result = isThere ? action(SecretId, input) : 'ResourceNotFoundException';
    const isError = typeof result === 'string';
    const date = new Date(clock()).toUTCString();
    response.writeHead(isError ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1', date });
    response.end(JSON.stringify(isError ? { __type: result } : result));
  });
  return { endpoint: url, stop };
}
