import { isDeepStrictEqual } from 'node:util';
import { newEventId } from '../events/eventId.ts';
import {
  type Card,
  type CardIdentifiers,
  hashesOf,
  memberHash,
  type Reward,
  type StoredReward,
  toReward,
} from '../members/member.ts';
import { complete, newEvent, type RecordEvent, recordSteps } from '../record/record.ts';
import { getItems } from '../table/client.ts';
import { cardKey, erasureKey, IMPORTS, type Key, memberCardKey, rewardKey } from '../table/keys.ts';
import { retrying } from '../table/retry.ts';
import { type Condition, check, put, type Step, transact, update } from '../table/transaction.ts';

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

/** Records the start of an import, before it stores anything. */
export async function beginImport(): Promise<RecordEvent> {
  const event = await newEvent('members.imported', { stored: null, refused: null, completed_at: null });
  await retrying(() => transact(recordSteps(event, IMPORTS)));
  return event;
}

/** Completes an import's event with the numbers of stored and refused rows. */
export const endImport = (event: RecordEvent, counts: { stored: number; refused: number }): Promise<void> =>
  complete(event, [IMPORTS], counts, new Date().toISOString());
