import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import {
  type Acquirer,
  acquirerFields,
  acquirerItem,
  getAcquirer,
  listAcquirers,
  type Registered,
} from './acquirer.ts';
import { isWellFormedApiKey, newApiKey } from './base/apiKeyFormat.ts';
import { CACHE_MS, Cache } from './base/cache.ts';
import { storedText } from './base/fields.ts';
import { type Limit, limitError } from './base/limit.ts';
import { Problem, validationFailed } from './base/problem.ts';
import { laterThan } from './base/time.ts';
import { hash, keyId, seconds, time } from './base/values.ts';
import { type Details, newEvent, stepsOf } from './record.ts';
import type { RecordType } from './recordTypes.ts';
import { listReferences } from './reference.ts';
import { getItem, getItems } from './table/client.ts';
import {
  acquirerKey,
  acquirerSubject,
  apiKeyKey,
  apiKeySubject,
  distributorKey,
  type Key,
  providerKey,
} from './table/keys.ts';
import { retrying } from './table/retry.ts';
import { check, exists, isAsRead, put, remove, type Step, transact, update } from './table/transaction.ts';

/** A change may be about each of an acquirer's keys, and is one transaction (100 items). */
const MOST_KEYS = 20;

/** What can be shown of an API key. The key itself is only shown when it is issued. */
const keyInfo = v.object({
  /** Identifies the key in commands and logs, and has no other use. */
  key_id: keyId,
  /** What the operator calls it, such as `production`. A key keeps its label when it is rotated. */
  label: storedText,
  created_at: time,
  /** Only a key that was rotated expires. */
  expires_at: v.optional(time),
});
export type KeyInfo = v.InferOutput<typeof keyInfo>;

/** The stored item by which requests find an API key. Exists while the key is valid. */
const apiKey = v.object({
  acquirer: acquirerFields,
  ...v.omit(keyInfo, ['created_at']).entries,
});
export type ApiKey = v.InferOutput<typeof apiKey>;
export const apiKeyItem = v.object({ ...apiKey.entries, ttl: v.optional(seconds) });

/** The stored item of an acquirer with its API keys, which are listed there even while the acquirer is disabled. */
export const keyringItem = v.object({
  ...acquirerItem.entries,
  api_keys: v.optional(v.array(v.object({ ...keyInfo.entries, sha256: hash }))),
});
type Keyring = v.InferOutput<typeof keyringItem>;
type Listed = NonNullable<Keyring['api_keys']>[number];

/** Keys that this process has found. A revoked one is refused when its time here is over. */
const known = new Cache<ApiKey>();

/** Only this is stored of a key; 256 random bits need no slow hash. */
const hashOf = (apiKey: string): string => createHash('sha256').update(apiKey).digest('hex');

/**
 * The API key that a text is, with its acquirer (interface §5), or `undefined`. Junk costs no read, a known key none
 * within {@link CACHE_MS}, anything else one. Only hits are cached, so a new key works at once.
 */
export async function resolveApiKey(text: string): Promise<ApiKey | undefined> {
  if (!isWellFormedApiKey(text)) return undefined;
  const sha256 = hashOf(text);
  const kept = known.get(sha256);
  if (kept) return kept;
  const apiKey = await getItem<ApiKey>(apiKeyKey(sha256));
  // The table deletes what has expired only hours later.
  const ends = apiKey?.expires_at ? Date.parse(apiKey.expires_at) : Number.POSITIVE_INFINITY;
  if (!apiKey || ends <= Date.now()) return undefined;
  known.set(sha256, apiKey, ends);
  return apiKey;
}

/** Lets a key in, until it expires if it does. `ttl` is the table's time to live: seconds since 1970. */
function admit({ id, type, name, limit }: Acquirer, { sha256, key_id, label, expires_at }: Listed): Step {
  const end = expires_at && { expires_at, ttl: Math.ceil(Date.parse(expires_at) / 1000) };
  return put(apiKeyKey(sha256), { acquirer: { id, type, name, limit }, key_id, label, ...end });
}

const shutOut = ({ sha256 }: Listed): Step => remove(apiKeyKey(sha256));

const infoOf = ({ key_id, label, created_at, expires_at }: Listed): KeyInfo => ({
  ...{ key_id, label, created_at },
  ...(expires_at && { expires_at }),
});

/**
 * What becomes of an acquirer and its keys, what is to be done for it under the keys' hashes, and what the operator's record
 * tells of it: of the acquirer, and of these keys. Omitted fields are unchanged.
 */
interface Change {
  api_keys: Listed[];
  name?: string;
  disabled_at?: string | undefined;
  limit?: Limit | undefined;
  steps: Step[];
  event: { type: RecordType; details: Details; keyIds?: string[] };
}

/**
 * Changes an acquirer's keys all at once or not at all. Two changes at a time follow one another, so what was decided on
 * what was read holds. Keys whose time is over are forgotten on the way, here and under their hashes: by another clock
 * their time may not be over.
 *
 * @param decide Returns the change, or `undefined` when there is nothing to change.
 * @throws Problem `not_found` when there is no such acquirer; `validation_failed` when it would have more than
 *   {@link MOST_KEYS} keys; and whatever the decision throws. Error when it is not known who makes the change.
 */
const changeKeys = (
  acquirerId: string,
  decide: (acquirer: Keyring, api_keys: Listed[], now: string) => Change | undefined | Promise<Change | undefined>,
): Promise<void> =>
  retrying(async () => {
    const acquirer: Keyring = await getAcquirer(acquirerId);
    const now = new Date().toISOString();
    const { valid = [], ended = [] } = Object.groupBy(acquirer.api_keys ?? [], ({ expires_at }) =>
      !expires_at || expires_at > now ? 'valid' : 'ended',
    );
    const decided = await decide(acquirer, valid, now);
    if (!decided) return;
    const { steps, event, ...change } = decided;
    if (change.api_keys.length > MOST_KEYS) throw tooManyKeys();
    const set = { ...change, updated_at: laterThan(acquirer.updated_at) };
    const recorded = await newEvent(event.type, event.details);
    await transact([
      update(acquirerKey(acquirerId), { set }, isAsRead(acquirer, 'updated_at')),
      ...ended.map(shutOut),
      ...steps,
      ...stepsOf(recorded, acquirerSubject(acquirerId), ...(event.keyIds ?? []).map(apiKeySubject)),
    ]);
  });

const tooManyKeys = (): Problem =>
  validationFailed([
    {
      pointer: '',
      code: 'too_long',
      detail: `An acquirer has ${MOST_KEYS} API keys at the most, those included that a rotation lets end; revoke one.`,
    },
  ]);

const keyNotFound = (key_id: string): Problem => new Problem('not_found', `The acquirer has no API key ${key_id}.`);

function refuseDisabled({ disabled_at }: Registered): void {
  if (disabled_at)
    throw validationFailed([
      { pointer: '', code: 'disabled', detail: `The acquirer is disabled since ${disabled_at}.` },
    ]);
}

/** A new key, to be shown once and never seen again, and what is kept of it. */
function generate(label: string, created_at: string): { api_key: string; listed: Listed } {
  const api_key = newApiKey();
  const sha256 = hashOf(api_key);
  return { api_key, listed: { key_id: sha256.slice(0, 12), label, created_at, sha256 } };
}

/** A key that was just issued. `api_key` is the key itself, and this the only place where it is ever seen. */
export type IssuedKey = KeyInfo & { api_key: string };

/** A key that takes another's place, and when that one ends. */
export type RotatedKey = IssuedKey & { rotated: { key_id: string; expires_at: string | null } };

/**
 * Issues a further API key of an acquirer.
 *
 * @throws Problem `not_found`; `validation_failed` when the acquirer is disabled, or has {@link MOST_KEYS} keys.
 */
export async function issueApiKey(acquirerId: string, label: string): Promise<IssuedKey> {
  const { api_key, listed } = generate(label, new Date().toISOString());
  await changeKeys(acquirerId, (acquirer, keys) => {
    refuseDisabled(acquirer);
    const { key_id } = listed;
    return {
      api_keys: [...keys, listed],
      steps: [admit(acquirer, listed)],
      event: { type: 'api_key.issued', details: { acquirer: acquirerId, key_id, label }, keyIds: [key_id] },
    };
  });
  return { ...infoOf(listed), api_key };
}

/** The id of the acquirer that has an API key, be it disabled. */
export async function acquirerOfKey(keyId: string): Promise<string | undefined> {
  const acquirers: Keyring[] = await listAcquirers();
  return acquirers.find(({ api_keys = [] }) => api_keys.some(({ key_id }) => key_id === keyId))?.id;
}

/** An acquirer's API keys, the oldest first. */
export async function listApiKeys(acquirerId: string): Promise<KeyInfo[]> {
  const { api_keys = [] }: Keyring = await getAcquirer(acquirerId);
  return api_keys.map(infoOf);
}

/**
 * Issues a successor of a key, with its label. The old key goes on for `overlapMs`, so that the partner can change over
 * without a gap; with 0, it ends at once, and `rotated.expires_at` is `null`.
 *
 * @throws Problem `not_found`; `validation_failed` when the key was rotated before, or the acquirer is disabled or has
 *   {@link MOST_KEYS} keys.
 */
export async function rotateApiKey(acquirerId: string, keyId: string, overlapMs: number): Promise<RotatedKey> {
  let issued: RotatedKey | undefined;
  await changeKeys(acquirerId, (acquirer, keys, now) => {
    refuseDisabled(acquirer);
    const old = keys.find(({ key_id }) => key_id === keyId);
    if (!old) throw keyNotFound(keyId);
    if (old.expires_at) {
      const detail = `API key ${keyId} was rotated already; it ends at ${old.expires_at}.`;
      throw validationFailed([{ pointer: '', code: 'rotated', detail }]);
    }
    const { api_key, listed } = generate(old.label, now);
    const ending = overlapMs > 0 && { ...old, expires_at: new Date(Date.parse(now) + overlapMs).toISOString() };
    issued = { ...infoOf(listed), api_key, rotated: { key_id: keyId, expires_at: ending ? ending.expires_at : null } };
    return {
      api_keys: [...keys.filter((key) => key !== old), ...(ending ? [ending] : []), listed],
      steps: [ending ? admit(acquirer, ending) : shutOut(old), admit(acquirer, listed)],
      event: {
        type: 'api_key.rotated',
        details: { acquirer: acquirerId, key_id: listed.key_id, label: listed.label, rotated: issued.rotated },
        keyIds: [keyId, listed.key_id],
      },
    };
  });
  return issued as RotatedKey;
}

/**
 * Revokes a key: it is refused from {@link CACHE_MS} later on at the latest.
 *
 * @throws Problem `not_found`.
 */
export const revokeApiKey = (acquirerId: string, keyId: string): Promise<void> =>
  changeKeys(acquirerId, (_, keys) => {
    const revoked = keys.find(({ key_id }) => key_id === keyId);
    if (!revoked) throw keyNotFound(keyId);
    const details = { acquirer: acquirerId, key_id: keyId, label: revoked.label };
    return {
      api_keys: keys.filter((key) => key !== revoked),
      steps: [shutOut(revoked)],
      event: { type: 'api_key.revoked', details, keyIds: [keyId] },
    };
  });

/**
 * Disables an acquirer: all its keys are refused from {@link CACHE_MS} later on at the latest, and none can be issued.
 * What it has stays as it is, also accessible to its partners. Changes nothing if it is disabled.
 *
 * @throws Problem `not_found`.
 */
export const disableAcquirer = (acquirerId: string): Promise<void> =>
  changeKeys(acquirerId, ({ disabled_at }, keys, now) =>
    disabled_at
      ? undefined
      : {
          disabled_at: now,
          api_keys: keys,
          steps: keys.map(shutOut),
          event: { type: 'acquirer.disabled', details: {} },
        },
  );

/**
 * Lets a disabled acquirer in again, with the keys that it had and that have not ended since. Changes nothing if it is not
 * disabled.
 *
 * @throws Problem `not_found`.
 */
export const enableAcquirer = (acquirerId: string): Promise<void> =>
  changeKeys(acquirerId, (acquirer, keys) =>
    acquirer.disabled_at
      ? {
          api_keys: keys,
          disabled_at: undefined,
          steps: keys.map((key) => admit(acquirer, key)),
          event: { type: 'acquirer.enabled', details: {} },
        }
      : undefined,
  );

/** A disabled acquirer has no keys under their hashes. */
const admitAll = (acquirer: Registered, keys: Listed[]): Step[] =>
  acquirer.disabled_at ? [] : keys.map((key) => admit(acquirer, key));

/**
 * Gives an acquirer a rate limit of its own, or the stage's again (`undefined`). It is in force {@link CACHE_MS} later at
 * the latest. Changes nothing if that is its limit.
 *
 * @throws Problem `not_found`; `validation_failed` when the limit is not valid.
 */
export async function limitAcquirer(acquirerId: string, limit: Limit | undefined): Promise<void> {
  const fieldError = limit && limitError(limit);
  if (fieldError) throw validationFailed([{ pointer: '', code: 'invalid_limit', detail: fieldError }]);
  await changeKeys(acquirerId, (acquirer, keys) => {
    if (isDeepStrictEqual(acquirer.limit, limit)) return;
    const details = { limit: limit ?? null, limit_before: acquirer.limit ?? null };
    return {
      api_keys: keys,
      limit,
      steps: admitAll({ ...acquirer, limit }, keys),
      event: { type: 'acquirer.limited', details },
    };
  });
}

/** What fits one transaction (its API reference), and with an acquirer, all of its keys and an event. */
const MOST_STEPS = 100;
const MOST_ENTRIES = MOST_STEPS - MOST_KEYS - 2;

/**
 * Renames an acquirer everywhere: its API keys, and the lookups of its partners. With up to {@link MOST_ENTRIES} partners that
 * is one transaction; beyond, the entries in the other lookups follow, and a call with the same name completes a rename that
 * was interrupted. A process returns the old name for {@link CACHE_MS} at the most.
 *
 * @throws Problem `not_found`.
 */
export async function renameAcquirer(acquirerId: string, name: string): Promise<void> {
  await changeKeys(acquirerId, async (acquirer, keys) => {
    if (acquirer.name === name) return;
    const entries = await renamedEntries({ ...acquirer, name });
    return {
      name,
      api_keys: keys,
      steps: [...admitAll({ ...acquirer, name }, keys), ...entries.slice(0, MOST_ENTRIES)],
      event: { type: 'acquirer.renamed', details: { name, name_before: acquirer.name } },
    };
  });
  await retrying(async () => {
    const acquirer = await getAcquirer(acquirerId);
    const entries = await renamedEntries(acquirer);
    for (let at = 0; at < entries.length; at += MOST_STEPS - 1)
      await transact([
        check(acquirerKey(acquirerId), isAsRead(acquirer, 'name')),
        ...entries.slice(at, at + MOST_STEPS - 1),
      ]);
  });
}

/** Steps that give an acquirer its name in those lookups of its partners where it has another. */
async function renamedEntries({ id, type, name }: Acquirer): Promise<Step[]> {
  const partners = await listReferences({ id }, type === 'DISTRIBUTOR' ? 'PAYMENT_PROVIDERS' : 'DISTRIBUTORS');
  const keys = partners.map((partner): Key => (type === 'DISTRIBUTOR' ? distributorKey : providerKey)(partner.id, id));
  const entries = await getItems<{ name: string }[]>(keys);
  return keys.filter((_, at) => entries[at]?.name !== name).map((key) => put(key, { name }, exists('stale')));
}
