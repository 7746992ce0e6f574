import * as v from 'valibot';
import { retrying } from '../aws/retry.ts';
import { hashOf, newApiKey } from '../base/apiKeyFormat.ts';
import { CACHE_MS } from '../base/cache.ts';
import { storedText } from '../base/fields.ts';
import { bodyRefused, Problem } from '../base/problem.ts';
import type { Limit } from '../base/rateAndBurst.ts';
import { extend, hash, keyId as id } from '../base/values.ts';
import { type Details, newEvent, recordSteps } from '../record/record.ts';
import type { RecordType } from '../record/recordTypes.ts';
import { getItem, getItems } from '../table/client.ts';
import {
  acquirerSubject,
  apiKeyKey,
  apiKeySubject,
  apiKeyUseKey,
  membershipKey,
  personOfSubject,
} from '../table/keys.ts';
import { put, remove, type Step, transact } from '../table/transaction.ts';
import type { Acquirer } from './acquirer.ts';
import { type KeyInfo, keyIdOf, keyInfo } from './apiKey.ts';
import type { ApiKeyUse } from './keyUse.ts';
import { acquirerItem, getAcquirer, nextVersion, type StoredAcquirer } from './registry.ts';
import { type KeyRole, type PersonRole, requirePermission } from './roles.ts';

/** The stored item of an acquirer with its API keys. The keys are listed even while the acquirer is disabled. */
export const keyringItem = extend(acquirerItem, {
  api_keys: v.optional(v.array(extend(keyInfo, { sha256: hash, ends_with: storedText, replaces: v.optional(id) }))),
});
export type Keyring = v.InferOutput<typeof keyringItem>;
export type ListedKey = NonNullable<Keyring['api_keys']>[number];

/** The most API keys of an acquirer. A change may write all of them, in one transaction (100 items). */
export const MOST_KEYS = 20;

/** A step that stores the item that makes a key valid. Its `ttl` is the table's time to live, in seconds since 1970. */
export function storeKey(
  { id, type, name, limit }: Acquirer,
  { sha256, key_id, label, role, expires_at }: ListedKey,
): Step {
  const end = expires_at && { expires_at, ttl: Math.ceil(Date.parse(expires_at) / 1000) };
  return put(apiKeyKey(sha256), { acquirer: { id, type, name, limit }, key_id, label, role, ...end });
}

export const removeKey = ({ sha256 }: ListedKey): Step => remove(apiKeyKey(sha256));

/** Shows the role of every key. */
const infoOf = ({ sha256: _, role = 'full', ...info }: ListedKey): ShownKey => ({ ...info, role });

/**
 * A change of an acquirer and its keys: the new values of attributes (omitted ones are unchanged), the steps for the
 * items of keys, and the event for the operator's record. `keyIds` are additional subjects of the event.
 */
interface Change {
  api_keys: ListedKey[];
  name?: string;
  disabled_at?: string | undefined;
  limit?: Limit | undefined;
  steps: Step[];
  event: { type: RecordType; details: Details; keyIds?: string[] };
}

/**
 * Changes an acquirer and its keys in one transaction. Concurrent changes are serialised. It also removes expired keys,
 * with their items, because another process's clock may be behind.
 *
 * @param by Who changes them; by default the operator.
 * @param decide Returns the change, or `undefined` when there is nothing to change.
 * @throws Problem `not_found` when there is no such acquirer; `validation_failed` when it would have more than
 *   {@link MOST_KEYS} keys; and whatever `decide` throws.
 * @throws Error when no operator is set.
 */
export const changeKeys = (
  acquirerId: string,
  decide: (acquirer: Keyring, api_keys: ListedKey[], now: string) => Change | undefined | Promise<Change | undefined>,
  by?: string,
): Promise<void> =>
  retrying(async () => {
    const acquirer: Keyring = await getAcquirer(acquirerId);
    await requireAdmin(acquirerId, by);
    const now = new Date().toISOString();
    const { valid = [], expired = [] } = Object.groupBy(acquirer.api_keys ?? [], ({ expires_at }) =>
      !expires_at || expires_at > now ? 'valid' : 'expired',
    );
    const decided = await decide(acquirer, valid, now);
    if (!decided) return;
    const { steps, event, ...change } = decided;
    if (change.api_keys.length > MOST_KEYS) throw tooManyKeys();
    const recorded = await newEvent(event.type, event.details, by);
    await transact([
      nextVersion(acquirer, change),
      ...expired.map(removeKey),
      ...steps,
      ...recordSteps(recorded, acquirerSubject(acquirerId), ...(event.keyIds ?? []).map(apiKeySubject)),
    ]);
  });

/**
 * Checks that a person who changes API keys or people is still an admin: their session may be cached. Whoever takes
 * that away changes the acquirer's `updated_at`, so this must follow the read of the acquirer.
 *
 * @param by Who makes the change: see personAuthor. Nothing is checked for an operator.
 * @throws Problem `insufficient_permission`.
 */
export async function requireAdmin(acquirerId: string, by: string | undefined): Promise<void> {
  const person = by === undefined ? undefined : personOfSubject(by);
  if (person === undefined) return;
  const membership = await getItem<{ role: PersonRole }>(membershipKey(acquirerId, person));
  requirePermission(membership?.role ?? 'viewer', 'person', 'administer');
}

const tooManyKeys = (): Problem =>
  bodyRefused(
    'too_long',
    `An acquirer can have at most ${MOST_KEYS} API keys, including rotated keys that have not expired. Revoke one.`,
  );

const keyNotFound = (key_id: string): Problem => new Problem('not_found', `The acquirer has no API key ${key_id}.`);

export function refuseDisabled({ disabled_at }: StoredAcquirer): void {
  if (disabled_at) throw bodyRefused('disabled', `The acquirer has been disabled since ${disabled_at}.`);
}

/** Generates a key and its entry in the acquirer's list. */
function generate(
  { label, role }: Pick<KeyInfo, 'label' | 'role'>,
  created_at: string,
  replaces?: string,
): { api_key: string; listed: ListedKey } {
  const api_key = newApiKey();
  const sha256 = hashOf(api_key);
  return {
    api_key,
    listed: {
      key_id: keyIdOf(sha256),
      label,
      ...(role && role !== 'full' && { role }),
      created_at,
      ends_with: api_key.slice(-4),
      ...(replaces && { replaces }),
      sha256,
    },
  };
}

export type ShownKey = Omit<ListedKey, 'sha256'> & { role: KeyRole };

/** A key that was just issued. This is the only time that the key itself, `api_key`, is available. */
export type IssuedKey = ShownKey & { api_key: string };

/** The successor of a key, and when the old key expires. */
export type RotatedKey = IssuedKey & { rotated: { key_id: string; expires_at: string | null } };

/**
 * Issues an API key for an acquirer.
 *
 * @param options.role Its role; `full` by default.
 * @param options.by Who issues it; the operator by default.
 * @throws Problem `not_found`; `validation_failed` when the acquirer is disabled, or has {@link MOST_KEYS} keys.
 */
export async function issueApiKey(
  acquirerId: string,
  label: string,
  { role = 'full', by }: { role?: KeyRole; by?: string } = {},
): Promise<IssuedKey> {
  const { api_key, listed } = generate({ label, role }, new Date().toISOString());
  await changeKeys(
    acquirerId,
    (acquirer, keys) => {
      refuseDisabled(acquirer);
      const { key_id, ends_with } = listed;
      return {
        api_keys: [...keys, listed],
        steps: [storeKey(acquirer, listed)],
        event: {
          type: 'api_key.issued',
          details: { acquirer: acquirerId, key_id, label, ends_with, role },
          keyIds: [key_id],
        },
      };
    },
    by,
  );
  return { ...infoOf(listed), api_key };
}

/** A key with the time of its last recorded use: see `recordKeyUse` in lib/acquirers/keyUse.ts. */
export type UsedKey = ShownKey & { last_used_at?: string };

export async function withLastUse(keys: ListedKey[]): Promise<UsedKey[]> {
  const uses = await getItems<ApiKeyUse[]>(keys.map(({ key_id }) => apiKeyUseKey(key_id)));
  return keys.map((key, at) => ({ ...infoOf(key), ...(uses[at] && { last_used_at: uses[at].used_at }) }));
}

/** Lists an acquirer's API keys, the oldest first. */
export async function listApiKeys(acquirerId: string): Promise<UsedKey[]> {
  const { api_keys = [] }: Keyring = await getAcquirer(acquirerId);
  return withLastUse(api_keys);
}

/**
 * Issues a successor of a key, with the same label and role.
 *
 * @param overlapMs How long the old key stays valid, in milliseconds, so that the partner can switch without an outage.
 *   With 0, it is revoked at once, and `rotated.expires_at` is `null`.
 * @throws Problem `not_found`; `validation_failed` when the key was rotated before, or the acquirer is disabled or has
 *   {@link MOST_KEYS} keys.
 */
export async function rotateApiKey(
  acquirerId: string,
  keyId: string,
  overlapMs: number,
  by?: string,
): Promise<RotatedKey> {
  let issued: RotatedKey | undefined;
  await changeKeys(
    acquirerId,
    (acquirer, keys, now) => {
      refuseDisabled(acquirer);
      const old = keys.find(({ key_id }) => key_id === keyId);
      if (!old) throw keyNotFound(keyId);
      if (old.expires_at)
        throw bodyRefused('rotated', `API key ${keyId} was already rotated; it expires at ${old.expires_at}.`);
      const { api_key, listed } = generate(old, now, keyId);
      const ending = overlapMs > 0 && { ...old, expires_at: new Date(Date.parse(now) + overlapMs).toISOString() };
      issued = {
        ...infoOf(listed),
        api_key,
        rotated: { key_id: keyId, expires_at: ending ? ending.expires_at : null },
      };
      return {
        api_keys: [...keys.filter((key) => key !== old), ...(ending ? [ending] : []), listed],
        steps: [ending ? storeKey(acquirer, ending) : removeKey(old), storeKey(acquirer, listed)],
        event: {
          type: 'api_key.rotated',
          details: {
            acquirer: acquirerId,
            ...{ key_id: listed.key_id, label: listed.label, ends_with: listed.ends_with },
            ends_with_before: old.ends_with,
            rotated: issued.rotated,
          },
          keyIds: [keyId, listed.key_id],
        },
      };
    },
    by,
  );
  return issued as RotatedKey;
}

/**
 * Revokes a key: it stops working within {@link CACHE_MS}.
 *
 * @throws Problem `not_found`.
 */
export const revokeApiKey = (acquirerId: string, keyId: string, by?: string): Promise<void> =>
  changeKeys(
    acquirerId,
    (_, keys) => {
      const revoked = keys.find(({ key_id }) => key_id === keyId);
      if (!revoked) throw keyNotFound(keyId);
      const { label, ends_with } = revoked;
      const details = { acquirer: acquirerId, key_id: keyId, label, ends_with };
      return {
        api_keys: keys.filter((key) => key !== revoked),
        steps: [removeKey(revoked)],
        event: { type: 'api_key.revoked', details, keyIds: [keyId] },
      };
    },
    by,
  );
