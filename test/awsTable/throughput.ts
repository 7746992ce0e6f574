/** Units per second. */
export interface Units {
  read: number;
  write: number;
}

const begun = (bytes: number, size: number) => Math.max(1, Math.ceil(bytes / size));

/** DynamoDB Developer Guide, "DynamoDB read and write operations". A transaction costs twice as much. */
export const readUnits = (bytes: number, isConsistent = false): number => begun(bytes, 4096) * (isConsistent ? 1 : 0.5);
export const writeUnits = (bytes: number): number => begun(bytes, 1024);

/**
 * Throttles partitions: each has 3,000 read units and 1,000 write units a second (DynamoDB Developer Guide, "Understanding
 * DynamoDB warm throughput in different scenarios"). Here all items with one partition key are one partition. AWS may split
 * them, and may grant unused units of the last five minutes, but guarantees neither.
 *
 * A token bucket holds the units of one second. A request is charged when its sizes are known, so it may overdraw its
 * partition, which then throttles until it has units again.
 *
 * Index writes are not charged: AWS applies them later, and how far an index may fall behind before it throttles writes
 * of the table is not documented.
 */
export class Throughput {
  readonly #rates: () => Units;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  /** @param rates returns the current rates; Infinity never throttles. */
  constructor(rates: () => Units) {
    this.#rates = rates;
  }

  /** Whether a partition has no units left. */
  isEmpty = (kind: keyof Units, partition: string): boolean => this.#left(kind, partition) <= 0;

  charge(kind: keyof Units, partition: string, units: number): void {
    const left = this.#left(kind, partition) - units;
    if (Number.isFinite(left)) this.#buckets.set(`${kind} ${partition}`, { left, at: performance.now() });
  }

  #left(kind: keyof Units, partition: string): number {
    const rate = this.#rates()[kind];
    const bucket = this.#buckets.get(`${kind} ${partition}`);
    if (!bucket || rate === Number.POSITIVE_INFINITY) return rate;
    return Math.min(rate, bucket.left + ((performance.now() - bucket.at) / 1000) * rate);
  }
}
