import { createHmac } from 'node:crypto';
import * as v from 'valibot';
import { setting } from '../base/config.ts';
import { currency, keyName, storedText } from '../base/fields.ts';
import { extend, hash, time, uuidValue } from '../base/values.ts';
import { secretText } from '../platform/secret.ts';

/** Links an imported item to the import's event in the operator's record. */
const import_id = v.optional(uuidValue);

/** The stored item of a loyalty member's card. Card identifiers are stored only as keyed hashes. */
export const cardItem = v.object({
  member_id: keyName,
  pseudo_token_hash: hash,
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

/** The stored item of a reward. */
export const rewardItem = extend(reward, { import_id });

export type StoredReward = v.InferOutput<typeof rewardItem>;

const hmacKey = secretText(() => setting('CARD_HMAC_KEY_SECRET'));

/** The identifiers of a card, in a member check or an import. */
export interface CardIdentifiers {
  card_id: string;
  card_pseudo_token: string;
}

/**
 * The keyed hash of an identifier. There are so few card numbers that without the key they could be found by brute
 * force.
 */
async function hashOf(kind: keyof CardIdentifiers | 'member_id', text: string): Promise<string> {
  return createHmac('sha256', await hmacKey())
    .update(`${kind}\n${text}`)
    .digest('hex');
}

/** The keyed hash of a card_id, by which the card is stored. */
export const cardHash = (card_id: string): Promise<string> => hashOf('card_id', card_id);

/** The keyed hash of a member's id. It is all that is stored of an erased member. */
export const memberHash = (member_id: string): Promise<string> => hashOf('member_id', member_id);

export const hashesOf = async (card: CardIdentifiers): Promise<CardIdentifiers> => ({
  card_id: await hashOf('card_id', card.card_id),
  card_pseudo_token: await hashOf('card_pseudo_token', card.card_pseudo_token),
});

/** Converts a stored reward for a response. */
export const toReward = ({ reward_id, name, currency, minimum_amount, valid_from, expires_at }: Reward): Reward => ({
  reward_id,
  name,
  currency,
  minimum_amount,
  valid_from,
  expires_at,
});
