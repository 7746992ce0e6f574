import { v5 as uuidV5 } from 'uuid';

/** A primary key of the one table. Every key string of the project is built in this file. */
export interface Key {
  pk: string;
  sk: string;
}

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
export const NOBODY = '-';

/** All acquirers stand in one partition, so that an operator can list them without a scan. */
export const acquirerKey = (id: string): Key => ({ pk: 'ACQUIRERS', sk: `ACQUIRER#${id}` });
/** Partition and sort-key prefix of all acquirers. */
export const acquirers = { pk: 'ACQUIRERS', prefix: 'ACQUIRER#' };
export const branchListKey = (acquirer: string): Key => ({ pk: `ACQUIRER#${acquirer}`, sk: 'BRANCH_LIST' });
export const masterMerchantKey = (acquirer: string, uuid: string): Key => member(acquirer, 'MASTER_MERCHANT', uuid);
export const providerKey = (distributor: string, provider: string): Key => member(distributor, 'PROVIDER', provider);
export const distributorKey = (provider: string, distributor: string): Key =>
  member(provider, 'DISTRIBUTOR', distributor);
export const paymentAppKey = (acquirer: string, name: string): Key => member(acquirer, 'PAYMENT_APP', name);
export const masterAcquirerKey = (acquirer: string, name: string): Key => member(acquirer, 'MASTER_ACQUIRER', name);

/** What an acquirer's partition lists under it, each kind by its sort key's first part. */
export type AcquirerMember = 'MASTER_MERCHANT' | 'PROVIDER' | 'DISTRIBUTOR' | 'PAYMENT_APP' | 'MASTER_ACQUIRER';
const member = (acquirer: string, kind: AcquirerMember, id: string): Key => ({
  pk: `ACQUIRER#${acquirer}`,
  sk: `${kind}#${id}`,
});
/** Partition and sort-key prefix of all members of one kind. */
export const membersOf = (acquirer: string, kind: AcquirerMember) => ({
  pk: `ACQUIRER#${acquirer}`,
  prefix: `${kind}#`,
});

export const apiKeyKey = (sha256: string): Key => ({ pk: `API_KEY#${sha256}`, sk: 'API_KEY' });

/** The key that an acquirer gave its request, by its hash: whatever a partner puts there is not to be read here. */
export const idempotencyKeyKey = (acquirer: string, sha256: string): Key => ({
  pk: `IDEMPOTENCY_KEY#${acquirer}#${sha256}`,
  sk: 'IDEMPOTENCY_KEY',
});

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

/**
 * Sort key of a terminal in its branch's list: by creation, then by place in the request that created it, so that
 * terminals of one request keep its order; the TID makes it unique.
 */
export const branchOrder = (createdAt: string, placeInRequest: number, tid: string): string =>
  `${createdAt}#${String(placeInRequest).padStart(3, '0')}#${tid}`;
