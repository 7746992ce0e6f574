import type { Key } from '../../../../lib/table/keys.ts';
import type { InspectedItem } from './inspect.ts';
import { KIND_NAMES, type KindName, type Summary } from './kinds.ts';
import { Trail } from './trail.ts';

/** A text that identifies an item: pk and sk, joined by a line break, which no pk contains. */
export const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

const keyOf = (name: string): Key => {
  const end = name.indexOf('\n');
  return { pk: name.slice(0, end), sk: name.slice(end + 1) };
};

/** Summaries of all items, for comparing them with each other. Of an item with invalid attributes, the valid ones. */
export class Snapshot {
  readonly #items = new Map<KindName, Map<string, unknown>>(KIND_NAMES.map((kind) => [kind, new Map()]));

  /** Summary of all events, which can outnumber all other items and so are not stored one by one. */
  readonly trail: Trail;
  readonly #malformed = new Set<string>();

  /** @param horizonMs Age of an event, in milliseconds, at which all of its copies are stored. */
  constructor(horizonMs: number) {
    this.trail = new Trail(Date.now(), horizonMs);
  }

  add(inspected: InspectedItem): void {
    const { key, kind, malformed, summary } = inspected;
    if (kind && summary) this.#items.get(kind)?.set(nameOf(key), summary);
    if (malformed.length === 0) this.trail.add(inspected);
    else this.#malformed.add(nameOf(key));
  }

  isMalformed(key: Key): boolean {
    return this.#malformed.has(nameOf(key));
  }

  get<K extends KindName>(kind: K, key: Key): Partial<Summary<K>> | undefined {
    return this.#items.get(kind)?.get(nameOf(key)) as Summary<K> | undefined;
  }

  *of<K extends KindName>(kind: K): Generator<[item: Partial<Summary<K>>, key: Key]> {
    for (const [name, item] of this.#items.get(kind) ?? []) yield [item as Summary<K>, keyOf(name)];
  }

  *valid<K extends KindName>(kind: K): Generator<[item: Summary<K>, key: Key]> {
    for (const [item, key] of this.of(kind)) if (!this.isMalformed(key)) yield [item as Summary<K>, key];
  }
}
