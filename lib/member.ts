import { createHmac } from 'node:crypto';
import type { Acquirer } from './acquirer.ts';
import { type Branch, isAccessible } from './branch.ts';
import { setting } from './config.ts';
import { secretText } from './secret.ts';
import { getItems, queryPrefix } from './table/client.ts';
import { branchKey, cardKey, NOBODY, rewardKey, rewardsOf, terminalKey, tidOf } from './table/keys.ts';
import { allDone, Contention, retrying } from './table/retry.ts';
import { type Condition, put, transact } from './table/transaction.ts';
import { archivingOf, type Terminal } from './terminal.ts';

/** A loyalty member's card, known by keyed hashes only. */
interface Card {
  member_id: string;
  pseudo_token_hash: string;
}

/** A reward of a member. Amounts are in major units of `currency`, as a transaction's amount is. */
export interface Reward {
  reward_id: string;
  name: string;
  currency: string;
  minimum_amount: number;
  valid_from: string;
  expires_at: string;
}

/** What a member check is asked (interface §4.13). */
export interface MemberCheck {
  amount: number;
  card_id: string;
  card_pseudo_token: string;
  currency: string;
  terminal_id: string;
  acquirer_id: string;
}

const hmacKey = secretText(setting('CARD_HMAC_KEY_SECRET'));

/** What a terminal or an import says of a card. */
export type CardIdentifiers = Pick<MemberCheck, 'card_id' | 'card_pseudo_token'>;

/** Card identifiers are stored and looked up only as this: without the key, the few card numbers could be tried out. */
async function hashesOf(card: CardIdentifiers): Promise<CardIdentifiers> {
  const key = await hmacKey();
  const hashOf = (kind: keyof CardIdentifiers) =>
    createHmac('sha256', key).update(`${kind}\n${card[kind]}`).digest('hex');
  return { card_id: hashOf('card_id'), card_pseudo_token: hashOf('card_pseudo_token') };
}

/**
 * Gives a member a card. Safe to repeat; a new pseudo token takes the place of the card's old one.
 *
 * @throws Problem `validation_failed` when another member has the card.
 */
export async function addCard(member_id: string, card: CardIdentifiers): Promise<void> {
  const { card_id, card_pseudo_token } = await hashesOf(card);
  const item = { member_id, pseudo_token_hash: card_pseudo_token } satisfies Card;
  const isTheirs: Condition = {
    expression: 'attribute_not_exists(pk) OR member_id = :member_id',
    values: { ':member_id': member_id },
    refusal: [{ pointer: '/card_id', code: 'taken', detail: 'Another member has this card.' }],
  };
  await retrying(() => transact([put(cardKey(card_id), item, isTheirs)]));
}

/** Gives a member a reward, or replaces the one with its id. Safe to repeat. */
export const addReward = (memberId: string, reward: Reward): Promise<void> =>
  retrying(() => transact([put(rewardKey(memberId, reward.reward_id), reward)]));

/**
 * Whether a card's member is identified, and the rewards that this transaction reaches. Not identified is one answer,
 * whatever the reason: an unknown card, another card's token, a terminal that is unknown, archived or not accessible,
 * an acquirer id that does not fit.
 */
export const checkMember = (
  acquirer: Acquirer,
  asked: MemberCheck,
): Promise<{ member_identified: boolean; rewards_available: boolean; rewards: Reward[] }> =>
  retrying(async () => {
    const hashes = await hashesOf(asked);
    const tid = tidOf(asked.terminal_id);
    const [card, terminal] = await getItems<[Card, Terminal]>([cardKey(hashes.card_id), terminalKey(tid)]);
    const isTheirs = card?.pseudo_token_hash === hashes.card_pseudo_token;
    // The same requests whatever was found, and no rewards for a wrong token, so that neither time nor requests tell a
    // caller that a card exists.
    const [[branch, now], rewards] = await allDone([
      getItems<[Branch, Terminal]>([branchKey(terminal?.mid ?? NOBODY), terminalKey(tid)]),
      queryPrefix<Reward>(rewardsOf(isTheirs ? card.member_id : NOBODY)),
    ]);
    if (now?.updated_at !== terminal?.updated_at)
      throw new Contention('The terminal changed while its branch was read');
    const identified =
      isTheirs &&
      terminal &&
      branch &&
      isAccessible(branch, acquirer) &&
      !archivingOf({ terminal, branch }) &&
      [acquirer.id, branch.payment_provider].includes(asked.acquirer_id.toLowerCase());
    if (!identified) return { member_identified: false, rewards_available: false, rewards: [] };

    const time = new Date().toISOString();
    const reached = rewards.filter(
      ({ valid_from, expires_at, currency, minimum_amount }) =>
        valid_from <= time && time < expires_at && currency === asked.currency && asked.amount >= minimum_amount,
    );
    return { member_identified: true, rewards_available: reached.length > 0, rewards: reached.map(toReward) };
  });

/** A reward as the answer shows it. */
const toReward = ({ reward_id, name, currency, minimum_amount, valid_from, expires_at }: Reward): Reward => ({
  reward_id,
  name,
  currency,
  minimum_amount,
  valid_from,
  expires_at,
});
