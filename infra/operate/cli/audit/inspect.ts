import { isDeepStrictEqual } from 'node:util';
import { NIL } from 'uuid';
import * as v from 'valibot';
import { hash, keyedHash } from '../../../../lib/base/values.ts';
import { type Key, kindOf as partitionKind } from '../../../../lib/table/keys.ts';
import { hashIn } from './keyParts.ts';
import { KIND_NAMES, KINDS, type KindName } from './kinds.ts';

/** The part of an item's pk after the kind. */
export const ownerOf = ({ pk }: Key): string => pk.slice(pk.indexOf('#') + 1);

/** The beginning of a sort key, and whether it goes on. It tells the kinds of a partition apart. */
const startOf = (sk: string): string => sk.replace(/#.*/s, '#');
/** The kinds by the beginning of the pk, with that of the sk. */
const BY_PK = Map.groupBy(
  KIND_NAMES.map((name) => ({ name, key: KINDS[name].keyOf({} as never, '', NIL) })),
  ({ key }) => partitionKind(key.pk),
);

export function kindOf({ pk, sk }: Key): KindName | undefined {
  const kinds = BY_PK.get(partitionKind(pk)) ?? [];
  // The invariant `key` reports the wrong sk of a kind that is alone.
  const found = kinds.length === 1 ? kinds[0] : kinds.find(({ key }) => startOf(key.sk) === startOf(sk));
  return found?.name;
}

/** The text in a pk where a hash belongs; `undefined` if it is a hash, or if the kind has none. */
export function unhashedIn(key: Key): string | undefined {
  const { hashAfter, isKeyed }: { hashAfter?: number; isKeyed?: true } = KINDS[kindOf(key) ?? 'acquirer'];
  const text = hashAfter && key.pk.split('#').slice(hashAfter).join('#');
  return typeof text !== 'string' || v.is(isKeyed ? keyedHash : hash, text) ? undefined : text;
}

/** A key as the audit prints it: hashes are shortened, and text where a hash belongs is left out. */
export function shownKey(key: Key): Key {
  const end = key.pk.length - (unhashedIn(key)?.length ?? 0);
  const shorten = (text: string) => text.replace(/([\da-f]{12})[\da-f]{52}/g, '$1…');
  const { hasHashInSk }: { hasHashInSk?: true } = KINDS[kindOf(key) ?? 'acquirer'];
  const sk = hasHashInSk && !hashIn(key.sk) ? 'CARD#…' : shorten(key.sk);
  return { pk: shorten(key.pk.slice(0, end)) + (end < key.pk.length ? '…' : ''), sk };
}

export interface InspectedItem {
  key: Key;
  kind: KindName | undefined;
  /** The valid ones. */
  attributes: Record<string, unknown>;
  /** The names of attributes that are missing or invalid. */
  malformed: string[];
  /** The names of attributes that its kind does not have. */
  others: string[];
  /** What stays in memory; of an item with invalid attributes, the valid ones. `undefined` if nothing does. */
  summary: object | undefined;
}

/** Whether a value is valid and normalized: a text is trimmed, a UUID is in lower case. */
function isNormalized(schema: v.GenericSchema, value: unknown): boolean {
  const { success, output } = v.safeParse(schema, value);
  return success && isDeepStrictEqual(output, value);
}

export function inspect({ pk, sk, ...stored }: Key & Record<string, unknown>): InspectedItem {
  const key = { pk, sk };
  const kind = kindOf(key);
  const schemas: [string, v.GenericSchema][] = kind ? Object.entries(KINDS[kind].schemas) : [];
  const malformed = schemas.filter(([name, schema]) => !isNormalized(schema, stored[name])).map(([name]) => name);
  const attributes = Object.fromEntries(
    schemas.flatMap(([name]) => (malformed.includes(name) ? [] : [[name, stored[name]]])),
  );
  const others = Object.keys(stored).filter((name) => !schemas.some(([known]) => known === name));
  const summarize: ((item: never) => object) | undefined = kind && KINDS[kind].summarize;
  const summary = malformed.length === 0 ? summarize?.(attributes as never) : summarize && attributes;
  return { key, kind, attributes, malformed, others, summary };
}
