import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { FEED } from '../../../lib/eventFeed.ts';
import type { Key } from '../../../lib/table/keys.ts';
import { isTombstone } from '../../../lib/table/tombstone.ts';
import { inspect, shownKey } from './inspect.ts';
import { INVARIANTS } from './invariants.ts';
import { KIND_NAMES } from './kinds.ts';
import { nameOf, Snapshot } from './snapshot.ts';

/** An invariant that does not hold, the item with which it does not, and what is wrong. */
export interface Violation {
  invariant: string;
  item: Key;
  detail: string;
}

/** What an audit found. */
export interface Report {
  /** How many items there are of each kind; `unknown` are those of none. */
  items: Record<string, number>;
  broken: Violation[];
}

/** Reads the whole table once and judges it. */
async function pass(client: DynamoDBDocumentClient, TableName: string, horizonMs: number): Promise<Report> {
  const items: Report['items'] = Object.fromEntries([...KIND_NAMES, 'unknown'].map((kind) => [kind, 0]));
  const broken: Violation[] = [];
  const add = (invariant: string, item: Key, detail: string | false | undefined) => {
    if (detail) broken.push({ invariant, item, detail });
  };
  const all = new Snapshot(horizonMs);
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    // What a deleted item has left is not part of any thing.
    for (const item of Items.filter((each) => !isTombstone(each))) {
      const inspected = inspect(item as Key & Record<string, unknown>);
      const kind = inspected.kind ?? 'unknown';
      items[kind] = (items[kind] ?? 0) + 1;
      all.add(inspected);
      for (const invariant of INVARIANTS)
        if ('alone' in invariant)
          for (const violation of invariant.alone(inspected)) add(invariant.name, inspected.key, violation);
    }
  }
  for (const invariant of INVARIANTS)
    if ('together' in invariant)
      for (const [key, violation] of invariant.together(all)) add(invariant.name, key, violation);
  return { items, broken };
}

/**
 * Reads a whole table, strongly consistent, and reports each invariant that does not hold.
 *
 * A scan is no snapshot: of a change that is made meanwhile it may see one half. So what seems broken is looked at once
 * more, and only what is broken both times is reported. Of events and of what they tell, only what is older than
 * `horizonMs` is judged: nothing older can still be stored.
 */
export async function audit(
  client: DynamoDBDocumentClient,
  tableName: string,
  horizonMs = FEED.horizonMs,
): Promise<Report> {
  const first = await pass(client, tableName, horizonMs);
  if (first.broken.length === 0) return first;
  const seenBefore = new Set(first.broken.map(identityOf));
  const { items, broken } = await pass(client, tableName, horizonMs);
  const found = broken.filter((violation) => seenBefore.has(identityOf(violation)));
  return { items, broken: found.map((violation) => ({ ...violation, item: shownKey(violation.item) })) };
}

const identityOf = ({ invariant, item }: Violation): string => `${invariant}\n${nameOf(item)}`;
