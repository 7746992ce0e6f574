import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  bytesOf,
  conditionOf,
  type Image,
  INDEXES,
  idOf,
  type Query,
  type Sort,
  sortOf,
  TABLE_KEY,
  type Touched,
  textOf,
} from './requests.ts';

/** What time passes by for the table, in milliseconds. */
export interface Clock {
  now: () => number;
  pause: (milliseconds: number) => Promise<unknown>;
}

/** The position of an entry in its partition. */
interface Place {
  sort: Sort;
  /** Random, because the order of entries with equal sort keys is undefined on AWS. */
  tie: string;
}

const placeOf = (range: string, image: Image): Place => ({
  sort: sortOf(image[range]),
  tie: createHash('md5').update(idOf(image)).digest('hex'),
});

const isAfter = (a: Place, b: Place): boolean => (a.sort === b.sort ? a.tie > b.tie : a.sort > b.sort);

interface Entry extends Place {
  /** Its partition, sort key and item. An entry that moves becomes another one. */
  id: string;
  /** Its index and partition key. */
  partition: string;
  image: Image;
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
      return [[name, { id, partition, image: projected, ...placeOf(range, image) }]];
    }),
  );

/** A page ends after the entry that exceeds this size. */
const PAGE_BYTES = 1024 * 1024;

/** What the copy shows at a place: each version from a time on, nothing if it has no image. */
interface Shown extends Place {
  versions: { due: number; image?: Image | undefined }[];
}

/** Sends a request to DynamoDB Local. Fails if the response is an error. */
export type Send = <T>(operation: string, content: object) => Promise<T>;

/** A copy of a table's indexes that follows the writes to the table and shows each change after a lag. */
export class LaggingIndexes {
  readonly #table: string;
  readonly #send: Send;
  readonly #partitions = new Map<string, Map<string, Shown>>();
  /** The entries of each item in the table, whether the copy shows them or not. */
  readonly #known = new Map<string, Map<string, Entry>>();
  /** The time at which the copy shows every change so far. */
  #due = 0;
  /** The last write of each item that is being followed. */
  readonly #following = new Map<string, Promise<void>>();

  readonly #clock: Clock;

  private constructor(table: string, send: Send, clock: Clock) {
    this.#table = table;
    this.#send = send;
    this.#clock = clock;
  }

  /** Loads the indexes of a table, which must not be written meanwhile. They show its items at once. */
  static async of(table: string, send: Send, clock: Clock): Promise<LaggingIndexes> {
    const indexes = new LaggingIndexes(table, send, clock);
    let ExclusiveStartKey: Image | undefined;
    do {
      const input = { TableName: table, ConsistentRead: true, ExclusiveStartKey };
      const page = await send<{ Items: Image[]; LastEvaluatedKey?: Image }>('Scan', input);
      for (const image of page.Items) indexes.#learn(idOf(image), image, () => 0);
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
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
      if (was && was.id !== is?.id) this.#show(was, undefined, dueOf());
      if (is && (was?.id !== is.id || !isDeepStrictEqual(was.image, is.image))) this.#show(is, is.image, dueOf());
    }
  }

  /** Shows an image at the place of an entry from then on. The changes of an entry stay in order, whatever their lags. */
  #show({ partition, id, sort, tie }: Entry, image: Image | undefined, moment: number): void {
    const places = this.#partitions.get(partition) ?? new Map<string, Shown>();
    this.#partitions.set(partition, places);
    const earlier = places.get(id)?.versions ?? [];
    const due = Math.max(moment, earlier.at(-1)?.due ?? 0);
    const shown = earlier.findLastIndex((each) => each.due <= this.#clock.now());
    places.set(id, { sort, tie, versions: [...earlier.slice(Math.max(shown, 0)), { due, image }] });
    this.#due = Math.max(this.#due, due);
  }

  /** Resolves when the copy has followed every write. */
  async followed(): Promise<void> {
    while (this.#following.size > 0) await Promise.allSettled(this.#following.values());
  }

  /** Resolves when the copy shows every write. */
  async settled(): Promise<void> {
    await this.followed();
    const left = this.#due - this.#clock.now();
    if (left <= 0) return;
    await this.#clock.pause(left);
    await this.settled();
  }

  /** Returns the result of a Query as the table would. */
  query(input: Query): object {
    const { IndexName = '', Limit = Number.POSITIVE_INFINITY, ScanIndexForward: isForward = true } = input;
    const index = INDEXES.get(IndexName);
    if (!index) throw new Error(`infra/stack/table.yml has no index ${IndexName}.`);
    const { partition, has } = conditionOf(input);
    const start = input.ExclusiveStartKey && placeOf(index.range, input.ExclusiveStartKey);
    const isNext = (place: Place) => !start || (isForward ? isAfter(place, start) : isAfter(start, place));
    const places = [...(this.#partitions.get(`${IndexName}\n${partition}`)?.values() ?? [])]
      .filter((place) => has(place.sort) && isNext(place))
      .sort((a, b) => (isAfter(a, b) === isForward ? 1 : -1));
    const now = this.#clock.now();
    const page: Image[] = [];
    let bytes = 0;
    for (const { versions } of places) {
      if (page.length === Limit || bytes >= PAGE_BYTES) break;
      const image = versions.findLast(({ due }) => due <= now)?.image;
      if (!image) continue;
      page.push(image);
      bytes += bytesOf(image);
    }
    const last = page.length === Limit || bytes >= PAGE_BYTES ? page.at(-1) : undefined;
    return {
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
  }
}
