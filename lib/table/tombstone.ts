import { HORIZON_MS } from '../base/time.ts';

/**
 * What a deleted item leaves for a while, so that a later one with its key is later by its times too. Reads find
 * nothing there.
 */
export interface Tombstone {
  /** RFC 3339 UTC with milliseconds. */
  deleted_at: string;
  /** When it may go, in seconds since 1970: the table's time to live. */
  ttl: number;
}

export const isTombstone = (item: object | undefined): item is Tombstone => item !== undefined && 'deleted_at' in item;

/** What an item leaves while a write that was decided before its deletion may be under way. */
export const tombstoneOf = (deleted_at: string): Tombstone => ({
  deleted_at,
  ttl: Math.ceil((Date.parse(deleted_at) + HORIZON_MS) / 1000),
});

/** When the items were deleted that new ones come after. */
export const deletionsOf = (tombstones: Tombstone[]): string[] => tombstones.map(({ deleted_at }) => deleted_at);
