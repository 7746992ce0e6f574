import * as v from 'valibot';
import { storedText } from './base/fields.ts';
import { type FieldError, Problem, validationFailed } from './base/problem.ts';
import { laterThan } from './base/time.ts';
import { extend, rateLimit, time, uuidValue } from './base/values.ts';
import { newEvent, recordSteps } from './record.ts';
import { getItem, getItems, queryPrefix } from './table/client.ts';
import {
  acquirerKey,
  acquirerSubject,
  acquirers,
  distributorKey,
  masterAcquirerKey,
  paymentAppKey,
  providerKey,
} from './table/keys.ts';
import { allDone, retrying } from './table/retry.ts';
import { exists, isAsRead, isFree, MOST_STEPS, put, remove, transact, update } from './table/transaction.ts';

/*
 * Every change here stores an event in the operator's record in the same transaction. It rejects when no operator is
 * set: see record.ts.
 */

/** The types of acquirer: a distributor acts for payment providers (PSPs). */
const acquirerType = v.picklist(['DISTRIBUTOR', 'PAYMENT_PROVIDER']);
export type AcquirerType = v.InferOutput<typeof acquirerType>;

/** An acquirer. */
export const acquirerFields = v.object({
  id: uuidValue,
  type: acquirerType,
  name: storedText,
  /** Its own rate limit, which replaces the stage's. */
  limit: v.optional(rateLimit),
});
export type Acquirer = v.InferOutput<typeof acquirerFields>;

/** The stored item of an acquirer. */
export const acquirerItem = extend(acquirerFields, {
  created_at: time,
  /** Every change to the acquirer, its API keys or its partners sets it, so writes use it as a version. */
  updated_at: time,
  /** While it is set, none of the acquirer's API keys is valid. */
  disabled_at: v.optional(time),
});
export type StoredAcquirer = v.InferOutput<typeof acquirerItem>;

/** The stored item of a partnership, in the lookup of each partner. */
export const partnerItem = v.object({ name: storedText });

const unknownAcquirer = (id: string): Problem => new Problem('not_found', `There is no acquirer ${id}.`);

/**
 * Registers an acquirer.
 *
 * @throws Problem `validation_failed` when its id is taken.
 */
export async function createAcquirer({ id, type, name }: Acquirer): Promise<StoredAcquirer> {
  const created_at = new Date().toISOString();
  const registered = { id, type, name, created_at, updated_at: created_at };
  const taken = [{ pointer: '/id', code: 'taken', detail: `Acquirer ${id} already exists.` }];
  const event = await newEvent('acquirer.created', { type, name });
  await retrying(() =>
    transact([put(acquirerKey(id), registered, isFree(taken)), ...recordSteps(event, acquirerSubject(id))]),
  );
  return registered;
}

/**
 * Gets an acquirer by its id.
 *
 * @throws Problem `not_found`.
 */
export async function getAcquirer(id: string): Promise<StoredAcquirer> {
  const acquirer = await getItem<StoredAcquirer>(acquirerKey(id));
  if (!acquirer) throw unknownAcquirer(id);
  return acquirer;
}

/** Lists all acquirers, including disabled ones. */
export const listAcquirers = (): Promise<StoredAcquirer[]> => queryPrefix<StoredAcquirer>(acquirers);

/**
 * Makes a distributor and a payment provider partners. Does nothing if they are.
 *
 * @throws Problem `not_found`; `validation_failed` when one of them is of the other type.
 */
export const linkPartners = (distributorId: string, providerId: string): Promise<void> =>
  retrying(async () => {
    const [distributor, provider] = await allDone([getAcquirer(distributorId), getAcquirer(providerId)]);
    const fieldErrors = [
      ...(distributor.type === 'DISTRIBUTOR' ? [] : [otherType('/distributor', distributor)]),
      ...(provider.type === 'PAYMENT_PROVIDER' ? [] : [otherType('/payment_provider', provider)]),
    ];
    if (fieldErrors.length > 0) throw validationFailed(fieldErrors);
    const links = [providerKey(distributor.id, provider.id), distributorKey(provider.id, distributor.id)] as const;
    if ((await getItems([...links])).every(Boolean)) return;
    const event = await newEvent('partnership.linked', partnersOf(distributor, provider));
    await transact([
      // The links contain the names. A concurrent rename is retried after this version, and then updates the links.
      ...[distributor, provider].map((acquirer) =>
        update(
          acquirerKey(acquirer.id),
          { set: { updated_at: laterThan(acquirer.updated_at) } },
          isAsRead(acquirer, 'updated_at'),
        ),
      ),
      put(links[0], { name: provider.name }),
      put(links[1], { name: distributor.name }),
      ...recordSteps(event, acquirerSubject(distributor.id), acquirerSubject(provider.id)),
    ]);
  });

type Named = Pick<Acquirer, 'id' | 'name'>;

/** A partnership in the operator's record. */
const partnersOf = (distributor: Named, provider: Named) => ({
  distributor: { id: distributor.id, name: distributor.name },
  payment_provider: { id: provider.id, name: provider.name },
});

const otherType = (pointer: string, { id, name, type }: Acquirer): FieldError => ({
  pointer,
  code: 'other_type',
  detail: `${name} (${id}) is a ${type}.`,
});

/**
 * Ends a partnership: neither can name the other on new branches. Branches that they share stay accessible to both.
 *
 * @throws Problem `validation_failed` when they are not partners.
 */
export const unlinkPartners = (distributorId: string, providerId: string): Promise<void> => {
  const noPartners = validationFailed([
    { pointer: '', code: 'not_a_partner', detail: 'These acquirers are not partners.' },
  ]);
  const links = [providerKey(distributorId, providerId), distributorKey(providerId, distributorId)] as const;
  return retrying(async () => {
    const [provider, distributor] = await getItems<[Named, Named]>([...links]);
    if (!provider || !distributor) throw noPartners;
    const names = partnersOf({ ...distributor, id: distributorId }, { ...provider, id: providerId });
    const event = await newEvent('partnership.unlinked', names);
    await transact([
      remove(links[0], exists(noPartners)),
      remove(links[1]),
      ...recordSteps(event, acquirerSubject(distributorId), acquirerSubject(providerId)),
    ]);
  });
};

/** Reference data that an acquirer may name on terminals. */
export type ReferenceData = 'PAYMENT_APPS' | 'MASTER_ACQUIRERS';
/** The most names in one transaction, beside the event of the operator's record. */
export const MOST_NAMES = MOST_STEPS - 1;
const REFERENCE_KEYS = { PAYMENT_APPS: paymentAppKey, MASTER_ACQUIRERS: masterAcquirerKey };

/**
 * Adds names of payment apps or master acquirers in one transaction. Existing names are unchanged.
 *
 * @param names At most {@link MOST_NAMES}.
 * @throws Problem `not_found` when there is no such acquirer.
 */
export const addReferenceData = (acquirerId: string, kind: ReferenceData, names: string[]): Promise<void> =>
  retrying(async () => {
    // Acquirers are never deleted, so the transaction need not check it again.
    await getAcquirer(acquirerId);
    const keyOf = (name: string) => REFERENCE_KEYS[kind](acquirerId, name);
    const stored = await getItems<unknown[]>(names.map(keyOf));
    const added = names.filter((_, at) => !stored[at]);
    if (added.length === 0) return;
    const event = await newEvent('reference_data.added', { kind, names: added });
    await transact([
      ...added.map((name) => put(keyOf(name), {}, isFree('stale'))),
      ...recordSteps(event, acquirerSubject(acquirerId)),
    ]);
  });

/**
 * Removes names of payment apps or master acquirers in one transaction. Terminals that have such a name keep it.
 *
 * @param names At most {@link MOST_NAMES}.
 * @throws Problem `validation_failed` that lists the names which the acquirer does not have.
 */
export async function removeReferenceData(acquirer: string, kind: ReferenceData, names: string[]): Promise<void> {
  const removals = names.map((name) => {
    const detail = `Acquirer ${acquirer} has no "${name}".`;
    return remove(REFERENCE_KEYS[kind](acquirer, name), exists([{ pointer: '/name', code: 'not_found', detail }]));
  });
  const event = await newEvent('reference_data.removed', { kind, names });
  await retrying(() => transact([...removals, ...recordSteps(event, acquirerSubject(acquirer))]));
}
