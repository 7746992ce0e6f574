import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  bytesOf,
  compareSorts,
  conditionOf,
  type Image,
  INDEXES,
  idOf,
  NotUnderstood,
  type Query,
  type Sort,
  sortOf,
  TABLE_KEY,
  type Touched,
  textOf,
} from './requests.ts';

/** The position of an entry in its partition. */
interface Place {
  sort: Sort;
  /** Random, because the order of entries with equal sort keys is undefined on AWS. */
  tie: Buffer;
}

const placeOf = (range: string, image: Image): Place => ({
  sort: sortOf(range, image[range]),
  tie: createHash('md5').update(idOf(image)).digest(),
});

const comparePlaces = (a: Place, b: Place): number => compareSorts(a.sort, b.sort) || Buffer.compare(a.tie, b.tie);

interface Entry extends Place {
  /** Its partition, sort key and item. An entry that moves becomes another one. */
  id: string;
  /** Its index and partition key. */
  partition: string;
  image: Image;
  bytes: number;
}

/** The entries of an item by index. */
const entriesOf = (image: Image = {}): Map<string, Entry> =>
  new Map(
    INDEXES.entries().flatMap(([name, { hash, range, hasAll, shown }]) => {
      const owner = image[hash]?.S;
      if (owner === undefined || !image[range]) return [];
      const projected = hasAll ? image : Object.fromEntries(Object.entries(image).filter(([each]) => shown.has(each)));
      const partition = `${name}\n${owner}`;
      const id = [partition, textOf(image[range]), idOf(image)].join('\n');
      return [[name, { id, partition, image: projected, bytes: bytesOf(projected), ...placeOf(range, image) }]];
    }),
  );

/** The number of elements of a sorted list before the first for which `isAt` holds. */
function firstAt<T>(sorted: T[], isAt: (element: T) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAt(sorted[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A page ends after the entry that exceeds this size. */
const PAGE_BYTES = 1024 * 1024;

/** A change of an index, due at a time of `performance.now()`. */
interface Change {
  due: number;
  entry: Entry;
  isRemoval: boolean;
}

/** Sends a request to DynamoDB Local. Fails if the response is an error. */
export type Send = <T>(operation: string, content: object) => Promise<T>;

/** A copy of a table's indexes that follows the writes to the table and shows each change after a lag. */
export class LaggingIndexes {
  readonly #table: string;
  readonly #send: Send;
  readonly #partitions = new Map<string, Entry[]>();
  /** The entries of each item in the table, whether the copy shows them or not. */
  readonly #known = new Map<string, Map<string, Entry>>();
  /** Changes that the copy does not show yet, soonest first. */
  readonly #changes: Change[] = [];
  /** The time at which the last change of an entry is due. */
  readonly #due = new Map<string, number>();
  /** The last write of each item that is being followed. */
  readonly #following = new Map<string, Promise<void>>();

  private constructor(table: string, send: Send) {
    this.#table = table;
    this.#send = send;
  }

  /** Loads the indexes of a table, which must not be written meanwhile. They show its items at once. */
  static async of(table: string, send: Send): Promise<LaggingIndexes> {
    const indexes = new LaggingIndexes(table, send);
    let ExclusiveStartKey: Image | undefined;
    do {
      const input = { TableName: table, ConsistentRead: true, ExclusiveStartKey };
      const page = await send<{ Items: Image[]; LastEvaluatedKey?: Image }>('Scan', input);
      for (const image of page.Items) indexes.#learn(idOf(image), image, () => 0);
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    indexes.#catchUp();
    return indexes;
  }

  /**
   * Applies a write of an item, which is read unless it is known. The writes of one item are applied one after another,
   * so the last state is the newest.
   *
   * @param dueOf returns the due time of an entry.
   */
  async follow(written: Touched, dueOf: () => number): Promise<void> {
    const { id, image } = written;
    const before = this.#following.get(id);
    if (image && entriesOf(image).size === 0 && !this.#known.has(id) && !before) return;
    const following = this.#followOne(written, before, dueOf).finally(() => {
      if (this.#following.get(id) === following) this.#following.delete(id);
    });
    this.#following.set(id, following);
    await following;
  }

  async #followOne({ id, key, image, isExclusive }: Touched, before: Promise<void> | undefined, dueOf: () => number) {
    await before;
    if (isExclusive && image) return this.#learn(id, image, dueOf);
    const input = { TableName: this.#table, Key: key, ConsistentRead: true };
    const { Item } = await this.#send<{ Item?: Image }>('GetItem', input);
    this.#learn(id, Item, dueOf);
  }

  /** Schedules the changes of an item, with a due time for each entry. */
  #learn(id: string, image: Image | undefined, dueOf: () => number): void {
    const before = this.#known.get(id);
    const after = entriesOf(image);
    if (after.size > 0) this.#known.set(id, after);
    else this.#known.delete(id);
    for (const index of INDEXES.keys()) {
      const [was, is] = [before?.get(index), after.get(index)];
      if (was && was.id !== is?.id) this.#schedule(dueOf(), was, true);
      if (is && (was?.id !== is.id || !isDeepStrictEqual(was.image, is.image))) this.#schedule(dueOf(), is, false);
    }
  }

  /** Resolves when the copy has followed every write. */
  async followed(): Promise<void> {
    while (this.#following.size > 0) await Promise.allSettled(this.#following.values());
  }

  /** Resolves when the copy shows every write. */
  async settled(): Promise<void> {
    await this.followed();
    const left = (this.#changes.at(-1)?.due ?? 0) - performance.now();
    if (left <= 0) return;
    await sleep(left);
    await this.settled();
  }

  /** Returns the result of a Query as the table would, with the bytes read. || @throws NotUnderstood */
  query(input: Query): { page: object; partition: string; bytes: number } {
    const { IndexName = '', Limit = Number.POSITIVE_INFINITY, ScanIndexForward: isForward = true } = input;
    const index = INDEXES.get(IndexName);
    if (!index) throw new NotUnderstood(`infra/table.yml has no index ${IndexName}.`);
    if (input.ConsistentRead) throw new NotUnderstood('Consistent reads are not supported on global secondary indexes');
    if (Limit < 1) throw new NotUnderstood('Limit must be greater than or equal to 1');
    const { partition, isBelow, isAbove } = conditionOf(input, index);
    const start = input.ExclusiveStartKey && placeOf(index.range, input.ExclusiveStartKey);
    this.#catchUp();
    const entries = this.#partitions.get(`${IndexName}\n${partition}`) ?? [];
    const isAfter = (entry: Entry) => !start || !isForward || comparePlaces(entry, start) > 0;
    const isBefore = (entry: Entry) => !start || isForward || comparePlaces(entry, start) < 0;
    let low = firstAt(entries, (entry) => !isBelow(entry.sort) && isAfter(entry));
    let high = firstAt(entries, (entry) => isAbove(entry.sort) || !isBefore(entry));
    const page: Image[] = [];
    let bytes = 0;
    while (low < high && page.length < Limit && bytes < PAGE_BYTES) {
      const entry = entries[isForward ? low++ : --high] as Entry;
      page.push(entry.image);
      bytes += entry.bytes;
    }
    const last = page.length === Limit || bytes >= PAGE_BYTES ? page.at(-1) : undefined;
    const result = {
      Items: page,
      Count: page.length,
      ScannedCount: page.length,
      ...(last && {
        LastEvaluatedKey: Object.fromEntries([...TABLE_KEY, index.hash, index.range].map((name) => [name, last[name]])),
      }),
      ...(input.ReturnConsumedCapacity && {
        ConsumedCapacity: { TableName: input.TableName, CapacityUnits: Math.ceil(bytes / 4096) / 2 },
      }),
    };
    return { page: result, partition, bytes };
  }

  /** The changes of an entry stay in order, whatever their lags. */
  #schedule(moment: number, entry: Entry, isRemoval: boolean): void {
    const due = Math.max(moment, this.#due.get(entry.id) ?? 0);
    this.#due.set(entry.id, due);
    const at = firstAt(this.#changes, (change) => change.due > due);
    this.#changes.splice(at, 0, { due, entry, isRemoval });
  }

  #catchUp(): void {
    const now = performance.now();
    const shown = firstAt(this.#changes, (each) => each.due > now);
    for (const { due, entry, isRemoval } of this.#changes.splice(0, shown)) {
      if (this.#due.get(entry.id) === due) this.#due.delete(entry.id);
      const partition = this.#partitions.get(entry.partition) ?? [];
      this.#partitions.set(entry.partition, partition);
      const at = firstAt(partition, (each) => comparePlaces(each, entry) >= 0);
      partition.splice(at, Number(partition[at]?.id === entry.id), ...(isRemoval ? [] : [entry]));
    }
  }
}
