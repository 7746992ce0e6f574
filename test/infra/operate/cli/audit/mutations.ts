import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { kindOf as knownKindOf } from '../../../../../infra/operate/cli/audit/inspect.ts';
import type { KindName } from '../../../../../infra/operate/cli/audit/kinds.ts';
import { UUID } from '../../../../../lib/base/mid.ts';
import { DICTIONARY } from '../../../../../lib/events/event.ts';
import { type Key, longUuid, shortUuid } from '../../../../../lib/table/keys.ts';
import { isTombstone } from '../../../../../lib/table/tombstone.ts';
import { ACQUIRERS, EARLY, type Item, LATE, nameOf, sound } from './soundTable.ts';

/** One wrong item in the sound table. */
export interface Mutation {
  /** What is wrong: `<kind>.<attribute> <change>`, or `<kind> <change>` for the item or its key. */
  name: string;
  /** As it is then, or was before it was removed. */
  item: Item;
  isRemoved: boolean;
  /** Its ids, one of which a violation names. */
  ids: string[];
}

/** Content of which invariants read nothing, or only whether it is the same. */
const OPAQUE = ['idempotency_key.body', 'reassignment.body', 'record.details'];
/** What is changed in an item of each form, because invariants tell forms apart. */
const IN_ALL_FORMS =
  /^(branch|terminal)\.(\w+_(at|from|position)|restored) (?!malformed)|^event(\.body\.by\.person| copied)/;

const kindOf = (item: Item): KindName => knownKindOf(item) as KindName;
const isObject = (value: unknown): value is Record<string, unknown> =>
  Object.getPrototypeOf(value ?? 0) === Object.prototype;
const textOf = (value: unknown) => JSON.stringify(value, (_, each) => (each instanceof Set ? [...each] : each)) ?? '';
const isTime = (value: unknown) => /^\d{4}-\d\d-\d\dT/.test(String(value));

const partsOf = ({ pk, sk }: Key): string[] => [...pk.split('#'), ' ', ...sk.split('#')];
const keyOf = (parts: string[]): Key => {
  const end = parts.indexOf(' ');
  return { pk: parts.slice(0, end).join('#'), sk: parts.slice(end + 1).join('#') };
};

/** The attributes of an item; of an event, with its content. */
function readable(item: Item): Record<string, unknown> {
  const { pk: _, sk: __, ...attributes } = item;
  const { body } = attributes;
  if (!(body instanceof Uint8Array) || kindOf(item) === 'idempotency_key') return attributes;
  return { ...attributes, body: JSON.parse(inflateRawSync(body, { dictionary: DICTIONARY }).toString()) };
}
const deflated = (event: object) => deflateRawSync(JSON.stringify(event), { dictionary: DICTIONARY });

/** An item without the ids, hashes and times that differ from run to run. */
const anonymous = (item: Item): string =>
  ACQUIRERS.reduce(
    (text, { id, name }) => text.replaceAll(id, name).replaceAll(shortUuid(id), name),
    textOf([kindOf(item), readable(item), item.pk, item.sk]),
  ).replace(/[\da-f]{12,}|[\da-f]{8}-[-\da-f]{27}|\d{4}-\d\d-[\dT:.Z-]+|\d{10,}|[\w-]{22}/g, '');

/** In the same order in each run, so that each changes the same items. */
export const ITEMS = Object.values(sound)
  .filter((item) => !isTombstone(item))
  .map((item) => [anonymous(item), item] as const)
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(([, item]) => item);

/** The different values of each attribute, and of members of objects and elements of lists, by path. */
const VALUES = new Map<string, Map<string, unknown>>();
function learn(path: string, value: unknown): void {
  VALUES.set(path, (VALUES.get(path) ?? new Map()).set(textOf(value), value));
  if (OPAQUE.includes(path)) return;
  if (isObject(value)) for (const [name, each] of Object.entries(value)) learn(`${path}.${name}`, each);
  if (Array.isArray(value) || value instanceof Set) for (const each of value) learn(`${path}[]`, each);
}
for (const item of ITEMS) learn(kindOf(item), readable(item));

const membersOf = (path: string): string[] => [
  ...new Set(
    [...VALUES.keys()].flatMap((each) =>
      each.startsWith(`${path}.`) ? (each.slice(path.length + 1).split(/[.[]/)[0] ?? []) : [],
    ),
  ),
];

/** Texts like a text: of an id another one, of the id of an event another one of the same time. */
function* textsLike(text: string): Generator<[change: string, text: string]> {
  yield ['unknown', `${text.slice(0, -4)}0000`];
  if (isTime(text)) for (const [change, time] of Object.entries({ early: EARLY, late: LATE })) yield [change, time];
  if (/^[\da-f]{64}$/.test(text)) {
    yield ['of version 2', `2.${text}`];
    yield ['not hashed', 'plain text'];
  }
}

/** What a value may wrongly be, with the path of what is changed in it. */
function* changesOf(path: string, value: unknown): Generator<[path: string, change: string, value: unknown]> {
  const others = [...(VALUES.get(path)?.values() ?? [])].filter((each) => textOf(each) !== textOf(value));
  // Two times may be of the same second.
  if (others.length > 0 && !isTime(value)) yield [path, 'other', others[0]];
  if (value === undefined) return;
  yield [path, 'removed', undefined];
  yield [path, 'malformed', typeof value === 'number' ? 'text' : 5];
  if (typeof value === 'string') for (const [change, text] of textsLike(value)) yield [path, change, text];
  if (typeof value === 'number')
    for (const [change, number] of Object.entries({ more: value + 1, least: 1 })) yield [path, change, number];
  if (value instanceof Set) {
    const known = [...value].map(textOf);
    const alien = [...(VALUES.get(`${path}[]`)?.values() ?? [])].find((each) => !known.includes(textOf(each)));
    yield [path, 'less', new Set([...value].slice(1))];
    if (alien) yield [path, 'more', new Set([...value, alien])];
  }
  if (Array.isArray(value) && value.length > 0) {
    yield [path, 'less', value.slice(1)];
    yield [path, 'twice', [value[0], ...value]];
    yield [path, 'swapped', value.toReversed()];
    for (const [inner, change, each] of changesOf(`${path}[]`, value[0])) yield [inner, change, value.with(0, each)];
  }
  if (isObject(value) && !OPAQUE.includes(path))
    for (const name of membersOf(path))
      for (const [inner, change, each] of changesOf(`${path}.${name}`, value[name]))
        yield [inner, change, { ...value, [name]: each }];
}

/** Keys under which nothing like an item is stored. */
function* keysLike(kind: KindName, item: Item): Generator<[change: string, key: Key]> {
  const parts = partsOf(item);
  const alike = ITEMS.filter((each) => kindOf(each) === kind).map(partsOf);
  for (const [at, part] of parts.entries()) {
    const other = alike.find((each) => each.length === parts.length && each[at] !== part)?.[at];
    if (other) yield [`copied at ${at} other`, keyOf(parts.with(at, other))];
    if (part !== ' ')
      for (const [change, text] of textsLike(part)) yield [`copied at ${at} ${change}`, keyOf(parts.with(at, text))];
  }
  yield ['copied with a suffix', keyOf([...parts, '0000'])];
}

/** The ids of an item, one of which is named wherever it is wrong. An event is named by its branches. */
function idsOf(kind: KindName, item: Item): string[] {
  const { branch, changes } = (readable(item)['body'] ?? {}) as {
    branch?: { mid: string };
    changes?: { mid?: string };
  };
  if (branch) return [branch.mid, ...(changes?.mid ?? [])];
  if (kind === 'identity') return [item['person'] as string];
  const key = /^[A-Z_]+$/.test(item.sk) ? item.pk : item.sk;
  const id = key.slice(key.lastIndexOf('#') + 1);
  // Of a hash, its beginning.
  if (/^[\da-f]{64}$/.test(id)) return [id.slice(0, 12)];
  return /^=?[\w-]{22}$/.test(id)
    ? [id.slice(-22), longUuid(id.slice(-22))]
    : [id, ...(UUID.test(id) ? [shortUuid(id)] : [])];
}

function* mutationsOf(kind: KindName, item: Item): Generator<Mutation> {
  const [shown, ids, isRemoved] = [readable(item), idsOf(kind, item), false];
  yield { name: `${kind} removed`, item, ids, isRemoved: true };
  for (const attribute of membersOf(kind))
    for (const [path, change, value] of changesOf(`${kind}.${attribute}`, shown[attribute])) {
      const changed = { ...item, [attribute]: attribute === 'body' && isObject(value) ? deflated(value) : value };
      if (value === undefined) delete changed[attribute as keyof Key];
      if (textOf(value) !== textOf(shown[attribute]))
        yield { name: `${path} ${change}`, item: changed, ids, isRemoved };
    }
  for (const [change, key] of keysLike(kind, item))
    if (!sound[nameOf(key)]) yield { name: `${kind} ${change}`, item: { ...item, ...key }, ids, isRemoved };
}

/** What can be wrong with each attribute of each kind and with its key, most in one item. */
export function mutations(): Mutation[] {
  const forms = new Set<string>();
  const names = new Set<string>();
  const fewest = (one: Item, other: Item) => Object.keys(one).length - Object.keys(other).length;
  return ITEMS.toSorted(fewest).flatMap((item) => {
    const kind = kindOf(item);
    const { type, by } = (readable(item)['body'] ?? item) as { type?: string; by?: object };
    const form = textOf([kind, Object.keys(item).sort(), type, Object.keys(by ?? {})]);
    if (forms.has(form)) return [];
    forms.add(form);
    return [...mutationsOf(kind, item)].filter(({ name }) => {
      const isNew = !names.has(name);
      names.add(name);
      return isNew || IN_ALL_FORMS.test(name);
    });
  });
}
