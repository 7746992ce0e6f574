import { setTimeout as sleep } from 'node:timers/promises';
import { compareSorts, type Image, keyOf, nameOf, type Query, type Range, sortOf, TABLE } from './requests.ts';

/** An item of a transaction that reads do not show yet. */
interface Hidden {
  partition: string;
  /** The item before the transaction, if it existed. */
  image: Image | undefined;
  /** By `performance.now()`. */
  shownAt: number;
}

interface Page {
  Items: Image[];
  LastEvaluatedKey?: Image;
  [other: string]: unknown;
}

/**
 * The items of transactions before these are visible to GetItem, BatchGetItem and Query. Such reads are only serializable
 * with a transaction item by item, not as a unit, so one that runs at the same time may see some of its items and not
 * others (DynamoDB Developer Guide, "Amazon DynamoDB Transactions: How it works", "Isolation levels"). AWS states no time
 * for it.
 */
export class Visibility {
  readonly #hidden = new Map<string, Hidden>();

  /** Hides an item behind its image from before a transaction, until it is shown. */
  hide = (name: string, partition: string, image: Image | undefined): unknown =>
    this.#hidden.set(name, { partition, image, shownAt: Number.POSITIVE_INFINITY });

  /** Shows an item from a random time on, which is returned. */
  schedule(name: string, [from, to]: readonly [from: number, to: number]): number {
    const shownAt = performance.now() + from + Math.random() * (to - from);
    const hidden = this.#hidden.get(name);
    if (hidden) hidden.shownAt = shownAt;
    return shownAt;
  }

  /** Shows an item. */
  show = (name: string): unknown => this.#hidden.delete(name);

  /** Resolves at the last of some times. Looks at the clock often, because tests advance it. */
  async until(times: number[]): Promise<void> {
    for (;;) {
      const left = Math.max(...times) - performance.now();
      if (left <= 0) return;
      await sleep(Math.min(left, 5));
    }
  }

  /** An item, if it is hidden. */
  of(name: string): Hidden | undefined {
    const hidden = this.#hidden.get(name);
    return hidden && hidden.shownAt > performance.now() ? hidden : undefined;
  }

  /** The hidden items of a partition by name. */
  in(partition: string): Map<string, Hidden> {
    const now = performance.now();
    return new Map([...this.#hidden].filter(([, each]) => each.partition === partition && each.shownAt > now));
  }
}

/** Turns a page of the table into the one before the hidden items were written. */
export function pageBefore(input: Query, range: Range, page: Page, hidden: Map<string, Hidden>): Page {
  const { TableName, ExclusiveStartKey, Limit = Number.POSITIVE_INFINITY, ScanIndexForward = true } = input;
  const sort = (image: Image) => sortOf(TABLE.range, image[TABLE.range]);
  const order = (a: Image, b: Image) => compareSorts(sort(a), sort(b)) * (ScanIndexForward ? 1 : -1);
  const isInPage = (image: Image) =>
    !range.isBelow(sort(image)) &&
    !range.isAbove(sort(image)) &&
    !(ExclusiveStartKey && order(image, ExclusiveStartKey) <= 0) &&
    !(page.LastEvaluatedKey && order(image, page.LastEvaluatedKey) > 0);
  const restored = [...hidden.values()].flatMap(({ image }) => (image && isInPage(image) ? [image] : []));
  const kept = page.Items.filter((image) => !hidden.has(nameOf(TableName, image)));
  const all = [...kept, ...restored].sort(order);
  const Items = all.slice(0, Number(Limit));
  const { LastEvaluatedKey, ...others } = page;
  const last = Items.length === Limit ? keyOf(Items.at(-1)) : LastEvaluatedKey;
  return {
    ...others,
    Items,
    Count: Items.length,
    ScannedCount: Items.length,
    ...(last && { LastEvaluatedKey: last }),
  };
}
