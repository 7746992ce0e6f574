import { withoutInvisible } from './invisible.ts';

const UUID_FORM = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';

/** Pattern of a MID: alphanumeric with at most 64 characters, or a UUID. */
export const MID_PATTERN = `^(?:[0-9A-Za-z]{1,64}|${UUID_FORM})$`;

export const MID = new RegExp(MID_PATTERN);

/** Matches a UUID (RFC 9562), in either case. */
export const UUID = new RegExp(`^${UUID_FORM}$`);

/**
 * An id in the form in which it is stored: without invisible characters, and if it is a UUID, in lower case, without
 * braces and without `urn:uuid:` (RFC 9562 §4). Anything else in it stays.
 */
export function storedId(text: string): string {
  const id = withoutInvisible(text);
  const uuid = id.replace(/^(?:urn:)?uuid:|^\{(.*)\}$/i, '$1');
  return UUID.test(uuid) ? uuid.toLowerCase() : id;
}
