import * as v from 'valibot';
import { storedText } from './base/fields.ts';
import { type FieldError, Problem, validationFailed } from './base/problem.ts';
import { laterThan } from './base/time.ts';
import { rateLimit, time, uuidValue } from './base/values.ts';
import { newEvent, stepsOf } from './record.ts';
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
import { exists, isAsRead, isFree, put, remove, transact, update } from './table/transaction.ts';

/*
 * What changes something here stores an event of the operator's record with it, and rejects when it is not known who makes
 * the change: see record.ts.
 */

/** The two kinds of acquirer that interface §1 names. */
const acquirerType = v.picklist(['DISTRIBUTOR', 'PAYMENT_PROVIDER']);
export type AcquirerType = v.InferOutput<typeof acquirerType>;

/** Who calls: a distributor, or a payment provider (PSP). */
export const acquirerFields = v.object({
  id: uuidValue,
  type: acquirerType,
  name: storedText,
  /** Its own rate limit, instead of the stage's. */
  limit: v.optional(rateLimit),
});
export type Acquirer = v.InferOutput<typeof acquirerFields>;

/** The stored item of an acquirer. */
export const acquirerItem = v.object({
  ...acquirerFields.entries,
  created_at: time,
  /** Changes with every change to the acquirer, its API keys or its partners, so writes use it as a version. */
  updated_at: time,
  /** While it is set, none of the acquirer's API keys is valid. */
  disabled_at: v.optional(time),
});
export type Registered = v.InferOutput<typeof acquirerItem>;

/** The stored item of a partnership, in each partner's lookup. */
export const partnerItem = v.object({ name: storedText });

const unknownAcquirer = (id: string): Problem => new Problem('not_found', `There is no acquirer ${id}.`);

/**
 * Registers an acquirer.
 *
 * @throws Problem `validation_failed` when its id is taken.
 */
export async function createAcquirer({ id, type, name }: Acquirer): Promise<Registered> {
  const created_at = new Date().toISOString();
  const registered = { id, type, name, created_at, updated_at: created_at };
  const taken = [{ pointer: '/id', code: 'taken', detail: `There is an acquirer ${id} already.` }];
  const event = await newEvent('acquirer.created', { type, name });
  await retrying(() =>
    transact([put(acquirerKey(id), registered, isFree(taken)), ...stepsOf(event, acquirerSubject(id))]),
  );
  return registered;
}

/**
 * An acquirer by its id.
 *
 * @throws Problem `not_found`.
 */
export async function getAcquirer(id: string): Promise<Registered> {
  const acquirer = await getItem<Registered>(acquirerKey(id));
  if (!acquirer) throw unknownAcquirer(id);
  return acquirer;
}

/** All acquirers, disabled ones included. */
export const listAcquirers = (): Promise<Registered[]> => queryPrefix<Registered>(acquirers);

/**
 * Makes a distributor and a payment provider partners: the one may act for the other. Changes nothing if they are.
 *
 * @throws Problem `not_found`, or `validation_failed` when one of them is not of the type that it is named as.
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
      // The links repeat the names: a rename at the same time follows, and finds them.
      ...[distributor, provider].map((acquirer) =>
        update(
          acquirerKey(acquirer.id),
          { set: { updated_at: laterThan(acquirer.updated_at) } },
          isAsRead(acquirer, 'updated_at'),
        ),
      ),
      put(links[0], { name: provider.name }),
      put(links[1], { name: distributor.name }),
      ...stepsOf(event, acquirerSubject(distributor.id), acquirerSubject(provider.id)),
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
 * Ends a partnership: neither may be named on new branches by the other. Branches that both have stay accessible to both.
 *
 * @throws Problem `validation_failed` when they are no partners.
 */
export const unlinkPartners = (distributorId: string, providerId: string): Promise<void> => {
  const noPartners = validationFailed([{ pointer: '', code: 'not_a_partner', detail: 'These two are no partners.' }]);
  const links = [providerKey(distributorId, providerId), distributorKey(providerId, distributorId)] as const;
  return retrying(async () => {
    const [provider, distributor] = await getItems<[Named, Named]>([...links]);
    if (!provider || !distributor) throw noPartners;
    const names = partnersOf({ ...distributor, id: distributorId }, { ...provider, id: providerId });
    const event = await newEvent('partnership.unlinked', names);
    await transact([
      remove(links[0], exists(noPartners)),
      remove(links[1]),
      ...stepsOf(event, acquirerSubject(distributorId), acquirerSubject(providerId)),
    ]);
  });
};

/** Reference data that terminals of an acquirer may name. */
export type ReferenceData = 'PAYMENT_APPS' | 'MASTER_ACQUIRERS';
/** With the event of the operator's record, what fits one transaction. */
export const MOST_NAMES = 99;
const REFERENCE_KEYS = { PAYMENT_APPS: paymentAppKey, MASTER_ACQUIRERS: masterAcquirerKey };

/**
 * Adds names of payment apps or master acquirers, up to {@link MOST_NAMES}: all or none. Names that are there stay.
 *
 * @throws Problem `not_found` when there is no such acquirer.
 */
export const addReferenceData = (acquirerId: string, kind: ReferenceData, names: string[]): Promise<void> =>
  retrying(async () => {
    // An acquirer that there is stays.
    await getAcquirer(acquirerId);
    const keyOf = (name: string) => REFERENCE_KEYS[kind](acquirerId, name);
    const there = await getItems<unknown[]>(names.map(keyOf));
    const added = names.filter((_, at) => !there[at]);
    if (added.length === 0) return;
    const event = await newEvent('reference_data.added', { kind, names: added });
    await transact([
      ...added.map((name) => put(keyOf(name), {}, isFree('stale'))),
      ...stepsOf(event, acquirerSubject(acquirerId)),
    ]);
  });

/**
 * Removes names of payment apps or master acquirers, up to {@link MOST_NAMES}: all or none. Terminals that have one keep
 * it; none can be given it any more.
 *
 * @throws Problem `validation_failed` naming those which the acquirer has not.
 */
export async function removeReferenceData(acquirer: string, kind: ReferenceData, names: string[]): Promise<void> {
  const removals = names.map((name) => {
    const detail = `Acquirer ${acquirer} has none of the name "${name}".`;
    return remove(REFERENCE_KEYS[kind](acquirer, name), exists([{ pointer: '/name', code: 'not_found', detail }]));
  });
  const event = await newEvent('reference_data.removed', { kind, names });
  await retrying(() => transact([...removals, ...stepsOf(event, acquirerSubject(acquirer))]));
}
