import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { Acquirer } from './acquirer.ts';
import { setting } from './base/config.ts';
import { currency, keyName, storedText } from './base/fields.ts';
import {
  amount,
  boolean,
  extend,
  field,
  hash,
  listOf,
  shownCurrency,
  shownText,
  time,
  uuidValue,
} from './base/values.ts';
import { type Branch, isAccessible } from './branch.ts';
import { hasTerminal } from './branchTerminals.ts';
import { newEventId } from './eventId.ts';
import { secretText } from './secret.ts';
import { getItem, getItems, prefixRange, queryPage } from './table/client.ts';
import {
  branchKey,
  cardKey,
  erasureKey,
  type Key,
  memberCardKey,
  NO_ID,
  rewardKey,
  rewardsOf,
  terminalKey,
  tidOf,
} from './table/keys.ts';
import { allDone, Conflict, retrying } from './table/retry.ts';
import { type Condition, check, put, type Step, transact, update } from './table/transaction.ts';
import { archivingOf, type Terminal } from './terminal.ts';

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

/** A reward in a response. */
const shownReward = v.object({
  reward_id: field(shownText, 'Id of the reward.'),
  name: field(shownText, 'Name of the reward.'),
  currency: field(shownCurrency, 'Currency (ISO 4217).'),
  minimum_amount: field(amount, 'Smallest amount for which the reward applies.'),
  valid_from: field(time, 'When the reward starts to apply (RFC 3339, UTC).'),
  expires_at: field(time, 'When the reward stops applying (RFC 3339, UTC).'),
});

/** The response to a member check. */
export const shownMemberCheck = v.object({
  member_identified: field(boolean, 'Whether the card, its token and the terminal identify a member.'),
  rewards_available: field(boolean, 'Whether any rewards apply to this transaction.'),
  rewards: field(listOf(shownReward, 10_000), 'Rewards that apply to this transaction.'),
});

/** The body of POST /api/v1/host/member-check. */
export interface MemberCheck {
  amount: number;
  card_id: string;
  card_pseudo_token: string;
  currency: string;
  terminal_id: string;
  acquirer_id: string;
}

const hmacKey = secretText(() => setting('CARD_HMAC_KEY_SECRET'));

/** The identifiers of a card, in a member check or an import. */
export type CardIdentifiers = Pick<MemberCheck, 'card_id' | 'card_pseudo_token'>;

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

const hashesOf = async (card: CardIdentifiers): Promise<CardIdentifiers> => ({
  card_id: await hashOf('card_id', card.card_id),
  card_pseudo_token: await hashOf('card_pseudo_token', card.card_pseudo_token),
});

/**
 * Checks that a member was not erased after an import began, and that no erasure is in progress. Later imports may
 * store the member again.
 */
async function checkNotErased(member_id: string, import_id: string): Promise<Step> {
  const detail = 'The member was erased after the import began, or its erasure is not complete.';
  return check(erasureKey(await memberHash(member_id)), {
    expression: 'attribute_not_exists(pk) OR id < :import_id',
    values: { ':import_id': import_id },
    refusal: [{ pointer: '/member_id', code: 'erased', detail }],
  });
}

const newImportId = (): string => newEventId(new Date().toISOString());

/**
 * Adds a card to a member, or replaces its pseudo token. Does nothing if the member has the card with this token. A
 * blocked card stays blocked.
 *
 * @param import_id Id of the import's event.
 * @throws Problem `validation_failed` when another member has the card, the member was erased after the import began,
 *   or its erasure is not complete.
 */
export async function addCard(member_id: string, card: CardIdentifiers, import_id?: string): Promise<void> {
  const { card_id, card_pseudo_token } = await hashesOf(card);
  const listed = memberCardKey(member_id, card_id);
  const [stored, isListed] = await getItems<[Card, object]>([cardKey(card_id), listed]);
  if (isListed && stored?.member_id === member_id && stored.pseudo_token_hash === card_pseudo_token) return;
  const isTheirCard: Condition = {
    expression: 'attribute_not_exists(pk) OR member_id = :member_id',
    values: { ':member_id': member_id },
    refusal: [{ pointer: '/card_id', code: 'taken', detail: 'Another member has this card.' }],
  };
  const set = { member_id, pseudo_token_hash: card_pseudo_token, import_id } satisfies Card;
  const steps = [
    await checkNotErased(member_id, import_id ?? newImportId()),
    update(cardKey(card_id), { set }, isTheirCard),
    put(listed, {}),
  ];
  await retrying(() => transact(steps));
}

/**
 * Adds rewards to a member, or replaces those with the same ids, in one transaction. Unchanged rewards are not written.
 * If ids repeat, the last reward is stored.
 *
 * @param rewards At most 99.
 * @param import_id Id of the import's event.
 * @throws Problem `validation_failed` when the member was erased after the import began, or its erasure is not
 *   complete.
 */
export async function addRewards(member_id: string, rewards: Reward[], import_id?: string): Promise<void> {
  const wanted = [...new Map(rewards.map((reward) => [reward.reward_id, toReward(reward)])).values()];
  const keys = wanted.map(({ reward_id }) => rewardKey(member_id, reward_id));
  const stored = await getItems<Reward[]>(keys);
  const puts = wanted.flatMap((reward, at) => {
    const existing = stored[at];
    if (existing && isDeepStrictEqual(toReward(existing), reward)) return [];
    return [put(keys[at] as Key, { ...reward, import_id } satisfies StoredReward)];
  });
  if (puts.length === 0) return;
  const steps = [await checkNotErased(member_id, import_id ?? newImportId()), ...puts];
  await retrying(() => transact(steps));
}

/** Adds one reward to a member, as {@link addRewards} does. */
export const addReward = (member_id: string, reward: Reward, import_id?: string): Promise<void> =>
  addRewards(member_id, [reward], import_id);

/**
 * Checks whether a card identifies a member, and returns the rewards that apply to the transaction. It reads at most 1 MB
 * of the member's rewards, several thousand; `hasMore` tells whether there are more. The result does not
 * say why no member was identified: an unknown or blocked card, another card's token, a terminal that is unknown,
 * archived or not accessible, or an acquirer_id that is neither the caller's nor the payment provider's.
 */
export const checkMember = (
  acquirer: Acquirer,
  request: MemberCheck,
): Promise<{ result: v.InferOutput<typeof shownMemberCheck>; hasMore: boolean }> =>
  retrying(async () => {
    const hashes = await hashesOf(request);
    const [card, terminal] = await getItems<[Card, Terminal]>([
      cardKey(hashes.card_id),
      terminalKey(tidOf(request.terminal_id)),
    ]);
    const isTheirs = card?.pseudo_token_hash === hashes.card_pseudo_token && !card.blocked_at;
    // The same requests in any case, and no rewards for a wrong token, so that neither response times nor table usage
    // reveal whether a card exists.
    const [branch, rewards] = await allDone([
      getItem<Branch>(branchKey(terminal?.mid ?? NO_ID)),
      queryPage<Reward>(prefixRange(rewardsOf(isTheirs ? card.member_id : NO_ID))),
    ]);
    if (terminal && branch && !hasTerminal(branch, terminal))
      throw new Conflict('The terminal left its branch while the branch was read');
    const identified =
      isTheirs &&
      terminal &&
      branch &&
      isAccessible(branch, acquirer) &&
      !archivingOf({ terminal, branch }) &&
      [acquirer.id, branch.payment_provider].includes(request.acquirer_id.toLowerCase());
    if (!identified)
      return { result: { member_identified: false, rewards_available: false, rewards: [] }, hasMore: false };

    const time = new Date().toISOString();
    const available = rewards.items.filter(
      ({ valid_from, expires_at, currency, minimum_amount }) =>
        valid_from <= time && time < expires_at && currency === request.currency && request.amount >= minimum_amount,
    );
    return {
      result: { member_identified: true, rewards_available: available.length > 0, rewards: available.map(toReward) },
      hasMore: rewards.next !== undefined,
    };
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
