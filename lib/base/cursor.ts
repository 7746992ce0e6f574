import { createHash } from 'node:crypto';
import { Problem } from './problem.ts';

/** A position in a list of events: an event's id, or the result of `lowerBoundId`. */
export const POSITION = /^[\da-f]{8}-[\da-f]{4}(?:-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})?$/;

/** Cursors at a time and at an event, in base64url. */
export const TIME_CURSOR = '[0-9A-Za-z_-]{34}';
export const EVENT_CURSOR = '[0-9A-Za-z_-]{64}';
/** The pattern of a cursor at a branch or at a terminal of it. */
export const LIST_CURSOR = '[0-9A-Za-z_-]{18,144}';

export const INVALID_CURSOR = 'Must be a cursor from this list.';

/** Detects truncated and mixed-up cursors. A forged one reaches only the caller's own events. */
const checksumOf = (position: string, list: string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([...list, position]))
    .digest('base64url')
    .slice(0, 11);

/**
 * Encodes a position in a list as a cursor.
 *
 * @param position A text without dots.
 * @param list Identifies the list: its acquirer, and what it is about.
 */
export const cursorAt = (position: string, list: string[]): string =>
  Buffer.from(`${position}.${checksumOf(position, list)}`).toString('base64url');

/**
 * Decodes a cursor.
 *
 * @param list Identifies the list, as for {@link cursorAt}.
 * @param parameter Name of the query parameter, for the error detail.
 * @param pattern The pattern of the list's positions; by default that of a list of events.
 * @throws Problem `invalid_query` unless it is a cursor of this list.
 */
export function positionOf(cursor: string, list: string[], parameter: string, pattern = POSITION): string {
  const position = positionIn(cursor, list, pattern);
  if (position === undefined) throw new Problem('invalid_query', `${parameter}: ${INVALID_CURSOR}`);
  return position;
}

/** Decodes a cursor like {@link positionOf}; `undefined` unless it is one of this list. */
export function positionIn(cursor: string, list: string[], pattern = POSITION): string | undefined {
  const [position = '', checksum] = Buffer.from(cursor, 'base64url').toString().split('.');
  const isOurs = pattern.test(position) && checksum === checksumOf(position, list);
  return isOurs && cursor === cursorAt(position, list) ? position : undefined;
}
