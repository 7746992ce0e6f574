import { randomBytes } from 'node:crypto';
import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { masterMerchantUuidOf, tidOf } from '../../../lib/table/keys.ts';
import { ACQUIRERS, CURSORS, cursorOf } from '../../publish/contract/calls.ts';
import { replaced } from '../../publish/contract/record.ts';

/** Names of a story that are unique across acquirers, or by which its things are found. */
const NAMES =
  /\b(?:(?:PORTO|LISBON)\d{4}|T\d{7}|SN\d{8}|HARBOURCAFES|BOOKSHOPS|porto|harbour|card-of-a-member|token-of-the-card)\b/gi;

/** What differs from run to run: ids, each of which stands for one thing, times, API keys, and cursors. */
const [ID, TIME] = [
  /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$|^[\da-f]{12}$/,
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/,
];
const VARYING = new RegExp(
  `(${TIME.source.slice(1, -1)}|${ID.source.replace(/[$^]/g, '\\b')}|apk_[\\w-]+|\\b(?:[\\w-]{64}|[\\w-]{34})\\b)`,
);
const kindOf = (text: string): string =>
  ID.test(text) ? 'id' : TIME.test(text) ? 'time' : text.startsWith('apk_') ? 'API key' : 'cursor';

/** Ids and names end with it. Without digits, they never look like a card number. */
const newTag = (): string => [...randomBytes(10)].map((byte) => String.fromCharCode(65 + (byte % 26))).join('');

/**
 * Renames what a story is about, so that each run has ids of its own, and compares its responses with the recorded ones. An
 * id that is known only from a response must be the same in all later ones, and is sent in later requests.
 */
export class Renaming {
  readonly tag = newTag();
  readonly #texts: Map<string, string>;
  readonly #ids: Map<string, string>;
  readonly #times = new Map<string, string>();
  readonly #payfair: Acquirer;

  /**
   * @param story All that is renamed.
   * @param acquirers Those in place of the story's.
   */
  constructor(story: object, acquirers: Partial<Record<keyof typeof ACQUIRERS, Acquirer>>) {
    const of = Object.entries(acquirers).map(([name, acquirer]) => [ACQUIRERS[name as 'payfair'], acquirer] as const);
    this.#payfair = acquirers.payfair ?? ACQUIRERS.payfair;
    this.#texts = new Map(of.map(([from, to]) => [from.name, to.name]));
    this.#ids = new Map(of.map(([from, to]) => [from.id, to.id]));
    for (const terminal of new Set(JSON.stringify(story).match(/\bT\d{7}\b/g)))
      this.#ids.set(tidOf(terminal), tidOf(`${terminal}${this.tag}`));
    for (const id of ['HARBOURCAFES', 'BOOKSHOPS'])
      this.#ids.set(
        masterMerchantUuidOf(ACQUIRERS.payfair.id, id),
        masterMerchantUuidOf(this.#payfair.id, `${id}${this.tag}`),
      );
  }

  learn(example: string, real: string): void {
    this.#ids.set(example, real);
  }

  /** Whether something is about this run. */
  isOwn = (value: unknown): boolean => JSON.stringify(value).includes(this.tag);

  /** Names of the story in a recorded response. Its ids are still those of the story. */
  names<T>(recorded: T): T {
    return JSON.parse(JSON.stringify(replaced(recorded, this.#texts)).replace(NAMES, `$&${this.tag}`));
  }

  /** A request of the story with the names and ids of this run. */
  request<T>(request: T): T {
    const cursors = [...CURSORS].map(([cursor, time]): [string, string] => [cursor, this.cursorAt(time)]);
    return replaced(this.names(request), new Map([...this.#ids, ...cursors]));
  }

  /** A cursor in Payfair's feed after what had happened at a time of the story. Responses tell when that was. */
  cursorAt(time: string): string {
    const happened = [...this.#times].filter(([example]) => example <= time).map(([, real]) => Date.parse(real) + 1);
    return cursorOf(happened.length > 0 ? new Date(Math.max(...happened)).toISOString() : time, this.#payfair);
  }

  /** A cursor in the feed of an acquirer before all that this run has done. */
  cursorBefore(acquirer: Pick<Acquirer, 'id'>): string {
    const [first = new Date().toISOString()] = this.#times.values();
    return cursorOf(first, acquirer);
  }

  /**
   * Returns how a value differs from the recorded one, whose {@link names} are this run's. If it does not, the ids in it are
   * noted.
   */
  differences(expected: unknown, got: unknown): string[] {
    const [ids, times] = [new Map(this.#ids), new Map(this.#times)];
    const found = [...differencesIn(expected, got, '', { ids, times })];
    if (found.length === 0) {
      for (const [example, real] of ids) this.#ids.set(example, real);
      for (const [example, real] of times) this.#times.set(example, real);
    }
    return found;
  }
}

/** What varying texts of the story stand for in this run. */
interface Seen {
  ids: Map<string, string>;
  times: Map<string, string>;
}

function* differencesIn(expected: unknown, got: unknown, path: string, seen: Seen): Generator<string> {
  if (typeof expected === 'string' && typeof got === 'string') yield* differencesOfTexts(expected, got, path, seen);
  else if (!isObject(expected) || !isObject(got) || Array.isArray(expected) !== Array.isArray(got)) {
    if (!Object.is(expected, got)) yield unlike(path, expected, got);
  } else if (Array.isArray(expected) && Object.keys(expected).length !== Object.keys(got).length)
    yield `${path || 'the body'} has ${Object.keys(got).length} items, not ${expected.length}`;
  else
    for (const name of new Set([...Object.keys(expected), ...Object.keys(got)]))
      yield* differencesIn(expected[name], got[name], `${path}/${name}`, seen);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function* differencesOfTexts(expected: string, got: string, path: string, { ids, times }: Seen): Generator<string> {
  // What varies is at the odd places.
  const [one, other] = [expected.split(VARYING), got.split(VARYING)];
  const isAlike = (part: string, at: number): boolean =>
    at % 2 ? kindOf(part) === kindOf(other[at] ?? '') : part === other[at];
  if (one.length !== other.length || !one.every(isAlike)) return yield unlike(path, expected, got);
  for (const [at, example] of one.entries()) {
    const real = other[at] as string;
    const kind = at % 2 ? kindOf(example) : undefined;
    const known = ids.get(example);
    if (kind === 'time' && !times.has(example)) times.set(example, real);
    else if (kind === 'id' && known === undefined) ids.set(example, real);
    else if (kind === 'id' && known !== real) yield unlike(path, known, real);
  }
}

const unlike = (path: string, expected: unknown, got: unknown): string =>
  `${path || 'the body'} is ${JSON.stringify(got)}, not ${JSON.stringify(expected)}`;
