import { createHash, randomUUID } from 'node:crypto';
import { v7 as uuidV7 } from 'uuid';
import { setting } from './config.ts';

/**
 * Makes the id of an event: a version-7 UUID (RFC 9562 §5.7), which sorts by the event's time.
 *
 * @param at RFC 3339 UTC with milliseconds.
 * @param seed Unique among events of that time, such as the request id. It determines the rest of the UUID.
 */
export const newEventId = (at: string, seed: string = randomUUID()): string =>
  uuidV7({ msecs: Date.parse(at), random: createHash('sha256').update(seed).digest().subarray(0, 16) });

/** Sorts before the ids of every event at or after a time, in milliseconds, and after those of earlier ones. */
export function lowerBoundId(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** Sorts after the ids of every event at or before a time, in milliseconds, and before those of later ones. */
export const upperBoundId = (time: number): string => `${lowerBoundId(time)}-ffff-ffff-ffffffffffff`;

/** The time of an event in milliseconds, or of a {@link lowerBoundId}. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Retention of events, in milliseconds. */
export const retentionMs = (): number => setting('EVENT_DAYS') * DAY_MS;

/** How much longer than the retention events are stored, so that a reader of the oldest can request the next page. */
export const SLACK_MS = 60 * 60 * 1000;

/** The table's time to live of an event, in seconds since 1970: `at` is RFC 3339, `retained` in milliseconds. */
export const expiryOf = (at: string, retained = retentionMs()): number =>
  Math.ceil((Date.parse(at) + retained + SLACK_MS) / 1000);
