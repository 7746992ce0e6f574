import { MAX } from 'uuid';
import * as v from 'valibot';
import { allDone, retrying } from '../aws/retry.ts';
import { expiryOf, newEventId, timeOfId } from '../base/eventId.ts';
import { bodyRefused, Problem } from '../base/problem.ts';
import { seconds, uuidValue } from '../base/values.ts';
import { knownCardKeys, laterHashes } from '../members/cardKeys.ts';
import {
  type Card,
  cardHashes,
  memberHashes,
  type Reward,
  readCard,
  type StoredReward,
  toReward,
} from '../members/member.ts';
import { complete, newEvent, type RecordEvent, readRecordEvents, recordSteps } from '../record/record.ts';
import { getItems, type Item, queryPrefix } from '../table/client.ts';
import * as keys from '../table/keys.ts';
import { isAsRead, put, remove, type Step, transact, update } from '../table/transaction.ts';

/** The public data of a card. Times are RFC 3339 UTC with milliseconds. */
export interface CardInfo {
  /** The reference: the beginning of the card's hash. It identifies a card of a member. */
  card: string;
  imported_at: string | null;
  blocked_at: string | null;
}

export interface Member {
  cards: CardInfo[];
  rewards: Reward[];
}

const REFERENCE_LENGTH = 12;
export const referenceOf = (hash: string): string => hash.replace(/^\d+\./, '').slice(0, REFERENCE_LENGTH);

const infoOf = (hash: string, { import_id, blocked_at }: Partial<Card>): CardInfo => ({
  card: referenceOf(hash),
  imported_at: import_id ? new Date(timeOfId(import_id)).toISOString() : null,
  blocked_at: blocked_at ?? null,
});

const noSuchMember = (): Problem => new Problem('not_found', 'There is no such member.');

interface Stored {
  hashes: string[];
  cards: (Card | undefined)[];
  rewards: Item<StoredReward>[];
}

async function readMember(memberId: string): Promise<Stored> {
  const items = await queryPrefix<StoredReward>(keys.memberOf(memberId));
  const hashes = items.flatMap((item) => keys.cardHashOf(item) ?? []);
  const cards = await getItems<Card[]>(hashes.map(keys.cardKey));
  return { hashes, cards, rewards: items.filter((item) => keys.cardHashOf(item) === undefined) };
}

/**
 * Gets all stored data of a member.
 *
 * @throws Problem `not_found` when there is none.
 */
export async function getMember(memberId: string): Promise<Member> {
  const { hashes, cards, rewards } = await readMember(memberId);
  if (hashes.length + rewards.length === 0) throw noSuchMember();
  return { cards: hashes.map((hash, at) => infoOf(hash, cards[at] ?? {})), rewards: rewards.map(toReward) };
}

/** The id of the import of each card and reward of a member; `undefined` where there is none. */
export async function importIdsOf(memberId: string): Promise<(string | undefined)[]> {
  const { cards, rewards } = await readMember(memberId);
  return [...cards, ...rewards].map((item) => item?.import_id);
}

/** The imports of a member's data that the record still retains; `undefined` when the member has no data. */
export async function importsOf(memberId: string): Promise<RecordEvent[] | undefined> {
  const ids = await importIdsOf(memberId);
  if (ids.length === 0) return undefined;
  return readRecordEvents(keys.IMPORTS, [...new Set(ids.flatMap((id) => id ?? []))]);
}

/** The link to a card counts as one, and is erased with the card. */
const ERASE_BATCH = 50;

/** The stored item of a member's erasure. Imports with ids up to its own are refused: all while it is in progress. */
export const erasureItem = v.object({ id: uuidValue, ttl: seconds });
export type Erasure = v.InferOutput<typeof erasureItem>;
const IN_PROGRESS = MAX;

export interface MemberCounts {
  cards: number;
  rewards: number;
}

/**
 * Counts what an erasure of a member would remove.
 *
 * @throws Problem `not_found` when the member has no data, and no erasure of it was interrupted.
 */
export async function erasableOf(memberId: string): Promise<MemberCounts> {
  const [{ hashes, rewards }, erasures] = await allDone([
    readMember(memberId),
    getItems<Erasure[]>(keys.erasuresOf(await memberHashes(memberId))),
  ]);
  const isInProgress = erasures.some((erasure) => erasure?.id === IN_PROGRESS);
  if (hashes.length + rewards.length === 0 && !isInProgress) throw noSuchMember();
  return { cards: hashes.length, rewards: rewards.length };
}

/**
 * Erases a member: all cards and rewards. The hash of the member's id stays in the operator's record, and in an item
 * that refuses imports which began earlier. If it is interrupted, another call erases the rest.
 *
 * @returns The numbers of cards and rewards that this call erased.
 * @throws Problem `not_found` when the member has no data, and no erasure of it was interrupted.
 */
export async function eraseMember(memberId: string): Promise<MemberCounts> {
  await erasableOf(memberId);
  const hashes = await memberHashes(memberId);
  const [hash] = hashes;
  const subjects = [keys.memberSubject(hash), keys.ERASURES];
  const event = await newEvent('member.erased', { member: hash, cards: null, rewards: null, completed_at: null });
  const [key, ...others] = keys.erasuresOf(hashes) as [keys.Key, ...keys.Key[]];
  const erasure = (id: string): Step[] => [
    put(key, { id, ttl: expiryOf(event.at) } satisfies Erasure),
    ...others.map((other) => remove(other)),
  ];
  await retrying(() => transact([...erasure(IN_PROGRESS), ...recordSteps(event, ...subjects)]));
  // From here on, imports cannot store data of the member. Cards come first, so that they stop identifying the member.
  const counts = { cards: 0, rewards: 0 };
  // Again until nothing is left: a query may miss what a transaction before this one is still applying.
  for (let items = await itemsOf(memberId); items.length > 0; items = await itemsOf(memberId)) {
    for (let at = 0; at < items.length; at += ERASE_BATCH)
      await eraseItems(memberId, items.slice(at, at + ERASE_BATCH));
    const cards = items.filter((item) => keys.cardHashOf(item) !== undefined).length;
    counts.cards += cards;
    counts.rewards += items.length - cards;
  }
  const now = new Date().toISOString();
  await complete(event, subjects, counts, now, ...erasure(newEventId(now)));
  return counts;
}

const itemsOf = (memberId: string): Promise<Item<object>[]> => queryPrefix<object>(keys.memberOf(memberId));

const eraseItems = (memberId: string, items: keys.Key[]): Promise<void> =>
  retrying(async () => {
    const hashes = items.flatMap((item) => keys.cardHashOf(item) ?? []);
    const cards = await getItems<Item<Card>[]>(hashes.map(keys.cardKey));
    const theirs = cards.filter((card) => card?.member_id === memberId) as Item<Card>[];
    await transact([
      ...theirs.map((card) => remove({ pk: card.pk, sk: card.sk }, isAsRead(card, 'member_id'))),
      ...items.map(({ pk, sk }) => remove({ pk, sk })),
    ]);
  });

/** Identifies a card of a member: by its reference or its card_id. */
export type CardName = { reference: string } | { card_id: string };

const noSuchCard = (): Problem => new Problem('not_found', 'The member has no such card.');

async function hashesOfCard(memberId: string, name: CardName): Promise<string[]> {
  if ('card_id' in name) return cardHashes(name.card_id);
  const links = await queryPrefix<object>(keys.memberCardsOf(memberId));
  const [hash, another] = links
    .flatMap((link) => keys.cardHashOf(link) ?? [])
    .filter((each) => referenceOf(each) === name.reference);
  if (!hash) throw noSuchCard();
  if (!another) return [hash, ...laterHashes(hash, await knownCardKeys())];
  throw bodyRefused('ambiguous', 'Two cards of the member have this reference. Use the card_id instead.');
}

/**
 * Blocks or unblocks a member's card. A blocked card identifies nobody. Does nothing if it is in that state.
 *
 * @throws Problem `not_found` when the member has no such card; `validation_failed` when two cards have the reference.
 */
export async function setCardBlocked(memberId: string, name: CardName, isBlocked: boolean): Promise<CardInfo> {
  const hashes = await hashesOfCard(memberId, name);
  const [memberHash] = await memberHashes(memberId);
  return retrying(async () => {
    const { at, card } = await readCard(hashes);
    const hash = hashes[at];
    if (hash === undefined || card?.member_id !== memberId) throw noSuchCard();
    if (Boolean(card.blocked_at) === isBlocked) return infoOf(hash, card);
    const event = await newEvent(isBlocked ? 'card.blocked' : 'card.unblocked', { card: referenceOf(hash) });
    const blocked_at = isBlocked ? event.at : undefined;
    await transact([
      update(keys.cardKey(hash), { set: { blocked_at } }, isAsRead(card, 'member_id', 'blocked_at')),
      ...recordSteps(event, keys.memberSubject(memberHash)),
    ]);
    return infoOf(hash, { ...card, blocked_at });
  });
}
