import { randomBytes } from 'node:crypto';
import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { masterMerchantUuidOf, tidOf } from '../../../lib/table/keys.ts';
import { ACQUIRERS, cursorOf, LONG_AGO, MIDDAY } from '../../publish/contract/calls.ts';
import { replaced } from '../../publish/contract/record.ts';

/** Names of a story that are unique across acquirers, or by which its things are found. */
const NAMES =
  /\b(?:(?:PORTO|LISBON)\d{4}|T\d{7}|SN\d{8}|HARBOURCAFES|BOOKSHOPS|porto|harbour|card-of-a-member|token-of-the-card)\b/gi;

/** Whether a recorded response shows something of its story. */
export const showsStory = (recorded: unknown): boolean => JSON.stringify(recorded ?? null).search(NAMES) >= 0;

/** Names end with it. Without digits, they never look like a card number. */
const newTag = (): string => [...randomBytes(10)].map((byte) => String.fromCharCode(65 + (byte % 26))).join('');

/** Clocks of this machine and of the stage may differ by so much. */
const SKEW_MS = 60_000;

/** Renames what a story is about, so that each run has names and ids of its own. */
export class Renaming {
  readonly #tag = newTag();
  /** A time before the first request of the run. */
  readonly #began = new Date(Date.now() - SKEW_MS).toISOString();
  readonly #texts: Map<string, string>;

  /**
   * @param story All that is renamed.
   * @param acquirers Those in place of the story's.
   */
  constructor(story: object, acquirers: Partial<Record<keyof typeof ACQUIRERS, Acquirer>>) {
    const of = Object.entries(acquirers).map(([name, acquirer]) => [ACQUIRERS[name as 'payfair'], acquirer] as const);
    const { payfair = ACQUIRERS.payfair } = acquirers;
    const terminals = new Set(JSON.stringify(story).match(/\bT\d{7}\b/g));
    this.#texts = new Map([
      ...of.map(([from, to]): [string, string] => [from.id, to.id]),
      ...[...terminals].map((id): [string, string] => [tidOf(id), tidOf(id + this.#tag)]),
      ...['HARBOURCAFES', 'BOOKSHOPS'].map((id): [string, string] => [
        masterMerchantUuidOf(ACQUIRERS.payfair.id, id),
        masterMerchantUuidOf(payfair.id, id + this.#tag),
      ]),
      [cursorOf(MIDDAY), this.cursorBefore(payfair)],
      [cursorOf(LONG_AGO), cursorOf(LONG_AGO, payfair)],
    ]);
  }

  /** Notes an id that only a response has. */
  learn(example: string, real: string): void {
    this.#texts.set(example, real);
  }

  /** Whether something is about this run. */
  isOwn = (value: unknown): boolean => JSON.stringify(value).includes(this.#tag);

  /** A request of the story with the names and ids of this run. */
  request = <T>(request: T): T =>
    replaced(JSON.parse(JSON.stringify(request).replace(NAMES, `$&${this.#tag}`)), this.#texts);

  /** A cursor in the feed of an acquirer before all that this run has done. */
  cursorBefore(acquirer: Pick<Acquirer, 'id'>): string {
    return cursorOf(this.#began, acquirer);
  }
}
