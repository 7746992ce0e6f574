import type { Limit } from './limit.ts';
import { type Fault, Problem, validationFailed } from './problem.ts';
import { getItem, queryPrefix } from './table/client.ts';
import { acquirerKey, acquirers, distributorKey, masterAcquirerKey, paymentAppKey, providerKey } from './table/keys.ts';
import { allDone, retrying } from './table/retry.ts';
import { check, exists, isFree, put, remove, transact } from './table/transaction.ts';

/** The two kinds of acquirer that interface §1 names. */
export type AcquirerType = 'DISTRIBUTOR' | 'PAYMENT_PROVIDER';

/** Who calls: a distributor, or a payment provider (PSP). `id` is a UUID. */
export interface Acquirer {
  id: string;
  type: AcquirerType;
  name: string;
  /** Its own rate limit, instead of the stage's. */
  limit?: Limit | undefined;
}

/** An acquirer as the operator registered it. Times are RFC 3339 UTC with milliseconds. */
export interface Registered extends Acquirer {
  created_at: string;
  /** Changes with every change to the acquirer or its API keys: it tells whether they are what was read. */
  updated_at: string;
  /** While it is set, none of the acquirer's API keys is let in. */
  disabled_at?: string | undefined;
}

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
  await retrying(() => transact([put(acquirerKey(id), registered, isFree(taken))]));
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
 * Makes a distributor and a payment provider partners: the one may act for the other. Safe to repeat.
 *
 * @throws Problem `not_found`, or `validation_failed` when one of them is not of the type that it is named as.
 */
export async function linkPartners(distributorId: string, providerId: string): Promise<void> {
  const [distributor, provider] = await allDone([getAcquirer(distributorId), getAcquirer(providerId)]);
  const faults = [
    ...(distributor.type === 'DISTRIBUTOR' ? [] : [otherType('/distributor', distributor)]),
    ...(provider.type === 'PAYMENT_PROVIDER' ? [] : [otherType('/payment_provider', provider)]),
  ];
  if (faults.length > 0) throw validationFailed(faults);
  const links = [
    put(providerKey(distributor.id, provider.id), { name: provider.name }),
    put(distributorKey(provider.id, distributor.id), { name: distributor.name }),
  ];
  await retrying(() => transact(links));
}

const otherType = (pointer: string, { id, name, type }: Acquirer): Fault => ({
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
  const werePartners = exists([{ pointer: '', code: 'not_a_partner', detail: 'These two are no partners.' }]);
  const links = [
    remove(providerKey(distributorId, providerId), werePartners),
    remove(distributorKey(providerId, distributorId)),
  ];
  return retrying(() => transact(links));
};

/** Reference data that terminals of an acquirer may name. */
export type ReferenceData = 'PAYMENT_APPS' | 'MASTER_ACQUIRERS';
/** With the acquirer's own item, what fits one transaction. */
export const MOST_NAMES = 99;
const REFERENCE_KEYS = { PAYMENT_APPS: paymentAppKey, MASTER_ACQUIRERS: masterAcquirerKey };

/**
 * Adds names of payment apps or master acquirers, up to {@link MOST_NAMES}: all or none. Safe to repeat.
 *
 * @throws Problem `not_found` when there is no such acquirer.
 */
export const addReferenceData = (acquirer: string, kind: ReferenceData, names: string[]): Promise<void> =>
  retrying(() =>
    transact([
      check(acquirerKey(acquirer), exists(unknownAcquirer(acquirer))),
      ...names.map((name) => put(REFERENCE_KEYS[kind](acquirer, name), {})),
    ]),
  );

/**
 * Removes names of payment apps or master acquirers, up to {@link MOST_NAMES}: all or none. Terminals that have one keep
 * it; none can be given it any more.
 *
 * @throws Problem `validation_failed` naming those which the acquirer has not.
 */
export const removeReferenceData = (acquirer: string, kind: ReferenceData, names: string[]): Promise<void> => {
  const removals = names.map((name) => {
    const detail = `Acquirer ${acquirer} has none of the name "${name}".`;
    return remove(REFERENCE_KEYS[kind](acquirer, name), exists([{ pointer: '/name', code: 'not_found', detail }]));
  });
  return retrying(() => transact(removals));
};
