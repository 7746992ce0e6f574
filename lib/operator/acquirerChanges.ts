import { isDeepStrictEqual } from 'node:util';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { changeKeys, type ListedKey, MOST_KEYS, removeKey, storeKey } from '../acquirers/keyring.ts';
import { listReferences } from '../acquirers/reference.ts';
import { getAcquirer, type StoredAcquirer } from '../acquirers/registry.ts';
import { retrying } from '../aws/retry.ts';
import { CACHE_MS } from '../base/cache.ts';
import { bodyRefused } from '../base/problem.ts';
import { type Limit, limitError } from '../base/rateAndBurst.ts';
import { getItems } from '../table/client.ts';
import { acquirerKey, distributorKey, type Key, providerKey } from '../table/keys.ts';
import { check, exists, isAsRead, MOST_STEPS, put, type Step, transact } from '../table/transaction.ts';

/**
 * Disables an acquirer: its API keys stop working within {@link CACHE_MS}, and none can be issued. Its branches and
 * terminals stay accessible to its partners. Does nothing if it is disabled.
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
          steps: keys.map(removeKey),
          event: { type: 'acquirer.disabled', details: {} },
        },
  );

/**
 * Enables a disabled acquirer. Its API keys that have not expired work again. Does nothing if it is enabled.
 *
 * @throws Problem `not_found`.
 */
export const enableAcquirer = (acquirerId: string): Promise<void> =>
  changeKeys(acquirerId, (acquirer, keys) =>
    acquirer.disabled_at
      ? {
          api_keys: keys,
          disabled_at: undefined,
          steps: keys.map((key) => storeKey(acquirer, key)),
          event: { type: 'acquirer.enabled', details: {} },
        }
      : undefined,
  );

/** Stores all keys, unless the acquirer is disabled. */
const storeKeys = (acquirer: StoredAcquirer, keys: ListedKey[]): Step[] =>
  acquirer.disabled_at ? [] : keys.map((key) => storeKey(acquirer, key));

/**
 * Sets an acquirer's own rate limit, or the stage's with `undefined`. It takes effect within {@link CACHE_MS}. Does
 * nothing if that is its limit.
 *
 * @throws Problem `not_found`; `validation_failed` when the limit is not valid.
 */
export async function limitAcquirer(acquirerId: string, limit: Limit | undefined): Promise<void> {
  const reason = limit && limitError(limit);
  if (reason) throw bodyRefused('invalid_limit', reason);
  await changeKeys(acquirerId, (acquirer, keys) => {
    if (isDeepStrictEqual(acquirer.limit, limit)) return;
    const details = { limit: limit ?? null, limit_before: acquirer.limit ?? null };
    return {
      api_keys: keys,
      limit,
      steps: storeKeys({ ...acquirer, limit }, keys),
      event: { type: 'acquirer.limited', details },
    };
  });
}

/** The most lookup entries that fit beside an acquirer, all of its keys and an event. */
const MOST_ENTRIES = MOST_STEPS - MOST_KEYS - 2;

/**
 * Renames an acquirer: itself, its API keys, and its entries in the lookups of its partners, in one transaction with up
 * to {@link MOST_ENTRIES} partners. With more, further ones follow; a call with the same name completes an interrupted
 * one. Processes may return the old name for {@link CACHE_MS}.
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
      steps: [...storeKeys({ ...acquirer, name }, keys), ...entries.slice(0, MOST_ENTRIES)],
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

/** Steps that update an acquirer's name in those lookups of its partners that have another. */
async function renamedEntries({ id, type, name }: Acquirer): Promise<Step[]> {
  const partners = await listReferences({ id }, type === 'DISTRIBUTOR' ? 'PAYMENT_PROVIDERS' : 'DISTRIBUTORS');
  const keys = partners.map((partner): Key => (type === 'DISTRIBUTOR' ? distributorKey : providerKey)(partner.id, id));
  const entries = await getItems<{ name: string }[]>(keys);
  return keys.filter((_, at) => entries[at]?.name !== name).map((key) => put(key, { name }, exists('stale')));
}
