import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { table, tableName } from '../../lib/table/client.ts';
import { branchKey } from '../../lib/table/keys.ts';

/** Lists terminals that do not exist in a branch, as its oldest. */
export async function listMissingTerminals(mid: string, count: number): Promise<void> {
  const orderOf = () => Buffer.concat([Buffer.alloc(7), Buffer.from(randomUUID().replaceAll('-', ''), 'hex')]);
  const terminals = new Set(Array.from({ length: count }, orderOf));
  await table.send(
    new UpdateCommand({
      TableName: tableName(),
      Key: branchKey(mid),
      UpdateExpression: 'ADD terminals :terminals',
      ExpressionAttributeValues: { ':terminals': terminals },
    }),
  );
}

/** A branch item, as {@link stored} returns it. */
type BranchItem = Record<string, unknown> | null | undefined;

function withTerminals(branch: BranchItem, at: string, orders: string[]): object {
  const { terminals: _, ...others } = branch as Record<string, unknown>;
  return {
    ...others,
    ...(orders.length > 0 && { terminals: orders.sort() }),
    terminals_changed_at: at,
    updated_at: at,
  };
}

/** The `branch_order` of each terminal that a branch lists, the oldest first. */
export const ordersIn = (branch: BranchItem): string[] => (branch?.['terminals'] ?? []) as string[];

/** A branch item after terminals with these `branch_order` values were added. */
export const withAdded = (branch: BranchItem, at: string, ...orders: string[]): object =>
  withTerminals(branch, at, [...ordersIn(branch), ...orders]);

/** A branch item after a terminal was removed. */
export const withRemoved = (branch: BranchItem, at: string, tid: string): object =>
  withTerminals(
    branch,
    at,
    ordersIn(branch).filter((order) => !order.endsWith(`#${tid}`)),
  );
