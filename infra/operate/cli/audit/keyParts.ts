import { validate, version } from 'uuid';
import * as v from 'valibot';
import { DAY_MS, SLACK_MS } from '../../../../lib/base/eventId.ts';
import { mid } from '../../../../lib/base/fields.ts';
import { keyedHash, uuidValue } from '../../../../lib/base/values.ts';
import {
  branchOrder,
  cardHashOf,
  type Key,
  masterMerchantEntryUuidOf,
  wordListOf,
} from '../../../../lib/table/keys.ts';
import { fromItem, type Searchable, type WordEntryItem } from '../../../../lib/table/searchEntries.ts';

const UUID_LENGTH = 36;

/** The hash of a card in a sort key; `undefined` if there is none. */
export function hashIn(sk: string): string | undefined {
  const text = cardHashOf({ pk: '', sk });
  return v.is(keyedHash, text) ? text : undefined;
}

/** The UUID in the sort key of a master merchant's entry; `undefined` if there is none. */
export function entryUuidOf(sk: string): string | undefined {
  // The invariant `key` reports text after the UUID.
  const uuid = masterMerchantEntryUuidOf({ pk: '', sk }).slice(0, UUID_LENGTH);
  return v.is(uuidValue, uuid) ? uuid : undefined;
}

/** The branch_order that an element of a branch's `terminals` stands for, even if that is invalid: see packOrder. */
export function orderIn(element: Uint8Array): string {
  const hex = Buffer.from(element).toString('hex');
  const [at, place] = [hex.slice(0, 12), hex.slice(12, 14)].map((digits) => Number.parseInt(digits, 16) || 0);
  const tid = hex.slice(14).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const order = branchOrder(new Date(at as number).toISOString(), place as number, tid);
  // Copied, because V8 keeps the parts of a concatenated string, which take 200 bytes more.
  return Buffer.from(order).toString();
}

/** What an entry of a word leads to, and who finds it; `undefined` if its key names no acquirer or nothing. */
export function searchableIn(item: Key & WordEntryItem): Searchable | undefined {
  const { list, acquirer } = wordListOf(item);
  const each = fromItem(list, acquirer, item);
  const id = list === 'BRANCHES' ? mid : uuidValue;
  return v.is(uuidValue, acquirer) && v.is(id, each.id) ? each : undefined;
}

/** Whether a text is a version-7 UUID in lower case, which begins with the time of its event. */
export const isEventId = (text: string): boolean => validate(text) && version(text) === 7 && v.is(uuidValue, text);

/** The retention in days of an event of the time `at`, in milliseconds, with a `ttl` in seconds. */
export const retentionDays = (at: number, ttl: number): number => Math.round((ttl * 1000 - SLACK_MS - at) / DAY_MS);
