import { createHash } from 'node:crypto';
import { Problem } from './problem.ts';

/** What a cursor may point at: an event's id, or a time as `idsFrom` writes it. */
const POSITION = /^[\da-f]{8}-[\da-f]{4}(?:-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})?$/;

/** The refusal of anything else. */
export const NO_CURSOR = 'Must be a cursor that this list gave you.';

/** Whoever makes up a cursor gets no further than its own events, so a checksum does: it finds what was cut or mixed up. */
const checksumOf = (position: string, list: string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([...list, position]))
    .digest('base64url')
    .slice(0, 11);

/**
 * A place in a list of events, as partners send it back.
 *
 * @param list What makes the list this one and no other: its acquirer, and what it is about.
 */
export const cursorAt = (position: string, list: string[]): string =>
  Buffer.from(`${position}.${checksumOf(position, list)}`).toString('base64url');

/**
 * The place that a cursor is.
 *
 * @param parameter The query parameter that it was sent in.
 * @throws Problem `invalid_query` for anything but a cursor of this list.
 */
export function positionOf(cursor: string, list: string[], parameter: string): string {
  const [position = '', checksum] = Buffer.from(cursor, 'base64url').toString().split('.');
  if (!POSITION.test(position) || checksum !== checksumOf(position, list) || cursor !== cursorAt(position, list))
    throw new Problem('invalid_query', `${parameter}: ${NO_CURSOR}`);
  return position;
}
