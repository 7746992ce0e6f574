import { isDeepStrictEqual } from 'node:util';
import { NIL } from 'uuid';
import * as v from 'valibot';
import { hash } from '../../../lib/base/values.ts';
import type { Key } from '../../../lib/table/keys.ts';
import { hashIn } from './keyParts.ts';
import { KIND_NAMES, KINDS, type KindName } from './kinds.ts';

/** What stands in an item's pk after the kind. */
export const ownerOf = ({ pk }: Key): string => pk.slice(pk.indexOf('#') + 1);

/** What tells a kind: how pk and sk begin, and whether more follows in the sk. */
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

/** An item whose sk has more behind its first word than its kind has, or less, is of that kind, and its key is wrong. */
function kindOf(key: Key): KindName | undefined {
  const parts = partsOf(key);
  const otherParts = parts.endsWith('#') ? parts.slice(0, -1) : `${parts}#`;
  return BY_PK.get(key.pk.split('#', 1)[0]) ?? BY_PARTS.get(parts) ?? BY_PARTS.get(otherParts);
}

/** What stands in a pk in the place of a hash; `undefined` when it is one, or none has to be there. */
export function unhashedIn(key: Key): string | undefined {
  const { hashAfter }: { hashAfter?: number } = KINDS[kindOf(key) ?? 'acquirer'];
  const text = hashAfter && key.pk.split('#').slice(hashAfter).join('#');
  return typeof text !== 'string' || v.is(hash, text) ? undefined : text;
}

/** A key as it is shown: of a hash its beginning, as of API keys everywhere, and nothing of what is not hashed. */
export function shownKey(key: Key): Key {
  const end = key.pk.length - (unhashedIn(key)?.length ?? 0);
  const shorten = (text: string) => text.replace(/([\da-f]{12})[\da-f]{52}/g, '$1…');
  const { hasHashInSk }: { hasHashInSk?: true } = KINDS[kindOf(key) ?? 'acquirer'];
  const sk = hasHashInSk && !hashIn(key.sk) ? 'CARD#…' : shorten(key.sk);
  return { pk: shorten(key.pk.slice(0, end)) + (end < key.pk.length ? '…' : ''), sk };
}

/** An item, judged by its kind. */
export interface InspectedItem {
  key: Key;
  /** `undefined` when it is of none. */
  kind: KindName | undefined;
  /** Those that are in their form. */
  attributes: object;
  /** The names of those that are missing or not in their form. */
  malformed: string[];
  /** The names of those that its kind does not have. */
  others: string[];
}

/** Whether a value is as its form leaves it: a text without white space at its ends, a UUID in lower case. */
function isInForm(form: v.GenericSchema, value: unknown): boolean {
  const { success, output } = v.safeParse(form, value);
  return success && isDeepStrictEqual(output, value);
}

/** Judges an item as it is stored by its kind. */
export function inspect({ pk, sk, ...stored }: Key & Record<string, unknown>): InspectedItem {
  const key = { pk, sk };
  const kind = kindOf(key);
  const forms: [string, v.GenericSchema][] = kind ? Object.entries(KINDS[kind].form) : [];
  const malformed = forms.filter(([name, form]) => !isInForm(form, stored[name])).map(([name]) => name);
  const attributes = Object.fromEntries(
    forms.flatMap(([name]) => (malformed.includes(name) ? [] : [[name, stored[name]]])),
  );
  const others = Object.keys(stored).filter((name) => !forms.some(([known]) => known === name));
  return { key, kind, attributes, malformed, others };
}
