import { validate, version } from 'uuid';
import * as v from 'valibot';
import { hash, uuidValue } from '../../../lib/base/values.ts';
import { cardHashOf, masterMerchantEntryUuidOf } from '../../../lib/table/keys.ts';

const UUID_LENGTH = 36;

/** The hash of a card in a sort key; `undefined`, where there is something else. */
export function hashIn(sk: string): string | undefined {
  const text = cardHashOf({ pk: '', sk });
  return v.is(hash, text) ? text : undefined;
}

/** The UUID in the key of a master merchant's entry; `undefined`, where there is something else. */
export function entryUuidOf(sk: string): string | undefined {
  // What follows a UUID is for the invariant `key` to tell.
  const uuid = masterMerchantEntryUuidOf({ pk: '', sk }).slice(0, UUID_LENGTH);
  return v.is(uuidValue, uuid) ? uuid : undefined;
}

/** Whether a text is a version-7 UUID, which begins with the time of its event. */
export const isEventId = (text: string): boolean => validate(text) && version(text) === 7 && v.is(uuidValue, text);
