import { validate, version } from 'uuid';
import * as v from 'valibot';
import { hash, uuidValue } from '../../../lib/base/values.ts';
import { cardHashOf, masterMerchantEntryUuidOf } from '../../../lib/table/keys.ts';

const UUID_LENGTH = 36;

/** The hash of a card in a sort key; `undefined` if there is none. */
export function hashIn(sk: string): string | undefined {
  const text = cardHashOf({ pk: '', sk });
  return v.is(hash, text) ? text : undefined;
}

/** The UUID in the sort key of a master merchant's entry; `undefined` if there is none. */
export function entryUuidOf(sk: string): string | undefined {
  // The invariant `key` reports text after the UUID.
  const uuid = masterMerchantEntryUuidOf({ pk: '', sk }).slice(0, UUID_LENGTH);
  return v.is(uuidValue, uuid) ? uuid : undefined;
}

/** Whether a text is a version-7 UUID in lower case, which begins with the time of its event. */
export const isEventId = (text: string): boolean => validate(text) && version(text) === 7 && v.is(uuidValue, text);
