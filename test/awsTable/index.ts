import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  bytesOf,
  compareSorts,
  conditionOf,
  type Image,
  INDEXES,
  type Index,
  type IndexQuery,
  idOf,
  isIndexed,
  NotUnderstood,
  optionsOf,
  type Sort,
  sortOf,
  TABLE_KEY,
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
  /** Its index, partition, sort key and item. An entry that moves becomes another one. */
  id: string;
  index: string;
  partition: string;
  image: Image;
  bytes: number;
}

function entryOf(index: string, { hash, range, hasAll, shown }: Index, image: Image): Entry | undefined {
  const partition = image[hash]?.S;
  if (partition === undefined || !image[range]) return undefined;
  const projected = hasAll ? image : Object.fromEntries(Object.entries(image).filter(([name]) => shown.has(name)));
  const id = [index, partition, textOf(image[range]), idOf(image)].join('\n');
  return { id, index, partition, image: projected, bytes: bytesOf(projected), ...placeOf(range, image) };
}

const entriesOf = (image: Image): Map<string, Entry> =>
  new Map(
    INDEXES.entries().flatMap(([name, index]) => {
      const entry = entryOf(name, index, image);
      return entry ? [[name, entry]] : [];
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

/** A change of the copy, due at a time of `performance.now()`. */
interface Change {
  due: number;
  entry: Entry;
  isRemoval: boolean;
}

/** A copy of a table's indexes that shows each change after a lag. */
class LaggingIndexes {
  readonly #partitions = new Map<string, Entry[]>();
  /** The entries of each item in the table, whether the copy shows them or not. */
  readonly #known = new Map<string, Map<string, Entry>>();
  /** Changes that the copy does not show yet, soonest first. */
  readonly #changes: Change[] = [];
  /** The time at which the last change of an entry is due. */
  readonly #due = new Map<string, number>();

  /** Shows items immediately. */
  load(images: Image[]): void {
    const partitions = new Set<Entry[]>();
    for (const image of images) {
      const entries = entriesOf(image);
      if (entries.size > 0) this.#known.set(idOf(image), entries);
      for (const entry of entries.values()) {
        const partition = this.#partitionOf(entry);
        partition.push(entry);
        partitions.add(partition);
      }
    }
    for (const partition of partitions) partition.sort(comparePlaces);
  }

  /** Whether an item has entries. */
  knows = (id: string): boolean => this.#known.has(id);

  /** Schedules the changes of an item, with a due time for each entry. */
  learn(id: string, image: Image | undefined, momentOf: () => number): void {
    const before = this.#known.get(id);
    const after = image ? entriesOf(image) : new Map<string, Entry>();
    if (after.size > 0) this.#known.set(id, after);
    else this.#known.delete(id);
    for (const index of INDEXES.keys()) {
      const [was, is] = [before?.get(index), after.get(index)];
      if (was && was.id !== is?.id) this.#schedule(momentOf(), was, true);
      if (is && (was?.id !== is.id || !isDeepStrictEqual(was.image, is.image))) this.#schedule(momentOf(), is, false);
    }
    this.#catchUp();
  }

  /** Milliseconds until the last change; 0 if the copy shows everything. */
  pendingMs(): number {
    this.#catchUp();
    return Math.max(0, (this.#changes.at(-1)?.due ?? 0) - performance.now());
  }

  /** Returns the result of a Query as the table would, with the bytes read. || @throws NotUnderstood */
  query(input: IndexQuery): { page: object; partition: string; bytes: number } {
    const index = INDEXES.get(input.IndexName);
    if (!index) throw new NotUnderstood(`infra/table.yml has no index ${input.IndexName}.`);
    const { limit, isForward, countsOnly, capacity } = optionsOf(input, index);
    const { partition, isBelow, isAbove } = conditionOf(input, index);
    this.#catchUp();
    const entries = this.#partitions.get(`${input.IndexName}\n${partition}`) ?? [];
    let low = firstAt(entries, ({ sort }) => !isBelow(sort));
    let high = firstAt(entries, ({ sort }) => isAbove(sort));
    if (input.ExclusiveStartKey) {
      const start = placeOf(index.range, input.ExclusiveStartKey);
      if (isForward)
        low = Math.max(
          low,
          firstAt(entries, (entry) => comparePlaces(entry, start) > 0),
        );
      else
        high = Math.min(
          high,
          firstAt(entries, (entry) => comparePlaces(entry, start) >= 0),
        );
    }
    const page: Image[] = [];
    let bytes = 0;
    while (low < high && page.length < limit && bytes < PAGE_BYTES) {
      const entry = entries[isForward ? low++ : --high] as Entry;
      page.push(entry.image);
      bytes += entry.bytes;
    }
    const last = page.length === limit || bytes >= PAGE_BYTES ? page.at(-1) : undefined;
    const units = Math.ceil(bytes / 4096) / 2;
    const result = {
      ...(!countsOnly && { Items: page }),
      Count: page.length,
      ScannedCount: page.length,
      ...(last && {
        LastEvaluatedKey: Object.fromEntries([...TABLE_KEY, index.hash, index.range].map((name) => [name, last[name]])),
      }),
      ...(capacity !== 'NONE' && {
        ConsumedCapacity: {
          TableName: input.TableName,
          CapacityUnits: units,
          ...(capacity === 'INDEXES' && {
            Table: { CapacityUnits: 0 },
            GlobalSecondaryIndexes: { [input.IndexName]: { CapacityUnits: units } },
          }),
        },
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
    for (const { due, entry, isRemoval } of this.#changes.splice(
      0,
      firstAt(this.#changes, (each) => each.due > now),
    )) {
      if (this.#due.get(entry.id) === due) this.#due.delete(entry.id);
      const partition = this.#partitionOf(entry);
      const at = firstAt(partition, (each) => comparePlaces(each, entry) >= 0);
      partition.splice(at, Number(partition[at]?.id === entry.id), ...(isRemoval ? [] : [entry]));
    }
  }

  #partitionOf({ index, partition }: Entry): Entry[] {
    const name = `${index}\n${partition}`;
    const found = this.#partitions.get(name) ?? [];
    this.#partitions.set(name, found);
    return found;
  }
}

/** Sends a request to DynamoDB Local. Fails if the response is an error. */
export type Send = <T>(operation: string, content: object) => Promise<T>;

/** Returns the due time of a change of an item. */
type MomentOf = (id: string) => number;

/** An item that was written. */
export interface Written {
  id: string;
  key: Image;
  /** The whole item, if known. */
  image?: Image | undefined;
  /** Whether no other request wrote it at the same time. */
  isExclusive: boolean;
}

/** A table's indexes, which follow the writes to the table. */
export class FollowingIndexes extends LaggingIndexes {
  readonly #table: string;
  readonly #send: Send;
  readonly #reading = new Set<string>();
  /** Items that were written again while they were read, with the due times of their changes. */
  readonly #again = new Map<string, { item: Written; momentOf: MomentOf }>();

  private constructor(table: string, send: Send) {
    super();
    this.#table = table;
    this.#send = send;
  }

  /** Loads the indexes of a table, which must not be written meanwhile. */
  static async of(table: string, send: Send): Promise<FollowingIndexes> {
    const images: Image[] = [];
    let ExclusiveStartKey: Image | undefined;
    do {
      const input = { TableName: table, ConsistentRead: true, ExclusiveStartKey };
      const page = await send<{ Items: Image[]; LastEvaluatedKey?: Image }>('Scan', input);
      images.push(...page.Items.filter(isIndexed));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    const indexes = new FollowingIndexes(table, send);
    indexes.load(images);
    return indexes;
  }

  /** Whether items are being read. */
  get isReading(): boolean {
    return this.#reading.size > 0;
  }

  /**
   * Applies writes, and reads items that are not known. An item is read by one request at a time, so the last state is
   * the newest.
   *
   * @param momentOf returns the due time of an entry of an item.
   */
  async follow(written: Written[], momentOf: MomentOf): Promise<void> {
    const isBeingRead = ({ id }: Written) => this.#reading.has(id);
    const wanted = written.filter(
      (item) => !item.image || isIndexed(item.image) || this.knows(item.id) || isBeingRead(item),
    );
    for (const item of wanted.filter(isBeingRead)) this.#again.set(item.id, { item, momentOf });
    const isKnown = (item: Written) => item.isExclusive && item.image && !isBeingRead(item);
    for (const { id, image } of wanted.filter(isKnown)) this.learn(id, image, () => momentOf(id));
    const items = wanted.filter((item) => !isKnown(item) && !isBeingRead(item));
    if (items.length === 0) return;
    for (const { id } of items) this.#reading.add(id);
    try {
      const RequestItems = { [this.#table]: { Keys: items.map(({ key }) => key), ConsistentRead: true } };
      const { Responses, UnprocessedKeys } = await this.#send<{
        Responses: Record<string, Image[]>;
        UnprocessedKeys: object;
      }>('BatchGetItem', { RequestItems });
      if (Object.keys(UnprocessedKeys).length > 0) throw new Error('DynamoDB Local left keys unprocessed.');
      const found = new Map(Responses[this.#table]?.map((image) => [idOf(image), image]));
      for (const { id } of items) this.learn(id, found.get(id), () => momentOf(id));
    } finally {
      for (const { id } of items) this.#reading.delete(id);
    }
    await Promise.all(
      items.flatMap(({ id }) => {
        const next = this.#again.get(id);
        this.#again.delete(id);
        return next ? [this.follow([next.item], next.momentOf)] : [];
      }),
    );
  }
}
