import { createHmac } from 'node:crypto';
import { changingSecret, GRACE_MS, KNOWN_MS, keysIn, type SecretVersion } from '../aws/secret.ts';
import { setting } from '../base/config.ts';

/*
 * Keyed hashes of card identifiers and member ids. There are so few card numbers that without a key they could be found
 * by brute force.
 *
 * The secret has one key per line, oldest first, so a key can be rotated: the hash of version 1 is the HMAC of the text
 * with the first key, that of version n the HMAC of the hash of version n-1 with the n-th key. So a stored hash can be
 * taken to the newest version without the text, and cannot be computed without all keys
 * (docs/decisions/0038-custody.md).
 */

/** The most keys. Each costs a member check two HMACs, and the history of a member one more read. */
export const MOST_CARD_KEYS = 8;

/** The age of the newest key at which every process knows it, and begins to write with it, in milliseconds. */
const SETTLED_MS = KNOWN_MS + GRACE_MS;

/**
 * The age of the newest key after which nobody writes with the previous one: the slowest write and the drift of clocks
 * included.
 */
export const RESTED_MS = SETTLED_MS + 5 * 60_000;

const secret = changingSecret(() => setting('CARD_HMAC_KEY_SECRET'), keysOf);

export interface CardKeys extends SecretVersion {
  /** One per version, the first one being that of version 1. */
  keys: string[];
  isSettled: boolean;
}

function keysOf(text: string): string[] {
  return keysIn('CARD_HMAC_KEY_SECRET', text, MOST_CARD_KEYS);
}

const withKeys = (version: SecretVersion): CardKeys => ({
  ...version,
  keys: keysOf(version.text),
  isSettled: version.age() >= SETTLED_MS,
});

/** Fetched at most once an hour. A process that starts calls it early. */
export const knownCardKeys = async (): Promise<CardKeys> => withKeys(await secret.known());

/** Fetches the current keys. */
export const currentCardKeys = async (): Promise<CardKeys> => withKeys(await secret.fetched());

const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex');

/** The version of a stored hash. Hashes of version 1 have no prefix. */
export const versionOf = (hash: string): number => Number(/^(\d+)\./.exec(hash)?.[1] ?? 1);

/** The hashes of newer versions of a stored hash, oldest first. */
export function laterHashes(hash: string, { keys }: CardKeys): string[] {
  const later: string[] = [];
  for (let version = versionOf(hash) + 1; version <= keys.length; version += 1)
    later.push(`${version}.${hmac(keys[version - 1] as string, later.at(-1) ?? hash)}`);
  return later;
}

/** Hashes of the same text. The first is the one to store under; see {@link keyedHashes}. */
export type Hashes = [toStore: string, ...others: string[]];

/**
 * The keyed hashes of a text, one per version. What is stored is under one of the first two; only the operator's record
 * also has older ones. While there may be processes that do not know the newest key, nothing is stored under its hash.
 *
 * @param kind Distinguishes equal texts of different kinds.
 */
export function keyedHashes(
  kind: 'card_id' | 'card_pseudo_token' | 'member_id',
  text: string,
  known: CardKeys,
): Hashes {
  const first = hmac(known.keys[0] as string, `${kind}\n${text}`);
  const [newest, before, ...older] = [first, ...laterHashes(first, known)].reverse() as Hashes;
  if (before === undefined) return [newest];
  return known.isSettled ? [newest, before, ...older] : [before, newest, ...older];
}
