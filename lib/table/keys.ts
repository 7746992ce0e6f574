import { v5 as uuidV5 } from 'uuid';

/** A primary key of the one table. Every key string of the project is built in this file. */
export interface Key {
  pk: string;
  sk: string;
}

/**
 * The kind of a partition's items: what its key begins with, up to the first `#`. Roles grant access by kind
 * (infra/access.yml), so text from a partner only ever comes after that `#`.
 */
export const kindOf = (pk: string): string => pk.split('#', 1)[0] as string;

/** Namespace of every version-5 UUID here. Changing it would orphan all stored terminals and master merchants. */
const NAMESPACE = '6a3ff0c5-4f0e-5d0c-9b57-0a4b8d2f6c11';

/**
 * The TID of a terminal: the version-5 UUID (RFC 9562 §5.5) of its terminal_id, so that "unique across all payment
 * terminals" (interface §2.2) is the primary key's own condition.
 */
export const tidOf = (terminalId: string): string => uuidV5(`TERMINAL#${terminalId}`, NAMESPACE);

/** The UUID of a master merchant: one per payment provider and master_merchant_id. */
export const masterMerchantUuidOf = (paymentProvider: string, masterMerchantId: string): string =>
  uuidV5(`MASTER_MERCHANT#${paymentProvider}#${masterMerchantId}`, NAMESPACE);

/** No branch and no member has this name: what is read in its place finds nothing, and takes the same time. */
export const NO_ID = '-';

/** All acquirers stand in one partition, so that an operator can list them without a scan. */
export const acquirerKey = (id: string): Key => ({ pk: 'ACQUIRERS', sk: `ACQUIRER#${id}` });
/** Partition and sort-key prefix of all acquirers. */
export const acquirers = { pk: 'ACQUIRERS', prefix: 'ACQUIRER#' };

/** Head of an acquirer's branch list. It sorts before the list's entries: see branchRanks.ts. */
export const branchListKey = (acquirer: string): Key => ({ pk: `ACQUIRER#${acquirer}`, sk: 'BRANCH_LIST' });
/** Entry of a branch that its list had yet to rank. It is found by time of creation; the key says all there is. */
export const branchListEntryKey = (acquirer: string, createdAt: string, mid: string): Key => ({
  pk: `ACQUIRER#${acquirer}`,
  sk: `BRANCH_LIST#${createdAt}#${mid}`,
});
/** Creation time and MID of the branch that an entry is about; `undefined` for the head. */
export function branchListEntryOf({ sk }: Key): { created_at: string; mid: string } | undefined {
  const [, created_at, mid] = sk.split('#');
  return created_at !== undefined && mid !== undefined ? { created_at, mid } : undefined;
}
/** Partition and sort-key prefix of a branch list: its head and its entries. */
export const branchListOf = (acquirer: string) => ({ pk: `ACQUIRER#${acquirer}`, prefix: 'BRANCH_LIST' });

/** The lists that lookups show. Each acquirer has its own, in partitions that nothing else is in. */
export type ReferenceList =
  | 'PAYMENT_PROVIDERS'
  | 'DISTRIBUTORS'
  | 'PAYMENT_APPS'
  | 'MASTER_ACQUIRERS'
  | 'MASTER_MERCHANTS';
const referenceKey = (list: ReferenceList, acquirer: string, id: string): Key => ({
  pk: `${list}#${acquirer}`,
  sk: id,
});
/** Partition of a reference list. */
export const referencesOf = (list: ReferenceList, acquirer: string) => ({ pk: `${list}#${acquirer}`, prefix: '' });
export const providerKey = (distributor: string, provider: string): Key =>
  referenceKey('PAYMENT_PROVIDERS', distributor, provider);
export const distributorKey = (provider: string, distributor: string): Key =>
  referenceKey('DISTRIBUTORS', provider, distributor);
export const paymentAppKey = (acquirer: string, name: string): Key => referenceKey('PAYMENT_APPS', acquirer, name);
export const masterAcquirerKey = (acquirer: string, name: string): Key =>
  referenceKey('MASTER_ACQUIRERS', acquirer, name);
/**
 * A master merchant in the lookup of an acquirer that may use it. There can be many, and a lookup pays for each byte, so
 * the UUID is written in base64url: 22 characters, not 36.
 */
export const masterMerchantEntryKey = (acquirer: string, uuid: string): Key =>
  referenceKey('MASTER_MERCHANTS', acquirer, Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url'));
/** The UUID of a master merchant in a lookup. */
export const masterMerchantEntryUuidOf = ({ sk }: Key): string =>
  Buffer.from(sk, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
export const masterMerchantKey = (uuid: string): Key => ({ pk: `MASTER_MERCHANT#${uuid}`, sk: 'MASTER_MERCHANT' });

export const apiKeyKey = (sha256: string): Key => ({ pk: `API_KEY#${sha256}`, sk: 'API_KEY' });

/** The key that an acquirer gave its request, by its hash: whatever a partner puts there is not to be read here. */
export const idempotencyKeyKey = (acquirer: string, sha256: string): Key => ({
  pk: `IDEMPOTENCY_KEY#${acquirer}#${sha256}`,
  sk: 'IDEMPOTENCY_KEY',
});

/** What all processes have leased of an acquirer's share in the window that begins at `start`, in seconds since 1970. */
export const rateLimitKey = (acquirer: string, share: string, start: number): Key => ({
  pk: `RATE_LIMIT#${acquirer}#${share}#${start}`,
  sk: 'RATE_LIMIT',
});

/** An event as one acquirer sees it: see event.ts. Its id begins with its time, so that a month's events are in order. */
export const eventKey = (acquirer: string, month: string, id: string): Key => ({
  pk: `EVENTS#${acquirer}#${month}`,
  sk: id,
});

/** Whose copy of an event a key is of. */
export const acquirerOfEvent = ({ pk }: Key): string => pk.split('#')[1] as string;

/** A reassignment in the history of the branch that a terminal left. The event itself stands under the other branch. */
export const reassignmentKey = (mid: string, id: string): Key => ({ pk: `REASSIGNMENT#${mid}`, sk: id });

/** What the operator did to a subject, such as `ACQUIRER#<id>`: see record.ts. */
export const recordKey = (subject: string, id: string): Key => ({ pk: `RECORD#${subject}`, sk: id });
/** Partition of all that the operator did to a subject. */
export const recordOf = (subject: string) => ({ pk: `RECORD#${subject}`, prefix: '' });
/** The subjects that there are. A member is known there by the keyed hash of its id only. */
export const acquirerSubject = (id: string): string => `ACQUIRER#${id}`;
export const apiKeySubject = (keyId: string): string => `API_KEY#${keyId}`;
export const memberSubject = (memberHash: string): string => `MEMBER#${memberHash}`;
export const IMPORTS = 'MEMBERS';

export const branchKey = (mid: string): Key => ({ pk: `BRANCH#${mid}`, sk: 'BRANCH' });
export const terminalKey = (tid: string): Key => ({ pk: `TERMINAL#${tid}`, sk: 'TERMINAL' });
export const serialKey = (serialNo: string): Key => ({ pk: `SERIAL#${serialNo}`, sk: 'SERIAL' });

export const cardKey = (cardHash: string): Key => ({ pk: `CARD#${cardHash}`, sk: 'CARD' });
export const rewardKey = (memberId: string, rewardId: string): Key => ({
  pk: `MEMBER#${memberId}`,
  sk: `REWARD#${rewardId}`,
});
/** Partition and sort-key prefix of a member's rewards. */
export const rewardsOf = (memberId: string) => ({ pk: `MEMBER#${memberId}`, prefix: 'REWARD#' });
/** That a member has a card: cards are found by their own hashes, and here by their member. */
export const memberCardKey = (memberId: string, cardHash: string): Key => ({
  pk: `MEMBER#${memberId}`,
  sk: `CARD#${cardHash}`,
});
/** The hash of the card that a {@link memberCardKey} names; `undefined` for a reward. */
export const cardHashOf = ({ sk }: Key): string | undefined => /^CARD#(.*)/s.exec(sk)?.[1];
/** Partition and sort-key prefix of a member's cards. */
export const memberCardsOf = (memberId: string) => ({ pk: `MEMBER#${memberId}`, prefix: 'CARD#' });
/** Partition of all that a member has. Its cards come before its rewards. */
export const memberOf = (memberId: string) => ({ pk: `MEMBER#${memberId}`, prefix: '' });
/** That a member was erased, by the keyed hash of its id. */
export const erasureKey = (memberHash: string): Key => ({ pk: `ERASURE#${memberHash}`, sk: 'ERASURE' });

/**
 * Sort key of a terminal in its branch's list: by creation, then by place in the request that created it, so that
 * terminals of one request keep its order; the TID makes it unique.
 */
export const branchOrder = (createdAt: string, placeInRequest: number, tid: string): string =>
  `${createdAt}#${String(placeInRequest).padStart(3, '0')}#${tid}`;

/** The TID at the end of a {@link branchOrder}. */
export const tidOfBranchOrder = (order: string): string => order.slice(order.lastIndexOf('#') + 1);
