import { queryMembers } from './table/client.ts';
import {
  type AcquirerMember,
  acquirerKey,
  distributorKey,
  masterAcquirerKey,
  membersOf,
  paymentAppKey,
  providerKey,
} from './table/keys.ts';
import { put, transact } from './table/transaction.ts';

/** The two kinds of acquirer that interface §1 names. */
export type AcquirerType = 'DISTRIBUTOR' | 'PAYMENT_PROVIDER';

/** Who calls: a distributor, or a payment provider (PSP). `id` is a UUID. */
export interface Acquirer {
  id: string;
  type: AcquirerType;
  name: string;
}

/** A member of an acquirer's partition as lookups list it. */
export interface Named {
  id: string;
  name: string;
}

/** Stores an acquirer. */
export const putAcquirer = ({ id, type, name }: Acquirer): Promise<void> =>
  transact([put(acquirerKey(id), { id, type, name })]);

/** Makes a distributor and a payment provider partners: the one may act for the other. Safe to repeat. */
export const linkPartners = (distributor: Acquirer, provider: Acquirer): Promise<void> =>
  transact([
    put(providerKey(distributor.id, provider.id), { id: provider.id, name: provider.name }),
    put(distributorKey(provider.id, distributor.id), { id: distributor.id, name: distributor.name }),
  ]);

/** Adds payment apps and master acquirers that terminals of this acquirer may name. Safe to repeat. */
export const addReferenceData = (
  acquirer: Acquirer,
  { paymentApps, masterAcquirers }: { paymentApps: string[]; masterAcquirers: string[] },
): Promise<void> =>
  transact([
    ...paymentApps.map((name) => put(paymentAppKey(acquirer.id, name), { id: name, name })),
    ...masterAcquirers.map((name) => put(masterAcquirerKey(acquirer.id, name), { id: name, name })),
  ]);

/** All members of one kind that an acquirer may use, master merchants excepted. */
export const listMembers = (acquirer: Acquirer, kind: Exclude<AcquirerMember, 'MASTER_MERCHANT'>): Promise<Named[]> =>
  queryMembers<Named>(membersOf(acquirer.id, kind));
