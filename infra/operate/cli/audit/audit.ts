import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { FEED } from '../../../../lib/events/feed.ts';
import type { Key } from '../../../../lib/table/keys.ts';
import { isTombstone } from '../../../../lib/table/tombstone.ts';
import { type InspectedItem, inspect, shownKey } from './inspect.ts';
import type { Detail, Invariants } from './invariant.ts';
import { ACQUIRERS, MEMBERS, PEOPLE, RECORD } from './invariants/acquirers.ts';
import { BRANCHES } from './invariants/branches.ts';
import { EVENTS } from './invariants/events.ts';
import { ITEMS } from './invariants/items.ts';
import { MASTER_MERCHANTS } from './invariants/masterMerchants.ts';
import { TERMINALS } from './invariants/terminals.ts';
import { WEBHOOKS } from './invariants/webhooks.ts';
import { KIND_NAMES } from './kinds.ts';
import { nameOf, Snapshot } from './snapshot.ts';

/** All invariants. An invariant can use those attributes of other items that `summarize` in kinds.ts returns. */
export const INVARIANTS: Invariants = {
  ...ITEMS,
  ...ACQUIRERS,
  ...BRANCHES,
  ...MASTER_MERCHANTS,
  ...TERMINALS,
  ...EVENTS,
  ...MEMBERS,
  ...PEOPLE,
  ...RECORD,
  ...WEBHOOKS,
};

/** A violated invariant, the item that violates it, and what is wrong with the item. */
export interface Violation {
  invariant: string;
  item: Key;
  detail: string;
}

export interface Report {
  /** The number of items of each kind; `unknown` counts items of no known kind. */
  items: Record<string, number>;
  broken: Violation[];
}

const violation = (invariant: string, item: Key, detail: Detail): Violation[] =>
  detail ? [{ invariant, item, detail }] : [];

export const violationsOf = (inspected: InspectedItem): Violation[] =>
  Object.entries(INVARIANTS).flatMap(([name, [, check]]) =>
    'perItem' in check ? check.perItem(inspected).flatMap((detail) => violation(name, inspected.key, detail)) : [],
  );

export const violationsIn = (all: Snapshot): Violation[] =>
  Object.entries(INVARIANTS).flatMap(([name, [, check]]) =>
    'acrossItems' in check ? [...check.acrossItems(all)].flatMap(([key, detail]) => violation(name, key, detail)) : [],
  );

/** Reads a table once with strong consistency, and checks all invariants. */
async function read(client: DynamoDBDocumentClient, TableName: string, horizonMs: number): Promise<Report> {
  const items: Report['items'] = Object.fromEntries([...KIND_NAMES, 'unknown'].map((kind) => [kind, 0]));
  const broken: Violation[] = [];
  const all = new Snapshot(horizonMs);
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
    for (const item of Items) {
      if (isTombstone(item)) continue;
      const inspected = inspect(item as Key & Record<string, unknown>);
      items[inspected.kind ?? 'unknown'] = (items[inspected.kind ?? 'unknown'] ?? 0) + 1;
      broken.push(...violationsOf(inspected));
      all.add(inspected);
    }
  return { items, broken: [...broken, ...violationsIn(all)] };
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
  const first = await read(client, tableName, horizonMs);
  if (first.broken.length === 0) return first;
  const inFirst = new Set(first.broken.map(identityOf));
  const { items, broken } = await read(client, tableName, horizonMs);
  const inBoth = broken.filter((each) => inFirst.has(identityOf(each)));
  return { items, broken: inBoth.map((each) => ({ ...each, item: shownKey(each.item) })) };
}

const identityOf = ({ invariant, item }: Violation): string => `${invariant}\n${nameOf(item)}`;
