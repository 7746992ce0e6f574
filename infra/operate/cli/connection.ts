import { connectSecrets } from '../../../lib/aws/secret.ts';
import { type Connection, configure } from '../../../lib/base/config.ts';
import { connect as connectTable } from '../../../lib/table/client.ts';

/** Environment variables of the service and of the AWS SDK that name a table, its secrets, and how they are reached. */
export type Variables = Record<string, string | undefined>;

/** What this process is connected by: until {@link connect}, its environment alone. */
let current: Variables = {};

const variable = (name: string): string | undefined => current[name] ?? process.env[name];

/** Connects this process to a table and its secrets, before its first request. */
export function connect(variables: Variables): void {
  configureFor(variables);
  connectTable(connectionTo('DYNAMODB'));
  connectSecrets(connectionTo('SECRETS_MANAGER'));
}

/** Chooses the table and the secrets of a process whose clients are connected already. */
export function configureFor(variables: Variables): void {
  current = variables;
  configure(variables);
}

/** How a client reaches a service of AWS. What the variables leave out, the SDK finds in the environment. */
export function connectionTo(service: string): Connection {
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = current;
  const endpoint = current[`AWS_ENDPOINT_URL_${service}`];
  return {
    ...(region && { region }),
    ...(endpoint && { endpoint }),
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
  };
}

const REMOTES = {
  table: ['DYNAMODB', 'TABLE_NAME'],
  secret: ['SECRETS_MANAGER', 'CARD_HMAC_KEY_SECRET'],
  'self-check secret': ['SECRETS_MANAGER', 'SELF_CHECK_KEY_SECRET'],
  'AWS STS': ['STS'],
  AWS: ['AWS'],
} as const;
export type Remote = keyof typeof REMOTES;

/** Describes where requests go, such as `table acquirer-partner-api-prod in eu-central-1`. */
export function remote(kind: Remote): string {
  const [service, name] = REMOTES[kind];
  const endpoint = variable(`AWS_ENDPOINT_URL_${service}`);
  const at = endpoint ? `at ${endpoint}` : `in ${variable('AWS_REGION')}`;
  return [kind, name && variable(name), at].filter(Boolean).join(' ');
}
