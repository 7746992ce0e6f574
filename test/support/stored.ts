import { deepStrictEqual } from 'node:assert/strict';
import { inflateRawSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  DynamoDBDocumentClient,
  paginateScan,
} from '@aws-sdk/lib-dynamodb';
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
/** The keys of what searches find. After each file, the audit compares it with the branches and master merchants. */
const WORDS = /^WORDS#/;
/** The keys of refused requests. */
const REFUSED = /^REFUSED_REQUESTS#/;

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

/** All items as they were when they were last read here. */
let known: Stored = {};
/** Keys that were written since, by `pk sk`. */
let written = new Map<string, Key>();
/** What {@link storedBy} runs: its writes so far, and the items of these keys before. */
let watch: { written: Map<string, Key>; before: Promise<void> } | undefined;

/** Reads items and remembers them. */
async function learn(keys: Map<string, Key>): Promise<void> {
  const now = await storedAt([...keys.values()]);
  for (const name of keys.keys()) delete known[name];
  Object.assign(known, now);
}

const WRITES = /^(Put|Update|Delete|TransactWrite|BatchWrite)/;

table.middlewareStack.add(
  (next, { commandName = '' }) =>
    async (args) => {
      if (WRITES.test(commandName)) {
        const keys = new Map(keysOf(args.input as WriteInput).map(({ pk, sk }) => [`${pk} ${sk}`, { pk, sk }]));
        if (watch) {
          const stale = new Map([...keys].filter(([name]) => written.delete(name)));
          for (const [name, key] of keys) watch.written.set(name, key);
          if (stale.size > 0) watch.before = Promise.all([watch.before, learn(stale)]).then(() => undefined);
          await watch.before;
        } else for (const [name, key] of keys) written.set(name, key);
      }
      return next(args);
    },
  { step: 'initialize', name: 'written' },
);

/** Reads the whole table, after writes that the service's client did not send. */
export async function rescan(): Promise<void> {
  written = new Map();
  known = await stored();
}

/** Whether {@link storedBy} was used on this table. */
let isWatched = false;

/** Begins with a new table. */
export function forget(): void {
  [known, written, isWatched] = [{}, new Map(), false];
}

/** Asserts, where {@link storedBy} relied on it, that every item in the table was written as recorded. */
export async function expectNoOtherWrites(): Promise<void> {
  if (!isWatched) return;
  await learn(written);
  written = new Map();
  // Jest's `expect` takes seconds to compare thousands of items.
  deepStrictEqual(known, await stored());
}

/**
 * The attributes of an item in comparable form: stored responses and events are inflated, and the terminals that a
 * branch lists are their `branch_order` values, the oldest first.
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

/** The text of an item, for comparisons. A set would be `{}`. */
const textOf = (item: unknown): string =>
  JSON.stringify(item, (_, value) => (value instanceof Set ? [...value].sort() : value)) ?? '';

/** Runs an action. Returns the items that differ from before, as they were and are. */
export async function changesBy<T>(action: () => Promise<T>) {
  if (watch) throw new Error('One action at a time can be watched.');
  const mine = { written: new Map<string, Key>(), before: Promise.resolve() };
  watch = mine;
  try {
    const response = await action();
    const names = [...mine.written.keys()];
    const was = Object.fromEntries(names.map((name) => [name, known[name]]));
    await learn(mine.written);
    const changed = names.filter((name) => textOf(was[name]) !== textOf(known[name]));
    const pick = (items: typeof was): Stored =>
      Object.fromEntries(changed.flatMap((name) => (items[name] ? [[name, items[name]]] : [])));
    return { response, before: pick(was), after: pick(known) };
  } catch (error) {
    // The action may have written before it failed.
    for (const [name, key] of mine.written) written.set(name, key);
    throw error;
  } finally {
    watch = undefined;
  }
}

/**
 * Runs an action and returns its response and what it changed in the table: each changed item's new attributes, or
 * `null` for a deleted item. If it stored nothing, `changed` is `{}`. (`undefined` would equal a missing key in
 * `toEqual`.)
 *
 * What it stored of refused requests is returned separately, because each refusal does. The events of a change are returned separately, by the acquirer that sees them. Events without a changed item appear
 * in `changed`, as do the entries of words.
 */
export async function storedBy<T>(action: () => Promise<T>): Promise<{
  response: T;
  changed: Record<string, Record<string, unknown> | null>;
  events?: Record<string, Event[]>;
  refused?: Record<string, unknown>[];
}> {
  isWatched = true;
  const { response, before, after } = await changesBy(action);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const refused = names.filter((key) => REFUSED.test(key)).map((key) => after[key] ?? {});
  const all = names.filter((key) => !REFUSED.test(key));
  const withoutEvents = all.filter((key) => !EVENT.test(key) && !WORDS.test(key));
  const shown = withoutEvents.length > 0 ? withoutEvents : all;
  return {
    response,
    changed: Object.fromEntries(shown.map((key) => [key, after[key] ?? null])),
    ...(refused.length > 0 && { refused }),
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
