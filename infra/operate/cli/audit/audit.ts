import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { FEED } from '../../../../lib/events/feed.ts';
import type { Key } from '../../../../lib/table/keys.ts';
import { isTombstone } from '../../../../lib/table/tombstone.ts';
import { type InspectedItem, inspect, shownKey } from './inspect.ts';
import { INVARIANTS } from './invariants.ts';
import { KIND_NAMES } from './kinds.ts';
import { nameOf, Snapshot } from './snapshot.ts';

/** A violated invariant, the item that violates it, and what is wrong with the item. */
export interface Violation {
  invariant: string;
  item: Key;
  detail: string;
}

/** The result of an audit. */
export interface Report {
  /** The number of items of each kind; `unknown` counts items of no known kind. */
  items: Record<string, number>;
  broken: Violation[];
}

/** Reads a table once with strong consistency. */
async function* inspectedItems(client: DynamoDBDocumentClient, TableName: string): AsyncGenerator<InspectedItem> {
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
    for (const item of Items) if (!isTombstone(item)) yield inspect(item as Key & Record<string, unknown>);
}

/** Checks all invariants of the items of a table, which are read once. `horizonMs` is that of {@link audit}. */
export async function check(
  items: AsyncIterable<InspectedItem> | Iterable<InspectedItem>,
  horizonMs: number,
): Promise<Report> {
  const counts: Report['items'] = Object.fromEntries([...KIND_NAMES, 'unknown'].map((kind) => [kind, 0]));
  const broken: Violation[] = [];
  const add = (invariant: string, item: Key, detail: string | false | undefined) => {
    if (detail) broken.push({ invariant, item, detail });
  };
  const all = new Snapshot(horizonMs);
  for await (const inspected of items) {
    const kind = inspected.kind ?? 'unknown';
    counts[kind] = (counts[kind] ?? 0) + 1;
    all.add(inspected);
    for (const invariant of INVARIANTS)
      if ('perItem' in invariant)
        for (const detail of invariant.perItem(inspected)) add(invariant.name, inspected.key, detail);
  }
  for (const invariant of INVARIANTS)
    if ('acrossItems' in invariant)
      for (const [key, detail] of invariant.acrossItems(all)) add(invariant.name, key, detail);
  return { items: counts, broken };
}

/**
 * Reads a whole table with strong consistency and reports all invariant violations.
 *
 * A scan is not a snapshot and can see half of a concurrent change. If the first pass finds violations, a second one
 * follows, and only violations that both have found are reported.
 *
 * @param horizonMs Events and changes younger than this are not compared: their counterparts may not be stored yet.
 */
export async function audit(
  client: DynamoDBDocumentClient,
  tableName: string,
  horizonMs = FEED.horizonMs,
): Promise<Report> {
  const first = await check(inspectedItems(client, tableName), horizonMs);
  if (first.broken.length === 0) return first;
  const inFirst = new Set(first.broken.map(identityOf));
  const { items, broken } = await check(inspectedItems(client, tableName), horizonMs);
  const inBoth = broken.filter((violation) => inFirst.has(identityOf(violation)));
  return { items, broken: inBoth.map((violation) => ({ ...violation, item: shownKey(violation.item) })) };
}

const identityOf = ({ invariant, item }: Violation): string => `${invariant}\n${nameOf(item)}`;
