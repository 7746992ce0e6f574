import { validate, version } from 'uuid';
import * as v from 'valibot';
import { limitError } from '../../../lib/base/limit.ts';
import { cardHashOf, masterMerchantEntryUuidOf } from '../../../lib/table/keys.ts';

/* The forms of attributes that several kinds of items have. */

/** UUIDs are stored in lower case, whatever case they were sent in. */
export const id = v.pipe(v.string(), v.regex(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/));
const UUID_LENGTH = 36;
export const time = v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/));
/** Since 1970, as the table's time to live wants them; milliseconds would be larger. */
export const seconds = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(9_999_999_999));
export const count = v.pipe(v.number(), v.integer(), v.minValue(0));
export const rank = v.pipe(v.number(), v.integer(), v.minValue(1));
/** A time and a MID. */
export const PLACE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#[\w-]+$/;
/** Of SHA-256 or an HMAC with it. */
export const hash = v.pipe(v.string(), v.regex(/^[\da-f]{64}$/));
export const keyId = v.pipe(v.string(), v.regex(/^[\da-f]{12}$/));
export const acquirerType = v.picklist(['DISTRIBUTOR', 'PAYMENT_PROVIDER'] as const);

export const limit = v.optional(
  v.pipe(
    v.object({ rate: count, burst: count }),
    v.check((value) => !limitError(value)),
  ),
);

/** The hash of a card in a sort key; `undefined`, where there is something else. */
export function hashIn(sk: string): string | undefined {
  const text = cardHashOf({ pk: '', sk });
  return v.is(hash, text) ? text : undefined;
}

/** The UUID in the key of a master merchant's entry; `undefined`, where there is something else. */
export function entryUuidOf(sk: string): string | undefined {
  // What follows a UUID is for the invariant `key` to tell.
  const uuid = masterMerchantEntryUuidOf({ pk: '', sk }).slice(0, UUID_LENGTH);
  return v.is(id, uuid) ? uuid : undefined;
}

/** Whether a text is a version-7 UUID, which begins with the time of its event. */
export const isEventId = (text: string): boolean => validate(text) && version(text) === 7 && v.is(id, text);
