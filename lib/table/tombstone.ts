import { HORIZON_MS } from '../base/time.ts';

/** Replaces a deleted item for a while, so that a new item of its key gets later times. Reads treat it as absent. */
export interface Tombstone {
  /** RFC 3339 UTC with milliseconds. */
  deleted_at: string;
  /** The table's time to live, in seconds since 1970. */
  ttl: number;
}

export const isTombstone = (item: object | undefined): item is Tombstone => item !== undefined && 'deleted_at' in item;

/**
 * Lasts while writes that were decided before the deletion may be in progress. `deleted_at` is RFC 3339 UTC with
 * milliseconds.
 */
export const tombstoneOf = (deleted_at: string): Tombstone => ({
  deleted_at,
  ttl: Math.ceil((Date.parse(deleted_at) + HORIZON_MS) / 1000),
});

/** The deletion times of tombstones; items that replace them need later times. */
export const deletionsOf = (tombstones: Tombstone[]): string[] => tombstones.map(({ deleted_at }) => deleted_at);
