import { createHash } from 'node:crypto';
import { v5 as uuidV5 } from 'uuid';
import { UUID } from '../base/mid.ts';

/** A primary key of the table. This file builds every key of the project. */
export interface Key {
  pk: string;
  sk: string;
}

const keyOf = (pk: string, sk: string): Key => ({ pk, sk });

/** The key of an item that has a partition of its own. */
const ownKey = (kind: string, id: string): Key => keyOf(`${kind}#${id}`, kind);

/**
 * The part of a partition's key before the first `#`. Roles grant access by it (infra/stack/functions.yml), so text
 * from partners must only come after that `#`.
 */
export const kindOf = (pk: string): string => pk.split('#', 1)[0] as string;

/** Namespace of all version-5 UUIDs. Changing it would orphan all stored terminals and master merchants. */
const NAMESPACE = '6a3ff0c5-4f0e-5d0c-9b57-0a4b8d2f6c11';

const bytesOfUuid = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex');
const uuidOf = (bytes: Buffer): string => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
/** A UUID in base64url: 22 characters instead of 36. */
export const shortUuid = (uuid: string): string => bytesOfUuid(uuid).toString('base64url');
export const longUuid = (short: string): string => uuidOf(Buffer.from(short, 'base64url'));

/** The TID of a terminal: the version-5 UUID (RFC 9562 §5.5) of its terminal_id, which so is unique. */
export const tidOf = (terminalId: string): string => uuidV5(`TERMINAL#${terminalId}`, NAMESPACE);

export const masterMerchantUuidOf = (paymentProvider: string, masterMerchantId: string): string =>
  uuidV5(`MASTER_MERCHANT#${paymentProvider}#${masterMerchantId}`, NAMESPACE);

/**
 * An id that no branch or member has, to read in place of one that is not known, so that response times and table usage
 * reveal nothing. Each text has its own, because a partition serves 3,000 reads a second.
 */
export const noIdOf = (text: string): string => `-${text}`;

/** All acquirers share a partition, so that the operator can list them without a scan. */
export const acquirerKey = (id: string): Key => keyOf('ACQUIRERS', `ACQUIRER#${id}`);
export const acquirers = { pk: 'ACQUIRERS', prefix: 'ACQUIRER#' };

/** Head of an acquirer's branch list. It sorts before the entries: see ranks.ts. */
export const branchListKey = (acquirer: string): Key => keyOf(`ACQUIRER#${acquirer}`, 'BRANCH_LIST');
/** Entry of a branch list. Its key holds all of its data, and sorts by time of creation. */
export const branchListEntryKey = (acquirer: string, createdAt: string, mid: string): Key =>
  keyOf(`ACQUIRER#${acquirer}`, `BRANCH_LIST#${createdAt}#${mid}`);
/** Creation time and MID in the key of an entry; `undefined` for the head. */
export function branchListEntryOf({ sk }: Key): { created_at: string; mid: string } | undefined {
  const [, created_at, mid] = sk.split('#');
  return created_at !== undefined && mid !== undefined ? { created_at, mid } : undefined;
}
export const branchListOf = (acquirer: string) => ({ pk: `ACQUIRER#${acquirer}`, prefix: 'BRANCH_LIST' });

/** The lists of the lookup. Each acquirer has its own, each in a partition of its own. */
export type ReferenceList =
  | 'PAYMENT_PROVIDERS'
  | 'DISTRIBUTORS'
  | 'PAYMENT_APPS'
  | 'MASTER_ACQUIRERS'
  | 'MASTER_MERCHANTS';
const referenceKey = (list: ReferenceList, acquirer: string, id: string): Key => keyOf(`${list}#${acquirer}`, id);
export const referencesOf = (list: ReferenceList, acquirer: string) => ({ pk: `${list}#${acquirer}`, prefix: '' });
export const providerKey = (distributor: string, provider: string): Key =>
  referenceKey('PAYMENT_PROVIDERS', distributor, provider);
export const distributorKey = (provider: string, distributor: string): Key =>
  referenceKey('DISTRIBUTORS', provider, distributor);
export const paymentAppKey = (acquirer: string, name: string): Key => referenceKey('PAYMENT_APPS', acquirer, name);
export const masterAcquirerKey = (acquirer: string, name: string): Key =>
  referenceKey('MASTER_ACQUIRERS', acquirer, name);
/**
 * A master merchant in a lookup. There can be many, and reads are billed by size: base64url has 22 characters, not 36.
 */
export const masterMerchantEntryKey = (acquirer: string, uuid: string): Key =>
  referenceKey('MASTER_MERCHANTS', acquirer, shortUuid(uuid));
export const masterMerchantEntryUuidOf = ({ sk }: Key): string => longUuid(sk);
export const masterMerchantKey = (uuid: string): Key => ownKey('MASTER_MERCHANT', uuid);

/** What is found by words: branches, and master merchants in a lookup. */
export type WordList = 'BRANCHES' | 'MASTER_MERCHANTS';

/** Over how many partitions the entries of the same word are spread, by what they lead to. */
export const SHARDS = 8;
const shardOf = (id: string): number => (createHash('sha256').update(id).digest()[0] as number) % SHARDS;

/** A MID or UUID in the key of an entry. Searches are billed for it, so a UUID is encoded in base64url. */
const packId = (id: string): string => (UUID.test(id) ? `=${shortUuid(id)}` : id);
const unpackId = (packed: string): string => (packed.startsWith('=') ? longUuid(packed.slice(1)) : packed);

/** Partition of what has no entries per word; those of entries begin with it. */
const wordsPartition = (list: WordList, acquirer: string): string =>
  `WORDS#${shortUuid(acquirer)}#${list === 'BRANCHES' ? 'B' : 'M'}`;
export const unindexedWordsOf = (list: WordList, acquirer: string) => ({
  pk: wordsPartition(list, acquirer),
  prefix: '',
});
export const unindexedWordsKey = (list: WordList, acquirer: string, id: string): Key =>
  keyOf(wordsPartition(list, acquirer), packId(id));

/** Partition and sort-key prefix of the entries of the words that begin with `word`, or are it if it has one letter. */
export const wordEntriesOf = (list: WordList, acquirer: string, word: string, shard: number) => ({
  pk: `${wordsPartition(list, acquirer)}#${[...word].slice(0, 2).join('')}#${shard}`,
  prefix: word,
});
/** The entry of one word, which leads to a MID or the UUID of a master merchant. */
export const wordEntryKey = (list: WordList, acquirer: string, word: string, id: string): Key =>
  keyOf(wordEntriesOf(list, acquirer, word, word.startsWith('*') ? 0 : shardOf(id)).pk, `${word}#${packId(id)}`);
/** The word of the entry of something whose words were cut. All these entries are in the first shard. */
export const cutEntryWord = (word: string): string => `*${word}`;
/** The list and the acquirer in the partition of entries of words. */
export function wordListOf({ pk }: Key): { list: WordList; acquirer: string } {
  const [, acquirer = '', list] = pk.split('#');
  return { list: list === 'M' ? 'MASTER_MERCHANTS' : 'BRANCHES', acquirer: longUuid(acquirer) };
}
/** The id in the key of an entry of a word, or of what has no entries yet. */
export const idOfWordEntry = ({ sk }: Key): string => unpackId(sk.slice(sk.indexOf('#') + 1));

export const apiKeyKey = (sha256: string): Key => ownKey('API_KEY', sha256);
/** Functions write it, and can only read API keys. */
export const apiKeyUseKey = (keyId: string): Key => ownKey('API_KEY_USE', keyId);

export const personKey = (person: string): Key => ownKey('PERSON', person);
/** The person of an issuer's subject, by the hash of both. */
export const identityKey = (sha256: string): Key => ownKey('IDENTITY', sha256);
export const sessionKey = (sha256: string): Key => ownKey('SESSION', sha256);
/** All functions write it, and can only read sessions. */
export const sessionUseKey = (sha256: string): Key => ownKey('SESSION_USE', sha256);
export const membershipKey = (acquirer: string, person: string): Key => keyOf(`PEOPLE#${acquirer}`, `PERSON#${person}`);
/** All functions that people call write it, and can only read memberships. */
export const membershipUseKey = (acquirer: string, person: string): Key =>
  keyOf(`PEOPLE_USE#${acquirer}`, `PERSON#${person}`);
export const invitationKey = (acquirer: string, id: string): Key => keyOf(`PEOPLE#${acquirer}`, `INVITATION#${id}`);
/** Partition of the people of an acquirer and of their invitations. */
export const peopleOf = (acquirer: string) => ({ pk: `PEOPLE#${acquirer}`, prefix: '' });
/** What an acquirer still knows of a removed person, or of whom an invitation invited: see keptName.ts. */
export const keptPersonKey = (acquirer: string, person: string): Key =>
  keyOf(`PEOPLE_NAMES#${acquirer}`, `PERSON#${person}`);
export const keptInvitationKey = (acquirer: string, id: string): Key =>
  keyOf(`PEOPLE_NAMES#${acquirer}`, `INVITATION#${id}`);
export const keptNamesOf = (acquirer: string) => ({ pk: `PEOPLE_NAMES#${acquirer}`, prefix: '' });
export const idInPeople = ({ sk }: Key): { person?: string; invitation?: string } => {
  const [kind, id = ''] = sk.split('#');
  return kind === 'PERSON' ? { person: id } : { invitation: id };
};

/** An Idempotency-Key of an acquirer. Only its hash is stored, because a partner may put anything there. */
export const idempotencyKeyKey = (acquirer: string, sha256: string): Key =>
  ownKey('IDEMPOTENCY_KEY', `${acquirer}#${sha256}`);

/** The tokens leased in the window that begins at `start`, in seconds since 1970. */
export const rateLimitKey = (acquirer: string, share: string, start: number): Key =>
  ownKey('RATE_LIMIT', `${acquirer}#${share}#${start}`);

/** Ids begin with the event's time, so a partition is in order of time. */
export const eventKey = (acquirer: string, month: string, id: string): Key => keyOf(`EVENTS#${acquirer}#${month}`, id);

/** The acquirer in the key of an event, of a webhook, of a refused request, or of an item of a reference list. */
export const acquirerIn = ({ pk }: Key): string => pk.split('#')[1] as string;

/** The partition of a history of a branch (MID) or terminal (TID). Feeds are billed for it, so it is short. */
export const historyOf = (acquirer: string, id: string): string => `${shortUuid(acquirer)}#${id}`;

/** The partition of the events that archived or restored a branch, which are in the history of its terminals. */
export const statusHistoryOf = (acquirer: string, mid: string): string => historyOf(acquirer, `BRANCH#${mid}`);

/**
 * A reassignment in the history of the branch that a terminal left. The event itself is in that of the target branch.
 */
export const reassignmentKey = (history: string, id: string): Key => keyOf(`REASSIGNMENT#${history}`, id);

/** The webhooks of an acquirer: each in one of as many slots as it may have, so that no two creates together exceed that. */
export const webhookKey = (acquirer: string, slot: number): Key => keyOf(`WEBHOOKS#${acquirer}`, `SLOT#${slot}`);
export const webhooksOf = (acquirer: string) => ({ pk: `WEBHOOKS#${acquirer}`, prefix: 'SLOT#' });
/** The slot in the key of a webhook. */
export const slotOf = ({ sk }: Key): number => Number(sk.slice('SLOT#'.length));
/** An attempt to deliver a page, by the time at which it began and its number. */
export const deliveryKey = (webhook: string, id: string): Key => keyOf(`DELIVERIES#${webhook}`, id);
export const deliveriesOf = (webhook: string) => ({ pk: `DELIVERIES#${webhook}`, prefix: '' });
/** In which of the partitions of its index a webhook is, by its id: an index partition takes 1,000 writes a second. */
export const dueShardOf = (webhook: string): string => `DUE#${shardOf(webhook)}`;
export const DUE_SHARDS = Array.from({ length: SHARDS }, (_, shard) => `DUE#${shard}`);

/**
 * A request of an acquirer that was refused, by its time: see refusedRequest.ts. Its request id is the key of an index.
 */
export const refusedRequestKey = (acquirer: string, id: string): Key => keyOf(`REFUSED_REQUESTS#${acquirer}`, id);

/** An event of the operator's record, by its subject such as `ACQUIRER#<id>`: see record.ts. */
export const recordKey = (subject: string, id: string): Key => keyOf(`RECORD#${subject}`, id);
export const recordOf = (subject: string) => ({ pk: `RECORD#${subject}`, prefix: '' });
/** The subjects of the operator's record. It identifies a member only by the keyed hash of its id. */
export const acquirerSubject = (id: string): string => `ACQUIRER#${id}`;
export const personSubject = (person: string): string => `PERSON#${person}`;
/** The person of a {@link personSubject}; `undefined` for any other text. */
export const personOfSubject = (subject: string): string | undefined => /^PERSON#(.*)/.exec(subject)?.[1];
export const apiKeySubject = (keyId: string): string => `API_KEY#${keyId}`;
/** The id of the key of an {@link apiKeySubject}; `undefined` for any other text. */
export const keyOfSubject = (subject: string): string | undefined => /^API_KEY#(.*)/.exec(subject)?.[1];
export const memberSubject = (memberHash: string): string => `MEMBER#${memberHash}`;
export const IMPORTS = 'MEMBERS';
/** Who was erased: members by the keyed hash of their id, people and invitations by their id. */
export const ERASURES = 'ERASURES';
/** Rotations of the card key, and each rehash that took stored hashes to its newest version. */
export const CARD_KEYS = 'CARD_KEYS';

export const branchKey = (mid: string): Key => ownKey('BRANCH', mid);
export const terminalKey = (tid: string): Key => ownKey('TERMINAL', tid);
/** When a terminal was last seen: see lastSeen.ts. */
export const lastSeenKey = (tid: string): Key => ownKey('LAST_SEEN', tid);
export const tidOfLastSeen = ({ pk }: Pick<Key, 'pk'>): string => pk.slice('LAST_SEEN#'.length);
export const serialKey = (serialNo: string): Key => ownKey('SERIAL', serialNo);
/** The terminal that last released a serial: see releasedSerial.ts. */
export const releasedKey = (serialNo: string): Key => ownKey('RELEASED', serialNo);

export const cardKey = (cardHash: string): Key => ownKey('CARD', cardHash);
export const rewardKey = (memberId: string, rewardId: string): Key => keyOf(`MEMBER#${memberId}`, `REWARD#${rewardId}`);
export const rewardsOf = (memberId: string) => ({ pk: `MEMBER#${memberId}`, prefix: 'REWARD#' });
export const memberCardKey = (memberId: string, cardHash: string): Key =>
  keyOf(`MEMBER#${memberId}`, `CARD#${cardHash}`);
/** The hash of the card that a {@link memberCardKey} names; `undefined` for a reward. */
export const cardHashOf = ({ sk }: Key): string | undefined => /^CARD#(.*)/s.exec(sk)?.[1];
export const memberCardsOf = (memberId: string) => ({ pk: `MEMBER#${memberId}`, prefix: 'CARD#' });
export const memberOf = (memberId: string) => ({ pk: `MEMBER#${memberId}`, prefix: '' });
export const memberIdOf = ({ pk }: Pick<Key, 'pk'>): string => pk.slice('MEMBER#'.length);
export const erasureKey = (memberHash: string): Key => ownKey('ERASURE', memberHash);
/** The hash in the partition of a {@link cardKey} or an {@link erasureKey}. */
export const hashIn = ({ pk }: Key): string => pk.slice(pk.indexOf('#') + 1);
/** Where an erasure may be stored: under the first two of the hashes of the member. */
export const erasuresOf = (memberHashes: string[]): Key[] => memberHashes.slice(0, 2).map(erasureKey);

/** Sort key of a terminal in its branch's list: by creation time, then by its index in the create request. */
export const branchOrder = (createdAt: string, indexInRequest: number, tid: string): string =>
  `${createdAt}#${String(indexInRequest).padStart(3, '0')}#${tid}`;

/**
 * Packs a {@link branchOrder} into the 23 bytes by which a branch lists a terminal: the time in milliseconds (6), the
 * index (1) and the TID (16). They sort like the text.
 */
export function packOrder(order: string): Uint8Array {
  const [createdAt = '', index, tid = ''] = order.split('#');
  const packed = Buffer.alloc(23);
  packed.writeUIntBE(Date.parse(createdAt), 0, 6);
  packed.writeUInt8(Number(index), 6);
  packed.set(bytesOfUuid(tid), 7);
  return packed;
}

export function unpackOrder(bytes: Uint8Array): { tid: string; order: string } {
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const tid = uuidOf(packed.subarray(7));
  return { tid, order: branchOrder(new Date(packed.readUIntBE(0, 6)).toISOString(), packed.readUInt8(6), tid) };
}
