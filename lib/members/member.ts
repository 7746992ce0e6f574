import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { currency, keyName, storedText } from '../base/fields.ts';
import { HORIZON_MS } from '../base/time.ts';
import { extend, keyedHash, seconds, shownAs, time, uuidValue } from '../base/values.ts';
import { type Found, getItemsAndTombstones, type Item, type Keys } from '../table/client.ts';
import { cardKey } from '../table/keys.ts';
import type { Tombstone } from '../table/tombstone.ts';
import { type Hashes, keyedHashes, knownCardKeys } from './cardKeys.ts';

/** Links an imported item to the import's event in the operator's record. */
const import_id = v.optional(uuidValue);

/** The stored item of a loyalty member's card. Card identifiers are stored only as keyed hashes. */
export const cardItem = v.object({
  member_id: keyName,
  pseudo_token_hash: keyedHash,
  /** While it is set, the card identifies nobody. */
  blocked_at: v.optional(time),
  import_id,
});

export type Card = v.InferOutput<typeof cardItem>;

/** A reward of a member. Amounts are in major units of `currency`, like the amount of a member check. */
const reward = v.object({
  reward_id: keyName,
  name: storedText,
  currency,
  minimum_amount: v.pipe(v.number(), v.minValue(0)),
  valid_from: time,
  expires_at: time,
});

export type Reward = v.InferOutput<typeof reward>;

/** The stored item of a reward. DynamoDB deletes it some time after it has expired: see {@link ttlOf}. */
export const rewardItem = extend(reward, { import_id, ttl: seconds });

export type StoredReward = v.InferOutput<typeof rewardItem>;

/** The identifiers of a card, in a member check or an import. */
export interface CardIdentifiers {
  card_id: string;
  card_pseudo_token: string;
}

/** See {@link keyedHashes}. */
export const cardHashes = async (card_id: string): Promise<string[]> =>
  keyedHashes('card_id', card_id, await knownCardKeys()).slice(0, 2);

/** The keyed hashes of a member's id. They are all that is stored of an erased member. */
export const memberHashes = async (member_id: string): Promise<Hashes> =>
  keyedHashes('member_id', member_id, await knownCardKeys());

/** The keyed hashes of a card, for each of {@link cardHashes}. */
export async function hashesOf(card: CardIdentifiers): Promise<[CardIdentifiers, ...CardIdentifiers[]]> {
  const known = await knownCardKeys();
  const tokens = keyedHashes('card_pseudo_token', card.card_pseudo_token, known);
  const hashes = keyedHashes('card_id', card.card_id, known).map((card_id, at) => ({
    card_id,
    card_pseudo_token: tokens[at] as string,
  }));
  return hashes.slice(0, 2) as [CardIdentifiers, ...CardIdentifiers[]];
}

/**
 * The pauses before another read of a card that was moved from one hash to another, in milliseconds. DynamoDB applies a
 * transaction item by item, within milliseconds; after these pauses the card has been erased since.
 */
const MOVE_PAUSES = [20, 40, 80, 160, 320];

/**
 * Reads the card under one of some hashes, and other items, in one batch, again if the card is moved meanwhile.
 *
 * @returns The card and which hash it has; -1 if there is none.
 */
export async function readCard<T extends unknown[]>(
  hashes: string[],
  ...others: Keys<T>
): Promise<{ at: number; card: Item<Card> | undefined; others: Found<T> }> {
  const wasMoved = ({ pk, deleted_at }: Item<Tombstone>) =>
    hashes.some((hash) => cardKey(hash).pk === pk) && Date.now() - Date.parse(deleted_at) < HORIZON_MS;
  for (let reads = 0; ; reads += 1) {
    const { items, tombstones } = await getItemsAndTombstones<unknown[]>([...hashes.map(cardKey), ...others]);
    const at = items.findIndex((item, index) => item !== undefined && index < hashes.length);
    const pause = MOVE_PAUSES[reads];
    if (at !== -1 || pause === undefined || !(tombstones as Item<Tombstone>[]).some(wasMoved))
      return { at, card: items[at] as Item<Card> | undefined, others: items.slice(hashes.length) as Found<T> };
    await sleep(pause);
  }
}

/** The latest time to live, in seconds since 1970: {@link seconds}. */
const LATEST = 9_999_999_999;

/** The table's time to live of a reward, in seconds since 1970. */
export const ttlOf = ({ expires_at }: Reward): number => Math.min(Math.ceil(Date.parse(expires_at) / 1000), LATEST);

export const toReward = (stored: Reward): Reward => shownAs(reward, stored);
