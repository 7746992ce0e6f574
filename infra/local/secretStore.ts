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

/** The current version of a secret. */
interface Version {
  VersionId: string;
  /** Seconds since 1970. */
  CreatedDate: number;
}

interface Store {
  secrets: Secrets;
  versions: Map<string, Version>;
  /** When the store was started, and the time now, in seconds since 1970. */
  started: number;
  now: number;
}

/** The current version of a secret. What exists from the start is as old as the store. */
function versionOf({ versions, started }: Store, name: string): Version {
  const version = versions.get(name) ?? { VersionId: randomUUID(), CreatedDate: started };
  versions.set(name, version);
  return version;
}

/** The actions on an existing secret. Each returns the response or the name of an error. */
const ACTIONS: Record<string, (store: Store, name: string, input: Input) => object | string> = {
  GetSecretValue(store, Name, { VersionStage }) {
    const SecretString = store.secrets[VersionStage === 'AWSPREVIOUS' ? previous(Name) : Name];
    return SecretString === undefined
      ? 'ResourceNotFoundException'
      : { Name, SecretString, ...(VersionStage === undefined && versionOf(store, Name)) };
  },
  // A token is the id of the version, which cannot be changed (API reference of PutSecretValue).
  PutSecretValue(store, Name, { SecretString, ClientRequestToken = randomUUID() }) {
    const { secrets, versions, now } = store;
    if (versions.get(Name)?.VersionId === ClientRequestToken)
      return secrets[Name] === SecretString ? { Name } : 'ResourceExistsException';
    secrets[previous(Name)] = secrets[Name];
    secrets[Name] = SecretString;
    versions.set(Name, { VersionId: ClientRequestToken, CreatedDate: now });
    return { Name };
  },
};

/**
 * Starts a server for `GetSecretValue` and `PutSecretValue` of AWS Secrets Manager (JSON 1.1 protocol), so local
 * functions read secrets as deployed ones do. Point the SDK to it with `AWS_ENDPOINT_URL_SECRETS_MANAGER`.
 *
 * @param secrets The secrets that exist. `PutSecretValue` changes it.
 * @param clock Returns the time of the service, in milliseconds since 1970.
 */
export async function startSecretStore(secrets: Secrets, clock = () => Date.now()): Promise<SecretStore> {
  const versions: Store['versions'] = new Map();
  const started = clock() / 1000;
  const { url, stop } = await serve(async (request, response) => {
    const { SecretId = '', ...input } = JSON.parse((await text(request)) || '{}');
    const action = ACTIONS[String(request.headers['x-amz-target']).replace('secretsmanager.', '')];
    const store = { secrets, versions, started, now: clock() / 1000 };
    const isThere = action && Object.hasOwn(secrets, SecretId);
    const result = isThere ? action(store, SecretId, input) : 'ResourceNotFoundException';
    const isError = typeof result === 'string';
    const date = new Date(clock()).toUTCString();
    response.writeHead(isError ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1', date });
    response.end(JSON.stringify(isError ? { __type: result } : result));
  });
  return { endpoint: url, stop };
}
