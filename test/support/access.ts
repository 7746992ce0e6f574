import { AsyncLocalStorage } from 'node:async_hooks';
import { ACCESS } from '../../infra/generated/definitions.ts';

/*
 * DynamoDB Local lets everybody do everything. Here every request that an operation makes is held against what its role
 * will allow on AWS (infra/access.yml), in whatever test it is made.
 */

interface Role {
  operation: string;
  denied: string[];
}

const current = new AsyncLocalStorage<Role>();

/** What each operation has asked for so far, as `resource: action`. */
export const asked: Record<string, Set<string>> = {};

/** Permissions by which DynamoDB judges the steps of a transaction. */
const STEPS: Record<string, string> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

interface Input {
  TableName?: string;
  IndexName?: string;
  RequestItems?: object;
  TransactItems?: Record<string, Input>[];
}

/** What a request needs to be allowed, as pairs of resource and action. */
function needsOf(
  action: string,
  { TableName = '', IndexName, RequestItems, TransactItems }: Input,
): [string, string][] {
  if (TransactItems)
    return TransactItems.flatMap((item) =>
      Object.entries(item).flatMap(([step, input]) => needsOf(STEPS[step] ?? step, input)),
    );
  if (RequestItems) return Object.keys(RequestItems).flatMap((name) => needsOf(action, { TableName: name }));
  return [[TableName === process.env['TABLE_NAME'] ? (IndexName ?? 'table') : TableName, action]];
}

/** Notes what an operation asks for; outside of {@link asRole} everything is allowed. */
export function ask(resource: string, action: string): void {
  const role = current.getStore();
  if (!role) return;
  asked[role.operation] ??= new Set();
  asked[role.operation]?.add(`${resource}: ${action}`);
  if (ACCESS[role.operation]?.[resource]?.includes(action)) return;
  role.denied.push(`${action} on ${resource}`);
  throw Object.assign(new Error(`${role.operation} may not ${action} on ${resource}`), {
    name: 'AccessDeniedException',
  });
}

/** Imported late, as the handlers are: it reads its settings when it is. */
async function watchTable(): Promise<void> {
  const { table } = await import('../../lib/table/client.ts');
  table.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        for (const need of needsOf(commandName.replace('Command', ''), args.input as Input)) ask(...need);
        return next(args);
      },
    { step: 'initialize', name: 'access' },
  );
}
let watching: Promise<void> | undefined;

/**
 * Runs an operation with what its role allows.
 *
 * @throws Error when it asked for more, whatever it made of being refused.
 */
export async function asRole<T>(operation: string, run: () => Promise<T>): Promise<T> {
  watching ??= watchTable();
  await watching;
  const role: Role = { operation, denied: [] };
  const answer = await current.run(role, run);
  if (role.denied.length > 0)
    throw new Error(`infra/access.yml does not allow ${operation}: ${role.denied.join(', ')}`);
  return answer;
}
