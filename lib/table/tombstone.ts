import { HORIZON_MS } from '../base/time.ts';

/**
 * Replaces a deleted item for a while, so that a new item with the same key gets later times than the deleted one.
 * Reads treat it as absent.
 */
export interface Tombstone {
  /** RFC 3339 UTC with milliseconds. */
  deleted_at: string;
  /** The table's time to live, in seconds since 1970. */
  ttl: number;
}

export const isTombstone = (item: object | undefined): item is Tombstone => item !== undefined && 'deleted_at' in item;

/**
 * The tombstone of an item. It lasts while writes that were decided before the deletion may still be in progress.
 *
 * @param deleted_at RFC 3339 UTC with milliseconds.
 */
export const tombstoneOf = (deleted_at: string): Tombstone => ({
  deleted_at,
  ttl: Math.ceil((Date.parse(deleted_at) + HORIZON_MS) / 1000),
});

/** The deletion times of tombstones; items that replace them need later times. */
export const deletionsOf = (tombstones: Tombstone[]): string[] => tombstones.map(({ deleted_at }) => deleted_at);
