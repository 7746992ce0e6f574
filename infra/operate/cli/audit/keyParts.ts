import { validate, version } from 'uuid';
import * as v from 'valibot';
import { DAY_MS, SLACK_MS } from '../../../../lib/base/eventId.ts';
import { mid } from '../../../../lib/base/fields.ts';
import { keyedHash, uuidValue } from '../../../../lib/base/values.ts';
import { cardHashOf, type Key, masterMerchantEntryUuidOf, wordListOf } from '../../../../lib/table/keys.ts';
import { fromItem, type Searchable, type WordEntryItem } from '../../../../lib/table/wordEntries.ts';

/** A value, if its schema accepts it. */
const valid = <T>(schema: v.GenericSchema<unknown, T>, value: unknown): T | undefined =>
  v.is(schema, value) ? (value as T) : undefined;

/** The hash of a card in a sort key; `undefined` if there is none. */
export const hashIn = (sk: string): string | undefined => valid(keyedHash, cardHashOf({ pk: '', sk }));

/** The UUID in the sort key of a master merchant's entry; `undefined` if there is none. */
export const entryUuidOf = (sk: string): string | undefined =>
  valid(uuidValue, masterMerchantEntryUuidOf({ pk: '', sk }));

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
