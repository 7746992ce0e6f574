import { randomBytes } from 'node:crypto';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { v5 as uuidV5 } from 'uuid';
import { allDone, retrying } from '../aws/retry.ts';
import { bodyRefused, Problem } from '../base/problem.ts';
import {
  type CardKeys,
  currentCardKeys,
  laterHashes,
  MOST_CARD_KEYS,
  RESTED_MS,
  versionOf,
} from '../members/cardKeys.ts';
import type { Card } from '../members/member.ts';
import { complete, newEvent, type RecordEvent, recordSteps } from '../record/record.ts';
import { getItem, getItems, type Item, table, tableName } from '../table/client.ts';
import { CARD_KEYS, cardKey, erasureKey, hashIn, type Key, memberCardKey } from '../table/keys.ts';
import { tombstoneOf } from '../table/tombstone.ts';
import { isAsRead, put, remove, transact } from '../table/transaction.ts';
import { checkNotErased } from './memberImport.ts';
import { type Erasure, referenceOf } from './members.ts';

/** The keys of the items that are stored under hashes of older versions, page by page of a scan. */
async function* olderKeys({ keys }: CardKeys): AsyncGenerator<Key[]> {
  if (keys.length === 1) return;
  const [cards, erasures] = [cardKey('').pk, erasureKey('').pk];
  const scan = {
    TableName: tableName(),
    FilterExpression: `(begins_with(pk, :cards) AND NOT begins_with(pk, :newest_cards)
      OR begins_with(pk, :erasures) AND NOT begins_with(pk, :newest_erasures)) AND attribute_not_exists(deleted_at)`,
    ExpressionAttributeValues: {
      ':cards': cards,
      ':newest_cards': `${cards}${keys.length}.`,
      ':erasures': erasures,
      ':newest_erasures': `${erasures}${keys.length}.`,
    },
    ProjectionExpression: 'pk, sk',
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateScan({ client: table }, scan)) yield Items as Key[];
}

const isCard = ({ sk }: Key): boolean => sk === cardKey('').sk;

const minutesLeft = ({ keys, age }: CardKeys): number =>
  keys.length === 1 ? 0 : Math.ceil((RESTED_MS - age()) / 60_000);

/** @throws Problem `validation_failed` while there are {@link minutesLeft}, or if that is not known. */
function requireRest(current: CardKeys): void {
  const left = minutesLeft(current);
  if (left <= 0) return;
  if (Number.isNaN(left))
    throw bodyRefused(
      'unknown_age',
      'The age of the card key is unknown: the response of Secrets Manager has no Date or CreatedDate.',
    );
  throw bodyRefused('too_early', `Not every process knows the newest card key yet. Try again in ${left} minutes.`);
}

const NAMESPACE = 'b0a3c1de-6d53-5c39-8f53-0f5d2f0a8a0e';

/**
 * Appends a new key to the card key. Of two concurrent rotations, one is refused.
 *
 * @param store Stores the text as a new version of the secret with this id (`ClientRequestToken` of PutSecretValue,
 *   which refuses another text under the same id).
 * @returns The number of keys.
 * @throws Problem `validation_failed` when there are {@link MOST_CARD_KEYS} keys, the last rotation is too recent, or
 *   items are still stored under hashes of an older version.
 */
export async function rotateCardKey(store: (text: string, token: string) => Promise<unknown>): Promise<number> {
  const current = await currentCardKeys();
  const { keys, text, id } = current;
  if (keys.length >= MOST_CARD_KEYS)
    throw bodyRefused(
      'too_many',
      `The card key has ${keys.length} keys, the most. See "Rotate the card key" in docs/partners.md.`,
    );
  requireRest(current);
  for await (const older of olderKeys(current))
    if (older.length > 0)
      throw bodyRefused('not_rehashed', 'Cards or erasures still have an older key. Run "cards rehash" first.');
  const event = await begin('card_key.rotated', { version: keys.length + 1 });
  await store(`${text}\n${randomBytes(48).toString('base64url')}`, uuidV5(id, NAMESPACE));
  await complete(event, [CARD_KEYS], {}, new Date().toISOString());
  return keys.length + 1;
}

async function begin(type: 'card_key.rotated' | 'cards.rehashed', details: object): Promise<RecordEvent> {
  const event = await newEvent(type, { ...details, completed_at: null });
  await retrying(() => transact(recordSteps(event, CARD_KEYS)));
  return event;
}

/** A card that stays under its older hash. */
interface LeftCard {
  card: string;
  member_id: string;
  reason: string;
}

export interface Rehashed {
  cards: number;
  erasures: number;
  left: LeftCard[];
}

const CONCURRENCY = 16;

/**
 * Takes all cards and marks of erased members to the hash of the newest version, each in one transaction, beside all
 * other changes. If it is interrupted, another call moves the rest.
 *
 * @param progress Is called with the number of items so far.
 * @throws Problem `validation_failed` when the last rotation is too recent.
 */
export async function rehash(progress: (items: number) => void = () => {}): Promise<Rehashed> {
  const current = await currentCardKeys();
  requireRest(current);
  const moved: Rehashed = { cards: 0, erasures: 0, left: [] };
  let event: RecordEvent | undefined;
  for await (const keys of olderKeys(current))
    for (let at = 0; at < keys.length; at += CONCURRENCY) {
      const version = current.keys.length;
      event ??= await begin('cards.rehashed', { version, cards: null, erasures: null, left: null });
      const batch = keys.slice(at, at + CONCURRENCY);
      const results = await allDone(batch.map((key) => (isCard(key) ? moveCard : moveErasure)(key, current)));
      for (const [index, result] of results.entries()) {
        if (typeof result === 'object') moved.left.push(result);
        else if (result) moved[isCard(batch[index] as Key) ? 'cards' : 'erasures'] += 1;
      }
      progress(moved.cards + moved.erasures);
    }
  const { cards, erasures, left } = moved;
  const counts = { cards, erasures, left: left.length };
  if (event) await complete(event, [CARD_KEYS], counts, new Date().toISOString());
  return moved;
}

/**
 * Does {@link rehash} in a restored table that is not in use yet, or leaves it for later (`undefined`) if it is too
 * early: member checks find cards under the two newest versions.
 *
 * @throws Problem `validation_failed` when it is too early, and the table also has hashes of older versions than these
 *   two.
 */
export async function rehashRestored(): Promise<Rehashed | undefined> {
  const current = await currentCardKeys();
  if (minutesLeft(current) <= 0) return rehash();
  for await (const keys of olderKeys(current))
    if (keys.some((key) => versionOf(hashIn(key)) < current.keys.length - 1)) requireRest(current);
  return undefined;
}

const newestOf = (hash: string, current: CardKeys): string => laterHashes(hash, current).at(-1) ?? hash;

/** Returns whether it moved the card, or why the card stays. */
const moveCard = (key: Key, current: CardKeys): Promise<boolean | LeftCard> =>
  retrying(async () => {
    const hash = hashIn(key);
    const moved = newestOf(hash, current);
    const [card, newer] = await getItems<[Item<Card>, Item<Card>]>([key, cardKey(moved)]);
    // Another run has moved it, or the member was erased.
    if (!card) return false;
    const { pk, sk, ...attributes } = card;
    const { member_id } = card;
    const stays = (reason: string) => ({ card: referenceOf(hash), member_id, reason });
    if (newer && newer.member_id !== member_id) return stays('Another member has this card under the newest key.');
    const token = newestOf(card.pseudo_token_hash, current);
    const blocked_at = newer?.blocked_at ?? card.blocked_at;
    const steps = [
      // An erasure in progress removes the card under the hash that it has found.
      ...(await checkNotErased(member_id)),
      put(
        cardKey(moved),
        // An import may have stored it again, in a restored table whose cards were not moved before it was used.
        { ...attributes, pseudo_token_hash: token, ...newer, ...cardKey(moved), ...(blocked_at && { blocked_at }) },
        isAsRead(newer, ...CARD_ATTRIBUTES),
      ),
      // By the clock of AWS, because readers compare it with theirs.
      put(key, tombstoneOf(new Date(current.now()).toISOString()), isAsRead(card, ...CARD_ATTRIBUTES)),
      put(memberCardKey(member_id, moved), {}),
      remove(memberCardKey(member_id, hash)),
    ];
    return transact(steps).then(
      () => true,
      (error) => {
        if (!(error instanceof Problem)) throw error;
        return stays('The erasure of its member is not complete: run "members erase".');
      },
    );
  });

const CARD_ATTRIBUTES = ['member_id', 'pseudo_token_hash', 'blocked_at', 'import_id'] as const;

const moveErasure = (key: Key, current: CardKeys): Promise<boolean> =>
  retrying(async () => {
    const to = erasureKey(newestOf(hashIn(key), current));
    const [erasure, newer] = await allDone([getItem<Erasure>(key), getItem<Erasure>(to)]);
    if (!erasure) return false;
    const { id, ttl } = newer && newer.id > erasure.id ? newer : erasure;
    await transact([put(to, { id, ttl }, isAsRead(newer, 'id')), remove(key, isAsRead(erasure, 'id'))]);
    return true;
  });
