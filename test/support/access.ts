import { AsyncLocalStorage } from 'node:async_hooks';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ACCESS, type Grants } from '../../infra/stack/template/definitions.ts';
import { table } from '../../lib/table/client.ts';
import { type Key, kindOf } from '../../lib/table/keys.ts';
import { note } from './grants.ts';

/*
 * DynamoDB Local allows every request. Here every request of an operation, in any test, is checked against what its
 * role allows on AWS (infra/stack/functions.yml).
 */

/** A permission that a request needs: an action on an item kind, an index or the secret. */
export interface Need {
  action: string;
  resource: string;
  /** The table, if it is another one than that in use. */
  table?: string;
}

interface Role {
  operation: string;
  grants: Grants;
  denied: string[];
}

const current = new AsyncLocalStorage<Role>();

/** The needs of each operation that are noted already. */
const noted = new Set<string>();

/** The input of a request to the table. */
export interface Input {
  TableName?: string;
  IndexName?: string;
  Key?: Key | undefined;
  Item?: Key;
  KeyConditionExpression?: string;
  ExpressionAttributeValues?: Record<string, unknown>;
  RequestItems?: Record<string, { Keys?: Key[] }>;
  TransactItems?: Record<string, Input>[];
}

/** The permissions that a request needs; a batch or a transaction needs one per item. */
export function needsOf(action: string, input: Input): Need[] {
  const { TableName = '', IndexName, Key, Item, RequestItems, TransactItems } = input;
  if (TransactItems)
    return TransactItems.flatMap((item) =>
      Object.entries(item).flatMap(([step, part]) => needsOf(`${step}Item`, part)),
    );
  if (RequestItems)
    return Object.entries(RequestItems).flatMap(([name, { Keys = [undefined] }]) =>
      Keys.flatMap((key) => needsOf(action, { TableName: name, Key: key })),
    );
  const [, queried = ''] = /^pk = (:\w+)/.exec(input.KeyConditionExpression ?? '') ?? [];
  const pk = (Key ?? Item)?.pk ?? (input.ExpressionAttributeValues?.[queried] as string | undefined);
  // A request without a partition key, such as a scan, concerns the whole table.
  const resource = IndexName ?? (pk === undefined ? 'table' : kindOf(pk));
  return [{ action, resource, ...(TableName !== process.env['TABLE_NAME'] && { table: TableName }) }];
}

/**
 * Checks that the role of the current operation allows a request, and notes what the request needs. Outside of {@link
 * asRole} everything is allowed.
 *
 * @throws Error `AccessDeniedException`, as AWS would.
 */
function checkAccess(needs: Need[]): void {
  const role = current.getStore();
  if (!role) return;
  for (const { action, resource } of needs) {
    const text = `${role.operation} ${action} ${resource}`;
    if (!noted.has(text)) note(text);
    noted.add(text);
  }
  const denied = needs
    // People may also use restored tables.
    .filter(
      ({ action, resource, table }) => (table && ACCESS[role.operation]) || !role.grants[resource]?.includes(action),
    )
    .map(({ action, resource, table }) => `${action} on ${table ?? resource}`);
  if (denied.length === 0) return;
  role.denied.push(...denied);
  throw Object.assign(new Error(`${role.operation} may not ${denied.join(', ')}`), { name: 'AccessDeniedException' });
}

table.middlewareStack.add(
  (next, { commandName = '' }) =>
    (args) => {
      checkAccess(needsOf(commandName.replace('Command', ''), args.input as Input));
      return next(args);
    },
  { step: 'initialize', name: 'access' },
);

/** The secrets by the variables that name them. */
const SECRETS: Record<string, string> = {
  CARD_HMAC_KEY_SECRET: 'secret',
  SELF_CHECK_KEY_SECRET: 'self-check-secret',
  CLIENT_CREDENTIAL_SECRET: 'client-secret',
  SEALING_KEY_SECRET: 'sealing-key',
  WEBHOOK_KEY_SECRET: 'webhook-key',
};
const { send } = SecretsManagerClient.prototype;
SecretsManagerClient.prototype.send = function (this: SecretsManagerClient, ...sent: Parameters<typeof send>) {
  const [command] = sent;
  const { SecretId } = command.input as { SecretId?: string };
  const variable = Object.keys(SECRETS).find((name) => process.env[name] === SecretId);
  // Of people, infra/operate/policies.yml grants secrets by themselves.
  if (ACCESS[current.getStore()?.operation ?? ''])
    checkAccess([
      {
        action: command.constructor.name.replace('Command', ''),
        resource: SECRETS[variable ?? ''] ?? 'another secret',
      },
    ]);
  return send.apply(this, sent);
} as typeof send;

/**
 * Runs an operation with the permissions of its role.
 *
 * @param grants By default those of the function of this name.
 * @throws Error if it needed more, even if it handled the denial.
 */
export async function asRole<T>(
  operation: string,
  run: () => Promise<T>,
  grants = ACCESS[operation] ?? {},
): Promise<T> {
  const role: Role = { operation, grants, denied: [] };
  const response = await current.run(role, run);
  if (role.denied.length > 0)
    throw new Error(
      `The role of ${operation} denies ${[...new Set(role.denied)].join(', ')}. ` +
        'If the operation needs it, add it to infra/stack/functions.yml, or to infra/operate/policies.yml for a ' +
        'command.',
    );
  return response;
}
