import { inflateRawSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { DICTIONARY, type Event, type StoredEvent, toEvent } from '../../lib/event.ts';
import { isTombstone } from '../../lib/table/tombstone.ts';

const client = DynamoDBDocumentClient.from(new DynamoDBClient());

type Stored = Record<string, Record<string, unknown>>;

/** What a change is on record by. */
const EVENT = /^(EVENTS|REASSIGNMENT)#/;

/** The whole table, by `pk sk`. */
export async function stored(): Promise<Stored> {
  const items: Stored = {};
  const input = { TableName: process.env['TABLE_NAME'], ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client }, input)) {
    // A tombstone is what makes its item be gone.
    for (const { pk, sk, ...attributes } of Items.filter((item) => !isTombstone(item)))
      items[`${pk} ${sk}`] = EVENT.test(pk) ? attributes : readable(attributes);
  }
  return items;
}

/** The attributes of an item as they can be compared: kept responses and events are stored deflated. */
export const readable = (attributes: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? inflateRawSync(value, { dictionary: DICTIONARY }).toString() : value,
    ]),
  );

/** A branch as it is stored. */
export const branchItemOf = async (mid: string) => (await stored())[`BRANCH#${mid} BRANCH`];

/** A terminal as it is stored. */
export const terminalItemOf = async (tid: string) => (await stored())[`TERMINAL#${tid} TERMINAL`];

/**
 * What an action changed in the whole table: each changed item's attributes as they are now, `null` for an item that is
 * gone. An action that stored nothing changed `{}`. (`undefined` would not do: to `toEqual` it is the same as absent.)
 *
 * The events of a change are apart, by the acquirer that sees them. Events of nothing that changed are among the changes.
 */
export async function storedBy<T>(action: () => Promise<T>): Promise<{
  response: T;
  changed: Record<string, Record<string, unknown> | null>;
  events?: Record<string, Event[]>;
}> {
  const before = await stored();
  const response = await action();
  const after = await stored();
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const all = keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  const things = all.filter((key) => !EVENT.test(key));
  const shown = things.length > 0 ? things : all;
  return {
    response,
    changed: Object.fromEntries(shown.map((key) => [key, after[key] ?? null])),
    ...(things.length < all.length && {
      events: eventsIn(Object.fromEntries(all.map((key) => [key, after[key] ?? {}]))),
    }),
  };
}

/** The events among stored items, by the acquirer that sees them, the oldest first. */
export function eventsIn(items: Stored): Record<string, Event[]> {
  const events: Record<string, Event[]> = {};
  for (const key of Object.keys(items).sort()) {
    const [, acquirer = '', sk = ''] = /^EVENTS#([^#]+)#\S+ (.*)$/.exec(key) ?? [];
    if (acquirer)
      events[acquirer] = [...(events[acquirer] ?? []), toEvent({ sk, ...(items[key] as unknown as StoredEvent) })];
  }
  return events;
}

/** What {@link storedBy} found changed, apart from the operator's record; and the record's new events by their subjects. */
export function apart(changed: Record<string, Record<string, unknown> | null>) {
  const others: typeof changed = {};
  const events: Record<string, unknown[]> = {};
  for (const [key, item] of Object.entries(changed)) {
    const subject = /^RECORD#(.*) [\da-f-]{36}$/.exec(key)?.[1];
    if (subject === undefined) others[key] = item;
    else events[subject] = [...(events[subject] ?? []), item];
  }
  return { others, events };
}
