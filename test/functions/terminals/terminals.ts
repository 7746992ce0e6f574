import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from '@jest/globals';
import { table, tableName } from '../../../lib/table/client.ts';
import { branchKey } from '../../../lib/table/keys.ts';
import type { ApiResponse } from '../../support/api.ts';
import { NAME_UUID, TIME } from '../../support/constants.ts';
import { branchItemOf, storedBy, terminalItemOf } from '../../support/stored.ts';

type Fields = Record<string, unknown>;

/** An active terminal in a response, with `null` for fields that are not given. */
export const shownTerminal = (fields: Fields): Fields => ({
  tid: NAME_UUID,
  serial_no: null,
  terminal_model: null,
  payment_app: null,
  acquirer_name: null,
  status: 'active',
  created_at: TIME,
  updated_at: TIME,
  archived_at: null,
  archive_reason: null,
  ...fields,
});

/** The item of a terminal that was just created, from the response; `at` is its place in the request. */
export function storedTerminal({ status: _, ...shown }: Fields, at = 0): Fields {
  const fields = Object.entries(shown).filter(([, value]) => value !== null);
  const branch_order = `${shown['created_at']}#${String(at).padStart(3, '0')}#${shown['tid']}`;
  return { ...Object.fromEntries(fields), branch_order };
}

type BranchItem = Fields | null | undefined;

/** The `branch_order` of each terminal that a stored branch lists, the oldest first. */
export const ordersIn = (branch: BranchItem): string[] => (branch?.['terminals'] ?? []) as string[];

/** A stored branch after terminals with these `branch_order` values were added, and the one with this TID removed. */
export function withTerminals(branch: BranchItem, at: string, added: string[], removed?: string): Fields {
  const { terminals: _, ...others } = branch as Fields;
  const orders = [...ordersIn(branch), ...added].filter((order) => !order.endsWith(`#${removed}`)).sort();
  return { ...others, ...(orders.length > 0 && { terminals: orders }), terminals_changed_at: at, updated_at: at };
}

/** What a change makes of a branch or terminal. `undefined` removes an attribute. */
interface Change {
  shown?: Fields;
  stored?: Fields;
  /** All other items that change, by `pk sk`; `null` for a deleted one. */
  others?: Fields;
}

/**
 * Changes a branch or terminal, and asserts the whole response and everything that is stored but the events.
 *
 * @param subject The branch or terminal as shown before, and after except for the change.
 * @param changeAt The change, made at this time.
 * @returns It as in the response.
 */
export async function expectChanged(
  subject: Fields & { mid: string; tid?: string },
  run: () => Promise<ApiResponse>,
  changeAt: (at: string) => Change,
) {
  const { mid, tid } = subject;
  const before = await (tid === undefined ? branchItemOf(mid) : terminalItemOf(tid));
  const { response, changed } = await storedBy(run);
  expect(response.status).toBe(200);
  const { data } = response.body;
  const { shown, stored, others } = changeAt(data.updated_at);
  expect(data.updated_at > String(subject['updated_at'])).toBe(true);
  expect(response.body).toEqual({ data: { ...subject, ...shown, updated_at: TIME } });
  expect(changed).toEqual({
    [tid === undefined ? `BRANCH#${mid} BRANCH` : `TERMINAL#${tid} TERMINAL`]: {
      ...before,
      ...stored,
      updated_at: data.updated_at,
    },
    ...others,
  });
  return data;
}

/** A terminal as shown after its branch was archived at this time. */
export const archivedWithBranch = (terminal: Fields, archived_at: string): Fields => ({
  ...terminal,
  status: 'archived',
  updated_at: archived_at,
  archived_at,
  archive_reason: 'Archived with its branch.',
});

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
