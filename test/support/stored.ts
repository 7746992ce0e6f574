import { inflateRawSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { DICTIONARY, type Event, type StoredEvent, toEvent } from '../../lib/events/event.ts';
import { packOrder, unpackOrder } from '../../lib/table/keys.ts';
import { isTombstone } from '../../lib/table/tombstone.ts';

const client = DynamoDBDocumentClient.from(new DynamoDBClient());

type Stored = Record<string, Record<string, unknown>>;

/** The keys of events and reassignments. */
const EVENT = /^(EVENTS|REASSIGNMENT)#/;

/** All items of the table, by `pk sk`. */
export async function stored(): Promise<Stored> {
  const items: Stored = {};
  const input = { TableName: process.env['TABLE_NAME'], ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client }, input)) {
    // An item with a tombstone counts as deleted.
    for (const { pk, sk, ...attributes } of Items.filter((item) => !isTombstone(item)))
      items[`${pk} ${sk}`] = EVENT.test(pk) ? attributes : readable(attributes);
  }
  return items;
}

/**
 * The attributes of an item in comparable form: stored responses and events are inflated, and the terminals that a branch
 * lists are their `branch_order` values, the oldest first.
 */
export const readable = (attributes: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      if (name === 'terminals' && value instanceof Set)
        return [name, [...value].map((element) => unpackOrder(element).order).sort()];
      return [name, value instanceof Uint8Array ? inflateRawSync(value, { dictionary: DICTIONARY }).toString() : value];
    }),
  );

/** The attributes of an item as they are stored, from those of {@link stored}. Stored responses stay readable. */
export const writable = (attributes: Record<string, unknown>): Record<string, unknown> => {
  const orders = attributes['terminals'];
  return Array.isArray(orders) ? { ...attributes, terminals: new Set(orders.map(packOrder)) } : attributes;
};

/** A branch item. */
export const branchItemOf = async (mid: string) => (await stored())[`BRANCH#${mid} BRANCH`];

/** A terminal item. */
export const terminalItemOf = async (tid: string) => (await stored())[`TERMINAL#${tid} TERMINAL`];

/**
 * Runs an action and returns its response and what it changed in the table: each changed item's new attributes, or
 * `null` for a deleted item. If it stored nothing, `changed` is `{}`. (`undefined` would equal a missing key in
 * `toEqual`.)
 *
 * The events of a change are returned separately, by the acquirer that sees them. Events without a changed item appear
 * in `changed`.
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
  const withoutEvents = all.filter((key) => !EVENT.test(key));
  const shown = withoutEvents.length > 0 ? withoutEvents : all;
  return {
    response,
    changed: Object.fromEntries(shown.map((key) => [key, after[key] ?? null])),
    ...(withoutEvents.length < all.length && {
      events: eventsIn(Object.fromEntries(all.map((key) => [key, after[key] ?? {}]))),
    }),
  };
}

/** The events among stored items, by the acquirer that sees them, oldest first. */
export function eventsIn(items: Stored): Record<string, Event[]> {
  const events: Record<string, Event[]> = {};
  for (const key of Object.keys(items).sort()) {
    const [, acquirer = '', sk = ''] = /^EVENTS#([^#]+)#\S+ (.*)$/.exec(key) ?? [];
    if (acquirer)
      events[acquirer] = [...(events[acquirer] ?? []), toEvent({ sk, ...(items[key] as unknown as StoredEvent) })];
  }
  return events;
}

/**
 * Splits the changes of {@link storedBy} into the new events of the operator's record, by subject, and all other items.
 */
export function splitRecord(changed: Record<string, Record<string, unknown> | null>) {
  const others: typeof changed = {};
  const events: Record<string, unknown[]> = {};
  for (const [key, item] of Object.entries(changed)) {
    const subject = /^RECORD#(.*) [\da-f-]{36}$/.exec(key)?.[1];
    if (subject === undefined) others[key] = item;
    else events[subject] = [...(events[subject] ?? []), item];
  }
  return { others, events };
}
