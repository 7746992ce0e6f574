import type { BatchGetCommandInput, QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { type Key, kindOf, type WordList } from './keys.ts';

/* The most read units of a request, by the rules of the DynamoDB Developer Guide. See lib/http/account.ts. */

/**
 * The largest item of each kind in KB, where it is not 4: see docs/limits.md. Of branch lists (`ACQUIRER`), the average of
 * a head and its entries.
 */
const MOST_KB: Record<string, number> = {
  ...{ BRANCH: 28, TERMINAL: 5, ACQUIRERS: 25, IDEMPOTENCY_KEY: 122, EVENTS: 122, REASSIGNMENT: 122 },
  ...{ ACQUIRER: 0.18, PAYMENT_PROVIDERS: 2.2, DISTRIBUTORS: 2.2, PAYMENT_APPS: 2.2, MASTER_ACQUIRERS: 2.2 },
  ...{ MASTER_MERCHANTS: 1.5, MEMBER: 3.2, PEOPLE: 0.6, RECORD: 98 },
};

/** The largest entry of each index in KB. */
const MOST_INDEX_KB: Record<string, number> = {
  'branches-by-provider': 5,
  'branches-by-distributor': 5,
  'terminals-by-branch': 5,
  'events-by-branch': 122,
  'events-by-terminal': 122,
};

/** The most KB of a page of a query. */
const PAGE_KB = 1024;

const unitsOf = (kilobytes: number): number => Math.ceil(kilobytes / 4);

/** The most units of a strongly consistent read of an item. */
export const mostItemUnits = ({ pk }: Key): number => unitsOf(MOST_KB[kindOf(pk)] ?? 4);

export const mostBatchUnits = (keys: Key[], { ConsistentRead }: Pick<Batch, 'ConsistentRead'>): number =>
  keys.reduce((sum, key) => sum + mostItemUnits(key), 0) * (ConsistentRead ? 1 : 0.5);
type Batch = NonNullable<BatchGetCommandInput['RequestItems']>[string];
type Query = Pick<QueryCommandInput, 'IndexName' | 'ExpressionAttributeValues' | 'ConsistentRead' | 'Limit'>;

export function mostQueryUnits({ IndexName, ExpressionAttributeValues, ConsistentRead, Limit }: Query): number {
  const kind = kindOf(String(ExpressionAttributeValues?.[':pk']));
  const each = (IndexName ? MOST_INDEX_KB[IndexName] : MOST_KB[kind]) ?? 4;
  return unitsOf(Math.min(PAGE_KB, (Limit ?? PAGE_KB) * each)) * (ConsistentRead ? 1 : 0.5);
}

/** The largest entry of a word in KB: its words, its key and, of a master merchant, its name. */
const ENTRY_KB = { BRANCHES: 0.55, MASTER_MERCHANTS: 1.6 };

/** The most units of a query of entries of words. */
export const mostEntryUnits = (list: WordList, limit: number, isStrong = true): number =>
  unitsOf(limit * ENTRY_KB[list]) * (isStrong ? 1 : 0.5);
