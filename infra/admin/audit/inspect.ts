import { isDeepStrictEqual } from 'node:util';
import { NIL } from 'uuid';
import * as v from 'valibot';
import { hash, keyedHash } from '../../../lib/base/values.ts';
import type { Key } from '../../../lib/table/keys.ts';
import { hashIn } from './keyParts.ts';
import { KIND_NAMES, KINDS, type KindName } from './kinds.ts';

/** The part of an item's pk after the kind. */
export const ownerOf = ({ pk }: Key): string => pk.slice(pk.indexOf('#') + 1);

/** The parts of a key that identify its kind: the beginnings of pk and sk, and whether the sk goes on. */
const partsOf = ({ pk, sk }: Key): string => `${pk.split('#', 1)[0]} ${sk.replace(/#.*/s, '#')}`;
const [BY_PK, BY_PARTS] = [true, false].map(
  (hasIdAsSk) =>
    new Map(
      KIND_NAMES.filter((name) => hasIdAsSk === 'hasIdAsSk' in KINDS[name]).map((name) => {
        const key = KINDS[name].keyOf({} as never, '', NIL);
        return [hasIdAsSk ? key.pk.split('#', 1)[0] : partsOf(key), name] as const;
      }),
    ),
) as [Map<string | undefined, KindName>, Map<string | undefined, KindName>];

/** Finds the kind of a key, tolerating a missing or extra suffix in its sk, which the invariant `key` reports. */
function kindOf(key: Key): KindName | undefined {
  const parts = partsOf(key);
  const otherParts = parts.endsWith('#') ? parts.slice(0, -1) : `${parts}#`;
  return BY_PK.get(key.pk.split('#', 1)[0]) ?? BY_PARTS.get(parts) ?? BY_PARTS.get(otherParts);
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

/** An item, validated by its kind. */
export interface InspectedItem {
  key: Key;
  /** `undefined` if unknown. */
  kind: KindName | undefined;
  /** The valid ones. */
  attributes: Record<string, unknown>;
  /** The names of attributes that are missing or invalid. */
  malformed: string[];
  /** The names of attributes that its kind does not have. */
  others: string[];
}

/** Whether a value is valid and normalized: a text is trimmed, a UUID is in lower case. */
function isNormalized(schema: v.GenericSchema, value: unknown): boolean {
  const { success, output } = v.safeParse(schema, value);
  return success && isDeepStrictEqual(output, value);
}

/** Validates a stored item by its kind. */
export function inspect({ pk, sk, ...stored }: Key & Record<string, unknown>): InspectedItem {
  const key = { pk, sk };
  const kind = kindOf(key);
  const schemas: [string, v.GenericSchema][] = kind ? Object.entries(KINDS[kind].schemas) : [];
  const malformed = schemas.filter(([name, schema]) => !isNormalized(schema, stored[name])).map(([name]) => name);
  const attributes = Object.fromEntries(
    schemas.flatMap(([name]) => (malformed.includes(name) ? [] : [[name, stored[name]]])),
  );
  const others = Object.keys(stored).filter((name) => !schemas.some(([known]) => known === name));
  return { key, kind, attributes, malformed, others };
}
