import { inflateRawSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  DynamoDBDocumentClient,
  paginateScan,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, expect } from '@jest/globals';
import { DICTIONARY, type Event, type StoredEvent, toEvent } from '../../lib/events/event.ts';
import { table } from '../../lib/table/client.ts';
import { branchKey, type Key, packOrder, terminalKey, unpackOrder } from '../../lib/table/keys.ts';
import { isTombstone } from '../../lib/table/tombstone.ts';

/** A client of its own: a test may have made that of the service fail. */
const client = DynamoDBDocumentClient.from(new DynamoDBClient());
client.middlewareStack.remove('loggerMiddleware');
const tableName = (): string => process.env['TABLE_NAME'] as string;

type Stored = Record<string, Record<string, unknown>>;
type Items = Record<string, unknown>[];

/** The keys of events and reassignments. */
const EVENT = /^(EVENTS|REASSIGNMENT)#/;

/** Items by `pk sk`. One with a tombstone counts as deleted. */
const byKey = (items: Items): Stored =>
  Object.fromEntries(
    items
      .filter((item) => !isTombstone(item))
      .map(({ pk, sk, ...attributes }) => [`${pk} ${sk}`, EVENT.test(String(pk)) ? attributes : readable(attributes)]),
  );

/** All items of the table, by `pk sk`. */
export async function stored(): Promise<Stored> {
  const items: Items = [];
  for await (const page of paginateScan({ client }, { TableName: tableName(), ConsistentRead: true }))
    items.push(...(page.Items ?? []));
  return byKey(items);
}

/** The items with these keys, by `pk sk`. */
async function storedAt(keys: Key[]): Promise<Stored> {
  const items: Items = [];
  for (let at = 0; at < keys.length; at += 100) {
    let RequestItems: BatchGetCommandInput['RequestItems'] = {
      [tableName()]: { Keys: keys.slice(at, at + 100), ConsistentRead: true },
    };
    while (Object.keys(RequestItems ?? {}).length > 0) {
      const { Responses, UnprocessedKeys }: BatchGetCommandOutput = await client.send(
        new BatchGetCommand({ RequestItems }),
      );
      items.push(...(Responses?.[tableName()] ?? []));
      RequestItems = UnprocessedKeys;
    }
  }
  return byKey(items);
}

/*
 * The service's client records the keys that it writes, so what a request changed is found without a scan. The scan at
 * the end of each file proves that no write was missed.
 */

interface WriteInput {
  TableName?: string;
  Key?: Key;
  Item?: Key;
  TransactItems?: Record<string, WriteInput>[];
  RequestItems?: Record<string, { PutRequest?: { Item: Key }; DeleteRequest?: { Key: Key } }[]>;
}

const keysOf = ({ TableName, Key, Item, TransactItems = [], RequestItems = {} }: WriteInput): Key[] => [
  ...[Key ?? Item ?? []].flat().filter(() => TableName === tableName()),
  ...TransactItems.flatMap((step) => Object.values(step).flatMap(keysOf)),
  ...(RequestItems[tableName()] ?? []).flatMap(({ PutRequest, DeleteRequest }) =>
    keysOf({ TableName: tableName(), ...PutRequest, ...DeleteRequest }),
  ),
];

const WRITES = /^(Put|Update|Delete|TransactWrite|BatchWrite)/;
const written = new Map<string, Key>();

table.middlewareStack.add(
  (next, { commandName = '' }) =>
    (args) => {
      if (WRITES.test(commandName))
        for (const { pk, sk } of keysOf(args.input as WriteInput)) written.set(`${pk} ${sk}`, { pk, sk });
      return next(args);
    },
  { step: 'initialize', name: 'written' },
);

/** All items as they were when they were last read here. */
const known: Stored = {};

/** Reads all that was written since the last call. Returns the items that differ from before, as they were and are. */
async function readWritten(): Promise<Record<'before' | 'after', Stored>> {
  const keys = [...written];
  written.clear();
  const now = await storedAt(keys.map(([, key]) => key));
  const changed = keys
    .map(([name]) => name)
    .filter((name) => JSON.stringify(known[name]) !== JSON.stringify(now[name]));
  const pick = (items: Stored) =>
    Object.fromEntries(changed.flatMap((name) => (items[name] ? [[name, items[name]]] : [])));
  const result = { before: pick(known), after: pick(now) };
  for (const [name] of keys) delete known[name];
  Object.assign(known, now);
  return result;
}

/** Reads the whole table, after writes that the service's client did not send. */
export async function rescan(): Promise<void> {
  written.clear();
  const now = await stored();
  for (const name of Object.keys(known)) delete known[name];
  Object.assign(known, now);
}

afterAll(async () => {
  await readWritten();
  expect(known).toEqual(await stored());
});

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

/** A stored item by its key. */
const itemAt = async (key: Key) => (await storedAt([key]))[`${key.pk} ${key.sk}`];
export const branchItemOf = (mid: string) => itemAt(branchKey(mid));
export const terminalItemOf = (tid: string) => itemAt(terminalKey(tid));

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
  await readWritten();
  const response = await action();
  const { before, after } = await readWritten();
  const all = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
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
