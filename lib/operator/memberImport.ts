import { isDeepStrictEqual } from 'node:util';
import { retrying } from '../aws/retry.ts';
import { newEventId } from '../base/eventId.ts';
import type { FieldError } from '../base/problem.ts';
import {
  type Card,
  type CardIdentifiers,
  hashesOf,
  memberHashes,
  type Reward,
  readCard,
  type StoredReward,
  toReward,
  ttlOf,
} from '../members/member.ts';
import { complete, newEvent, type RecordEvent, recordSteps } from '../record/record.ts';
import { getItems } from '../table/client.ts';
import { cardKey, erasuresOf, IMPORTS, type Key, memberCardKey, rewardKey } from '../table/keys.ts';
import { isTombstone } from '../table/tombstone.ts';
import { type Condition, check, put, type Step, transact, update } from '../table/transaction.ts';
import type { Erasure } from './members.ts';

export const newImportId = (): string => newEventId(new Date().toISOString());

const ERASED: FieldError = {
  pointer: '/member_id',
  code: 'erased',
  detail: 'The member was erased after the import began, or its erasure is not complete.',
};
const CARD_TAKEN: FieldError = { pointer: '/card_id', code: 'taken', detail: 'Another member has this card.' };

/** Checks that a member was not erased after an import began, and that no erasure is in progress. */
export async function checkNotErased(member_id: string, import_id = newImportId()): Promise<Step[]> {
  return erasuresOf(await memberHashes(member_id)).map((key) =>
    check(key, {
      expression: 'attribute_not_exists(pk) OR id < :import_id',
      values: { ':import_id': import_id },
      refusal: [ERASED],
    }),
  );
}

/**
 * Adds a card to a member, or replaces its pseudo token. A blocked card stays blocked.
 *
 * @param import_id Id of the import's event.
 * @throws Problem `validation_failed` when another member has the card, or the member was erased: see checkNotErased.
 */
export const addCard = (member_id: string, card: CardIdentifiers, import_id?: string): Promise<void> =>
  retrying(async () => {
    const hashes = await hashesOf(card);
    const cardIds = hashes.map(({ card_id }) => card_id);
    const { at, card: stored } = await readCard(cardIds);
    const { card_id, card_pseudo_token } = hashes[Math.max(at, 0)] ?? hashes[0];
    if (stored?.member_id === member_id && stored.pseudo_token_hash === card_pseudo_token) return;
    const isTheirCard: Condition = {
      expression: 'attribute_not_exists(pk) OR member_id = :member_id',
      values: { ':member_id': member_id },
      // A tombstone says that the card was moved in the meantime.
      refusal: (item) => (isTombstone(item) ? 'stale' : [CARD_TAKEN]),
    };
    const set = { member_id, pseudo_token_hash: card_pseudo_token, import_id } satisfies Card;
    await transact([
      ...(await checkNotErased(member_id, import_id)),
      update(cardKey(card_id), { set }, isTheirCard),
      put(memberCardKey(member_id, card_id), {}),
      // So that a card has only one item, although two keys are in use.
      ...cardIds.filter((each) => each !== card_id).map((each) => check(cardKey(each), isNoCard)),
    ]);
  });

/**
 * Reads why {@link addCard} or {@link addRewards} would be refused. Stores nothing.
 *
 * @param owners Members by the hashes of their new cards, from earlier calls with the same import.
 * @returns The field errors; none if it would be stored.
 */
export async function refusalsOf(
  member_id: string,
  card: CardIdentifiers | undefined,
  import_id: string,
  owners: Map<string, string>,
): Promise<FieldError[]> {
  const erasures = await getItems<Erasure[]>(erasuresOf(await memberHashes(member_id)));
  if (erasures.some((erasure) => erasure && erasure.id >= import_id)) return [ERASED];
  if (!card) return [];
  const hashes = (await hashesOf(card)).map(({ card_id }) => card_id);
  const { card: stored } = await readCard(hashes);
  const owner = stored?.member_id ?? owners.get(String(hashes[0]));
  if (!owner) owners.set(String(hashes[0]), member_id);
  return owner && owner !== member_id ? [CARD_TAKEN] : [];
}

/** Condition: no card has this key. One that was moved leaves a tombstone. */
const isNoCard: Condition = {
  expression: 'attribute_not_exists(pk) OR attribute_exists(deleted_at)',
  refusal: 'stale',
};

/**
 * Adds rewards to a member, or replaces those with the same ids, in one transaction. Unchanged rewards are not written.
 *
 * @param rewards At most 98. Of those with the same id, the last counts.
 * @throws Problem `validation_failed` when the member was erased: see checkNotErased.
 */
export async function addRewards(member_id: string, rewards: Reward[], import_id?: string): Promise<void> {
  const wanted = [...new Map(rewards.map((reward) => [reward.reward_id, toReward(reward)])).values()];
  const keys = wanted.map(({ reward_id }) => rewardKey(member_id, reward_id));
  const stored = await getItems<StoredReward[]>(keys);
  const puts = wanted.flatMap((reward, at) => {
    const existing = stored[at];
    if (existing && isDeepStrictEqual(toReward(existing), reward)) return [];
    return [put(keys[at] as Key, { ...reward, import_id, ttl: ttlOf(reward) } satisfies StoredReward)];
  });
  if (puts.length === 0) return;
  const steps = [...(await checkNotErased(member_id, import_id)), ...puts];
  await retrying(() => transact(steps));
}

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
