import { inflateRawSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';

const client = DynamoDBDocumentClient.from(new DynamoDBClient());

type Stored = Record<string, Record<string, unknown>>;

/** The whole table, by `pk sk`. */
export async function stored(): Promise<Stored> {
  const items: Stored = {};
  const input = { TableName: process.env['TABLE_NAME'], ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client }, input)) {
    for (const { pk, sk, ...attributes } of Items) items[`${pk} ${sk}`] = readable(attributes);
  }
  return items;
}

/** The attributes of an item as they can be compared: kept responses are stored deflated. */
export const readable = (attributes: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? inflateRawSync(value).toString() : value,
    ]),
  );

/** A branch as it is stored. */
export const branchItemOf = async (mid: string) => (await stored())[`BRANCH#${mid} BRANCH`];

/** A terminal as it is stored. */
export const terminalItemOf = async (tid: string) => (await stored())[`TERMINAL#${tid} TERMINAL`];

/**
 * What an action changed in the whole table: each changed item's attributes as they are now, `null` for an item that is
 * gone. An action that stored nothing changed `{}`. (`undefined` would not do: to `toEqual` it is the same as absent.)
 */
export async function storedBy<T>(
  action: () => Promise<T>,
): Promise<{ answer: T; changed: Record<string, Record<string, unknown> | null> }> {
  const before = await stored();
  const answer = await action();
  const after = await stored();
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...keys].filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  return { answer, changed: Object.fromEntries(changed.map((key) => [key, after[key] ?? null])) };
}
