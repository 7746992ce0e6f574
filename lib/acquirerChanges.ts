import { isDeepStrictEqual } from 'node:util';
import { type Acquirer, getAcquirer, type Registered } from './acquirer.ts';
import type { Listed } from './apiKey.ts';
import { CACHE_MS } from './base/cache.ts';
import { type Limit, limitError } from './base/limit.ts';
import { validationFailed } from './base/problem.ts';
import { admit, changeKeys, MOST_KEYS, shutOut } from './keyring.ts';
import { listReferences } from './reference.ts';
import { getItems } from './table/client.ts';
import { acquirerKey, distributorKey, type Key, providerKey } from './table/keys.ts';
import { retrying } from './table/retry.ts';
import { check, exists, isAsRead, put, type Step, transact } from './table/transaction.ts';

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
